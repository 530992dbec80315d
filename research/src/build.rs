//! What someone waits for who installs the tool from its source: a release build from nothing, of
//! the project and all that it depends on.

use crate::results;
use anyhow::Result;
use chronoscope_ci::sh;
use std::time::Instant;
use xshell::{Shell, cmd};

/// Builds in a folder of its own, and writes how long that took and how large the program is.
pub fn run(sh: &Shell) -> Result<()> {
    // Sources are fetched before, because a network is not what is timed.
    sh::run(cmd!(sh, "cargo fetch --quiet"))?;
    let folder = sh.create_temp_dir()?;
    let target = folder.path();
    let (start, before) = (Instant::now(), sh::children_cpu());
    sh::run(cmd!(sh, "cargo build --quiet --release").env("CARGO_TARGET_DIR", target))?;
    let (time, cpu) = (start.elapsed(), sh::children_cpu().saturating_sub(before));
    let bytes = std::fs::metadata(target.join("release/chronoscope"))?.len();
    let part = format!(
        "## A release build from nothing\n\n{}`cargo research build`, with the sources of \
         dependencies already there.\n\n| wall time | CPU time | the program |\n| --- | --- | --- \
         |\n| {:.0} s | {:.0} s | {:.1} MB |\n",
        results::this_machine(sh),
        time.as_secs_f64(),
        cpu.as_secs_f64(),
        bytes as f64 / 1e6
    );
    results::publish(sh, "build", &part, false)
}
