//! Children of this tool, as seen by the process that starts them: one that reads a clock for the
//! first time, and one that makes whole rounds. [`serve`](super::serve) has the child's side. A
//! request is one line, and so is its answer.
//!
//! | request | answer |
//! | --- | --- |
//! | `ready` | `ready`: the child has warmed up everything but the clock |
//! | `first` | the ticks of one read, the ruler's own cost subtracted |
//! | a `ChildJob` of a `Job` as JSON | a `Sampled` as JSON |
//! | a `ChildJob` of an `Around` as JSON | a `Pairs` as JSON |
//!
//! What loads and real-time priorities are allowed to be, and how a load is started.

use super::child::{Child, Stop};
use super::ruler::RulerKind;
use chronoscope_probes::load::{self, Order, Running};
use chronoscope_probes::machine::Root;
use chronoscope_probes::waits::privilege::{self, RealtimeFence};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How to start a child of this tool so that it calls [`serve`](super::serve::serve).
#[derive(Clone, Debug)]
pub struct Children {
    pub program: PathBuf,
    /// The arguments before the clock's id and the ruler's name.
    pub args: Vec<OsString>,
}

/// The request that precedes a first read. The child then waits for the next request: a read right
/// after its own preparation would find more in the caches.
pub(super) const READY: &str = "ready";
pub(super) const FIRST: &str = "first";

/// Replaces the clock's id in the arguments of a child that makes rounds.
pub(super) const EVERY: &str = "*";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ChildJob<J> {
    /// The ids of all subjects; those that are not in the catalogue are empty loops.
    pub ids: Vec<String>,
    pub cpu: Option<usize>,
    /// Whether the core can be gauged.
    pub gauges: bool,
    pub job: J,
}

/// The environment variable that makes a child's environment longer.
const PADDING: &str = "CHRONOSCOPE_PADDING";
/// The time that a child may take to start and for anything but its rounds, including the time by
/// which rounds exceed their budget. A child that takes longer was stopped, or hangs in a driver.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer that is accepted: the samples of all rounds.
const LONGEST: u64 = 64 << 20;
/// The most bytes, a page, by which the environment of a child is longer.
pub(super) const PAGE: usize = 4096;

impl Children {
    /// Makes the first read of this clock in a new process and returns it in ticks of this ruler;
    /// `None` if the child cannot be started or fails.
    pub fn first(&self, id: &str, ruler: RulerKind) -> Option<u64> {
        let mut child = Child::start(&mut self.command(id, ruler), LONGEST).ok()?;
        child.ask(READY, PATIENCE, &|| false).ok()?;
        child.ask(FIRST, PATIENCE, &|| false).ok()?.trim().parse().ok()
    }

    /// Lets a child do this job, which may take this long; `None` if it fails or `stop` says so.
    pub(super) fn ask<J: Serialize, A: DeserializeOwned>(
        &self,
        wanted: &ChildJob<J>,
        budget: Duration,
        ruler: RulerKind,
        stop: Stop,
    ) -> Option<A> {
        let mut command = self.command(EVERY, ruler);
        command.env(PADDING, " ".repeat(fastrand::usize(1..=PAGE)));
        let mut child = Child::start(&mut command, LONGEST).ok()?;
        let request = serde_json::to_string(wanted).ok()?;
        let patience = budget.mul_f64(1.5) + PATIENCE;
        let answer = child.ask(&request, patience, stop).ok()?;
        serde_json::from_str(&answer).ok()
    }

    fn command(&self, id: &str, ruler: RulerKind) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).args([id, ruler.name()]);
        command
    }
}

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
pub(crate) fn start_processes(
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
pub(crate) fn real_time_fence(fifo: Option<u32>) -> Result<Option<RealtimeFence>, String> {
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
mod children_tests {
    use super::*;

    #[test]
    fn an_unrelated_program_is_not_accepted_as_a_child() {
        for program in ["/bin/true", "/bin/cat", "/no/such/program"] {
            let children = Children { program: program.into(), args: Vec::new() };
            assert!(children.first("rust/instant", RulerKind::System).is_none());
        }
    }
}

#[cfg(test)]
mod load_tests {
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
