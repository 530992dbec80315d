//! A processor without a counter that user code is certain to be allowed to read. On RISC-V,
//! `rdcycle` is privileged by now.

use crate::machine::Hint;

pub const CLOCK_SOURCES: &[&str] = &[];

pub fn invariant() -> Option<bool> {
    None
}

pub fn rate_hints() -> [Option<Hint>; 2] {
    [None; 2]
}

/// No instruction rests until the counter has a value.
pub const fn rests_by() -> u8 {
    super::rest::NONE
}

pub fn rest_until(_instruction: u8, _until: u64) {}
