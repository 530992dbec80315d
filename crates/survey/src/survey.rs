//! The request of a survey, and how it is run.

use crate::run::{Error, begin_run, check_started, children, end_run};
use crate::select::Chosen;
use crate::waits::{self, Resumed};
use crate::{Summary, doctor, select};
use chronoscope_diagnose as diagnose;
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::loops::{CallsRequest, OverheadRequest};
use chronoscope_measure::run::{Checkpoint, Measurement, Progress, Setting};
use chronoscope_measure::runtimes::{Loop, Loops};
use chronoscope_measure::{against, clocks, deltas, noise, runtimes, sweep, trust};
use chronoscope_model::environment::CpuQuota;
use chronoscope_model::spec::{
    CallSpec, ClockSpec, DeltaSpec, NoiseSpec, OverheadSpec, RuntimeSpec, Spec, SweepSpec,
    TrustSpec,
};
use chronoscope_model::{Environment, Note, Report, change};
use chronoscope_probes::machine::{self, Root};
use chronoscope_probes::time::Instant;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// A survey of this machine.
pub struct Survey<'a> {
    measurement: Box<dyn Measurement + 'a>,
    setting: Setting<'a>,
    judge: fn(&mut Report),
    root: fn() -> Root,
    spec: Option<Box<Spec>>,
    screen: Option<String>,
    /// What happened to the run that this one continues.
    happened: Vec<Note>,
}

/// The notes on what happened to a run, which one that continues it keeps.
fn happened(notes: &[Note]) -> Vec<Note> {
    const IDS: [&str; 3] = ["checkpoint-failed", "power-changed", "wall-clock-stepped"];
    notes.iter().filter(|note| IDS.contains(&&*note.id)).cloned().collect()
}

impl<'a> Survey<'a> {
    /// A survey of anything that can be measured: a request of this crate, or one of the program's
    /// own.
    pub fn new(measurement: impl Measurement + 'a) -> Self {
        Self {
            measurement: Box::new(measurement),
            setting: Setting::default(),
            judge: diagnose::judge,
            root: Root::host,
            spec: None,
            screen: None,
            happened: Vec::new(),
        }
    }

    /// A survey of the clocks that matter and a few waits, as the tool measures without a command,
    /// in 5 s.
    pub fn summary() -> Self {
        Self::new(Summary { clocks: None, waits: true })
    }

    /// A survey of the clocks that these ids, globs or prefixes name, or of all clocks, in 9 s.
    ///
    /// # Errors
    /// An id matches no clock.
    pub fn clocks<T: Into<String>>(ids: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        Self::of(Spec::Clocks(ClockSpec { ids, ..ClockSpec::default() }))
    }

    /// A survey of what a spec asks for. The report keeps the spec.
    ///
    /// # Errors
    /// An id matches nothing, or several clocks where one is measured; there is no such preset.
    pub fn of(spec: Spec) -> Result<Self, Error> {
        let asked = Some(Box::new(spec.clone()));
        let survey = match spec {
            Spec::Clocks(ClockSpec { ids, calls, peers, disturbance }) => {
                let entries = select::clocks(&ids, peers)?;
                Self::new(clocks::Request { entries, calls, disturbance, for_advice: false })
            }
            Spec::Deltas(DeltaSpec { id, reads, disturbance }) => {
                match select::clock_of_any(&id, &disturbance)? {
                    Chosen::Native(entry) => {
                        Self::new(deltas::Request { entry, reads, disturbance })
                    }
                    Chosen::Runtime(wanted, clock) => {
                        Self::new(runtimes::Series { wanted, clock, reads, disturbance })
                    }
                }
            }
            Spec::Calls(CallSpec { id, disturbance }) => {
                match select::clock_of_any(&id, &disturbance)? {
                    Chosen::Native(entry) => Self::new(CallsRequest { entry, disturbance }),
                    Chosen::Runtime(wanted, clock) => {
                        Self::new(Loops { wanted, clock, of: Loop::Calls, disturbance })
                    }
                }
            }
            Spec::Overhead(OverheadSpec { id, samples, n, m, disturbance }) => {
                let shape = [samples, n, m];
                match select::clock_of_any(&id, &disturbance)? {
                    Chosen::Native(entry) => {
                        Self::new(OverheadRequest { entry, shape, disturbance })
                    }
                    Chosen::Runtime(wanted, clock) => {
                        Self::new(Loops { wanted, clock, of: Loop::Around(shape), disturbance })
                    }
                }
            }
            Spec::Waits(spec) => Self::new(waits::Request::of(spec)?),
            Spec::Runtimes(RuntimeSpec { ids, runtime }) => {
                Self::new(runtimes::Request { wanted: select::runtimes(&ids, &runtime)? })
            }
            Spec::Trust(TrustSpec { against: Some(sources), duration, .. }) => {
                // The option without a source stands for those of this machine.
                let named = sources.iter().filter(|source| !source.is_empty());
                let sources: Result<_, _> = named.map(|it| against::Source::named(it)).collect();
                let sources = sources.map_err(Error::Invalid)?;
                Self::new(against::Request::new(sources, duration))
            }
            Spec::Trust(TrustSpec { ids, duration, against: None }) => {
                Self::new(trust::Request::new(select::some_clocks(&ids)?, duration))
            }
            Spec::Noise(NoiseSpec {}) => Self::new(noise::Request),
            Spec::Sweep(SweepSpec { ids, runtimes }) => {
                let entries = select::some_clocks(&ids)?;
                let wanted = runtimes.map(|ids| select::runtimes(&ids, &[])).transpose()?;
                Self::new(sweep::Request::of(entries, wanted.unwrap_or_default()))
            }
        };
        Ok(Self { spec: asked, ..survey })
    }

    /// A survey of the remaining waits of an interrupted run. The report has the run's plan and the
    /// waits that were measured. The CPU, the seed and the times are those of the interrupted run.
    ///
    /// # Errors
    /// The report is not the checkpoint of a run of waits.
    pub fn resume(report: Report) -> Result<Self, Error> {
        Ok(Self { happened: happened(&report.notes), ..Self::new(Resumed::of(report)?) })
    }

    /// A survey that continues a run of `trust`, which watched clocks or asked others, on the same
    /// boot of this machine: for this time, or for the rest of the time that was asked for, or, if
    /// that is over, for as long again. The figures of both runs are added.
    ///
    /// # Errors
    /// The report is not one of `trust`, or cannot be continued here.
    pub fn watch_on(report: Report, time: Option<Duration>) -> Result<Self, Error> {
        let refused = |why: &str| Error::Invalid(format!("the report cannot be resumed: {why}"));
        let Report { spec, trust, against, notes, .. } = report;
        let happened = happened(&notes);
        let (spec, trust) = match (spec, trust, against) {
            (Some(Spec::Trust(spec)), Some(trust), None) => (spec, trust),
            (Some(Spec::Trust(spec)), None, Some(against)) => {
                let resumed = against::Request::resumed(against, time, spec.duration);
                let resumed = resumed.map_err(|why| refused(&why))?;
                let spec = Some(Box::new(Spec::Trust(spec)));
                return Ok(Self { spec, happened, ..Self::new(resumed) });
            }
            _ => return Err(refused("it is not the report of a run of `trust`")),
        };
        let entries = select::some_clocks(&spec.ids)?;
        let resumed = trust::Request::resumed(entries, trust, time, spec.duration);
        let resumed = resumed.map_err(|why| refused(&why))?;
        Ok(Self { spec: Some(Box::new(Spec::Trust(spec))), happened, ..Self::new(resumed) })
    }

    /// A survey of what is wrong with time on this machine, in 10 s: the short measurements by
    /// which faults are judged, every finding, and the result of the search for each fault.
    pub fn doctor() -> Self {
        Self { judge: diagnose::examine, ..Self::new(doctor::Request) }
    }

    /// The same at a glance, in a fraction of a second: facts, and the costs of a few clocks. What
    /// only a longer measurement shows is not known then.
    pub fn quick_doctor() -> Self {
        Self { judge: diagnose::examine, root: Root::hurried, ..Self::new(doctor::quick()) }
    }

    /// Sets the screen that the report names.
    #[must_use]
    pub fn screen(mut self, name: String) -> Self {
        self.screen = Some(name);
        self
    }

    /// Sets the time for measuring.
    #[must_use]
    pub fn budget(mut self, budget: impl Into<Option<Duration>>) -> Self {
        self.setting.budget = budget.into();
        self
    }

    /// Sets the CPU to measure on; without one, the survey uses the quietest.
    #[must_use]
    pub fn cpu(mut self, cpu: impl Into<Option<usize>>) -> Self {
        self.setting.cpu = cpu.into();
        self
    }

    /// Sets the seed of all random order; without one, the survey draws a random seed.
    #[must_use]
    pub fn seed(mut self, seed: impl Into<Option<u64>>) -> Self {
        let setting = &mut self.setting;
        setting.seed = seed.into().unwrap_or(setting.seed);
        self
    }

    /// Spares the rest of the machine, for a survey that is made again and again: no clock is read
    /// cold, no process is started, and the order of reads is not tested. CPUs are compared for
    /// some milliseconds, however short the time is.
    #[must_use]
    pub fn gentle(mut self) -> Self {
        self.setting.gentle = true;
        self
    }

    /// Sets the interrupt that ends the run early. The report then holds the results so far.
    #[must_use]
    pub fn interrupt(mut self, interrupt: &Interrupt) -> Self {
        self.setting.interrupt = interrupt.clone();
        self
    }

    /// Reports progress to this function, which must be quick: it is called while nothing is timed,
    /// but it can disturb the measurements that follow.
    #[must_use]
    pub fn progress(mut self, progress: impl FnMut(Progress) + 'a) -> Self {
        self.setting.progress = Box::new(progress);
        self
    }

    /// Passes the current report to this function about once per second, if waits are measured or
    /// clocks are watched. It returns whether it kept the report: the course of waits says for how
    /// long it did not.
    #[must_use]
    pub fn checkpoint(mut self, keep: impl FnMut(&Report) -> bool + 'a) -> Self {
        self.setting.checkpoint = Some(Box::new(keep));
        self
    }

    /// Runs the survey.
    ///
    /// # Errors
    /// The program was not prepared by [`start_up`](crate::start_up()); what was asked for is
    /// impossible here; nothing could be measured.
    pub fn run(self) -> Result<Report, Error> {
        check_started()?;
        let (judge, began) = (self.judge, Instant::now());
        let children = if self.setting.gentle { None } else { children() };
        let mut setting = Setting { began, children, ..self.setting };
        let keep = setting.checkpoint.take().map(|keep| Rc::new(RefCell::new(keep)));
        if let Some(keep) = keep.clone() {
            setting.checkpoint = Some(Box::new(move |report| match report.waits_plan {
                // A run of waits completes its states itself. Judging them would disturb the run.
                Some(_) => give(&keep, report),
                None => give(&keep, &unfinished(report, began, judge)),
            }));
        }
        let root = (self.root)();
        let before = machine::state(&root);
        let mut report = begin_run(setting.seed, &root);
        report.run.screen = self.screen;
        report.spec = self.spec.map(|spec| *spec);
        report.notes = self.happened;
        self.measurement.measure(&mut setting, &mut report)?;
        end_run(&mut report, began, &setting.interrupt);
        let after = machine::state(&(self.root)());
        report.run.changed = change::between(&before, &after);
        let distances = |state: &Environment| state.keeping.as_ref()?.distances;
        report.run.moved =
            distances(&before).zip(distances(&after)).map(|(before, after)| before.moved(&after));
        if let (Some(before), Some(after)) = (before.cpu_quota, after.cpu_quota) {
            let periods = after.throttled_periods.saturating_sub(before.throttled_periods);
            report.environment.cpu_quota = Some(CpuQuota { run_periods: Some(periods), ..after });
        }
        judge(&mut report);
        if let Some(keep) = keep {
            give(&keep, &report);
        }
        Ok(report)
    }
}

/// Returns a state that is worth keeping, as a report of its own.
fn unfinished(report: &Report, began: Instant, judge: fn(&mut Report)) -> Report {
    let mut report = report.clone();
    end_run(&mut report, began, &Interrupt::default());
    report.run.complete = false;
    judge(&mut report);
    report
}

fn give(keep: &RefCell<Checkpoint>, report: &Report) -> bool {
    keep.try_borrow_mut().is_ok_and(|mut keep| keep(report))
}
