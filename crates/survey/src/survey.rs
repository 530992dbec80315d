//! What a survey is asked for, and how it is run.

use crate::error::Error;
use crate::waits::{self, Resumed};
use crate::{advice, brief, doctor, run, select, start_up, summary, trust};
use chronoscope_diagnose as diagnose;
use chronoscope_diagnose::advise::Purpose;
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::measurement::{Measurement, Progress, Setting};
use chronoscope_measure::{
    calls, clocks, deltas, hardware, overhead, runtimes, sweep, trust as watch,
};
use chronoscope_model::waits::WaitSpec;
use chronoscope_model::{Report, change};
use chronoscope_probes::clocks::ALL;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A survey of this machine.
pub struct Survey<'a> {
    measurement: Box<dyn Measurement + 'a>,
    setting: Setting<'a>,
    judge: fn(&mut Report),
}

impl<'a> Survey<'a> {
    /// Anything that can be measured. The functions below are for what the tool itself measures.
    pub fn new(measurement: impl Measurement + 'a) -> Self {
        Self {
            measurement: Box::new(measurement),
            setting: Setting::default(),
            judge: diagnose::judge,
        }
    }

    /// Every clock and a few waits: what the tool shows without a command, in 12 s.
    pub fn summary() -> Self {
        Self::new(summary::Request { clocks: ALL.to_vec(), waits: true })
    }

    /// As [`Survey::summary`], of the clocks that these ids, globs or prefixes name, or all of
    /// them; with a few waits or without.
    ///
    /// # Errors
    /// An id matches no clock.
    pub fn summary_of(ids: &[String], waits: bool) -> Result<Self, Error> {
        let clocks = select::clocks(ids, false)?;
        Ok(Self::new(summary::Request { clocks, waits }))
    }

    /// What a bug report needs, in 2 s: the processor's counter, the system's clock, and a few
    /// hundred sleeps, which can be left out.
    pub fn brief(waits: bool) -> Self {
        Self::new(brief::Request { waits })
    }

    /// The clocks that these ids, globs or prefixes name, or all of them, in 9 s.
    ///
    /// # Errors
    /// An id matches no clock.
    pub fn clocks<T: Into<String>>(ids: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        Ok(Self::new(clocks::Request { entries: select::clocks(&ids, false)?, calls: None }))
    }

    /// The differences between this many successive reads of the clock, for example
    /// [`DELTA_READS`](crate::DELTA_READS).
    ///
    /// # Errors
    /// The id matches no clock, or several.
    pub fn deltas(id: &str, reads: u64) -> Result<Self, Error> {
        let entry = select::clock(id)?;
        Ok(Self::new(deltas::Request { entry, reads }))
    }

    /// The mean of a million calls of the clock, the mean of ten, and a single call.
    ///
    /// # Errors
    /// The id matches no clock, or several.
    pub fn calls(id: &str) -> Result<Self, Error> {
        let entry = select::clock(id)?;
        Ok(Self::new(calls::Request { entry }))
    }

    /// What timing with the clock adds to a loop of this shape: samples, iterations per sample,
    /// integers summed in each iteration; for example [`OVERHEAD_SHAPE`](crate::OVERHEAD_SHAPE).
    ///
    /// # Errors
    /// The id matches no clock, or several.
    pub fn overhead(id: &str, shape: [u64; 3]) -> Result<Self, Error> {
        let entry = select::clock(id)?;
        Ok(Self::new(overhead::Request { entry, shape }))
    }

    /// The clocks of the runtimes that these ids name, or of all of them, next to C, in half a
    /// minute. An id is that of a runtime (`python`), of one of its builds (`c:gcc-O2`) or the
    /// beginning of such. `places` says where runtimes are that are not where they usually are: the
    /// id, and the program or the directory that holds it.
    ///
    /// # Errors
    /// An id matches no runtime.
    pub fn runtimes(ids: &[String], places: &[(String, PathBuf)]) -> Result<Self, Error> {
        let wanted = select::runtimes(ids, places)?;
        Ok(Self::new(runtimes::Request { wanted }))
    }

    /// Waits.
    ///
    /// # Errors
    /// An id matches no wait method, or there is no such preset.
    pub fn waits(asked: WaitSpec) -> Result<Self, Error> {
        Ok(Self::new(waits::Request::of(asked)?))
    }

    /// The remaining waits of an interrupted run. Its report has its plan and the waits that were
    /// measured; the CPU, the seed and the times are those of that run.
    ///
    /// # Errors
    /// The report is not the checkpoint of a run of waits.
    pub fn resume(report: Report) -> Result<Self, Error> {
        Ok(Self::new(Resumed::of(report)?))
    }

    /// Whether the clocks that these ids, globs or prefixes name can be trusted, or those that
    /// programs use; watched for this time, or for 10 s.
    ///
    /// # Errors
    /// An id matches no clock.
    pub fn trust(ids: &[String], time: impl Into<Option<Duration>>) -> Result<Self, Error> {
        let entries = match ids {
            [] => Vec::new(),
            some => select::clocks(some, false)?,
        };
        Ok(Self::new(trust::Trust(watch::Request { entries, time: time.into() })))
    }

    /// The clocks that these ids, globs or prefixes name, or those that are built on the kernel's
    /// clock source, under every clock source of this machine; and the runtimes that these ids
    /// name, as in [`Survey::runtimes`]. Root only.
    ///
    /// # Errors
    /// An id matches no clock or no runtime.
    pub fn sweep(ids: &[String], runtimes: Option<&[String]>) -> Result<Self, Error> {
        let entries = match ids {
            [] => Vec::new(),
            some => select::clocks(some, false)?,
        };
        let wanted = runtimes.map(|ids| select::runtimes(ids, &[])).transpose()?;
        Ok(Self::new(sweep::Request::of(entries, wanted.unwrap_or_default())))
    }

    /// The machine and its timer hardware, in a short time.
    pub fn hardware() -> Self {
        Self::new(hardware::Request)
    }

    /// What is wrong with time on this machine, in 10 s: the short measurements that faults are
    /// judged by, every finding, and what came of looking for each fault.
    pub fn doctor() -> Self {
        Self { judge: diagnose::examine, ..Self::new(doctor::Request) }
    }

    /// The measurements that advice for a purpose needs, in 4 s for clocks and 19 s for waits; for
    /// every purpose of clocks if there is none.
    pub fn advice(purpose: Option<&Purpose>) -> Self {
        Self::new(advice::Request::of(purpose))
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
        let mut setting =
            Setting { began: Instant::now(), children: start_up::children(), ..self.setting };
        let before = run::state();
        let mut report = run::begin(setting.seed);
        self.measurement.measure(&mut setting, &mut report)?;
        run::end(&mut report, setting.began, &setting.interrupt);
        let after = run::state();
        report.run.changed = change::between(&before, &after);
        report.run.moved = run::moved(&before, &after);
        (self.judge)(&mut report);
        Ok(report)
    }
}
