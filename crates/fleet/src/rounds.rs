//! What each round measures, and what the rounds so far have found.
//!
//! And the board: what the measuring thread has put up, for the thread that answers.

use crate::schedule::Round;
use chronoscope_model::waits::{Load, Slack, WaitSpec};
use chronoscope_model::{Note, Report, Spec};
use chronoscope_probes::machine::Root;
use chronoscope_probes::{clocks, waits};
use chronoscope_report::metrics::Answers;
use chronoscope_survey::{Error, Interrupt, Survey, doctor};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Groups of clocks that answer the same question. The first of a group that exists on this system
/// represents the group. A machine has at most 150 series, of which six histograms take 96, so
/// that clocks are left out which differ little from these: coarse ones and CLOCK_BOOTTIME.
const CLOCKS: [&[&str]; 5] = [
    &["x86/rdtsc-intrinsic", "arm/cntvct"],
    &["windows/qpc", "posix/monotonic"],
    &["windows/getsystemtimepreciseasfiletime", "posix/realtime"],
    &["linux/monotonic-raw", "darwin/clock_gettime_nsec_np-monotonic-raw"],
    // What the vDSO saves.
    &["linux/monotonic-syscall"],
];

/// The same of methods to wait: a sleep, a timer, and what a program waits in for events.
const WAITS: [&[&str]; 3] = [
    &["linux/clock_nanosleep-abs", "windows/sleep", "mach/wait_until", "rust/thread-sleep"],
    &["linux/timerfd", "windows/waitable-timer-high-resolution", "darwin/kevent"],
    &["linux/ppoll", "windows/waitable-timer", "darwin/nanosleep"],
];

/// The time for measuring the clocks.
const CLOCKS_TIME: Duration = Duration::from_millis(400);
/// The durations of the waits, and how many of each there are per method.
const DURATIONS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(10)];
const COUNT: u64 = 20;
/// Waits that take longer in all, three times what they should, are given up.
const WAITS_TIME: Duration = Duration::from_secs(2);

/// What the rounds so far have found: the last report of each kind, or why there is none.
#[derive(Debug, Default)]
pub struct Rounds {
    clocks: Option<Result<Report, String>>,
    waits: Option<Result<Report, String>>,
    /// All figures, judged together when the machine was last looked at.
    pub whole: Option<Report>,
}

impl Rounds {
    /// Makes a round, and returns a report of what it found and nothing else; `None` if it failed
    /// or was interrupted.
    pub fn make(&mut self, round: Round, interrupt: &Interrupt) -> Option<Report> {
        if round == Round::Machine {
            return Some(self.judge());
        }
        let survey = if round == Round::Clocks { clock_survey() } else { wait_survey() };
        let made = survey.and_then(|survey| survey.gentle().interrupt(interrupt).run());
        if interrupt.is_set() {
            return None;
        }
        let made = made.map_err(|why| why.to_string());
        let found = made.as_ref().ok().cloned();
        *(if round == Round::Clocks { &mut self.clocks } else { &mut self.waits }) = Some(made);
        found
    }

    /// Judges the last figures with the facts about the machine as they are now.
    fn judge(&mut self) -> Report {
        let report = |of: &Option<Result<Report, String>>| of.clone()?.ok();
        let mut all = report(&self.clocks).unwrap_or_default();
        if let Some(waits) = report(&self.waits) {
            // Only the faults that need a missing source mention it.
            for note in waits.notes.into_iter().filter(is_missing_cause) {
                all.environment.not_known(&note.id, note.text);
            }
            all.waits = waits.waits;
        }
        all.run.argv = vec!["chronoscope".into(), "serve".into()];
        all.spec = None;
        let whole = doctor::diagnosed(&Root::host(), Some(all));
        let mut judged = whole.clone();
        judged.clocks.clear();
        judged.waits.clear();
        judged.environment.across_cpus = None;
        if let Some(rates) = judged.environment.counter_rates_mut() {
            rates.clear();
        }
        self.whole = Some(whole);
        judged
    }

    /// What is not measured here, and whether that is everything.
    pub fn health(&self, mut absent: Vec<String>) -> Health {
        let mut failed = Vec::new();
        for (name, made) in [("clocks", &self.clocks), ("waits", &self.waits)] {
            match made {
                Some(Err(why)) => failed.push(format!("{name}: {why}")),
                Some(Ok(report)) => absent.extend(missing(report)),
                None => {}
            }
        }
        let all = failed.len() == 2;
        absent.extend(failed.iter().cloned());
        Health { failed: all.then(|| failed.join("; ")), absent }
    }
}

/// Whether a note says that late waits lack a cause.
fn is_missing_cause(note: &Note) -> bool {
    note.id.starts_with("why-")
}

/// What a report could not measure, each with the reason.
fn missing(report: &Report) -> impl Iterator<Item = String> {
    let clocks = report.clocks.iter().map(|it| (&it.id, &it.unavailable_reason));
    let waits = report.waits.iter().map(|it| (&it.id, &it.unavailable_reason));
    let reasons =
        clocks.chain(waits).filter_map(|(id, why)| Some(format!("{id}: {}", why.as_ref()?)));
    let causes = report.notes.iter().filter(|note| is_missing_cause(note));
    reasons.chain(causes.map(|note| note.text.clone()))
}

fn clock_survey() -> Result<Survey<'static>, Error> {
    let here = |id: &&&str| clocks::find(id).is_some_and(|entry| !entry.is_on_other_system());
    Ok(Survey::clocks(CLOCKS.iter().filter_map(|group| group.iter().find(here)).copied())?
        .budget(CLOCKS_TIME))
}

fn wait_survey() -> Result<Survey<'static>, Error> {
    let here = |id: &&&str| waits::find(id).is_some_and(|entry| !entry.is_on_other_system());
    let ids = WAITS.iter().filter_map(|group| group.iter().find(here));
    Survey::of(Spec::Waits(WaitSpec {
        ids: ids.map(|id| (*id).to_owned()).collect(),
        wait: DURATIONS.to_vec(),
        count: Some(COUNT),
        duration: Some(WAITS_TIME),
        slack: vec![Slack::Default],
        load: vec![Load::None],
        why: true,
        no_culprits: true,
        ..WaitSpec::default()
    }))
}

/// All that can be asked of the exporter.
#[derive(Clone)]
pub struct Notice {
    pub answers: Arc<Answers>,
    /// The last complete report as JSON, for `/report`.
    pub report: Arc<Vec<u8>>,
    pub health: Health,
}

/// What `/healthz` says.
#[derive(Clone, Default)]
pub struct Health {
    /// Why the exporter measures nothing useful: status 503.
    pub failed: Option<String>,
    /// What is not measured here, each with its reason.
    pub absent: Vec<String>,
}

/// The newest notice. A reader takes a reference and never waits for a measurement.
pub struct Board(Mutex<Newest>);

struct Newest {
    notice: Option<Notice>,
    /// When it was put up; before the first, when the board was made.
    since: Instant,
}

impl Default for Board {
    fn default() -> Self {
        Self(Mutex::new(Newest { notice: None, since: Instant::now() }))
    }
}

impl Board {
    /// Replaces what is on the board.
    pub fn put(&self, notice: Notice) {
        *self.newest() = Newest { notice: Some(notice), since: Instant::now() };
    }

    /// What is on the board; none before the first measurement.
    pub fn notice(&self) -> Option<Notice> {
        self.newest().notice.clone()
    }

    /// How long nothing was put up.
    pub fn silence(&self) -> Duration {
        self.newest().since.elapsed()
    }

    fn newest(&self) -> MutexGuard<'_, Newest> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::{Clock, Wait};
    use waits::Kind;

    #[test]
    fn every_id_is_in_the_catalogue_and_every_wait_rests() {
        for id in CLOCKS.iter().copied().flatten() {
            assert!(clocks::find(id).is_some(), "{id}");
        }
        for id in WAITS.iter().copied().flatten() {
            let entry = waits::find(id).expect(id);
            assert_eq!(entry.kind, Kind::Sleep, "{id}");
        }
        assert!(clock_survey().is_ok() && wait_survey().is_ok());
    }

    #[test]
    fn the_machine_is_judged_by_all_figures_and_returns_none_of_them() {
        let note = |id: &str| Note { id: id.into(), text: "x: y".into(), ..Note::default() };
        let report = |notes| Report {
            clocks: vec![Clock { id: "a".into(), ..Clock::default() }],
            waits: vec![Wait { id: "b".into(), ..Wait::default() }],
            notes,
            ..Report::default()
        };
        let mut rounds = Rounds {
            clocks: Some(Ok(report(Vec::new()))),
            waits: Some(Ok(report(vec![note("why-switches"), note("other")]))),
            ..Rounds::default()
        };
        let judged = rounds.make(Round::Machine, &Interrupt::default()).expect("a judgement");
        assert!(judged.clocks.is_empty() && judged.waits.is_empty() && !judged.checks.is_empty());
        let whole = rounds.whole.as_ref().expect("the same judgement");
        assert_eq!((whole.clocks.len(), whole.waits.len()), (1, 1));
        assert_eq!(whole.checks, judged.checks);
        assert!(whole.environment.unknown.iter().any(|it| it.subject == "why-switches"));
        assert_eq!(rounds.health(Vec::new()).absent, ["x: y"]);
    }

    #[test]
    fn health_fails_only_if_nothing_can_be_measured() {
        let refused = |why: &str| Some(Err(why.to_owned()));
        let mut rounds = Rounds { clocks: refused("no clock"), ..Rounds::default() };
        let health = rounds.health(vec!["stalls: x".into()]);
        assert_eq!(health.absent, ["stalls: x", "clocks: no clock"]);
        assert_eq!(health.failed, None);
        rounds.waits = refused("no wait");
        let health = rounds.health(Vec::new());
        assert_eq!(health.failed.as_deref(), Some("clocks: no clock; waits: no wait"));
        rounds.waits = Some(Ok(Report::default()));
        assert_eq!(rounds.health(Vec::new()).failed, None);
    }
}
