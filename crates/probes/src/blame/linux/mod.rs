//! Linux.

mod idle;
mod queue;
mod quota;
mod smi;
mod switches;
mod timerlat;

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
    opened
        .map_err(|reason| {
            missing.push(Missing { id, loses, reason });
        })
        .ok()
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

    pub(super) fn look(&mut self, closely: bool) {
        if let Some(switches) = &mut self.switches {
            switches.look();
        }
        if let Some(queue) = &mut self.queue {
            queue.look();
        }
        if let Some(quota) = &mut self.quota {
            quota.look(closely);
        }
        if let Some(idle) = &mut self.idle {
            idle.look(noise::current_cpu().filter(|_| closely));
        }
        if let Some(smi) = self.smi.as_mut().filter(|_| closely) {
            smi.look();
        }
    }

    pub(super) fn ran(&self) -> Option<u64> {
        system::thread_cpu()
    }

    pub(super) fn seen(&self) -> Seen<'_> {
        let switches = self.switches.as_ref();
        Seen {
            since: 0,
            until: 0,
            switches: switches.and_then(Switches::seen),
            lost: switches.map_or(0, Switches::lost),
            queued_ns: self.queue.as_ref().and_then(Queue::waited),
            ran_ns: None,
            throttled_ns: self.quota.as_ref().and_then(Quota::throttled),
            idle: self.idle.as_ref().and_then(Idle::entered),
            smis: self.smi.as_ref().and_then(Smi::counted),
            entered: None,
        }
    }
}

pub(super) fn has_slack() -> bool {
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

/// A counter of the kernel, and how far it came between two looks.
#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    last: Option<u64>,
    grown: Option<u64>,
}

impl Counter {
    fn look(&mut self, now: Option<u64>) {
        self.grown = self.last.zip(now).map(|(from, to)| to.saturating_sub(from));
        self.last = now;
    }
}

#[cfg(test)]
mod denied_tests;
