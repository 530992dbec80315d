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
