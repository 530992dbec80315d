//! A run: the interface of a measurement, and what every measurement works with. Each measurement
//! implements [`Measurement`] next to its algorithm. [`session`] has what a run prepares and
//! concludes with, and what it checks of its own results.
//!
//! `Conditions` disturb a measurement on request, and keep others from disturbing it: loads, one
//! after the other, and a real-time priority of the measuring thread.

pub mod session;

use crate::engine::children::{
    Children, check_fifo, check_processes, real_time_fence, start_processes,
};
use crate::engine::schedule::Time;
use crate::engine::{Interrupt, notes};
use crate::waits;
use chronoscope_model::Report;
use chronoscope_model::spec::Disturbance;
use chronoscope_model::waits::Load;
use chronoscope_probes::clocks::Entry;
use chronoscope_probes::load::Order;
use chronoscope_probes::machine::affinity;
use chronoscope_probes::time::Instant;
use chronoscope_probes::waits::privilege::{Raised, RealtimeFence};
use session::Session;
use std::fmt;
use std::time::Duration;

/// Something that can be measured on this machine.
pub trait Measurement {
    /// Measures, and adds the figures to the report, which describes the machine already.
    ///
    /// # Errors
    /// What was asked for is impossible here, or nothing could be measured.
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error>;
}

/// Why a measurement has no result. The text is one line with the reason.
#[derive(Debug)]
pub enum Error {
    /// What was asked for is impossible here, or contradicts itself.
    Invalid(String),
    Nothing(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Invalid(why) | Self::Nothing(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Error {}

pub enum Progress<'a> {
    /// How long the run takes by its budget or schedule. A measurement within another one says so
    /// too: the first counts.
    Time(Duration),
    /// The phase, and the share of the measurement that is done, 0 to 1.
    Phase(&'a str, f64),
    Waits(&'a waits::Progress),
    /// How long a run of waits will take at least, and what for, before it begins.
    Expected(Duration, &'a str),
    /// All waits under a load were measured, and others follow.
    Done(&'a Report),
    /// Some of the waits of a long run were measured.
    SoFar(&'a Report),
}

/// A function that receives every state of the report that is worth keeping, and returns whether it
/// kept it.
pub type Checkpoint<'a> = Box<dyn FnMut(&Report) -> bool + 'a>;

pub struct Setting<'a> {
    /// The CPU to measure on; absent: the quietest.
    pub cpu: Option<usize>,
    /// The real-time priority of the measuring thread; absent: it is an ordinary thread.
    pub fifo: Option<u32>,
    /// The time for measuring; absent: the measurement's own default.
    pub budget: Option<Duration>,
    pub seed: u64,
    /// Set when the user asks to stop.
    pub interrupt: Interrupt,
    /// How to start this program as a child; absent: anything that needs children is left out.
    pub children: Option<Children>,
    /// Whether to spare the rest of the machine: no caches are displaced, and nothing but a
    /// comparison of some milliseconds keeps two CPUs busy.
    pub gentle: bool,
    pub progress: Box<dyn FnMut(Progress) + 'a>,
    /// Called with every state of the report that is worth keeping.
    pub checkpoint: Option<Checkpoint<'a>>,
    pub began: Instant,
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self {
            cpu: None,
            fifo: None,
            budget: None,
            seed: fastrand::u64(..),
            interrupt: Interrupt::default(),
            children: None,
            gentle: false,
            progress: Box::new(|_| ()),
            checkpoint: None,
            began: Instant::now(),
        }
    }
}

impl Setting<'_> {
    /// The part of this time that is left for measuring. Preparation counts, but takes at most
    /// half.
    pub fn left_of(&self, budget: Duration) -> Duration {
        budget.saturating_sub(self.began.elapsed()).max(budget / 2)
    }

    /// What is left of the budget, if there is one.
    pub fn left(&self) -> Option<Duration> {
        self.budget.map(|budget| self.left_of(budget))
    }

    /// Checks that there is a result for a clock that may have no fixed unit of time.
    ///
    /// # Errors
    /// There is no result, and the user did not stop the run.
    pub fn require_unit<T>(&self, found: Option<&T>, entry: &Entry) -> Result<(), Error> {
        if found.is_some() || self.interrupt.is_set() {
            return Ok(());
        }
        Err(Error::Nothing(format!("{} does not count in a fixed unit of time", entry.id)))
    }
}

/// The conditions of a measurement: undisturbed, and then each load.
pub(crate) struct Conditions {
    asked: Disturbance,
    /// The CPUs that the process could use before the measuring thread was pinned.
    cpus: Vec<usize>,
    _fence: Option<RealtimeFence>,
}

impl Conditions {
    /// Checks what was asked for, and prepares the setting for it. Must be called before a session
    /// pins the thread.
    ///
    /// # Errors
    /// The priority or the number of processes is impossible or not permitted.
    pub(crate) fn new(asked: &Disturbance, setting: &mut Setting) -> Result<Self, Error> {
        let cpus = affinity::allowed();
        check_processes(asked.load_processes, cpus.len()).map_err(Error::Invalid)?;
        if let Some(priority) = asked.priority {
            let high = asked.allow_high_priority;
            check_fifo("--priority", priority, high, cpus.len()).map_err(Error::Invalid)?;
            // Only this thread has the priority, so children would measure something else.
            setting.children = None;
        }
        setting.fifo = asked.priority;
        let real_time_fence = real_time_fence(asked.priority).map_err(Error::Invalid)?;
        Ok(Self { asked: asked.clone(), cpus, _fence: real_time_fence })
    }

    /// How many loads there are.
    pub(crate) fn loads(&self) -> u32 {
        self.asked.loads().len() as u32
    }

    /// Calls `measure` undisturbed and then under each load, until the user asks to stop, with what
    /// turns the share of its own work that is done into that of the whole. A load that cannot be
    /// started gets a note.
    ///
    /// # Errors
    /// The priority was refused.
    pub(crate) fn each(
        &self,
        session: &mut Session,
        report: &mut Report,
        mut measure: impl FnMut(&mut Session, Option<Load>, &dyn Fn(f64) -> f64),
    ) -> Result<(), Error> {
        let mut done = 0.0;
        let mut under = |session: &mut Session, load| -> Result<(), Error> {
            let raised = self.asked.priority.map(Raised::to).transpose();
            let _raised = raised.map_err(|why| Error::Invalid(why.0))?;
            measure(session, load, &|part| (done + part) / f64::from(1 + self.loads()));
            done += 1.0;
            Ok(())
        };
        under(session, None)?;
        if self.loads() > 0 {
            session.end_undisturbed();
        }
        for load in self.asked.loads() {
            if session.machine.interrupted() {
                break;
            }
            let order =
                Order { load, processes: 0, cpus: self.cpus.clone(), fifo: None, whole: false };
            let running = match start_processes(order, self.asked.load_processes, &[]) {
                Ok(running) => running,
                Err(reason) => {
                    report.notes.push(notes::load("load-refused", reason));
                    continue;
                }
            };
            under(session, Some(load))?;
            let got = running.stop();
            report.notes.extend(got.loss().map(|loss| notes::load("load-not-whole", loss)));
            report.load_runs.push(got);
        }
        Ok(())
    }
}
