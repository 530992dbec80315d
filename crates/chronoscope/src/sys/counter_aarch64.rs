//! The virtual counter of the generic timer, which Linux, macOS and Windows let user code read.
//!
//! Without `isb` the read may be speculated early (Arm ARM, D12.2.2, "the view of a counter").

use core::arch::asm;

pub const NAME: &str = "cntvct_el0";
pub const IS_HARDWARE: bool = true;

#[inline(always)]
pub fn now() -> u64 {
    let ticks;
    // SAFETY: reads a system register into a general one; no memory, no flags.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags)) };
    ticks
}

#[inline(always)]
pub fn now_ordered() -> u64 {
    let ticks;
    // SAFETY: as in `now`; without `nomem`, so that the compiler orders memory around it too.
    unsafe { asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack, preserves_flags)) };
    ticks
}

#[inline(always)]
pub fn start() -> u64 {
    let ticks;
    // SAFETY: as in `now_ordered`.
    unsafe {
        asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nostack, preserves_flags));
    }
    ticks
}

#[inline(always)]
pub fn stop() -> u64 {
    start()
}

/// By how many ticks it advances at once, seen at the first call; more than one only if some reads
/// see it stand.
///
/// A system counter may advance at a lower rate than it says and by as much more each time (Arm ARM,
/// D12.1.2, "the system counter": 1 GHz is the rate that is told from Armv8.6 on, whatever drives
/// it); QEMU's user mode makes it of `gettimeofday`, in microseconds.
#[cfg(feature = "std")]
pub fn step() -> u64 {
    use core::sync::atomic::{AtomicU64, Ordering};

    /// So many advances are seen to, in no more than so many reads.
    const ADVANCES: u32 = 16;
    const READS: u32 = 4096;
    static KNOWN: AtomicU64 = AtomicU64::new(0);

    let known = KNOWN.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let (mut stood, mut advances, mut least) = (false, 0, u64::MAX);
    let mut last = start();
    for _ in 0..READS {
        let next = start();
        match next.saturating_sub(last) {
            0 => stood = true,
            by => {
                least = least.min(by);
                advances += 1;
            }
        }
        last = next;
        if advances == ADVANCES {
            break;
        }
    }
    // A step need not be a whole number of ticks.
    let step = if stood && least > 1 && least < u64::MAX {
        least + 1
    } else {
        1
    };
    KNOWN.store(step, Ordering::Relaxed);
    step
}

pub const fn has_stop() -> bool {
    true
}
