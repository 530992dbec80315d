//! What loads and real-time priorities are allowed to be, and how a load is started.

use chronoscope_probes::load::{self, Order, Running};
use chronoscope_probes::machine::Root;
use chronoscope_probes::waits::privilege::{self, RealtimeFence};

/// How long a real-time thread may run without blocking, in microseconds: longer than the longest
/// spin that is allowed, and too short to lock up a machine for long.
const FENCE_US: u64 = 3_000_000;
/// The most processes of a load, per CPU.
const MOST_LOAD: usize = 8;

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
