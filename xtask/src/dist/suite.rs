//! `cargo xtask dist --check`: the host's tool is built twice as a release is, and what is
//! published of it is installed and run.

use super::{TARGETS, Target, VERSION, built, copied, release, shipped};
use crate::disasm;
use anyhow::{Result, ensure};
use std::env;
use std::time::Duration;
use xshell::Shell;
use xtask::runner::Runner;
use xtask::tally::Done;
use xtask::{sh, tool};

/// The scripts that install what is published, and run it.
const SCRIPTS: [&str; 4] = ["distributions.py", "npm.py", "image.py", "wheel.py"];
/// Checks that take this long hang.
const LIMIT: Duration = Duration::from_secs(900);

pub fn suite(sh: &Shell) -> Result<Done> {
    let folder = sh::target().join("dist-suite");
    let of = |end: &str| -> Vec<&Target> {
        let triple = format!("{}-unknown-linux-{end}", env::consts::ARCH);
        TARGETS.iter().filter(|target| target.triple == triple).collect()
    };
    let (dynamic, alone) = (of("gnu"), of("musl"));
    let (first, second) = (folder.join("dynamic"), folder.join("again"));
    let mut done = Done::default();

    let sums = release(sh, sh::root(), &first, &dynamic)?;
    for target in &dynamic {
        let tool = shipped(sh::root(), target);
        let symbols = built(sh::root(), target.triple).join(target.program());
        done += disasm::stripped(sh, &tool, &symbols)?;
        done += tool::smoke(sh, &Runner::default(), &tool);
    }
    let again = copied(sh).and_then(|copy| release(sh, &copy, &second, &dynamic));
    done.check("the same bytes, built in two folders", again.and_then(|it| same(&sums, &it)));

    // Optimising the whole program takes longest, and is tried above.
    let quick = sh.push_env("CARGO_PROFILE_DIST_LTO", "off");
    let (first, second) = (folder.join("static"), folder.join("again"));
    let sums = release(sh, sh::root(), &first, &alone)?;
    let again = release(sh, sh::root(), &second, &alone);
    done.check("the same bytes, packed twice", again.and_then(|it| same(&sums, &it)));
    drop(quick);

    for script in SCRIPTS {
        let path = sh::root().join("xtask/src/dist").join(script);
        let scratch = sh.create_temp_dir()?;
        let checks = sh::words(sh, sh::within(LIMIT)).args(["python3", "-B"]).arg(path);
        let checks = checks.arg(&folder).arg(scratch.path()).arg(VERSION);
        done.checks(script, checks.env("PYTHONPATH", sh::root().join("xtask/src")));
    }
    Ok(done)
}

fn same(first: &str, second: &str) -> Result<()> {
    ensure!(first == second, "they differ:\n{first}{second}");
    Ok(())
}
