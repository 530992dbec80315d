//! What a survey is asked for, and how it is run.

use crate::error::Error;
use crate::waits::{Resumed, Waits};
use crate::{advice, brief, run, select, start_up, summary};
use chronoscope_diagnose as diagnose;
use chronoscope_diagnose::advise::Purpose;
use chronoscope_measure::engine::Interrupt;
use chronoscope_measure::measurement::{Measurement, Progress, Setting};
use chronoscope_measure::{calls, clocks, deltas, hardware, overhead};
use chronoscope_model::{Report, change};
use chronoscope_probes::clocks::ALL;
use std::time::{Duration, Instant};

/// A survey of this machine.
pub struct Survey<'a> {
    measurement: Box<dyn Measurement + 'a>,
    setting: Setting<'a>,
}

impl<'a> Survey<'a> {
    /// Anything that can be measured. The functions below are for what the tool itself measures.
    pub fn new(measurement: impl Measurement + 'a) -> Self {
        Self {
            measurement: Box::new(measurement),
            setting: Setting::default(),
        }
    }

    /// Every clock and a few waits: what the tool shows without a command, in 12 s.
    pub fn summary() -> Self {
        Self::new(summary::Request {
            clocks: ALL.to_vec(),
            waits: true,
        })
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
        Ok(Self::new(clocks::Request {
            entries: select::clocks(&ids, false)?,
            calls: None,
        }))
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

    /// Waits.
    ///
    /// # Errors
    /// An id matches no wait method.
    pub fn waits(waits: Waits) -> Result<Self, Error> {
        Ok(Self::new(waits.request()?))
    }

    /// The remaining waits of an interrupted run. Its report has its plan and the waits that were
    /// measured; the CPU, the seed and the times are those of that run.
    pub fn resume(report: Report) -> Self {
        Self::new(Resumed(report))
    }

    /// The machine and its timer hardware, in a short time.
    pub fn hardware() -> Self {
        Self::new(hardware::Request)
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

    /// With the current report given to this function about once per second, if waits are measured.
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
        let mut setting = Setting {
            began: Instant::now(),
            children: start_up::children(),
            ..self.setting
        };
        let before = run::state();
        let mut report = run::begin(setting.seed);
        self.measurement.measure(&mut setting, &mut report)?;
        run::end(&mut report, setting.began, &setting.interrupt);
        report.run.changed = change::between(&before, &run::state());
        diagnose::judge(&mut report);
        Ok(report)
    }
}
