//! What a survey is asked for, and how it is run.

use crate::error::Error;
use crate::waits::{self, Resumed};
use crate::{doctor, run, select, start_up, summary};
use chronoscope_diagnose as diagnose;
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::measurement::{Checkpoint, Measurement, Progress, Setting};
use chronoscope_measure::{calls, clocks, deltas, overhead, runtimes, sweep, trust};
use chronoscope_model::spec::{
    CallSpec, ClockSpec, DeltaSpec, OverheadSpec, RuntimeSpec, Spec, SweepSpec, TrustSpec,
};
use chronoscope_model::{Environment, Report, change};
use chronoscope_probes::clocks::ALL;
use chronoscope_probes::machine::{self, Root};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A survey of this machine.
pub struct Survey<'a> {
    measurement: Box<dyn Measurement + 'a>,
    setting: Setting<'a>,
    judge: fn(&mut Report),
    spec: Option<Box<Spec>>,
    screen: Option<String>,
}

impl<'a> Survey<'a> {
    /// Anything that can be measured: a request of this crate, or one of the program's own.
    pub fn new(measurement: impl Measurement + 'a) -> Self {
        Self {
            measurement: Box::new(measurement),
            setting: Setting::default(),
            judge: diagnose::judge,
            spec: None,
            screen: None,
        }
    }

    /// Every clock and a few waits: what the tool shows without a command, in 12 s.
    pub fn summary() -> Self {
        Self::new(summary::Request { clocks: ALL.to_vec(), waits: true })
    }

    /// The clocks that these ids, globs or prefixes name, or all of them, in 9 s.
    ///
    /// # Errors
    /// An id matches no clock.
    pub fn clocks<T: Into<String>>(ids: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        Self::of(Spec::Clocks(ClockSpec { ids, ..ClockSpec::default() }))
    }

    /// What this asks for, which the report keeps as its `spec`.
    ///
    /// # Errors
    /// An id matches nothing, or several clocks where one is measured; there is no such preset.
    pub fn of(spec: Spec) -> Result<Self, Error> {
        let asked = Some(Box::new(spec.clone()));
        let survey = match spec {
            Spec::Clocks(ClockSpec { ids, calls, peers }) => {
                Self::new(clocks::Request { entries: select::clocks(&ids, peers)?, calls })
            }
            Spec::Deltas(DeltaSpec { id, reads }) => {
                Self::new(deltas::Request { entry: select::clock(&id)?, reads })
            }
            Spec::Calls(CallSpec { id }) => {
                Self::new(calls::Request { entry: select::clock(&id)? })
            }
            Spec::Overhead(OverheadSpec { id, samples, n, m }) => {
                let shape = [samples, n, m];
                Self::new(overhead::Request { entry: select::clock(&id)?, shape })
            }
            Spec::Waits(spec) => Self::new(waits::Request::of(spec)?),
            Spec::Runtimes(RuntimeSpec { ids, runtime }) => {
                Self::new(runtimes::Request { wanted: select::runtimes(&ids, &runtime)? })
            }
            Spec::Trust(TrustSpec { ids, duration }) => {
                Self::new(trust::Request { entries: select::some_clocks(&ids)?, time: duration })
            }
            Spec::Sweep(SweepSpec { ids, runtimes }) => {
                let entries = select::some_clocks(&ids)?;
                let wanted = runtimes.map(|ids| select::runtimes(&ids, &[])).transpose()?;
                Self::new(sweep::Request::of(entries, wanted.unwrap_or_default()))
            }
        };
        Ok(Self { spec: asked, ..survey })
    }

    /// The remaining waits of an interrupted run. Its report has its plan and the waits that were
    /// measured; the CPU, the seed and the times are those of that run.
    ///
    /// # Errors
    /// The report is not the checkpoint of a run of waits.
    pub fn resume(report: Report) -> Result<Self, Error> {
        Ok(Self::new(Resumed::of(report)?))
    }

    /// What is wrong with time on this machine, in 10 s: the short measurements that faults are
    /// judged by, every finding, and what came of looking for each fault.
    pub fn doctor() -> Self {
        Self { judge: diagnose::examine, ..Self::new(doctor::Request) }
    }

    /// For this screen, which the report names.
    #[must_use]
    pub fn screen(mut self, name: String) -> Self {
        self.screen = Some(name);
        self
    }

    /// Within this time.
    #[must_use]
    pub fn budget(mut self, budget: impl Into<Option<Duration>>) -> Self {
        self.setting.budget = budget.into();
        self
    }

    /// On this CPU; without one, on the quietest.
    #[must_use]
    pub fn cpu(mut self, cpu: impl Into<Option<usize>>) -> Self {
        self.setting.cpu = cpu.into();
        self
    }

    /// With this seed of all random order; without one, with a random seed.
    #[must_use]
    pub fn seed(mut self, seed: impl Into<Option<u64>>) -> Self {
        let setting = &mut self.setting;
        setting.seed = seed.into().unwrap_or(setting.seed);
        self
    }

    /// Until this is set. The report then holds what was measured until then.
    #[must_use]
    pub fn interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.setting.interrupt = interrupt.clone();
        self
    }

    /// With progress reported to this function, which must be quick: it is called while nothing is
    /// timed, but what it does can disturb what follows.
    #[must_use]
    pub fn progress(mut self, progress: impl FnMut(Progress) + 'a) -> Self {
        self.setting.progress = Box::new(progress);
        self
    }

    /// With the current report given to this function about once per second, if waits are measured
    /// or clocks are watched.
    #[must_use]
    pub fn checkpoint(mut self, keep: impl FnMut(&Report) + 'a) -> Self {
        self.setting.checkpoint = Some(Box::new(keep));
        self
    }

    /// Runs the survey.
    ///
    /// # Errors
    /// The program was not prepared by [`start_up`](crate::start_up()); what was asked for is
    /// impossible here; nothing could be measured.
    pub fn run(self) -> Result<Report, Error> {
        start_up::check()?;
        let (judge, began) = (self.judge, Instant::now());
        let mut setting = Setting { began, children: start_up::children(), ..self.setting };
        let keep = setting.checkpoint.take().map(|keep| Rc::new(RefCell::new(keep)));
        if let Some(keep) = keep.clone() {
            setting.checkpoint = Some(Box::new(move |report| match report.waits_plan {
                // A run of waits completes its states itself. Judging them would disturb it.
                Some(_) => give(&keep, report),
                None => give(&keep, &unfinished(report, began, judge)),
            }));
        }
        let state = || machine::state(&Root::host());
        let before = state();
        let mut report = run::begin(setting.seed);
        report.run.screen = self.screen;
        report.spec = self.spec.map(|spec| *spec);
        self.measurement.measure(&mut setting, &mut report)?;
        run::end(&mut report, began, &setting.interrupt);
        let after = state();
        report.run.changed = change::between(&before, &after);
        let distances = |state: &Environment| state.keeping.as_ref()?.distances;
        report.run.moved =
            distances(&before).zip(distances(&after)).map(|(before, after)| before.moved(&after));
        judge(&mut report);
        if let Some(keep) = keep {
            give(&keep, &report);
        }
        Ok(report)
    }
}

/// A state that may be kept, as a report of its own.
fn unfinished(report: &Report, began: Instant, judge: fn(&mut Report)) -> Report {
    let mut report = report.clone();
    run::end(&mut report, began, &Interrupt::default());
    report.run.complete = false;
    judge(&mut report);
    report
}

fn give(keep: &RefCell<Checkpoint>, report: &Report) {
    if let Ok(mut keep) = keep.try_borrow_mut() {
        keep(report);
    }
}
