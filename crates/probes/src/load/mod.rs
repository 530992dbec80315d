//! Load made by the tool itself: bounded, pinned, at a priority of its own, and gone with the
//! tool however that ends.
//!
//! Each load is a set of processes and not of threads: a process has its own memory map and its
//! own class of scheduling, as the load of a real machine has. The kernel ends them when the
//! thread that started them ends, on SIGKILL too (prctl(2), PR_SET_PDEATHSIG), so they are to be
//! started from a thread that lives as long as they are wanted.

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod imp;
#[cfg(target_os = "linux")]
mod work;

use crate::waits::Unavailable;
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
    children: Vec<imp::Child>,
}

/// Starts a load and waits until each of its processes runs as it was asked to.
///
/// # Errors
/// No privilege for the priority, or a system on which the tool makes no load.
pub fn start(order: &Order) -> Result<Running, Unavailable> {
    let mut notes = Vec::new();
    let scheduling = scheduling(order);
    let children = imp::start(order, &mut notes)?;
    if children.len() > order.cpus.len() {
        notes.push(format!(
            "{} processes on {} CPUs share them",
            children.len(),
            order.cpus.len()
        ));
    }
    Ok(Running {
        load: order.load,
        scheduling,
        notes,
        started: Instant::now(),
        children,
    })
}

/// How a load is scheduled, in words.
fn scheduling(order: &Order) -> String {
    match (order.load, order.fifo) {
        (Load::Low, _) => "SCHED_IDLE".into(),
        (Load::High, Some(priority)) => format!("SCHED_FIFO {priority}"),
        (Load::High, None) => "nice -20".into(),
        _ => "as the tool itself".into(),
    }
}

impl Running {
    /// What it got up to now.
    pub fn so_far(&self) -> LoadRun {
        LoadRun {
            load: self.load,
            scheduling: self.scheduling.clone(),
            seconds: self.started.elapsed().as_secs_f64(),
            processes: self
                .children
                .iter()
                .map(|child| LoadProcess {
                    cpu: child.cpu(),
                    cpu_s: child.cpu_ns().unwrap_or(0) as f64 / 1e9,
                })
                .collect(),
            notes: self.notes.clone(),
        }
    }

    /// Ends it, and says what it got.
    pub fn stop(self) -> LoadRun {
        let mut run = self.so_far();
        let lost = self.children.iter().filter(|child| !child.alive()).count();
        if lost > 0 {
            run.notes
                .push(format!("{lost} of its processes had ended before"));
        }
        run
    }
}
