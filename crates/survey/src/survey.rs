//! What a survey is asked for, and how it is run.

use crate::error::Error;
use crate::select;
use crate::setting::{Clock, Progress, Setting, blank};
use crate::start_up;
use crate::waits::Waits;
use crate::{clocks, hardware, single, waits};
use chronoscope_diagnose as diagnose;
use chronoscope_diagnose::advise::{Basis, Purpose};
use chronoscope_measure::engine::Interrupt;
use chronoscope_model::Report;
use chronoscope_model::waits::Load;
use chronoscope_probes::clocks::{ALL, Entry};
use std::time::Duration;

/// The time that a summary takes; most need two thirds of it.
const SUMMARY: Duration = Duration::from_secs(12);
/// The time that clocks take.
const CLOCKS: Duration = Duration::from_secs(9);
/// The time that the figures for advice take.
const ADVICE: Duration = Duration::from_secs(4);

/// The share of a summary's time that the waits get.
const WAITS_SHARE: f64 = 0.16;

/// The loads that advice on waits is measured under: those that need no privilege.
const LOADS: [Load; 3] = [Load::None, Load::Low, Load::Normal];

/// What is measured.
enum What {
    Summary,
    Clocks {
        entries: Vec<&'static Entry>,
        calls: Option<u64>,
    },
    Deltas {
        entry: &'static Entry,
        reads: u64,
    },
    Calls(&'static Entry),
    Overhead {
        entry: &'static Entry,
        shape: [u64; 3],
    },
    Waits(Box<Waits>),
    Resumed(Box<Report>),
    Hardware,
    Advice(Basis),
}

/// A survey of this machine.
pub struct Survey<'a> {
    what: What,
    setting: Setting<'a>,
}

impl<'a> Survey<'a> {
    fn of(what: What) -> Self {
        Self {
            what,
            setting: Setting {
                cpu: None,
                budget: None,
                seed: fastrand::u64(..),
                interrupt: Interrupt::default(),
                progress: Box::new(|_| ()),
                checkpoint: None,
            },
        }
    }

    /// Every clock and a few waits: what the tool shows without a command, in 12 s.
    pub fn summary() -> Self {
        Self::of(What::Summary)
    }

    /// The clocks that these ids, globs or prefixes name, or all of them, in 9 s.
    ///
    /// # Errors
    /// An id matches no clock.
    pub fn clocks<T: Into<String>>(ids: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        let ids: Vec<String> = ids.into_iter().map(Into::into).collect();
        Ok(Self::of_clocks(select::clocks(&ids, false)?))
    }

    /// These clocks, in 9 s.
    pub fn of_clocks(entries: Vec<&'static Entry>) -> Self {
        let calls = None;
        Self::of(What::Clocks { entries, calls })
    }

    /// The differences between this many successive reads of the clock, for example
    /// [`DELTA_READS`](crate::DELTA_READS).
    ///
    /// # Errors
    /// The id matches no clock, or several.
    pub fn deltas(id: &str, reads: u64) -> Result<Self, Error> {
        let entry = select::clock(id)?;
        Ok(Self::of(What::Deltas { entry, reads }))
    }

    /// The mean of a million calls of the clock, the mean of ten, and a single call.
    ///
    /// # Errors
    /// The id matches no clock, or several.
    pub fn calls(id: &str) -> Result<Self, Error> {
        Ok(Self::of(What::Calls(select::clock(id)?)))
    }

    /// What timing with the clock adds to a loop of this shape: samples, iterations per sample,
    /// integers summed in each iteration; for example [`OVERHEAD_SHAPE`](crate::OVERHEAD_SHAPE).
    ///
    /// # Errors
    /// The id matches no clock, or several.
    pub fn overhead(id: &str, shape: [u64; 3]) -> Result<Self, Error> {
        let entry = select::clock(id)?;
        Ok(Self::of(What::Overhead { entry, shape }))
    }

    /// Waits.
    pub fn waits(waits: Waits) -> Self {
        Self::of(What::Waits(Box::new(waits)))
    }

    /// The remaining waits of an interrupted run. Its report has its plan and the waits that were
    /// measured; the CPU, the seed and the times are those of that run.
    pub fn resume(report: Report) -> Self {
        Self::of(What::Resumed(Box::new(report)))
    }

    /// The machine and its timer hardware, in a short time.
    pub fn hardware() -> Self {
        Self::of(What::Hardware)
    }

    /// The measurements that advice for a purpose needs, in 4 s; for every purpose of clocks if
    /// there is none.
    pub fn advice(purpose: Option<&Purpose>) -> Self {
        Self::of(What::Advice(purpose.map_or(Basis::Clocks, Purpose::basis)))
    }

    /// With this many calls of each clock really made, if clocks are measured.
    #[must_use]
    pub fn with_calls(mut self, n: Option<u64>) -> Self {
        if let What::Clocks { calls, .. } = &mut self.what {
            *calls = n;
        }
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

    /// With the current report given to this function about once per second, if waits are measured.
    #[must_use]
    pub fn checkpoint(mut self, keep: impl FnMut(&Report) + 'a) -> Self {
        self.setting.checkpoint = Some(Box::new(keep));
        self
    }

    /// Runs the survey.
    ///
    /// # Errors
    /// The program was not prepared by [`start_up`](crate::start_up); what was asked for is
    /// impossible here; nothing could be measured.
    pub fn run(self) -> Result<Report, Error> {
        start_up::check()?;
        let clock = Clock::start();
        let mut setting = self.setting;
        let mut report = blank(&clock, setting.seed);
        match self.what {
            What::Summary => summarise(&mut setting, &mut report, &clock)?,
            What::Clocks { entries, calls } => {
                let budget = setting.budget.unwrap_or(CLOCKS);
                clocks::measure(&mut setting, &mut report, &clock, &entries, budget, calls)?;
            }
            What::Deltas { entry, reads } => {
                single::deltas(&mut setting, &mut report, &clock, entry, reads)?;
            }
            What::Calls(entry) => single::calls(&mut setting, &mut report, &clock, entry)?,
            What::Overhead { entry, shape } => {
                single::overhead(&mut setting, &mut report, entry, shape)?;
            }
            What::Waits(asked) => waits::measure(&mut setting, &mut report, &clock, *asked)?,
            What::Resumed(earlier) => {
                waits::resume(&mut setting, &mut report, &clock, *earlier)?;
            }
            What::Hardware => hardware::measure(&mut setting, &mut report)?,
            What::Advice(Basis::Clocks) => {
                let budget = setting.budget.unwrap_or(ADVICE);
                clocks::measure(&mut setting, &mut report, &clock, ALL, budget, None)?;
            }
            What::Advice(Basis::Waits) => {
                let budget = setting.budget.unwrap_or(ADVICE);
                let found = waits::glance(&mut setting, &mut report, budget, &LOADS);
                waits::require(&report, found.err(), budget, &setting.interrupt)?;
            }
        }
        clock.close(&mut report, &setting.interrupt);
        diagnose::judge(&mut report);
        Ok(report)
    }
}

fn summarise(setting: &mut Setting, report: &mut Report, clock: &Clock) -> Result<(), Error> {
    let budget = setting.budget.unwrap_or(SUMMARY);
    let for_waits = budget.mul_f64(WAITS_SHARE);
    let for_clocks = budget.saturating_sub(for_waits);
    clocks::measure(setting, report, clock, ALL, for_clocks, None)?;
    setting.cpu = report.ruler.as_ref().and_then(|ruler| ruler.cpu);
    let found = waits::glance(setting, report, for_waits, &[Load::None]);
    if !setting.interrupt.is_set() {
        let missing = waits::left_out(report, found.err(), for_waits);
        report.notes.extend(missing);
    }
    Ok(())
}
