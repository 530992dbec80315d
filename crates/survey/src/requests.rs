//! Requests for what several sections need: the summary that the tool shows without a command, a
//! bug report, and advice.

use crate::usual;
use crate::waits::{Request as Waits, after_clocks, sleeps};
use chronoscope_diagnose::advise::{NOT_MEASURED, PURPOSES, Purpose};
use chronoscope_measure::clocks;
use chronoscope_measure::engine::notes;
use chronoscope_measure::engine::schedule::{
    self, BRIEF, BRIEF_WAITS, SUMMARY, SUMMARY_WAITS, WHOLE_SUMMARY,
};
use chronoscope_measure::run::{Error, Measurement, Progress, Setting};
use chronoscope_model::clock::{BuiltOn, Orders, Reads};
use chronoscope_model::units::short_ns;
use chronoscope_model::waits::WaitSpec;
use chronoscope_model::{Advice, Report, Spec, snippet};
use chronoscope_probes::clocks::{ALL, Entry, Kind, Language, Opening};
use chronoscope_probes::waits::{self, Asked, Kind as How};
use std::time::Duration;

/// The durations of the waits. Longer ones would take most of the time.
const SUMMARY_DURATIONS: [Duration; 2] = [Duration::from_micros(100), Duration::from_millis(1)];

/// A request for the measurements that the tool makes without a command.
pub struct Summary {
    /// The clocks; absent: those that a summary shows or draws conclusions from.
    pub clocks: Option<Vec<&'static Entry>>,
    /// Whether a few waits are measured too.
    pub waits: bool,
}

impl Measurement for Summary {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let entries = self.clocks.unwrap_or_else(usual_clocks);
        let left_out = here().filter(|entry| !entries.iter().any(|it| it.id == entry.id)).count();
        let schedule = if left_out == 0 { &WHOLE_SUMMARY } else { &SUMMARY };
        let budget = setting.budget.unwrap_or(schedule.time);
        (setting.progress)(Progress::Time(budget));
        let for_waits = if self.waits { SUMMARY_WAITS.of(budget) } else { Duration::ZERO };
        report.notes.extend(notes::clocks_left_out(left_out));
        let clocks = clocks::Request { entries, ..clocks::Request::default() };
        clocks.within(budget.saturating_sub(for_waits), setting, report)?;
        if self.waits {
            let asked = WaitSpec {
                ids: three_methods(),
                wait: SUMMARY_DURATIONS.to_vec(),
                ..WaitSpec::default()
            };
            after_clocks(asked, for_waits, setting, report);
        }
        Ok(())
    }
}

fn here() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().copied().filter(|entry| !entry.is_on_other_system())
}

/// The clocks that programs commonly read, those that advice needs, and the system call that shows
/// what the vDSO saves.
fn usual_clocks() -> Vec<&'static Entry> {
    let needed: Vec<&str> = PURPOSES.iter().flat_map(|purpose| purpose.needs()).collect();
    let call = here().find(|entry| {
        let clock = ALL.iter().find(|clock| Some(clock.id) == entry.alternative_to);
        entry.kind == Kind::Monotonic
            && entry.facts.reads == Reads::SystemCall
            && clock.is_some_and(|it| it.facts.reads == Reads::Vdso && needed.contains(&it.id))
    });
    let is_call = |entry: &Entry| call.is_some_and(|call| call.id == entry.id);
    here().filter(|it| it.common || needed.contains(&it.id) || is_call(it)).collect()
}

/// A sleep, a spin, and both together: the first of each among the methods of the overview.
fn three_methods() -> Vec<String> {
    let all = usual::methods(None);
    let first = |kind| all.iter().find(|entry| entry.kind == kind).map(|it| it.id.to_owned());
    [How::Sleep, How::Busy, How::Hybrid].into_iter().filter_map(first).collect()
}

/// The duration of a wait for a bug report: long enough for the CPU to become idle.
const BRIEF_WAIT: Duration = Duration::from_millis(1);

/// A request for what a bug report needs, in 2 s: the processor's counter, the system's clock, and
/// a few hundred sleeps.
pub struct Brief {
    /// Whether sleeps are measured too.
    pub waits: bool,
}

impl Measurement for Brief {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let budget = setting.budget.unwrap_or(BRIEF.time);
        (setting.progress)(Progress::Time(budget));
        let for_waits = if self.waits { BRIEF_WAITS.of(budget) } else { Duration::ZERO };
        let counter = first_read(Kind::Counter, Reads::Counter, BuiltOn::Counter);
        let system = first_read(Kind::Monotonic, Reads::Vdso, BuiltOn::ClockSource);
        let entries = [counter, system].into_iter().flatten().collect();
        let clocks = clocks::Request { entries, ..clocks::Request::default() };
        clocks.within(budget.saturating_sub(for_waits), setting, report)?;
        if self.waits {
            after_clocks(sleeps(BRIEF_WAIT), for_waits, setting, report);
        }
        Ok(())
    }
}

/// The first such clock that can be read: through C, which is what other languages call, or
/// otherwise through Rust. A counter is read without any wait for earlier instructions.
fn first_read(kind: Kind, reads: Reads, built_on: BuiltOn) -> Option<&'static Entry> {
    let of = |language: Language| {
        let wanted = |entry: &&&Entry| {
            let facts = entry.facts;
            entry.language == language
                && entry.kind == kind
                && (facts.reads, facts.built_on) == (reads, built_on)
                && (kind != Kind::Counter || facts.orders == Orders::Nothing)
                && entry.open(Opening::Checked).is_ok()
        };
        ALL.iter().find(wanted).copied()
    };
    of(Language::C).or_else(|| of(Language::Rust))
}

/// A request for the measurements that advice needs, in 4 s for clocks, 19 s for waits, and 8 s for
/// waits of one duration unless it is longer than 10 ms.
pub struct AdviceRequest {
    /// Of waits like these, rather than of clocks.
    waits: Option<WaitSpec>,
    language: Option<&'static str>,
}

impl AdviceRequest {
    /// A request for this purpose, or without one for every purpose of clocks.
    pub fn of(purpose: Option<&Purpose>) -> Self {
        let of_waits = purpose.is_some_and(Purpose::is_of_waits);
        Self { waits: of_waits.then(WaitSpec::default), language: None }
    }

    /// A request for waits of the duration or of the loop that `waits` names, if it names one, and
    /// of this language alone if it has some here.
    pub fn waits(waits: WaitSpec, language: Option<&'static str>) -> Self {
        Self { waits: Some(waits), language }
    }
}

impl Measurement for AdviceRequest {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        if let Some(waits) = self.waits {
            let overview = Waits::overview(&waits, self.language);
            report.spec = Some(Spec::Waits(waits));
            return Box::new(overview).measure(setting, report);
        }
        let entries = ALL.to_vec();
        let clocks = clocks::Request { entries, for_advice: true, ..clocks::Request::default() };
        clocks.within(setting.budget.unwrap_or(schedule::ADVICE.time), setting, report)
    }
}

/// Adds the code of waits in these languages that the report has no advice on, without figures: of
/// the best-known wait of each on a system with this name, or the first that there is. `paced`:
/// whether the duration is the period of a loop.
pub fn add_unmeasured(
    report: &mut Report,
    languages: &[&str],
    (wait, paced): (Duration, bool),
    why: &str,
) {
    let os = report.environment.os.to_lowercase();
    let is_windows = os.contains("windows");
    let is_mac = os.contains("mac") || os.contains("darwin");
    let here = |entry: &&&waits::Entry| match entry.home {
        home if home.contains("Windows") => is_windows,
        home if home.contains("macOS") => is_mac,
        home if home.contains("Linux") => !is_windows && !is_mac,
        _ => true,
    };
    let ns = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
    for language in languages {
        let known =
            report.advice.iter().any(|it| it.wait.is_some() && it.code.contains_key(*language));
        let own = || waits::ALL.iter().filter(here).filter(|it| it.language.name() == *language);
        let code = |entry: &waits::Entry| match paced {
            true => entry.paced(ns),
            false => Some(entry.lines(Asked { ns, counter_hz: None })),
        };
        let sleeps = || own().filter(|it| it.kind == How::Sleep && code(it).is_some());
        let usual = usual::grouped().find(|id| sleeps().any(|it| it.id == *id));
        let usual = usual.and_then(waits::find);
        let plain = || sleeps().find(|it| it.facts.early_by_design_ns == 0);
        let Some(entry) = usual.or_else(|| plain().copied()).filter(|_| !known) else {
            continue;
        };
        let row = report.waits.iter().find(|row| row.id == entry.id);
        let early = || report.waits.iter().filter(|row| row.early > 0);
        let hasty = early().find(|row| own().any(|it| it.id == row.id)).map(|row| {
            let (id, early, all) = (&row.id, row.early, row.samples);
            format!("waits in this language end early here, {id} {early} times of {all}")
        });
        let reason = row.and_then(|row| row.unavailable_reason.clone()).or(hasty);
        let code = snippet::complete(language, &code(entry).unwrap_or_default());
        let what = if paced { "Loop every" } else { "Wait" };
        report.advice.push(Advice {
            purpose: "wait".into(),
            title: format!("{what} {}, in {language}", short_ns(ns as f64)),
            clock: Some(entry.id.into()),
            figure: NOT_MEASURED.into(),
            why: format!("Not measured: {}.", reason.as_deref().unwrap_or(why)),
            languages: vec![(*language).into()],
            code: [((*language).into(), code)].into(),
            ..Advice::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_clocks_are_some_of_each_kind_with_what_advice_needs() {
        let usual = usual_clocks();
        let has = |id: &str| usual.iter().any(|entry| entry.id == id);
        assert!(usual.len() < here().count() / 2, "{}", usual.len());
        for kind in [Kind::Monotonic, Kind::Wall, Kind::Cpu] {
            assert!(usual.iter().filter(|entry| entry.kind == kind).count() > 1, "{kind:?}");
        }
        for id in PURPOSES.iter().flat_map(|purpose| purpose.needs()) {
            assert_eq!(has(id), here().any(|entry| entry.id == id), "{id}");
        }
        let calls = usual.iter().filter(|entry| {
            entry.facts.reads == Reads::SystemCall && entry.kind == Kind::Monotonic
        });
        assert_eq!(calls.count(), usize::from(cfg!(target_os = "linux")));
    }

    #[test]
    fn code_without_figures_says_which_waits_of_its_language_ended_early() {
        let row = |id: &str, early| chronoscope_model::waits::Wait {
            id: id.into(),
            samples: 50,
            early,
            ..Default::default()
        };
        for (early, why) in [(0, "it did not wait"), (46, "cxx/sleep_for 46 times of 50")] {
            let waits = vec![row("python/sleep", 50), row("cxx/sleep_for", early)];
            let mut report = Report { waits, ..Report::default() };
            let asked = (Duration::from_millis(7), false);
            add_unmeasured(&mut report, &["C++"], asked, "it did not wait");
            let said = &report.advice[0].why;
            assert!(said.ends_with(&format!("{why}.")), "{said}");
        }
    }

    #[test]
    fn a_sleep_a_spin_and_both_together_are_waited_with() {
        assert_eq!(three_methods().len(), 3);
    }
}
