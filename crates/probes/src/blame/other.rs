//! Systems that say nothing about a thread but its CPU time.

use super::{Missing, Seen};
use crate::waits::os as system;

#[derive(Debug)]
pub(super) struct Sources;

impl Sources {
    pub(super) fn open() -> (Self, Vec<Missing>) {
        let missing = Missing {
            id: "switches",
            loses: "timer, idle exit and run queue",
            reason: "this system does not report them to a program".into(),
        };
        (Self, vec![missing])
    }

    pub(super) fn look(&mut self, _: bool) {}

    pub(super) fn ran(&self) -> Option<u64> {
        system::thread_cpu()
    }

    pub(super) fn seen(&self) -> Seen<'_> {
        Seen {
            since: 0,
            until: 0,
            switches: None,
            lost: 0,
            queued_ns: None,
            ran_ns: None,
            throttled_ns: None,
            idle: None,
            smis: None,
            entered: None,
        }
    }
}

pub(super) fn has_slack() -> bool {
    true
}
