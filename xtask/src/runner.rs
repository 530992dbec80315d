//! How programs are started that this machine may not be able to run by itself.

use crate::sh;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;
use xshell::{Cmd, Shell};

/// What it takes to start the programs of a target; nothing for those of this machine.
#[derive(Default)]
pub struct Runner {
    /// The words before a program.
    pub before: Vec<String>,
    /// What such a program needs in its environment.
    pub env: Vec<(&'static str, OsString)>,
}

impl Runner {
    /// A program of the target.
    pub fn start<'a>(&self, sh: &'a Shell, program: &Path) -> Cmd<'a> {
        self.command(sh, &[], program)
    }

    /// A program of the target that is ended after that time, with all that it started.
    pub fn start_within<'a>(&self, sh: &'a Shell, limit: Duration, program: &Path) -> Cmd<'a> {
        self.command(sh, &sh::within(limit), program)
    }

    fn command<'a>(&self, sh: &'a Shell, limit: &[String], program: &Path) -> Cmd<'a> {
        let before = limit.iter().chain(&self.before).map(OsStr::new);
        sh::words(sh, before.chain([program.as_os_str()])).envs(self.env.iter().cloned())
    }
}
