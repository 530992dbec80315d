//! Readers that read nothing but perform a known number of dependent steps. They show whether the
//! engine can resolve one additional step, and how fast the core runs.

use super::rust_loop::{Read, opened};
use super::{Range, Reader, Unit};

/// Four additions, each of which waits for the one before.
struct Four;
/// Five of them.
struct Five;

/// Readers of four and of five dependent additions, or `None` on processors for which they do not
/// exist.
pub fn four_and_five() -> Option<[Reader; 2]> {
    let readers = [
        Reader::without_entry(opened(Four, Unit::Hz(1.0), None, Range::bits(64))),
        Reader::without_entry(opened(Five, Unit::Hz(1.0), None, Range::bits(64))),
    ];
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")).then_some(readers)
}

/// The cycles that one read of the first of [`four_and_five`] takes: adding registers has a latency
/// of one cycle on every core for which these exist (Fog, *Instruction tables*; Arm's optimisation
/// guides of the Cortex-A and Neoverse cores).
pub const CYCLES: u64 = 4;

/// One addition per argument, all to a register that the compiler uses for nothing else here. The
/// chain continues from one read to the next. Clobbers the register and the flags.
///
/// The register is added to itself because Intel's Golden Cove and later cores perform additions of
/// a small constant while renaming registers, at no cost.
macro_rules! additions {
    ($($turn:literal),*) => {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: adds to a register that is declared as clobbered.
        unsafe {
            core::arch::asm!(
                $(concat!("add r11, r11 // ", $turn)),*,
                out("r11") _,
                options(nomem, nostack)
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        unsafe {
            core::arch::asm!(
                $(concat!("add x9, x9, x9 // ", $turn)),*,
                out("x9") _,
                options(nomem, nostack)
            );
        }
    };
}

impl Read for Four {
    #[inline(always)]
    fn read(&mut self) {
        additions!(1, 2, 3, 4);
    }

    fn value(&mut self) -> u64 {
        4
    }
}

impl Read for Five {
    #[inline(always)]
    fn read(&mut self) {
        additions!(1, 2, 3, 4, 5);
    }

    fn value(&mut self) -> u64 {
        5
    }
}
