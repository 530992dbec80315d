//! Time that was taken from a spinning thread: by the kernel of this machine, or by something below
//! it, the hypervisor or the firmware.

use crate::engine::Ruler;
use crate::engine::ruler::RulerKind;
use chronoscope::counter;
use chronoscope_model::run::{Gaps, Taken};
use chronoscope_probes::machine::entered::Entered;
use std::time::Duration;

/// How long to watch. A timer tick at 100 Hz comes five times.
const WATCHED: Duration = Duration::from_millis(50);

/// Shorter gaps are not counted: a read of the counter and of the register takes up to 40 ns, and
/// what the processor does by itself, such as a change of frequency, may take several hundred.
const LEAST: Duration = Duration::from_micros(1);

/// Watches this CPU for a while. `None` if that is not possible here.
pub fn watch(ruler: &Ruler) -> Option<Taken> {
    if ruler.kind() == RulerKind::System {
        return None;
    }
    let entered = Entered::tested().ok()?;
    let ticks = |duration: Duration| (duration.as_secs_f64() * ruler.hz()) as u64;
    let (watched, least) = (ticks(WATCHED), ticks(LEAST));
    let (mut kernel, mut below) = (Sum::default(), Sum::default());
    let start = counter::now();
    let mut last = start;
    entered.set();
    loop {
        let mut now = counter::now();
        if !entered.stands() {
            // The interrupt may have come after that read.
            now = counter::now();
            kernel.add(now.wrapping_sub(last), least);
            entered.set();
        } else {
            below.add(now.wrapping_sub(last), least);
        }
        last = now;
        if now.wrapping_sub(start) > watched {
            break;
        }
    }
    let ns = |ticks: u64| ticks as f64 * 1e9 / ruler.hz();
    let gaps =
        |sum: Sum| Gaps { count: sum.count, total_ns: ns(sum.total), longest_ns: ns(sum.longest) };
    Some(Taken {
        watched_ns: ns(last.wrapping_sub(start)),
        kernel: gaps(kernel),
        below: gaps(below),
    })
}

/// Gaps of one kind, in ticks.
#[derive(Default)]
struct Sum {
    count: u64,
    total: u64,
    longest: u64,
}

impl Sum {
    /// A counter that went back is no gap.
    fn add(&mut self, gap: u64, least: u64) {
        if gap > least && gap < u64::MAX / 2 {
            self.count += 1;
            self.total += gap;
            self.longest = self.longest.max(gap);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_fits_into_the_time_that_was_watched() {
        let ruler = Ruler::new(None, Duration::from_millis(5));
        let Some(taken) = watch(&ruler) else {
            return;
        };
        let of_both = taken.kernel.total_ns + taken.below.total_ns;
        assert!(of_both <= taken.watched_ns, "{taken:?}");
        for gaps in [taken.kernel, taken.below] {
            assert!(gaps.longest_ns <= gaps.total_ns);
            assert_eq!(gaps.count == 0, gaps.total_ns == 0.0);
        }
    }
}
