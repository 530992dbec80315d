//! Readers that read nothing, but take a known number of dependent steps: with them the engine is
//! asked whether it can tell one step more from none, and how fast the core runs.

use super::rust_loop::{Read, opened};
use super::{Range, Reader, Unit};

/// Four additions, each of which waits for the one before.
struct Four;
/// Five of them.
struct Five;

/// Readers of four and of five dependent additions, or `None` on a processor for which they have
/// not been written.
pub fn four_and_five() -> Option<[Reader; 2]> {
    let readers = [
        Reader::without_entry(opened(Four, Unit::Hz(1.0), None, Range::bits(64))),
        Reader::without_entry(opened(Five, Unit::Hz(1.0), None, Range::bits(64))),
    ];
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")).then_some(readers)
}

/// Cycles that one read of the first of [`four_and_five`] takes: an addition of registers has a
/// latency of one cycle on every core that these are written for (Fog, *Instruction tables*; Arm's
/// optimisation guides of the Cortex-A and Neoverse cores).
pub const CYCLES: u64 = 4;

/// `$n` additions to one register that no compiler uses for anything else here. The chain runs on
/// from one read to the next. Clobbers the register and the flags.
///
/// The register is added to itself: Intel's Golden Cove and later carry out additions of a small
/// constant while renaming registers, at no cost.
macro_rules! additions {
    ($($turn:literal),*) => {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: adds to a register that is declared as clobbered.
        unsafe { core::arch::asm!($(concat!("add r11, r11 // ", $turn)),*, out("r11") _, options(nomem, nostack)) };
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        unsafe { core::arch::asm!($(concat!("add x9, x9, x9 // ", $turn)),*, out("x9") _, options(nomem, nostack)) };
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
