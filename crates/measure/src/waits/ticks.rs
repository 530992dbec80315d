//! Late waits that took a whole number of ticks: a thread that sleeps from tick to tick, as with
//! Windows' 64 Hz, or that gets its CPU at a tick only.

use chronoscope_model::waits::WholeTicks;
use chronoscope_probes::waits::os;
use hdrhistogram::Histogram as Hdr;
use std::collections::BTreeMap;

/// A wait is within this part of a tick if it took a whole number of them. By chance, one in 16
/// would be: twice this part.
const PART: u64 = 32;
/// Fewer waits show nothing.
const ENOUGH: u64 = 8;
/// At least one in this many late waits took a whole number of ticks. All do if each begins at a
/// tick; those that follow a wait of another method do not.
const ONE_IN: u64 = 3;
/// A shorter tick, in nanoseconds, is not told apart from the time that a wake-up takes.
const SHORTEST: u64 = 500_000;

/// What the overshoots of waits of `ns` nanoseconds say about the ticks that the system reports.
pub(super) fn whole(overshoots: &Hdr<u64>, ns: u64) -> Option<WholeTicks> {
    of(overshoots, ns, &os::ticks())
}

/// The longest of these ticks, in nanoseconds, of which late waits took a whole number.
fn of(overshoots: &Hdr<u64>, ns: u64, ticks: &[u64]) -> Option<WholeTicks> {
    let long = ticks.iter().copied().filter(|tick| *tick >= SHORTEST);
    let found = long.filter_map(|tick| counted(overshoots, ns, tick));
    found.max_by_key(|found| found.tick_ns)
}

fn counted(overshoots: &Hdr<u64>, ns: u64, tick: u64) -> Option<WholeTicks> {
    let part = tick / PART;
    let (mut late, mut of_each) = (0, BTreeMap::<u64, u64>::new());
    for bucket in overshoots.iter_recorded() {
        let over = overshoots.median_equivalent(bucket.value_iterated_to());
        // Above, a bucket of the histogram may be as wide as the part.
        if !(part..=tick * PART / 2).contains(&over) {
            continue;
        }
        late += bucket.count_at_value();
        let waited = ns.saturating_add(over);
        let nearest = (waited + tick / 2) / tick;
        if waited.abs_diff(nearest * tick) <= part {
            *of_each.entry(nearest).or_default() += bucket.count_at_value();
        }
    }
    let whole: u64 = of_each.values().sum();
    let usual = of_each.into_iter().max_by_key(|(_, count)| *count)?.0;
    let enough = whole >= ENOUGH && whole * ONE_IN >= late;
    enough.then_some(WholeTicks { tick_ns: tick, late, whole, usual })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::histogram::empty;

    const WINDOWS: u64 = 15_625_000;
    const MS: u64 = 1_000_000;

    fn planted(overshoots: impl IntoIterator<Item = u64>) -> Hdr<u64> {
        let mut all = empty();
        overshoots.into_iter().for_each(|ns| all.record(ns).expect("in range"));
        all
    }

    #[test]
    fn waits_that_end_at_ticks_are_found_with_their_usual_number() {
        // 100 ms take 7 ticks of 15.625 ms, which is 109.4 ms, and now and then 8.
        let late = |n: u64| if n.is_multiple_of(10) { 25_000_000 } else { 9_375_000 };
        let all = planted((0..50).map(|n| late(n) + n * 2_000));
        let found = of(&all, 100 * MS, &[MS, WINDOWS]).expect("at ticks");
        assert_eq!(found, WholeTicks { tick_ns: WINDOWS, late: 50, whole: 50, usual: 7 });
        // 10 ms take one tick, and with a tick of 1 ms nothing is late.
        let one = planted((0..50).map(|n| 5_625_000 + n * 1_000));
        assert_eq!(of(&one, 10 * MS, &[WINDOWS]).map(|it| it.usual), Some(1));
        // Linux with a tick of 4 ms, next to a load: a wait of 1 ms takes one or two.
        let loaded = planted((0..90).map(|n| if n % 3 == 0 { 55_000 } else { 3_010_000 + n }));
        let found = of(&loaded, MS, &[4 * MS]).expect("at ticks");
        assert_eq!((found.late, found.whole, found.usual), (60, 60, 1));
    }

    #[test]
    fn waits_that_end_anywhere_or_on_time_are_not() {
        // Evenly over a tick: one in 16 is near a whole number.
        let even = planted((0..1000).map(|n| n * WINDOWS / 1000));
        assert_eq!(of(&even, 100 * MS, &[WINDOWS]), None);
        let on_time = planted((0..1000).map(|n| 50_000 + n * 10));
        assert_eq!(of(&on_time, 100 * MS, &[MS, 4 * MS, WINDOWS]), None);
        let few = planted([9_375_000; 7]);
        assert_eq!(of(&few, 100 * MS, &[WINDOWS]), None);
        // No tick is known, or it is too short to be seen; and nothing was measured.
        let all = planted([9_375_000; 50]);
        assert_eq!(of(&all, 100 * MS, &[]), None);
        assert_eq!(of(&all, 100 * MS, &[1, 100_000]), None);
        assert_eq!(of(&empty(), u64::MAX, &[WINDOWS]), None);
    }
}
