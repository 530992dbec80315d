//! For how long a CPU quota kept this process's groups from running.

use super::Counter;
use crate::machine::Root;
use crate::machine::quota;

#[derive(Debug)]
pub(super) struct Quota {
    groups: quota::Quota,
    /// Their counts, in the same order.
    counters: Vec<Counter>,
}

impl Quota {
    pub(super) fn open() -> Result<Self, String> {
        let groups = quota::Quota::of(&Root::host())
            .ok_or("no control group with a CPU controller is visible (cpu.stat)")?;
        Ok(Self { counters: vec![Counter::default(); groups.each().count()], groups })
    }

    /// Reads them all if asked to look closely. A group that was throttled made a thread late, so
    /// what is read later still belongs to the same wait.
    pub(super) fn look(&mut self, closely: bool) {
        if !closely {
            self.counters.iter_mut().for_each(|it| it.grown = None);
            return;
        }
        for (counter, now) in self.counters.iter_mut().zip(self.groups.each()) {
            counter.look(now.map(|throttled| throttled.ns));
        }
    }

    /// The time of the group that was throttled longest: an outer group's includes an inner one's.
    pub(super) fn throttled(&self) -> Option<u64> {
        self.counters.iter().filter_map(|it| it.grown).max()
    }
}
