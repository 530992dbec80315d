//! What Arm's generic timer has in common on 32 and on 64 bits.

use crate::sync::{AtomicU64, Ordering};

use crate::machine::Hint;

/// Names under which a kernel uses the counter itself.
pub const CLOCK_SOURCES: &[&str] = &["arch_sys_counter"];

/// The rate that a register states, if firmware has set it; it is not always true.
pub fn rate_hint(hz: u32, register: &'static str) -> Option<Hint> {
    (hz != 0).then(|| Hint { hz: f64::from(hz), bound_ppm: 200.0, from: register })
}

/// The step in which the counter behind `read` advances, in ticks, determined at the first call;
/// more than one only if some reads see it stand still.
///
/// A system counter of Arm may advance at a lower rate than it states, and by correspondingly more
/// each time (Arm ARM, D12.1.2, "the system counter": from Armv8.6 on the stated rate is 1 GHz,
/// whatever drives it). QEMU's user mode derives it from `gettimeofday`, in microseconds.
pub fn step(read: impl Fn() -> u64) -> u64 {
    /// How many advances are observed, and the most reads for that.
    const ADVANCES: u32 = 16;
    const READS: u32 = 4096;
    static KNOWN: AtomicU64 = AtomicU64::new(0);

    let known = KNOWN.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let (mut stood, mut advances, mut least) = (false, 0, u64::MAX);
    let mut last = read();
    for _ in 0..READS {
        let next = read();
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
    let step = if stood && least > 1 && least < u64::MAX { least + 1 } else { 1 };
    KNOWN.store(step, Ordering::Relaxed);
    step
}
