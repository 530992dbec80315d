//! What a row measures.

use chronoscope_model::waits::Slack;
use chronoscope_probes::waits::Entry;

#[derive(Clone, Copy)]
pub(super) struct RowSpec {
    pub(super) entry: &'static Entry,
    /// The slack; `None` if it does not affect this method.
    pub(super) slack: Option<Slack>,
    /// The scheduler's slice to request, in nanoseconds; `None`: the thread's own.
    pub(super) slice: Option<u64>,
    /// The nanoseconds to wait, or the period.
    pub(super) ns: u64,
    pub(super) periodic: bool,
}

impl RowSpec {
    /// Whether the same thread may measure both rows: they have the same method and setting.
    pub(super) fn has_thread_of(&self, other: &Self) -> bool {
        std::ptr::eq(self.entry, other.entry)
            && self.slack == other.slack
            && self.slice == other.slice
    }
}
