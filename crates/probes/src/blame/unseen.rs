//! Systems that do not show a program which tasks run on a CPU, and report nothing about a thread
//! except its CPU time.

use super::{Found, Heard, Missing, Named, Scanned, Seen, Span, Task, Times};
use crate::waits::os as system;

/// The record of a CPU, which no such system makes.
#[derive(Debug)]
pub enum Record {}

impl Record {
    /// # Errors
    /// Always.
    pub fn open(_: usize) -> Result<Self, String> {
        Err("this system does not report to a program which others run".into())
    }

    pub fn look(&mut self) {
        match *self {}
    }

    /// # Errors
    /// None, as there is no such value.
    pub fn ran(&mut self, _: Task, _: &[Span], _: Option<Span>) -> Result<Found, u64> {
        match *self {}
    }

    pub fn heard(&mut self) -> Vec<Heard> {
        match *self {}
    }
}

/// A scan that finds nothing.
#[derive(Debug)]
pub struct Scan;

impl Scan {
    pub fn new(_: usize) -> Self {
        Self
    }

    pub fn look(&mut self) -> Scanned {
        Scanned::default()
    }
}

lacking! {
    pub fn read_task(Task) -> Option<Named> = None;
    pub fn tasks_of(u32) -> Vec<Task> = Vec::new();
    pub fn times(Task) -> Option<Times> = None;
    pub fn hidden() -> Option<&'static str> = None;
    pub fn is_first_namespace() -> bool = false;
    pub fn this_thread() -> Task = Task::default();
    pub fn has_slack() -> bool = true;
}

/// Nothing about a thread except its CPU time.
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

    pub(super) fn of(_: Task) -> Result<Self, String> {
        Err("this system reports nothing about threads of other processes".into())
    }

    pub(super) fn look(&mut self, _: bool) -> Seen<'_> {
        Seen::default()
    }

    pub(super) fn ran(&self) -> Option<u64> {
        system::thread_cpu()
    }
}
