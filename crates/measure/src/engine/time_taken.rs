//! Time that was taken from a spinning thread: by the kernel of this machine, or by something below
//! it, the hypervisor or the firmware.

use super::Ruler;
use super::ruler::RulerKind;
use chronoscope::counter;
use chronoscope::witness::Entries;
use chronoscope_model::run::{Gaps, Taken};
use std::time::Duration;

/// How long to watch. A timer tick at 100 Hz occurs five times.
const WATCHED: Duration = Duration::from_millis(50);

/// Shorter gaps are not counted: a read of the counter and of the register takes up to 40 ns, and
/// what the processor does by itself, such as a change of frequency, may take several hundred.
const LEAST_NS: f64 = 1000.0;

/// Watches this CPU for a while. `None` if that is not possible here.
pub fn watch(ruler: &Ruler) -> Option<Taken> {
    if ruler.kind() == RulerKind::System {
        return None;
    }
    let entered = Entries::shown()?;
    let each = 1e9 / ruler.hz();
    let ns = |ticks: u64| ticks.cast_signed() as f64 * each;
    let watched = (WATCHED.as_secs_f64() * ruler.hz()) as u64;
    let (mut kernel, mut below) = (Gaps::default(), Gaps::default());
    let start = counter::now();
    let mut last = start;
    entered.set();
    loop {
        let mut now = counter::now();
        if !entered.stood() {
            // The interrupt may have come after this read.
            now = counter::now();
            add(&mut kernel, ns(now.wrapping_sub(last)));
            entered.set();
        } else {
            add(&mut below, ns(now.wrapping_sub(last)));
        }
        last = now;
        if now.wrapping_sub(start) > watched {
            break;
        }
    }
    Some(Taken { watched_ns: ns(last.wrapping_sub(start)), kernel, below })
}

/// Adds a gap that is long enough. A counter that went back shows no gap.
fn add(gaps: &mut Gaps, ns: f64) {
    if ns > LEAST_NS {
        gaps.count += 1;
        gaps.total_ns += ns;
        gaps.longest_ns = gaps.longest_ns.max(ns);
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
