//! The other targets: built, and run under Wine and QEMU.
//!
//! Builds are kept in `target/cross`, one folder a target, as are the Wine prefix and the zig that
//! links for macOS; a second run builds only what changed.

mod qemu;
mod target;
mod toolchain;
mod wine;
mod zig;

use crate::packages::{self, Need};
use crate::sh;
use crate::suite::{Done, counted, smoke};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use target::{How, Target};
use toolchain::Toolchain;

#[derive(clap::Args)]
pub struct Args {
    /// The targets, by triple or a part of it; all when none is named
    targets: Vec<String>,
    /// Builds and runs the tool, and leaves the test suites out
    #[arg(long)]
    quick: bool,
    /// As users build it: optimised, into target/cross/TARGET/release
    #[arg(long)]
    release: bool,
    /// Lists the targets
    #[arg(long)]
    list: bool,
}

/// What is asked of each target.
#[derive(Clone, Copy)]
struct Wish {
    suites: bool,
    release: bool,
}

/// Test suites under emulation end within this time, or something hangs.
const LIMIT: Duration = Duration::from_secs(600);

pub fn run(args: &Args) -> Result<()> {
    if args.list {
        for Target { triple, about, .. } in target::ALL {
            println!("{triple:<30} {about}");
        }
        return Ok(());
    }
    let wanted = |target: &&Target| {
        args.targets.is_empty() || args.targets.iter().any(|part| target.triple.contains(part))
    };
    let chosen: Vec<_> = target::ALL.iter().filter(wanted).collect();
    if chosen.is_empty() {
        bail!("no target has such a name; `cargo xtask cross --list` lists them");
    }
    let done = all(
        &chosen,
        Wish {
            suites: !args.quick,
            release: args.release,
        },
    );
    for why in &done.skipped {
        println!("skipped: {why}");
    }
    if done.tally.failed > 0 {
        bail!("{} failed", done.tally.failed);
    }
    Ok(())
}

/// The step of the test suite: every target is built, and the tool runs there. The targets' own
/// test suites take ten minutes and more under emulation: `cargo xtask cross` runs those.
pub fn suite(_strict: bool) -> Result<Done> {
    let all_targets: Vec<_> = target::ALL.iter().collect();
    Ok(all(
        &all_targets,
        Wish {
            suites: false,
            release: false,
        },
    ))
}

/// Takes all targets; one that fails does not keep the others from being tried.
fn all(targets: &[&Target], wish: Wish) -> Done {
    let needs: Vec<Need> = targets.iter().filter_map(|target| target.need).collect();
    if let Err(error) = packages::install(&needs) {
        eprintln!("warning: packages could not be installed: {error:#}");
    }
    let mut whole = Done::default();
    for target in targets {
        let start = Instant::now();
        println!("\n--- {}: {}", target.triple, target.about);
        match one(target, wish) {
            Ok(done) => {
                whole.tally += done.tally;
                whole.skipped.extend(done.skipped);
            }
            Err(error) => {
                eprintln!("error: {}: {error:#}", target.triple);
                whole.tally.failed += 1;
                let reason = format!("{error:#}");
                whole.skipped.push(format!(
                    "{}: {}",
                    target.triple,
                    reason.lines().next().unwrap_or("?")
                ));
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

fn one(target: &Target, wish: Wish) -> Result<Done> {
    let mut done = Done::default();
    if let Some(need) = target.need {
        let missing = packages::missing(need);
        if !missing.is_empty() {
            done.skip(format!(
                "{}: missing: {}",
                target.triple,
                missing.join(", ")
            ));
            return Ok(done);
        }
    }
    let toolchain = match toolchain::get(target.triple)? {
        Ok(toolchain) => toolchain,
        Err(why) => {
            done.skip(format!("{}: {why}", target.triple));
            return Ok(done);
        }
    };
    println!("{}", toolchain.about());
    match target.how {
        How::Check => check(target, &toolchain, &mut done)?,
        How::Link => link(target, &toolchain, wish, &mut done)?,
        How::Wine => {
            build(target, &toolchain, wish)?;
            let wine = wine::start()?;
            let tool = || wine.command(&tool(target, wish));
            let ran = smoke(tool).and_then(|seen| {
                suites(target, &toolchain, wish, seen, |command| {
                    wine.runner(command);
                    Ok(sh::within(LIMIT, command))
                })
            });
            wine.end();
            add(&mut done, ran?);
        }
        How::Qemu(machine) => {
            build(target, &toolchain, wish)?;
            let qemu = match qemu::start(machine) {
                Ok(qemu) => qemu,
                Err(error) => {
                    done.skip(format!("{}: {error:#}", target.triple));
                    return Ok(done);
                }
            };
            let seen = smoke(|| qemu.wrap(&sh::program(tool(target, wish))))?;
            let seen = suites(target, &toolchain, wish, seen, |command| {
                Ok(sh::within(LIMIT, &qemu.wrap(command)))
            })?;
            add(&mut done, seen);
        }
    }
    Ok(done)
}

fn add(done: &mut Done, more: Done) {
    done.tally += more.tally;
    done.skipped.extend(more.skipped);
}

/// What computes much while it is tested: under an emulator that is worth a little optimisation,
/// and all else is compiled the fastest way.
const COMPUTES: [&str; 4] = [
    "chronoscope-measure",
    "chronoscope-report",
    "fastrand",
    "hdrhistogram",
];

/// What is for the machine that builds, and no part of what a user runs elsewhere.
const NOT_CROSSED: [&str; 2] = ["xtask", "chronoscope-bench"];

/// A cargo command for that target, with its folder.
fn cargo(target: &Target, toolchain: &Toolchain, what: &str, wish: Wish) -> Command {
    let mut cargo = toolchain.cargo();
    settings(&mut cargo, target, toolchain, what, wish);
    cargo.args(toolchain.flags());
    cargo
}

fn settings(cargo: &mut Command, target: &Target, toolchain: &Toolchain, what: &str, wish: Wish) {
    cargo
        .args([what, "--workspace", "--quiet", "--target", target.triple])
        .arg("--target-dir")
        .arg(folder())
        .args(NOT_CROSSED.iter().flat_map(|name| ["--exclude", *name]))
        .envs(target.env.iter().copied())
        .envs(toolchain.warnings_are_errors(target.triple))
        // Nobody debugs these builds: half the time and a quarter of the space.
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0");
    for name in COMPUTES {
        cargo.arg("--config");
        cargo.arg(format!("profile.dev.package.{name}.opt-level=1"));
    }
    if wish.release {
        cargo.arg("--release");
    }
}

fn folder() -> PathBuf {
    sh::target().join("cross")
}

/// Where the tool is built.
fn tool(target: &Target, wish: Wish) -> PathBuf {
    let profile = if wish.release { "release" } else { "debug" };
    let name = if matches!(target.how, How::Wine) {
        "chronoscope.exe"
    } else {
        "chronoscope"
    };
    folder().join(target.triple).join(profile).join(name)
}

fn build(target: &Target, toolchain: &Toolchain, wish: Wish) -> Result<()> {
    sh::run(&mut cargo(target, toolchain, "build", wish))
}

fn check(target: &Target, toolchain: &Toolchain, done: &mut Done) -> Result<()> {
    sh::run(&mut cargo(
        target,
        toolchain,
        "check",
        Wish {
            suites: false,
            release: false,
        },
    ))?;
    done.tally.passed += 1;
    Ok(())
}

/// Links with zig, and looks whether that gave what it should.
fn link(target: &Target, toolchain: &Toolchain, wish: Wish, done: &mut Done) -> Result<()> {
    let mut cargo = zig::cargo(toolchain)?;
    settings(&mut cargo, target, toolchain, "build", wish);
    let built = sh::run(cargo.args(toolchain.flags()));
    zig::tidy();
    built?;
    let tool = tool(target, wish);
    let head = std::fs::read(&tool).with_context(|| format!("cannot read {}", tool.display()))?;
    // Mach-O, 64 bits, little-endian: <mach-o/loader.h>, MH_MAGIC_64.
    if head.get(..4) != Some(&[0xcf, 0xfa, 0xed, 0xfe]) {
        bail!("{} is no Mach-O executable", tool.display());
    }
    println!(
        "{}: {} bytes of Mach-O, which nothing here can run",
        tool.display(),
        head.len()
    );
    done.tally.passed += 1;
    Ok(())
}

/// The test suites, by way of what runs them.
fn suites(
    target: &Target,
    toolchain: &Toolchain,
    wish: Wish,
    mut done: Done,
    run: impl Fn(&mut Command) -> Result<Command>,
) -> Result<Done> {
    if !wish.suites {
        return Ok(done);
    }
    // First built without a limit of time, then run with one.
    let build_only = |cargo: &mut Command| {
        cargo.args(["--lib", "--bins", "--tests"]);
    };
    let mut building = cargo(target, toolchain, "test", wish);
    build_only(&mut building);
    sh::run(building.arg("--no-run"))?;
    let mut testing = cargo(target, toolchain, "test", wish);
    build_only(&mut testing);
    testing
        .arg("--no-fail-fast")
        // Generated cases cost ten times as much here, and were all tried natively.
        .env("PROPTEST_CASES", "16")
        // A foreign program finds the workspace by no command of this machine, and has nothing to
        // approve.
        .env("INSTA_WORKSPACE_ROOT", sh::root())
        .env("INSTA_UPDATE", "no");
    let seen = counted(&mut run(&mut testing)?)?;
    add(&mut done, seen);
    Ok(done)
}
