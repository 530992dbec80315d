//! What disturbs a measurement on request, and what keeps others from disturbing it: loads, one
//! after the other, and a real-time priority of the measuring thread.

use crate::engine::time::Time;
use crate::measurement::{Error, Setting};
use crate::notes;
use crate::session::Session;
use chronoscope_model::Report;
use chronoscope_model::spec::Disturbance;
use chronoscope_model::waits::Load;
use chronoscope_probes::load::{self, Order, Running};
use chronoscope_probes::machine::{Root, affinity};
use chronoscope_probes::waits::privilege::{self, Raised, RealtimeFence};

/// How long a real-time thread may run without blocking, in microseconds: longer than the longest
/// spin that is allowed, and too short to lock up a machine for long.
const FENCE_US: u64 = 3_000_000;
/// The most processes of a load, per CPU.
const MOST_LOAD: usize = 8;

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
            check_fifo("--priority", priority, cpus.len()).map_err(Error::Invalid)?;
            // Only this thread has the priority, so children would measure something else.
            setting.children = None;
        }
        setting.fifo = asked.priority;
        let fence = fence(asked.priority).map_err(Error::Invalid)?;
        let (processes, fifo) = (asked.load_processes, asked.priority);
        Ok(Self { loads: asked.loads(), processes, fifo, cpus, _fence: fence })
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
            let running = match start(order, self.processes, &[]) {
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

/// Starts a load on the CPUs of the order, with one process for each of them if no number is given.
/// `measured` are the CPUs that are measured on: a load that must leave a CPU free leaves another
/// one.
///
/// # Errors
/// The reason why it cannot run, in one line.
pub(crate) fn start(
    mut order: Order,
    processes: Option<u64>,
    measured: &[usize],
) -> Result<Running, String> {
    if load::leaves_one_free(order.load, order.fifo.is_some()) && !order.whole {
        // One CPU is left free, but not one on which waits are measured.
        let free = order.cpus.iter().rposition(|cpu| !measured.contains(cpu));
        let free = free.ok_or(
            "load high: a priority above all others must leave one CPU free, and there is none",
        )?;
        order.cpus.remove(free);
    }
    order.processes = processes.map_or(order.cpus.len(), |n| n as usize).max(1);
    load::start(&order).map_err(|reason| reason.0)
}

/// Limits how long real-time threads may run without blocking, if there are any.
///
/// # Errors
/// The system's error.
pub(crate) fn fence(fifo: Option<u32>) -> Result<Option<RealtimeFence>, String> {
    fifo.map(|_| RealtimeFence::new(FENCE_US)).transpose().map_err(|why| why.0)
}

/// Checks the number of processes of a load on a machine with this many CPUs.
///
/// # Errors
/// The numbers that are possible.
pub(crate) fn check_processes(processes: Option<u64>, cpus: usize) -> Result<(), String> {
    let most = (cpus.max(1) * MOST_LOAD) as u64;
    match processes {
        Some(processes) if !(1..=most).contains(&processes) => Err(format!(
            "{processes} load processes are not possible: choose 1 to {most}, {MOST_LOAD} per CPU"
        )),
        _ => Ok(()),
    }
}

/// Checks that an option's priority is possible and permitted: a run that was asked for a priority
/// and has none would answer another question.
///
/// # Errors
/// What is missing.
pub(crate) fn check_fifo(option: &str, priority: u32, cpus: usize) -> Result<(), String> {
    let possible = privilege::check_fifo(&Root::host(), priority, cpus);
    let permitted = possible.and_then(|()| privilege::try_fifo(priority));
    permitted.map_err(|why| format!("{option} {priority}: {}", why.0))
}
