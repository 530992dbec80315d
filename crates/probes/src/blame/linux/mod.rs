//! Linux.

mod handlers;
mod idle;
mod queue;
mod quota;
mod record;
mod ring;
mod smi;
mod switches;
mod tasks;
mod timerlat;

pub use record::Record;
pub use tasks::{Scan, hidden, is_first_namespace, read as read_task, this_thread};

use super::{Missing, Seen};
use crate::machine::noise;
use crate::waits::os as system;
use idle::Idle;
use queue::Queue;
use quota::Quota;
use smi::Smi;
use std::fs::File;
use std::os::unix::fs::FileExt;
use switches::Switches;

#[derive(Debug)]
pub(super) struct Sources {
    switches: Option<Switches>,
    queue: Option<Queue>,
    quota: Option<Quota>,
    idle: Option<Idle>,
    smi: Option<Smi>,
}

/// The source, or what is missing without it.
fn have<T>(
    opened: Result<T, String>,
    id: &'static str,
    loses: &'static str,
    missing: &mut Vec<Missing>,
) -> Option<T> {
    opened.map_err(|reason| missing.push(Missing { id, loses, reason })).ok()
}

impl Sources {
    pub(super) fn open() -> (Self, Vec<Missing>) {
        let mut missing = Vec::new();
        let all = &mut missing;
        let sources = Self {
            switches: have(Switches::open(), "switches", "idle exit, preemption and return", all),
            queue: have(Queue::open(), "schedstat", "idle exit and run queue", all),
            quota: have(Quota::open(), "cpu-stat", "run queue and CPU quota", all),
            idle: have(Idle::open(), "cpuidle", "idle exit and interrupts", all),
            smi: have(Smi::open(), "smi", "host and firmware", all),
        };
        all.push(timerlat::missing());
        (sources, missing)
    }

    pub(super) fn look(&mut self, closely: bool) -> Seen<'_> {
        let (switches, lost) = self.switches.as_mut().map_or((None, 0), Switches::look);
        let queued_ns = self.queue.as_mut().and_then(Queue::look);
        let throttled_ns = self.quota.as_mut().and_then(|quota| quota.look(closely));
        let cpu = closely.then(noise::current_cpu).flatten();
        let idle = self.idle.as_mut().and_then(|idle| idle.look(cpu));
        let smis = self.smi.as_mut().filter(|_| closely).and_then(Smi::look);
        Seen { switches, lost, queued_ns, throttled_ns, idle, smis, ..Seen::default() }
    }

    pub(super) fn ran(&self) -> Option<u64> {
        system::thread_cpu()
    }
}

pub fn has_slack() -> bool {
    // SAFETY: 0 is the calling thread; the call stores nothing.
    let policy = unsafe { libc::sched_getscheduler(0) } & !libc::SCHED_RESET_ON_FORK;
    const SCHED_DEADLINE: libc::c_int = 6;
    !matches!(policy, libc::SCHED_FIFO | libc::SCHED_RR | SCHED_DEADLINE)
}

/// Reads a small file from its beginning.
fn read<'a>(file: &File, buffer: &'a mut [u8]) -> Option<&'a str> {
    let length = file.read_at(buffer, 0).ok()?;
    std::str::from_utf8(buffer.get(..length)?).ok()
}

/// A counter of the kernel, with its value when it was last read.
#[derive(Clone, Copy, Debug, Default)]
struct Counter(Option<u64>);

impl Counter {
    /// Returns the increase since the last read, and stores the new value.
    fn look(&mut self, now: Option<u64>) -> Option<u64> {
        std::mem::replace(&mut self.0, now).zip(now).map(|(from, to)| to.saturating_sub(from))
    }
}

#[cfg(test)]
mod denied_tests;
