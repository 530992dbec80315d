//! The other targets: built, run under Wine and QEMU, and tested there.
//!
//! Builds are kept in `target/cross`, one folder a target, as are the Wine prefix and the zig that
//! links for macOS and musl; a second run builds only what changed.

mod boot;
mod build;
mod capi;
mod checks;
mod qemu;
mod reports;
mod suites;
mod target;
mod toolchain;
mod wine;
mod zig;

use crate::packages::{self, Need};
use crate::runner::Runner;
use crate::tally::Done;
use crate::tool;
use anyhow::{Context, Result, bail};
use build::{Build, Wish};
use std::path::PathBuf;
use std::time::Instant;
use target::{How, Target, Zig};
use wine::Wine;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// The targets, by triple or a part of it; all if none is named
    targets: Vec<String>,
    /// Builds and runs the tool, without the test suites
    #[arg(long)]
    quick: bool,
    /// As users build it: optimised, into target/cross/TARGET/release
    #[arg(long)]
    release: bool,
    /// Writes a small report of each target, and of this machine, into docs/reports
    #[arg(long, conflicts_with_all = ["quick", "release"])]
    reports: bool,
    /// Lists the targets
    #[arg(long)]
    list: bool,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if args.list {
        for Target { triple, about, .. } in target::ALL {
            println!("{triple:<30} {about}");
        }
        return Ok(());
    }
    let wanted = |target: &&Target| {
        args.targets.is_empty() || args.targets.iter().any(|part| target.triple.contains(part))
    };
    let emulated = |target: &Target| matches!(target.how, How::Wine | How::Qemu(_));
    let reported = |target: &&Target| emulated(target) && target.zig == Zig::Never;
    let chosen = target::ALL.iter().filter(wanted);
    let chosen: Vec<_> = chosen.filter(|it| !args.reports || reported(it)).collect();
    if chosen.is_empty() {
        bail!("no target has such a name; `cargo xtask cross --list` lists them");
    }
    if args.reports {
        reports::native(sh)?;
    }
    let wish = Wish {
        suites: !args.quick && !args.reports,
        release: args.release || args.reports,
        report: args.reports,
    };
    let done = all(sh, &chosen, wish);
    for why in &done.skipped {
        println!("skipped: {why}");
    }
    if done.tally.failed > 0 {
        bail!("{} failed", done.tally.failed);
    }
    Ok(())
}

/// The step of the tests: every target is built; if something can run it, the tool does its jobs
/// there and its test suites pass.
pub fn suite(sh: &Shell) -> Result<Done> {
    let wish = Wish {
        suites: true,
        ..Wish::default()
    };
    Ok(all(sh, &target::ALL.iter().collect::<Vec<_>>(), wish))
}

/// The system packages of all targets.
pub fn needs() -> Vec<Need> {
    target::ALL
        .iter()
        .flat_map(|it| it.needs)
        .copied()
        .collect()
}

/// A Wine that runs, and the tool for it as users build it.
pub fn windows(sh: &Shell) -> Result<(Wine, PathBuf)> {
    packages::install(sh, &[Need::Windows]);
    let missing = packages::missing(&[Need::Windows]);
    if !missing.is_empty() {
        bail!("missing: {}", missing.join(", "));
    }
    let mut targets = target::ALL.iter();
    let target = targets.find(|target| matches!(target.how, How::Wine));
    let wish = Wish {
        release: true,
        ..Wish::default()
    };
    let build = Build::new(sh, target.context("no target runs under Wine")?, wish)?;
    let build = build.map_err(anyhow::Error::msg)?;
    build.tool_and_tests()?;
    Ok((wine::start(sh)?, build.tool()))
}

/// Takes all targets; one that fails does not keep the others from being tried.
fn all(sh: &Shell, targets: &[&'static Target], wish: Wish) -> Done {
    let needs: Vec<Need> = targets.iter().flat_map(|it| it.needs).copied().collect();
    packages::install(sh, &needs);
    let mut whole = Done::default();
    for target in targets {
        let start = Instant::now();
        println!("\n--- {}: {}", target.triple, target.about);
        match one(sh, target, wish) {
            Ok(done) => whole += done,
            Err(error) => {
                eprintln!("error: {}: {error:#}", target.triple);
                whole.tally.failed += 1;
                let reason = format!("{error:#}");
                let reason = reason.lines().next().unwrap_or("?");
                whole.skipped.push(format!("{}: {reason}", target.triple));
            }
        }
        println!(
            "--- {}: {:.0} s",
            target.triple,
            start.elapsed().as_secs_f64()
        );
    }
    whole
}

fn one(sh: &Shell, target: &'static Target, wish: Wish) -> Result<Done> {
    let skipped = |why: String| {
        let mut done = Done::default();
        done.skip(format!("{}: {why}", target.triple));
        Ok(done)
    };
    let missing = packages::missing(target.needs);
    if !missing.is_empty() {
        return skipped(format!("missing: {}", missing.join(", ")));
    }
    let build = match Build::new(sh, target, wish)? {
        Ok(build) => build,
        Err(why) => return skipped(why),
    };
    match target.how {
        How::Check(packages) => build.check(packages).map(|()| Done::one()),
        How::Link => build.link().map(|()| Done::one()),
        How::Native => ran(&build, &Runner::default()),
        How::Qemu(machine) => match qemu::runner(sh, machine) {
            Ok(runner) => ran(&build, &runner),
            Err(error) => skipped(format!("{error:#}")),
        },
        How::Wine => {
            let wine = wine::start(sh)?;
            let ran = ran(&build, &wine.runner());
            wine.end(sh);
            ran
        }
    }
}

/// Builds a target, and runs what can be run.
fn ran(build: &Build<'_>, runner: &Runner) -> Result<Done> {
    let tests = build.tool_and_tests()?;
    let programs = capi::build(build)?;
    let tool = build.tool();
    if build.wish.report {
        reports::write(build.sh, build.target.triple, runner, &tool)?;
        return Ok(Done::one());
    }
    let mut done = tool::smoke(build.sh, runner, &tool);
    done += checks::all(build, runner);
    done += capi::run(build, runner, programs);
    if build.target.boots {
        done += boot::check(build)?;
    }
    done += suites::run(build, runner, &tests)?;
    Ok(done)
}
