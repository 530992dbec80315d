//! The waits that a run measures unless it is told which: an overview, which is enough to name the
//! best method for common durations, idle and under load, in a time that people are willing to
//! wait; and presets, sets of waits that answer a known question with one command.

use crate::{Error, select};
use chronoscope_measure::engine::schedule::{ONE_WAIT, OVERVIEW};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Load, Slack, WaitSpec};
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
pub(crate) fn grouped() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().copied().flatten().copied()
}

/// The languages whose waits the groups hold.
const GROUPED: [&str; 2] = ["C", "Rust"];

/// The methods, in the order of the catalogue: one of each group, or every one of a language that
/// the groups do not hold and that is here. Of several runtimes of it, the first that is here. With
/// both, those of this project's library for the language, if that is here.
pub(crate) fn methods(language: Option<&str>) -> Vec<&'static Entry> {
    let is_grouped = language.is_none_or(|one| GROUPED.contains(&one));
    let library = |entry: &Entry| entry.runtime.is_some_and(|id| id.starts_with("libchronoscope"));
    let of =
        |entry: &&Entry| language == Some(entry.language.name()) && (!is_grouped || library(entry));
    let here = |entry: &&Entry| entry.is_here().is_ok();
    let own: Vec<&Entry> = ALL.iter().copied().filter(of).filter(here).collect();
    if let Some(first) = own.first().filter(|_| !is_grouped) {
        let of_first = |entry: &&Entry| entry.runtime == first.runtime || library(entry);
        return own.iter().copied().filter(of_first).collect();
    }
    let here = |id: &&str| find(id).filter(|entry| !entry.is_on_other_system());
    let chosen = GROUPS.iter().filter_map(|group| group.iter().find_map(here));
    let chosen: Vec<&str> = chosen.chain(own).map(|entry| entry.id).collect();
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

/// The name that `--preset` takes, older names, and what they stand for.
type Preset = (&'static [&'static str], fn() -> WaitSpec);

const PRESETS: &[Preset] = &[(&["windows-waits", "seed003"], windows_waits)];

/// The waits of timetest.c, the predecessor of this tool: each sleep, each sleep with a spin after
/// it, and the spin, alone and next to loads of lower, equal and higher priority.
fn windows_waits() -> WaitSpec {
    let ids = [
        "linux/nanosleep",
        "linux/timerfd",
        "posix/usleep",
        "windows/sleep",
        "windows/waitable-timer",
        "windows/waitable-timer-high-resolution",
        "mingw/usleep",
        "mingw/nanosleep",
        "mach/wait_until",
        "darwin/nanosleep",
        "busy/monotonic",
        "busy/qpc",
        "hybrid/nanosleep",
        "hybrid/timerfd",
        "hybrid/sleep",
        "hybrid/waitable-timer",
        "hybrid/waitable-timer-high-resolution",
    ];
    WaitSpec {
        ids: ids.map(String::from).to_vec(),
        wait: [1, 10, 100].map(Duration::from_millis).to_vec(),
        count: Some(50),
        load: vec![Load::None, Load::Low, Load::Normal, Load::High],
        slack: vec![Slack::Default],
        ..WaitSpec::default()
    }
}

/// Completes a request with the preset that it names. Methods of other systems are left out.
///
/// # Errors
/// There is no such preset.
pub(crate) fn with_preset(mut asked: WaitSpec) -> Result<WaitSpec, Error> {
    let Some(name) = &asked.preset else { return Ok(asked) };
    let named = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let all = || PRESETS.iter().flat_map(|(names, _)| names.iter().copied());
    let preset = PRESETS.iter().find(|(names, _)| named(names));
    let preset = preset.ok_or_else(|| select::unknown("preset", all(), name))?.1();
    let here = |id: &String| find(id).is_some_and(|entry| !entry.is_on_other_system());
    unless_named(&mut asked.ids, preset.ids.into_iter().filter(here).collect());
    unless_named(&mut asked.wait, preset.wait);
    unless_named(&mut asked.load, preset.load);
    unless_named(&mut asked.slack, preset.slack);
    if asked.count.is_none() && asked.duration.is_none() {
        asked.count = preset.count;
    }
    Ok(asked)
}

fn unless_named<T>(asked: &mut Vec<T>, preset: Vec<T>) {
    if asked.is_empty() {
        *asked = preset;
    }
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

    #[test]
    fn a_preset_names_methods_of_the_catalogue_and_some_of_this_system() {
        for (names, preset) in PRESETS {
            for method in preset().ids {
                assert!(find(&method).is_some(), "{names:?}: {method}");
            }
            let named = |name: &str| {
                let asked = WaitSpec { preset: Some(name.into()), ..WaitSpec::default() };
                with_preset(asked).expect("a preset").ids
            };
            let own = named(names[0]);
            assert!(own.len() >= 3 && names.iter().all(|name| named(name) == own), "{names:?}");
        }
        let unknown = WaitSpec { preset: Some("seed004".into()), ..WaitSpec::default() };
        assert!(with_preset(unknown).expect_err("no preset").to_string().contains("seed003"));
    }

    #[test]
    fn what_is_asked_changes_the_preset() {
        let asked = WaitSpec {
            preset: Some("seed003".into()),
            load: vec![Load::Low],
            duration: Some(Duration::from_secs(1)),
            ..WaitSpec::default()
        };
        let applied = with_preset(asked).expect("a preset");
        assert_eq!((applied.load, applied.count), (vec![Load::Low], None));
        assert_eq!((applied.wait.len(), applied.slack), (3, vec![Slack::Default]));
    }
}
