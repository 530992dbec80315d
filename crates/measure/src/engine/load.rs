//! What loads and real-time priorities are allowed to be, and how a load is started.

use chronoscope_probes::load::{self, Order, Running};
use chronoscope_probes::machine::Root;
use chronoscope_probes::waits::privilege::{self, RealtimeFence};
use std::time::Duration;

/// How long a real-time thread may run without blocking, in microseconds: longer than the longest
/// spin that is allowed, and too short to lock up a machine for long.
const FENCE_US: u64 = 3_000_000;
/// How long a real-time thread runs before it rests.
const REST_AFTER: Duration = Duration::from_millis(400);
/// The longest spin of a real-time thread, which may begin just before a rest is due.
pub(crate) const LONGEST_SPIN: Duration = Duration::from_millis(450);

/// The time for which a real-time thread runs, as a multiple of its rest after that.
const RUN_PER_REST: u32 = 9;

/// The rest that a real-time thread needs after it ran for this long. With it, the thread runs for
/// at most 950 ms of any second, so the kernel neither throttles it (sched(7),
/// `sched_rt_runtime_us`) nor ends the process (getrlimit(2), RLIMIT_RTTIME).
pub(crate) fn rest_of(ran: Duration) -> Duration {
    ran / RUN_PER_REST
}

/// How long such a thread must sleep now, if it must.
pub(crate) fn rest_due(ran: Duration) -> Option<Duration> {
    (ran >= REST_AFTER).then(|| rest_of(ran))
}

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
/// and has none would answer another question. `high`: whether priorities above those of the
/// kernel's interrupt threads are allowed.
///
/// # Errors
/// What is missing.
pub(crate) fn check_fifo(
    option: &str,
    priority: u32,
    high: bool,
    cpus: usize,
) -> Result<(), String> {
    let possible = privilege::check_fifo(&Root::host(), priority, high, cpus);
    let permitted = possible.and_then(|()| privilege::try_fifo(priority));
    permitted.map_err(|why| format!("{option} {priority}: {}", why.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_time_thread_is_never_throttled() {
        // Each stretch without a rest may begin just before one is due, and then spin or count for
        // as long as is allowed.
        let longest = (REST_AFTER + LONGEST_SPIN).as_millis() as usize;
        for stretch in (400..=longest).step_by(5) {
            let rest = rest_due(Duration::from_millis(stretch as u64)).expect("it is due");
            let period = stretch + rest.as_millis() as usize;
            let runs = |from: usize| (from..from + 1000).filter(|ms| ms % period < stretch).count();
            let most = (0..period).step_by(5).map(runs).max();
            assert!(most <= Some(950), "{stretch} ms: {most:?}");
        }
        assert_eq!(rest_due(REST_AFTER / 2), None);
    }
}
