//! The measurements that the tool makes without a command: the clocks that matter and a few waits.

use crate::{overview, waits};
use chronoscope_diagnose::advise::PURPOSES;
use chronoscope_measure::clocks;
use chronoscope_measure::engine::notes;
use chronoscope_measure::engine::schedule::{SUMMARY, SUMMARY_WAITS, WHOLE_SUMMARY};
use chronoscope_measure::run::measurement::{Error, Measurement, Progress, Setting};
use chronoscope_model::Report;
use chronoscope_model::clock::Reads;
use chronoscope_model::waits::WaitSpec;
use chronoscope_probes::clocks::{ALL, Entry, Kind as Counts};
use chronoscope_probes::waits::Kind;
use std::time::Duration;

/// The durations of the waits. Longer ones would take most of the time.
const WAITS: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(1)];

/// A request for the measurements that the tool makes without a command.
pub struct Request {
    /// The clocks; absent: those that a summary shows or draws conclusions from.
    pub clocks: Option<Vec<&'static Entry>>,
    /// Whether a few waits are measured too.
    pub waits: bool,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let entries = self.clocks.unwrap_or_else(usual);
        let left_out = here().filter(|entry| !entries.iter().any(|it| it.id == entry.id)).count();
        let schedule = if left_out == 0 { &WHOLE_SUMMARY } else { &SUMMARY };
        let budget = setting.budget.unwrap_or(schedule.time);
        (setting.progress)(Progress::Time(budget));
        let for_waits = if self.waits { SUMMARY_WAITS.of(budget) } else { Duration::ZERO };
        report.notes.extend(notes::clocks_left_out(left_out));
        let clocks = clocks::Request { entries, ..clocks::Request::default() };
        clocks.within(budget.saturating_sub(for_waits), setting, report)?;
        if self.waits {
            let asked = WaitSpec { ids: methods(), wait: WAITS.to_vec(), ..WaitSpec::default() };
            waits::after_clocks(asked, for_waits, setting, report);
        }
        Ok(())
    }
}

fn here() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().copied().filter(|entry| !entry.is_on_other_system())
}

/// The clocks that programs commonly read, those that advice needs, and the system call that shows
/// what the vDSO saves.
fn usual() -> Vec<&'static Entry> {
    let needed: Vec<&str> = PURPOSES.iter().flat_map(|purpose| purpose.needs()).collect();
    let call = here().find(|entry| {
        let clock = ALL.iter().find(|clock| Some(clock.id) == entry.alternative_to);
        entry.kind == Counts::Monotonic
            && entry.facts.reads == Reads::SystemCall
            && clock.is_some_and(|it| it.facts.reads == Reads::Vdso && needed.contains(&it.id))
    });
    let is_call = |entry: &Entry| call.is_some_and(|call| call.id == entry.id);
    here().filter(|it| it.common || needed.contains(&it.id) || is_call(it)).collect()
}

/// A sleep, a spin, and both together: the first of each among the methods of the overview.
fn methods() -> Vec<String> {
    let all = overview::methods(None);
    let first = |kind| all.iter().find(|entry| entry.kind == kind).map(|it| it.id.to_owned());
    [Kind::Sleep, Kind::Busy, Kind::Hybrid].into_iter().filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_clocks_are_some_of_each_kind_with_what_advice_needs() {
        let usual = usual();
        let has = |id: &str| usual.iter().any(|entry| entry.id == id);
        assert!(usual.len() < here().count() / 2, "{}", usual.len());
        for kind in [Counts::Monotonic, Counts::Wall, Counts::Cpu] {
            assert!(usual.iter().filter(|entry| entry.kind == kind).count() > 1, "{kind:?}");
        }
        for id in PURPOSES.iter().flat_map(|purpose| purpose.needs()) {
            assert_eq!(has(id), here().any(|entry| entry.id == id), "{id}");
        }
        let calls = usual.iter().filter(|entry| {
            entry.facts.reads == Reads::SystemCall && entry.kind == Counts::Monotonic
        });
        assert_eq!(calls.count(), usize::from(cfg!(target_os = "linux")));
    }

    #[test]
    fn a_sleep_a_spin_and_both_together_are_waited_with() {
        assert_eq!(methods().len(), 3);
    }
}
