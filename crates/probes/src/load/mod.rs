//! Load made by the tool itself: bounded, pinned, at a priority of its own, and gone with the
//! tool however that ends.
//!
//! Each load is a set of processes and not of threads: a process has its own memory map and its
//! own class of scheduling, as the load of a real machine has. Linux ends them when the thread
//! that started them ends, on SIGKILL too (prctl(2), PR_SET_PDEATHSIG), so they are to be started
//! from a thread that lives as long as they are wanted; Windows ends them with the job that they
//! are in.

#[cfg(any(target_os = "linux", windows))]
mod compute;
// The one place where the platform is chosen: each file has the same functions, and `elsewhere`
// compiles anywhere.
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "elsewhere.rs")]
mod imp;
#[cfg(windows)]
mod windows_work;
#[cfg(target_os = "linux")]
mod work;

use crate::waits::Unavailable;
use chronoscope_model::units::plural;
use chronoscope_model::waits::{Load, LoadProcess, LoadRun};
use std::time::Instant;

/// What a load is to be.
#[derive(Clone, Debug)]
pub struct Order {
    /// Which.
    pub load: Load,
    /// One process on each of these processors, in turn.
    pub cpus: Vec<usize>,
    /// How many processes.
    pub processes: usize,
    /// SCHED_FIFO at this priority, for [`Load::High`]; else the highest nice value.
    pub fifo: Option<u32>,
}

/// A load that runs; it ends when this is dropped.
#[derive(Debug)]
pub struct Running {
    load: Load,
    scheduling: String,
    notes: Vec<String>,
    started: Instant,
    children: Vec<Watched>,
}

/// One process, with what it was when last looked at.
#[derive(Debug)]
struct Watched {
    child: imp::Child,
    /// Processor time it had got when the load had started: to get ready takes some.
    ready_ns: u64,
    /// Processor time it had got: a system need not tell it of one that has ended.
    cpu_ns: u64,
    /// When it was found to have ended, in seconds from the start.
    ended_s: Option<f64>,
}

/// Starts a load and waits until each of its processes runs as it was asked to.
///
/// # Errors
/// No privilege for the priority, or a system on which the tool makes no load.
pub fn start(order: &Order) -> Result<Running, Unavailable> {
    let mut notes = Vec::new();
    let scheduling = imp::scheduling(order);
    let watch = |child: imp::Child| {
        let ready_ns = child.cpu_ns().unwrap_or(0);
        Watched {
            child,
            ready_ns,
            cpu_ns: ready_ns,
            ended_s: None,
        }
    };
    let children = imp::start(order, &mut notes)?;
    // Before the processes are looked at: nothing that they get later is without its time.
    let started = Instant::now();
    let children: Vec<Watched> = children.into_iter().map(watch).collect();
    if children.len() > order.cpus.len() {
        notes.push(format!(
            "{} share {}",
            plural(children.len() as u64, "process", "processes"),
            plural(order.cpus.len() as u64, "CPU", "CPUs")
        ));
    }
    Ok(Running {
        load: order.load,
        scheduling,
        notes,
        started,
        children,
    })
}

/// Whether such a load must leave a processor to everybody else: nothing of a lower priority would
/// run beside it.
pub fn leaves_one_free(load: Load, fifo: bool) -> bool {
    imp::leaves_one_free(load, fifo)
}

/// If this process was started to be one of a load, it is that until its end, and then returns the
/// exit code of the process. To be called before anything else.
pub fn requested() -> Option<i32> {
    imp::requested()
}

impl Running {
    /// Looks which of its processes still run, and what they have got.
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

    /// What it got up to now.
    pub fn so_far(&mut self) -> LoadRun {
        self.look();
        let process = |watched: &Watched| LoadProcess {
            cpu: watched.child.cpu(),
            cpu_s: (watched.cpu_ns - watched.ready_ns) as f64 / 1e9,
            ended_s: watched.ended_s,
        };
        LoadRun {
            load: self.load,
            scheduling: self.scheduling.clone(),
            seconds: self.started.elapsed().as_secs_f64(),
            processes: self.children.iter().map(process).collect(),
            notes: self.notes.clone(),
        }
    }

    /// Ends it, and says what it got.
    pub fn stop(mut self) -> LoadRun {
        self.so_far()
    }
}
