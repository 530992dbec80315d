//! Starts programs that this machine may be unable to run directly.

use crate::sh;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;
use xshell::{Cmd, Shell};

/// How to start the programs of a target. Empty for native programs.
#[derive(Default)]
pub struct Runner {
    /// The words that precede the program.
    pub before: Vec<String>,
    /// The environment variables that the program needs.
    pub env: Vec<(&'static str, OsString)>,
}

impl Runner {
    /// Builds the command for a program of the target.
    pub fn start<'a>(&self, sh: &'a Shell, program: &Path) -> Cmd<'a> {
        self.command(sh, &[], program)
    }

    /// Like [`Self::start`], but kills the program, and everything it started, after `limit`.
    pub fn start_within<'a>(&self, sh: &'a Shell, limit: Duration, program: &Path) -> Cmd<'a> {
        self.command(sh, &sh::within(limit), program)
    }

    fn command<'a>(&self, sh: &'a Shell, limit: &[String], program: &Path) -> Cmd<'a> {
        let before = limit.iter().chain(&self.before).map(OsStr::new);
        sh::words(sh, before.chain([program.as_os_str()])).envs(self.env.iter().cloned())
    }
}
