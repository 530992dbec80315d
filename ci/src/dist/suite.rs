//! `cargo xtask dist --check`: the host's tool is built twice as a release is, and what is
//! published of it is installed and run. The step `dist` of the tests builds only the library for
//! C twice, which takes a minute instead of 25.

use super::{TARGETS, Target, VERSION, built, copied, formats, release, shipped};
use crate::disasm;
use crate::sh::Runner;
use crate::tally::Done;
use crate::{sh, tool};
use anyhow::{Context, Result, ensure};
use std::env;
use std::path::Path;
use std::time::Duration;
use xshell::{Shell, cmd};

/// The scripts that install what is published, and run it.
const SCRIPTS: [&str; 4] = ["distributions.py", "npm.py", "image.py", "wheel.py"];
/// Checks that take this long hang.
const LIMIT: Duration = Duration::from_secs(900);

pub fn whole(sh: &Shell) -> Result<Done> {
    let folder = sh::target().join("dist-suite");
    let (dynamic, alone) = ([host("gnu")?], [host("musl")?]);
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
    done.check("the same bytes, built in two folders", again.and_then(|again| same(&sums, &again)));

    // Optimising the whole program takes longest, and is tried above.
    let quick = sh.push_env("CARGO_PROFILE_DIST_LTO", "off");
    let (first, second) = (folder.join("static"), folder.join("again"));
    let sums = release(sh, sh::root(), &first, &alone)?;
    let again = release(sh, sh::root(), &second, &alone);
    done.check("the same bytes, packed twice", again.and_then(|again| same(&sums, &again)));
    drop(quick);

    for script in SCRIPTS {
        let path = sh::root().join("ci/src/dist").join(script);
        let scratch = sh.create_temp_dir()?;
        let checks = sh::words(sh, sh::within(LIMIT)).args(["python3", "-B"]).arg(path);
        let checks = checks.arg(&folder).arg(scratch.path()).arg(VERSION);
        done.checks(script, checks.env("PYTHONPATH", sh::root().join("ci/src")));
    }
    Ok(done)
}

/// This machine's target with one of the C libraries.
fn host(library: &str) -> Result<&'static Target> {
    let triple = format!("{}-unknown-linux-{library}", env::consts::ARCH);
    let found = TARGETS.iter().find(|target| target.triple == triple);
    found.with_context(|| format!("nothing is released for {triple}"))
}

/// The step of the tests.
pub fn library(sh: &Shell) -> Result<Done> {
    let target = host("gnu")?;
    let folder = sh.create_temp_dir()?;
    let made = |root: &Path, name: &str| -> Result<String> {
        let _inside = sh.push_dir(root);
        let to = folder.path().join(name);
        formats::libraries(sh, root, target, &to)?;
        let _there = sh.push_dir(to);
        sh::read(cmd!(sh, "sha256sum libchronoscope.so libchronoscope.a"))
    };
    let first = made(sh::root(), "first")?;
    same(&first, &made(&copied(sh)?, "second")?)?;
    print!("{first}");
    Ok(Done::one())
}

fn same(first: &str, second: &str) -> Result<()> {
    ensure!(first == second, "they differ:\n{first}{second}");
    Ok(())
}
