//! Readers that read nothing but perform a known number of dependent steps. They show whether the
//! engine can resolve one additional step, and how fast the core runs.

use super::rust_loop::{Read, opened};
use super::{Reader, Unit};
use crate::machine::Cpuid;

/// Four or five additions, each of which waits for the one before.
struct Chain<const ADDITIONS: u64>;

/// Readers of four and of five dependent additions, or `None` on processors for which they do not
/// exist.
pub fn four_and_five() -> Option<[Reader; 2]> {
    here(Chain::<CYCLES>).zip(here(Chain::<5>)).map(<[Reader; 2]>::from)
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

impl<const ADDITIONS: u64> Read for Chain<ADDITIONS> {
    #[inline(always)]
    fn read(&mut self) {
        if ADDITIONS == CYCLES {
            additions!(1, 2, 3, 4);
        } else {
            additions!(1, 2, 3, 4, 5);
        }
    }

    fn value(&mut self) -> u64 {
        ADDITIONS
    }
}

/// A reader, on the processors for which it exists.
fn here(steps: impl Read) -> Option<Reader> {
    let reader = Reader::without_entry(opened(steps, Unit::Hz(1.0), None));
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")).then_some(reader)
}

/// Additions to eight registers in turn, none of which waits for another register.
struct Eight;

/// The additions of one read of [`independent`].
pub const INDEPENDENT: u64 = 32;

/// A reader that makes [`INDEPENDENT`] additions in eight independent chains, more than a core has
/// units for: six in the widest x86 cores, and eight in the widest of Arm's. How long they take
/// shows whether the units are shared. `None` on processors for which it does not exist.
pub fn independent() -> Option<Reader> {
    here(Eight)
}

/// The fewest additions per cycle that any core makes that is as recent as this one: four on x86
/// processors with AVX2, from Haswell and Zen on, except AMD's family 15h (Fog, *Instruction
/// tables* and *The microarchitecture of Intel, AMD and VIA CPUs*). `None` if that is not known.
pub fn least_width() -> Option<f64> {
    let cpuid = Cpuid::native()?;
    let has_avx2 = cpuid.leaf(7, 0)?.ebx >> 5 & 1 == 1;
    let (family, ..) = cpuid.signature()?;
    (has_avx2 && family != 0x15).then_some(4.0)
}

/// One addition to each of eight registers. Clobbers the registers and the flags.
macro_rules! to_each {
    ($($turn:literal),*) => {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: adds to registers that are declared as clobbered.
        unsafe {
            core::arch::asm!(
                $(
                    concat!("add rax, rax // ", $turn), "add rcx, rcx", "add rdx, rdx",
                    "add rsi, rsi", "add r8, r8", "add r9, r9", "add r10, r10", "add r11, r11"
                ),*,
                out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _,
                out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                options(nomem, nostack)
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        unsafe {
            core::arch::asm!(
                $(
                    concat!("add x8, x8, x8 // ", $turn), "add x9, x9, x9", "add x10, x10, x10",
                    "add x11, x11, x11", "add x12, x12, x12", "add x13, x13, x13",
                    "add x14, x14, x14", "add x15, x15, x15"
                ),*,
                out("x8") _, out("x9") _, out("x10") _, out("x11") _,
                out("x12") _, out("x13") _, out("x14") _, out("x15") _,
                options(nomem, nostack)
            );
        }
    };
}

impl Read for Eight {
    #[inline(always)]
    fn read(&mut self) {
        to_each!(1, 2, 3, 4);
    }

    fn value(&mut self) -> u64 {
        INDEPENDENT
    }
}
