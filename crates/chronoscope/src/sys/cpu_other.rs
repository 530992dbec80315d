//! A processor without a counter that user code can be sure to be allowed to read.
//!
//! On 32-bit Arm the kernel decides whether the generic timer may be read, and there is no way to
//! ask that does not risk an illegal instruction; on RISC-V `rdcycle` is privileged by now.

use crate::machine::Hint;

pub const CLOCK_SOURCES: &[&str] = &[];

pub fn invariant() -> Option<bool> {
    None
}

pub fn rate_hints() -> Vec<Hint> {
    Vec::new()
}
