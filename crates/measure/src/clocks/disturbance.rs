//! What disturbs a measurement on request, and what keeps others from disturbing it: loads, one
//! after the other, and a real-time priority of the measuring thread.

use crate::engine::children::{check_fifo, check_processes, real_time_fence, start_processes};
use crate::engine::notes;
use crate::engine::schedule::Time;
use crate::run::session::Session;
use crate::run::{Error, Setting};
use chronoscope_model::Report;
use chronoscope_model::spec::Disturbance;
use chronoscope_model::waits::Load;
use chronoscope_probes::load::Order;
use chronoscope_probes::machine::affinity;
use chronoscope_probes::waits::privilege::{Raised, RealtimeFence};

/// The conditions of a measurement: undisturbed, and then each load.
pub(crate) struct Conditions {
    loads: Vec<Load>,
    processes: Option<u64>,
    fifo: Option<u32>,
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
        let (processes, fifo) = (asked.load_processes, asked.priority);
        Ok(Self { loads: asked.loads(), processes, fifo, cpus, _fence: real_time_fence })
    }

    /// How many loads there are.
    pub(crate) fn loads(&self) -> u32 {
        self.loads.len() as u32
    }

    /// Calls `measure` undisturbed and then under each load, until the user asks to stop. A load
    /// that cannot be started gets a note.
    ///
    /// # Errors
    /// The priority was refused.
    pub(crate) fn each(
        &self,
        session: &mut Session,
        report: &mut Report,
        mut measure: impl FnMut(&mut Session, Option<Load>),
    ) -> Result<(), Error> {
        let mut under = |session: &mut Session, load| -> Result<(), Error> {
            let raised = self.fifo.map(Raised::to).transpose();
            let _raised = raised.map_err(|why| Error::Invalid(why.0))?;
            measure(session, load);
            Ok(())
        };
        under(session, None)?;
        if !self.loads.is_empty() {
            session.end_undisturbed();
        }
        for &load in &self.loads {
            if session.machine.interrupted() {
                break;
            }
            let order =
                Order { load, processes: 0, cpus: self.cpus.clone(), fifo: None, whole: false };
            let running = match start_processes(order, self.processes, &[]) {
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
