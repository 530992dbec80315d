//! Load made by the tool itself: bounded, pinned, with its own priority, and ended with the tool,
//! however the tool ends.
//!
//! Each load is a set of processes, not of threads: a process has its own memory map and its own
//! scheduling class, like the load of a real machine. Linux ends them when the thread that started
//! them ends, even by SIGKILL (prctl(2), PR_SET_PDEATHSIG), so they must be started from a thread
//! that lives as long as they are needed. Windows ends them with the job that they belong to.

#[cfg(any(target_os = "linux", windows))]
mod common;
// The platform is chosen here only. Each file has the same functions, and `other` compiles
// anywhere.
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "other.rs")]
mod imp;
#[cfg(target_os = "linux")]
mod work;

use crate::time::Instant;
use crate::waits::Unavailable;
use chronoscope_model::units::plural;
use chronoscope_model::waits::{Load, LoadProcess, LoadRun};

#[derive(Clone, Debug)]
pub struct Order {
    pub load: Load,
    /// The CPUs on which the processes run, assigned in turn.
    pub cpus: Vec<usize>,
    pub processes: usize,
    /// Run [`Load::High`] under SCHED_FIFO at this priority; otherwise, with the strongest nice
    /// value.
    pub fifo: Option<u32>,
    /// Run [`Load::High`] without pauses: nothing of a lower priority runs alongside it (Windows).
    pub whole: bool,
}

/// A running load; dropping it ends the load.
#[derive(Debug)]
pub struct Running {
    load: Load,
    scheduling: String,
    about: String,
    notes: Vec<String>,
    started: Instant,
    children: Vec<Watched>,
}

/// One process, as it was when last examined.
#[derive(Debug)]
struct Watched {
    child: imp::Child,
    cpu: usize,
    /// The CPU time that the process had used when the load started: preparation takes some.
    ready_ns: u64,
    /// The CPU time that the process has used: a system need not report it after the process has
    /// ended.
    cpu_ns: u64,
    /// When the process was found to have ended, in seconds since the start.
    ended_s: Option<f64>,
}

/// Starts a load and waits until each of its processes runs as requested.
///
/// # Errors
/// The privilege for the priority is missing, or the tool cannot make load on this system.
pub fn start(order: &Order) -> Result<Running, Unavailable> {
    let mut notes = Vec::new();
    if order.whole {
        notes.push(WHOLE.into());
    }
    let setup = imp::prepare(order, &mut notes)?;
    let cpus = if order.cpus.is_empty() { &[0][..] } else { &order.cpus };
    // If a later process fails to start, dropping the earlier ones ends them.
    let launched: Vec<(imp::Child, usize)> = (0..order.processes)
        .map(|nth| {
            let cpu = cpus[nth % cpus.len()];
            Ok((imp::launch(order, cpu, nth, &setup)?, cpu))
        })
        .collect::<Result<_, Unavailable>>()?;
    // The time is taken before the processes are examined, so that the time covers all that they
    // use later.
    let started = Instant::now();
    let watch = |(child, cpu): (imp::Child, usize)| {
        let ready_ns = child.cpu_ns().unwrap_or(0);
        Watched { child, cpu, ready_ns, cpu_ns: ready_ns, ended_s: None }
    };
    let children: Vec<Watched> = launched.into_iter().map(watch).collect();
    if children.len() > order.cpus.len() {
        notes.push(format!(
            "{} share {}",
            plural(children.len() as u64, "process", "processes"),
            plural(order.cpus.len() as u64, "CPU", "CPUs")
        ));
    }
    let scheduling = imp::scheduling(order);
    // A load that does not pause is the normal one, at another priority.
    let about = about(if order.whole { Load::Normal } else { order.load });
    Ok(Running { load: order.load, scheduling, about, notes, started, children })
}

/// The note on a load of [`Order::whole`].
const WHOLE: &str = "--load-all-cpus: its processes do not pause, and no CPU is left free, so \
                     waits end when Windows lets a starved thread run, every few seconds, or at a \
                     --priority of their own";

/// What each process of a load does, as a clause without a subject: `computes for 20 ms, then …`.
/// Empty if there are none.
pub fn about(load: Load) -> String {
    if load == Load::None { String::new() } else { imp::about(load) }
}

/// [`leaves_one_free`]: whether such a load must leave a CPU free, because nothing with a lower
/// priority would run alongside it.
///
/// [`requested`]: if this process was started as a process of a load, does that work until the
/// process ends, and then returns its exit code. Must be called before anything else.
pub use imp::{leaves_one_free, requested};

impl Running {
    /// Checks which of the load's processes still run, and how much CPU time they have used.
    pub fn look(&mut self) {
        let now = self.started.elapsed().as_secs_f64();
        for watched in &mut self.children {
            if let Some(ns) = watched.child.cpu_ns() {
                watched.cpu_ns = watched.cpu_ns.max(ns);
            }
            if watched.ended_s.is_none() && !watched.child.alive() {
                watched.ended_s = Some(now);
            }
        }
    }

    pub fn so_far(&mut self) -> LoadRun {
        self.look();
        let process = |watched: &Watched| LoadProcess {
            cpu: watched.cpu,
            cpu_s: (watched.cpu_ns - watched.ready_ns) as f64 / 1e9,
            ended_s: watched.ended_s,
        };
        LoadRun {
            load: self.load,
            scheduling: self.scheduling.clone(),
            about: self.about.clone(),
            seconds: self.started.elapsed().as_secs_f64(),
            processes: self.children.iter().map(process).collect(),
            notes: self.notes.clone(),
        }
    }

    /// Ends the load and returns what it has used.
    pub fn stop(mut self) -> LoadRun {
        self.so_far()
    }
}
