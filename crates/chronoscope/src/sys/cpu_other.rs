//! A processor without a counter that user code can be sure to be allowed to read.
//!
//! On 32-bit Arm the kernel decides whether the generic timer may be read, and there is no way to
//! ask that does not risk an illegal instruction. A library cannot take that risk: the handler that
//! would catch it belongs to the whole process. What comes near to an answer is a vDSO that exports
//! `__vdso_clock_gettime`, which the kernel removes where the timer does not work
//! (arch/arm/kernel/vdso.c, `patch_vdso`); but the vDSO of QEMU exports it too, without such a timer for
//! 32-bit programs. On RISC-V `rdcycle` is privileged by now.

use crate::machine::Hint;

pub const CLOCK_SOURCES: &[&str] = &[];

pub fn invariant() -> Option<bool> {
    None
}

pub fn rate_hints() -> Vec<Hint> {
    Vec::new()
}
