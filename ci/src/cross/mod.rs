//! Builds for other targets, and runs the tool and its tests there, under Wine and QEMU.
//!
//! Each target is built in a folder of its own in `target`. `target/cross` contains the Wine
//! prefix and zig, which links for macOS and musl. A second run rebuilds only what changed.

mod build;
mod checks;
pub mod reports;
mod target;
pub mod toolchain;

use crate::packages::{self, Need};
use crate::sh::{self, Runner};
use crate::tally::Done;
use crate::tool;
use anyhow::{Context, Result, bail, ensure};
use build::{Build, Built, Extent, Wine};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Instant;
use target::{How, Target};
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Targets, as a triple or part of one; all of them by default
    targets: Vec<String>,
    /// Build and run only the tool, without the test suites
    #[arg(long)]
    quick: bool,
    /// Build with optimisation, as users do, into target/TARGET/release
    #[arg(long)]
    release: bool,
    /// Write a small report of each target, and of this machine, to docs/reports
    #[arg(long, conflicts_with_all = ["quick", "release"])]
    reports: bool,
    /// Write small reports of the commands, on this machine and each target, for the tests
    #[arg(long, conflicts_with_all = ["quick", "release", "reports"])]
    samples: bool,
    /// List the targets without building them
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
    let reported = |target: &&Target| emulated(target) && !target.zig;
    let chosen = target::ALL.iter().filter(wanted);
    let reports = args.reports || args.samples;
    let chosen: Vec<_> = chosen.filter(|target| !reports || reported(target)).collect();
    if chosen.is_empty() {
        bail!("no such target; `cargo xtask cross --list` lists the targets");
    }
    let extent = Extent { suites: !args.quick && !reports, release: args.release || args.reports };
    let done = if reports {
        let write = if args.reports { reports::write } else { reports::samples };
        let mut done = reports::native(sh, extent, write)?;
        // A concurrent build would disturb the figures of a report.
        done += all(sh, &chosen, extent, Order::OneByOne, &|sh, runner, built| {
            write(sh, built.target.triple, runner, &built.tool())
        });
        done
    } else {
        all(sh, &chosen, extent, Order::Together, &test)
    };
    for why in &done.reasons {
        println!("{why}");
    }
    ensure!(done.failed == 0, "failed checks: {}", done.failed);
    Ok(())
}

/// The steps of `cargo xtask test`. Builds every target. On those that can run on this machine,
/// runs the tool and the test suites. A small suite runs Windows and AArch64, and checks the
/// others.
pub fn suite(sh: &Shell, small: bool) -> Result<Done> {
    let extent = Extent { suites: true, ..Extent::default() };
    let targets: Vec<_> = if small { target::small() } else { target::ALL.iter().collect() };
    Ok(all(sh, &targets, extent, Order::Together, &test))
}

fn target(triple: &str) -> Result<&'static Target> {
    let target = target::ALL.iter().find(|target| target.triple == triple);
    target.with_context(|| format!("no target {triple}"))
}

/// The variables with which a target is built.
pub fn env(triple: &str) -> Result<&'static [(&'static str, &'static str)]> {
    Ok(target(triple)?.env)
}

/// Runs the commands that must work everywhere, in a tool for this target, if it can run here.
pub fn smoke(sh: &Shell, triple: &str, tool: &Path) -> Result<Done> {
    let target = target(triple)?;
    packages::require(sh, target.needs)?;
    if matches!(target.how, How::Link | How::Check(_)) {
        return Ok(Done::skipped("nothing here runs it".into()));
    }
    running(sh, target.how, |runner| Ok(tool::smoke(sh, runner, tool)))
}

/// Checks that the rows of this kind (`clocks`, `waits`) that the target must have are available in
/// a report that has such rows.
pub fn complete(triple: &str, report: &Value, kind: &str) -> Result<()> {
    let target = target(triple)?;
    let wanted = if kind == "clocks" { target.clocks } else { target.waits };
    checks::available(&report[kind], wanted)
}

/// Builds the tool for the target with this triple.
pub fn tool(sh: &Shell, triple: &str) -> Result<PathBuf> {
    let target = target(triple)?;
    plain(sh, target, Extent::default())
}

fn plain(sh: &Shell, target: &'static Target, extent: Extent) -> Result<PathBuf> {
    toolchain::provide(sh, target.triple)?;
    let build = Build::new(sh, target, extent)?;
    build.tool_and_tests()?;
    Ok(build.built(vec![], vec![]).tool())
}

/// Starts Wine and builds the tool for it as users build it.
pub fn windows(sh: &Shell) -> Result<(Wine, PathBuf)> {
    packages::require(sh, &[Need::Windows])?;
    let extent = Extent { release: true, ..Extent::default() };
    let tool = plain(sh, target("x86_64-pc-windows-gnu")?, extent)?;
    Ok((build::wine(sh)?, tool))
}

/// When targets are built and run.
#[derive(Clone, Copy)]
enum Order {
    /// Two targets run at a time, while later ones are built: tests wait more than they compute,
    /// and are made for busy machines.
    Together,
    /// Each target runs while nothing else does.
    OneByOne,
}

/// A target after its build; an error if there is nothing to run.
type Stage = Result<Built, Done>;

/// What to do with a target that was built.
type Use<'a> = &'a (dyn Fn(&Shell, &Runner, &Built) -> Result<Done> + Sync);

/// Handles all targets. If one fails, the others are still tried.
fn all(
    sh: &Shell,
    targets: &[&'static Target],
    extent: Extent,
    order: Order,
    with: Use<'_>,
) -> Done {
    let needs: Vec<Need> = targets.iter().flat_map(|target| target.needs).copied().collect();
    packages::install(sh, &needs);
    let (sender, receiver) = mpsc::channel();
    let next = &Mutex::new(receiver);
    std::thread::scope(|scope| {
        let builder = scope.spawn(move || {
            for target in targets {
                let stage = sh::shell().and_then(|sh| built(&sh, target, extent));
                sender.send((*target, stage)).ok();
            }
        });
        // The lock is held until a target is built, and not while it runs.
        let take = || {
            let receiver = next.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv().ok()
        };
        let run = move || {
            let mut whole = Done::default();
            while let Some((target, stage)) = take() {
                whole += run_target(target, stage, with);
            }
            whole
        };
        match order {
            Order::Together => {
                let other = scope.spawn(run);
                let mut whole = run();
                whole += other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                whole
            }
            Order::OneByOne => {
                // A panic of the builder ends this scope anyway.
                builder.join().ok();
                run()
            }
        }
    })
}

/// Runs what was built, and names the target in what was skipped or failed.
fn run_target(target: &Target, stage: Result<Stage>, with: Use<'_>) -> Done {
    let start = Instant::now();
    println!("\n--- {}: {}", target.triple, target.about);
    let ended = stage.and_then(|stage| {
        let built = match stage {
            Ok(built) => built,
            Err(done) => return Ok(done),
        };
        let sh = &sh::shell()?;
        running(sh, built.target.how, |runner| with(sh, runner, &built))
    });
    let mut done = ended.unwrap_or_else(|error| {
        let why = format!("{error:#}");
        eprintln!("error: {}: {why}", target.triple);
        Done::failed(why.lines().next().unwrap_or("?").to_owned())
    });
    for reason in &mut done.reasons {
        *reason = format!("{}: {reason}", target.triple);
    }
    println!("--- {}: {:.0} s", target.triple, start.elapsed().as_secs_f64());
    done
}

/// Builds a target, or checks it if it cannot run on this machine.
fn built(sh: &Shell, target: &'static Target, extent: Extent) -> Result<Stage> {
    let start = Instant::now();
    let missing = packages::missing(target.needs);
    if !missing.is_empty() {
        return Ok(Err(Done::skipped(format!("missing: {}", missing.join(", ")))));
    }
    if let Err(why) = toolchain::provide(sh, target.triple) {
        return Ok(Err(Done::skipped(format!("no standard library: {why:#}"))));
    }
    let build = Build::new(sh, target, extent)?;
    let stage = match target.how {
        How::Check(packages) => build.check(packages).map(|()| Err(Done::one()))?,
        How::Link => build.link().map(|()| Err(Done::one()))?,
        How::Native | How::Qemu(_) | How::Library(..) | How::Wine => {
            let tests = build.tool_and_tests()?;
            let programs = checks::build_library(&build)?;
            Ok(build.built(tests, programs))
        }
    };
    println!("  {} built in {:.0} s", target.triple, start.elapsed().as_secs_f64());
    Ok(stage)
}

/// Calls `with` while programs of a target can run.
fn running(sh: &Shell, how: How, with: impl FnOnce(&Runner) -> Result<Done>) -> Result<Done> {
    match how {
        How::Qemu(machine) | How::Library(_, machine) => match build::qemu(sh, machine) {
            Ok(runner) => with(&runner),
            Err(error) => Ok(Done::skipped(format!("{error:#}"))),
        },
        How::Wine => {
            let wine = build::wine(sh)?;
            let ended = with(&wine.runner());
            wine.end(sh);
            ended
        }
        How::Native | How::Link | How::Check(_) => with(&Runner::default()),
    }
}

/// Runs the tool and the tests.
fn test(sh: &Shell, runner: &Runner, built: &Built) -> Result<Done> {
    let mut done = Done::default();
    if !matches!(built.target.how, How::Library(..)) {
        done += tool::smoke(sh, runner, &built.tool());
        done += checks::all(sh, runner, built);
        done += checks::run_programs(sh, runner, built);
    }
    done += checks::suites(sh, runner, built)?;
    Ok(done)
}
