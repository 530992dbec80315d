//! How long a CPU quota kept this process's groups from running.

use super::Counter;
use crate::machine::Root;
use crate::machine::quota;

#[derive(Debug)]
pub(super) struct Quota {
    groups: quota::Quota,
    /// The groups' counts, in the same order.
    counters: Vec<Counter>,
}

impl Quota {
    pub(super) fn open() -> Result<Self, String> {
        let groups = quota::Quota::of(&Root::host())
            .ok_or("no control group with a CPU controller is visible (cpu.stat)")?;
        Ok(Self { counters: vec![Counter::default(); groups.each().count()], groups })
    }

    /// How long a group was throttled since the last call, if asked to look closely: the one that
    /// was throttled longest, because an outer group's time includes an inner one's. A group that
    /// was throttled made a thread late, so what is read later still belongs to the same wait.
    pub(super) fn look(&mut self, closely: bool) -> Option<u64> {
        let each = closely.then(|| self.groups.each()).into_iter().flatten();
        let all = self.counters.iter_mut().zip(each);
        all.filter_map(|(counter, now)| counter.look(now.map(|it| it.ns))).max()
    }
}
