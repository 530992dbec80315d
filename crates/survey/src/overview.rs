//! The waits that a run measures by default: enough to name the best method for common durations,
//! idle and under load, in a time that people are willing to wait.

use chronoscope_measure::engine::schedule::{ONE_WAIT, OVERVIEW};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, Slack};
use chronoscope_probes::waits::{ALL, Entry, Kind, find, os};
use std::time::Duration;

/// The most common durations: for shorter ones only a spin can help, and for longer ones every
/// method works.
pub(crate) const DURATIONS: [Duration; 3] =
    [Duration::from_micros(100), Duration::from_millis(1), Duration::from_millis(10)];

/// The loads: none, and that of an ordinary busy machine.
pub(crate) const LOADS: [Load; 2] = [Load::None, Load::Normal];

/// Groups of methods that behave alike. The first method of a group that exists on this system
/// represents the group.
const GROUPS: [&[&str]; 6] = [
    // A sleep of the system, until a deadline if the system offers that.
    &[
        "linux/clock_nanosleep-abs",
        "windows/waitable-timer-high-resolution",
        "mach/wait_until",
        "rust/thread-sleep",
    ],
    // What most programs for Windows call.
    &["windows/sleep"],
    // A spin on the system's clock, which needs no calibration.
    &["busy/monotonic", "busy/qpc", "busy/instant"],
    // The library's own waits sleep first, then spin.
    &["chronoscope/wait"],
    &["chronoscope/wait-economy"],
    &["chronoscope/wait-precise"],
];

/// The slice that is measured next to the default one: the shortest that the scheduler offers.
const SHORT_SLICE: Slack = Slack::Ns(100_000);

/// The slices to measure for this request, and the methods to measure them with. There is only time
/// for one method, a sleep of the system.
pub(crate) fn slices(asked: &[Slack]) -> (Vec<Slack>, Vec<String>) {
    let slices = match asked {
        // A system that reports no slice has no slice to set.
        [Slack::Default] if os::slice().is_some() => vec![Slack::Default, SHORT_SLICE],
        asked => asked.to_vec(),
    };
    let sleep = methods(None).into_iter().find(|entry| entry.kind == Kind::Sleep);
    let several = slices.contains(&Slack::Default) && slices.len() > 1;
    let sliced = sleep.filter(|_| several).map(|entry| entry.id.to_owned()).into_iter().collect();
    (slices, sliced)
}

/// The methods that the groups name, of any system.
pub(crate) fn usual() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().copied().flatten().copied()
}

/// The languages whose waits the groups hold.
const GROUPED: [&str; 2] = ["C", "Rust"];

/// The methods, in the order of the catalogue: one of each group, or every one of a language that
/// the groups do not hold and that is here. Of several runtimes of it, the first that is here.
pub(crate) fn methods(language: Option<&str>) -> Vec<&'static Entry> {
    let of = |entry: &&Entry| {
        language.is_some_and(|one| one == entry.language.name() && !GROUPED.contains(&one))
    };
    let here = |entry: &&Entry| entry.is_here().is_ok();
    let own: Vec<&Entry> = ALL.iter().copied().filter(of).filter(here).collect();
    if let Some(first) = own.first() {
        return own.iter().copied().filter(|entry| entry.runtime == first.runtime).collect();
    }
    let here = |id: &&str| find(id).filter(|entry| !entry.is_on_other_system());
    let chosen = GROUPS.iter().filter_map(|group| group.iter().find_map(here));
    let chosen: Vec<&str> = chosen.map(|entry| entry.id).collect();
    let all = ALL.iter().copied();
    all.filter(|entry| chosen.contains(&entry.id)).collect()
}

/// Nothing takes longer than this unless its time is set.
pub(crate) const LONGEST: Duration = Duration::from_mins(1);

/// The time for these durations without a budget. Each row gets about the same time, so that even
/// if the waits took a quarter longer than requested, which is usual next to a load, there would be
/// enough for their median and their p90.
pub(crate) fn time(durations: &[Duration], methods: &[&Entry]) -> Duration {
    let [one] = durations else {
        return OVERVIEW.time;
    };
    let rows = rows(methods) * LOADS.len() as u32 * Percentile::P90.least() as u32;
    one.mul_f64(1.25).saturating_mul(rows).max(ONE_WAIT.time)
}

/// The rows of each duration and load.
fn rows(methods: &[&Entry]) -> u32 {
    let rows: u32 = methods.iter().map(|entry| 1 + u32::from(entry.slack)).sum();
    rows + slices(&[Slack::Default]).1.len() as u32
}

/// The number of methods of this system and process that are left out.
pub(crate) fn left_out(methods: &[&Entry]) -> u64 {
    let own = ALL.iter().filter(|entry| entry.runtime.is_none());
    let here = own.filter(|entry| !entry.is_on_other_system()).count();
    here.saturating_sub(methods.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_named_is_in_the_catalogue() {
        for id in GROUPS.iter().copied().flatten() {
            assert!(find(id).is_some(), "{id}");
        }
    }

    #[test]
    fn a_sleep_a_spin_and_both_together_are_among_them_on_every_system() {
        let methods = methods(None);
        for kind in [Kind::Sleep, Kind::Busy, Kind::Hybrid] {
            assert!(methods.iter().any(|entry| entry.kind == kind), "{kind:?}");
        }
        assert!(left_out(&methods) > 0);
    }

    #[test]
    fn the_time_suffices_for_the_percentiles_that_decide() {
        let rows = rows(&methods(None)) * DURATIONS.len() as u32;
        let each = OVERVIEW.time / (LOADS.len() as u32) / rows;
        let longest = DURATIONS[2].mul_f64(1.25);
        let least = Percentile::P90.least();
        assert!(each.as_secs_f64() / longest.as_secs_f64() >= least as f64, "{each:?}");
        // One of the usual durations needs no more than the schedule says.
        for one in DURATIONS {
            assert_eq!(time(&[one], &methods(None)), ONE_WAIT.time);
        }
        assert!(time(&[Duration::from_millis(100)], &methods(None)) <= LONGEST);
        assert!(time(&[Duration::from_secs(1)], &methods(None)) > LONGEST);
    }
}
