//! Children of this tool, as seen by the process that starts them: one that reads a clock for the
//! first time, and one that makes whole rounds. [`serve`](super::serve) has the child's side. A
//! request is one line, and so is its answer.
//!
//! | request | answer |
//! | --- | --- |
//! | `ready` | `ready`: the child has warmed up everything but the clock |
//! | `first` | the ticks of one read, the ruler's own cost subtracted |
//! | a `ChildJob` of a `Job` as JSON | a `Sampled` as JSON |
//! | a `ChildJob` of an `Around` as JSON | a `Pairs` as JSON |

use super::ruler::RulerKind;
use crate::engine::child::{Child, Stop};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How to start a child of this tool so that it calls [`serve`](super::serve::serve).
#[derive(Clone, Debug)]
pub struct Children {
    pub program: PathBuf,
    /// The arguments before the clock's id and the ruler's name.
    pub args: Vec<OsString>,
}

/// The request that precedes a first read. The child then waits for the next request: a read right
/// after its own preparation would find more in the caches.
pub(super) const READY: &str = "ready";
pub(super) const FIRST: &str = "first";

/// Replaces the clock's id in the arguments of a child that makes rounds.
pub(super) const EVERY: &str = "*";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ChildJob<J> {
    /// The ids of all subjects; those that are not in the catalogue are empty loops.
    pub ids: Vec<String>,
    pub cpu: Option<usize>,
    /// Whether the core can be gauged.
    pub gauges: bool,
    pub job: J,
}

/// The environment variable that makes a child's environment longer.
const PADDING: &str = "CHRONOSCOPE_PADDING";
/// The time that a child may take to start and for anything but its rounds, including the time by
/// which rounds exceed their budget. A child that takes longer was stopped, or hangs in a driver.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest answer that is accepted: the samples of all rounds.
const LONGEST: u64 = 64 << 20;
/// The most bytes, a page, by which the environment of a child is longer.
pub(super) const PAGE: usize = 4096;

impl Children {
    /// Makes the first read of this clock in a new process and returns it in ticks of this ruler;
    /// `None` if the child cannot be started or fails.
    pub fn first(&self, id: &str, ruler: RulerKind) -> Option<u64> {
        let mut child = Child::start(&mut self.command(id, ruler), LONGEST).ok()?;
        child.ask(READY, PATIENCE, &|| false).ok()?;
        child.ask(FIRST, PATIENCE, &|| false).ok()?.trim().parse().ok()
    }

    /// Lets a child do this job, which may take this long; `None` if it fails or `stop` says so.
    pub(super) fn ask<J: Serialize, A: DeserializeOwned>(
        &self,
        wanted: &ChildJob<J>,
        budget: Duration,
        ruler: RulerKind,
        stop: Stop,
    ) -> Option<A> {
        let mut command = self.command(EVERY, ruler);
        command.env(PADDING, " ".repeat(fastrand::usize(1..=PAGE)));
        let mut child = Child::start(&mut command, LONGEST).ok()?;
        let request = serde_json::to_string(wanted).ok()?;
        let patience = budget.mul_f64(1.5) + PATIENCE;
        let answer = child.ask(&request, patience, stop).ok()?;
        serde_json::from_str(&answer).ok()
    }

    fn command(&self, id: &str, ruler: RulerKind) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).args([id, ruler.name()]);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unrelated_program_is_not_accepted_as_a_child() {
        for program in ["/bin/true", "/bin/cat", "/no/such/program"] {
            let children = Children { program: program.into(), args: Vec::new() };
            assert!(children.first("rust/instant", RulerKind::System).is_none());
        }
    }
}
