//! Builds the tool for this machine.

use crate::sh;
use anyhow::Result;
use std::path::PathBuf;
use xshell::{Shell, cmd};

/// The programs of a release build.
pub struct Built {
    pub tool: PathBuf,
    /// The examples that `cargo xtask disasm` inspects.
    pub timed_loops: PathBuf,
    pub fast_paths: PathBuf,
}

/// Builds the tool as users build it, and the examples for `cargo xtask disasm`. One command builds
/// both: cargo unifies the features of dependencies across one command, so two commands would
/// compile most of them twice.
pub fn release(sh: &Shell) -> Result<Built> {
    let packages = ["-p", "chronoscope-cli", "-p", "chronoscope-probes", "-p", "chronoscope"];
    let examples = ["--example", "timed_loops", "--example", "fast_paths"];
    sh::run(cmd!(
        sh,
        "cargo build --quiet --release {packages...} --bin chronoscope {examples...}"
    ))?;
    let folder = sh::target().join("release");
    Ok(Built {
        tool: folder.join("chronoscope"),
        timed_loops: folder.join("examples/timed_loops"),
        fast_paths: folder.join("examples/fast_paths"),
    })
}
