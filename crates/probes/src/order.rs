//! The fence that separates reads when their latency is measured, and what tests whether a read
//! needs one: earlier work that a read may overtake, and turns taken by two threads. The loops for
//! clocks that are read in C are in `native/reader.h`.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Waits until every earlier instruction has completed locally.
///
/// x86-64: `lfence` (Intel SDM volume 2A, LFENCE). AArch64 and ARMv7: `isb` (Arm ARM, "Context
/// synchronization event"). On other processors it is only a compiler fence.
#[inline(always)]
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: lfence is part of SSE2, which is part of x86-64.
    unsafe {
        core::arch::x86_64::_mm_lfence();
    }
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    // SAFETY: isb has no operands and no effect except ordering.
    unsafe {
        core::arch::asm!("isb", options(nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "arm")))]
    core::sync::atomic::compiler_fence(Ordering::SeqCst);
}

/// The divisions of [`Work::Chain`]. `CS_DIVISIONS`.
const DIVISIONS: u32 = 16;

/// What precedes a read in a test of its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Work {
    /// No work: how long such a read takes otherwise.
    Nothing,
    /// A load that misses every cache.
    Load,
    /// A load that misses every cache, with a branch that depends on it and is predicted correctly.
    LoadAndBranch,
    /// Divisions, each of which waits for the one before: more than a call does before it reads the
    /// clock, and few enough to fit into any scheduler, as a full one would hold back a read that
    /// is not ordered at all.
    Chain,
}

impl Work {
    /// Does the work. The caller has evicted the line.
    #[inline(always)]
    pub(crate) fn run(self, line: &Line) {
        match self {
            Self::Nothing => {}
            Self::Load => {
                line.load();
            }
            Self::LoadAndBranch => {
                if line.load() != 0 {
                    fence();
                }
            }
            Self::Chain => {
                let mut ratio = 7.0f64;
                for _ in 0..DIVISIONS {
                    ratio = hide(3.0 / ratio);
                }
            }
        }
    }
}

/// Makes the compiler forget a number, so that it computes what follows from it.
#[inline(always)]
fn hide(number: f64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut number = number;
        // SAFETY: the template is empty, so it touches neither memory nor registers.
        unsafe {
            core::arch::asm!(
                "/* {0} */", inout(xmm_reg) number, options(nomem, nostack, preserves_flags)
            );
        }
        number
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::hint::black_box(number)
}

/// The processor's counter, unordered, as an instrument. Read only after a clock that reads it too,
/// because reading it may be forbidden.
#[inline(always)]
pub(crate) fn counter() -> u64 {
    chronoscope::counter::now()
}

/// A test's read is fenced from the earlier work. `CS_FENCED`.
pub(crate) const FENCED: u32 = 1;
/// A test's read is followed by a read of the counter. `CS_LATER`.
pub(crate) const LATER: u32 = 2;

/// A cache line that is evicted and loaded again. It holds zeros.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Line(UnsafeCell<[usize; 16]>);

impl Line {
    /// Removes the line from every cache and waits until that is done. Does nothing on processors
    /// on which user code cannot do that. Intel SDM volume 2A, CLFLUSH; Arm ARM, DC CIVAC.
    #[inline(always)]
    pub(crate) fn evict(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: both instructions are part of SSE2, and the address is that of a live object.
        unsafe {
            core::arch::x86_64::_mm_clflush(self.0.get().cast());
            core::arch::x86_64::_mm_mfence();
        }
        #[cfg(all(target_arch = "aarch64", target_os = "linux"))]
        // SAFETY: the address is that of a live object; cleaning its line changes no value. Linux
        // permits the instruction (SCTLR_EL1.UCI).
        unsafe {
            let line = self.0.get();
            core::arch::asm!("dc civac, {}", "dsb sy", in(reg) line, options(nostack));
        }
    }

    /// One load of the line, which the compiler neither drops nor combines with another.
    #[inline(always)]
    fn load(&self) -> u64 {
        // SAFETY: the cell is live, aligned and initialised, and nothing writes to it.
        unsafe { self.0.get().cast::<usize>().read_volatile() as u64 }
    }
}

/// What one read took since a fenced read before the work: `cs_lapse`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Lapse {
    /// The lapse by the clock itself, in its units.
    pub own: u64,
    /// The lapse by an unordered read of the processor's counter right after it, in ticks: when
    /// later instructions began. Zero if that was not measured.
    pub later: u64,
}

/// What two threads hand to each other: `cs_turns`.
#[repr(C, align(128))]
#[derive(Debug, Default)]
pub struct Turns {
    turn: AtomicU32,
    given: AtomicU64,
}

/// What one thread saw in its turns: `cs_handed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Handed {
    pub turns: u64,
    /// Turns in which the thread's own value was smaller than the one that it was handed.
    pub backwards: u64,
    /// The furthest step back, in units of the clock.
    pub worst: u64,
}

/// Neither player: the game is over. `CS_OVER`.
const OVER: u32 = 2;
/// A player whose turn does not come within this many checks, some 0.1 s, ends the game.
/// `CS_PATIENCE`.
const PATIENCE: u32 = 1 << 22;

impl Turns {
    /// Takes `n` turns at reading as player `me`, 0 or 1. The value handed over is stored before
    /// the turn is passed on, and loaded after the turn was seen; nothing else orders the read.
    #[inline(always)]
    pub fn play(&self, me: u32, n: u64, mut read: impl FnMut() -> u64) -> Handed {
        let mut handed = Handed::default();
        while handed.turns < n {
            let mut looks = 0;
            loop {
                let turn = self.turn.load(Ordering::Acquire);
                if turn == me {
                    break;
                }
                looks += 1;
                if turn == OVER || looks == PATIENCE {
                    self.turn.store(OVER, Ordering::Release);
                    return handed;
                }
                std::hint::spin_loop();
            }
            let given = self.given.load(Ordering::Relaxed);
            let mine = read();
            if (mine.wrapping_sub(given) as i64) < 0 {
                handed.backwards += 1;
                handed.worst = handed.worst.max(given.wrapping_sub(mine));
            }
            handed.turns += 1;
            self.given.store(mine, Ordering::Relaxed);
            self.turn.store(1 - me, Ordering::Release);
        }
        handed
    }
}
