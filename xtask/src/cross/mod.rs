//! The other targets: built, run under Wine and QEMU, and tested there.
//!
//! Builds are kept in `target/cross`, one folder a target, as are the Wine prefix and the zig that
//! links for macOS; a second run builds only what changed.

mod capi;
mod checks;
mod qemu;
mod reports;
mod target;
mod toolchain;
mod wine;
mod zig;

use crate::packages::{self, Need};
use crate::sh;
use crate::suite::{Done, counted, smoke};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
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
    /// Writes a small report of each target, and of this machine, into docs/reports
    #[arg(long, conflicts_with_all = ["quick", "release"])]
    reports: bool,
    /// Lists the targets
    #[arg(long)]
    list: bool,
}

/// What is asked of each target.
#[derive(Clone, Copy)]
struct Wish {
    suites: bool,
    release: bool,
    /// Nothing but a report of each.
    reports: bool,
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
    let runs = |target: &&Target| !args.reports || !target.suites.calls.is_empty();
    let chosen: Vec<_> = target::ALL.iter().filter(wanted).filter(runs).collect();
    if chosen.is_empty() {
        bail!("no target has such a name; `cargo xtask cross --list` lists them");
    }
    if args.reports {
        reports::native()?;
    }
    let done = all(
        &chosen,
        Wish {
            suites: !args.quick && !args.reports,
            release: args.release || args.reports,
            reports: args.reports,
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

/// The step of the test suite: every target is built, and where something can run it the tool does
/// its jobs there and its test suites are passed.
pub fn suite(_strict: bool) -> Result<Done> {
    let all_targets: Vec<_> = target::ALL.iter().collect();
    Ok(all(
        &all_targets,
        Wish {
            suites: true,
            release: false,
            reports: false,
        },
    ))
}

/// A Wine that runs, and the tool for it as users build it.
pub fn windows() -> Result<(wine::Wine, PathBuf)> {
    packages::install(&[Need::Windows])?;
    let is_windows = |target: &&Target| matches!(target.how, How::Wine);
    let target = target::ALL.iter().find(is_windows);
    let target = target.context("no target runs under Wine")?;
    let missing = packages::missing(Need::Windows);
    if !missing.is_empty() {
        bail!("missing: {}", missing.join(", "));
    }
    let toolchain = toolchain::get(target.triple)?.map_err(anyhow::Error::msg)?;
    let wish = Wish {
        suites: false,
        release: true,
        reports: false,
    };
    build(target, &toolchain, wish)?;
    Ok((wine::start()?, tool(target, wish)))
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
        How::Check(what) => check(target, what, &toolchain, &mut done)?,
        How::Link => link(target, &toolchain, wish, &mut done)?,
        How::Wine => {
            build(target, &toolchain, wish)?;
            let wine = wine::start()?;
            let ran = ran(
                target,
                &toolchain,
                wish,
                |program| wine.command(program),
                |command| {
                    wine.runner(command);
                    sh::within(LIMIT, command)
                },
            );
            wine.end();
            add(&mut done, ran?);
        }
        How::Qemu(machine) => {
            let qemu = match qemu::start(machine) {
                Ok(qemu) => qemu,
                Err(error) => {
                    done.skip(format!("{}: {error:#}", target.triple));
                    return Ok(done);
                }
            };
            build(target, &toolchain, wish)?;
            let ran = ran(
                target,
                &toolchain,
                wish,
                |program| qemu.wrap(&sh::program(program)),
                |command| sh::within(LIMIT, &qemu.wrap(command)),
            )?;
            add(&mut done, ran);
        }
    }
    Ok(done)
}

/// What is run on a target: by `start`, which gives a command for a program, and by `run`, which
/// lets cargo run programs.
fn ran(
    target: &Target,
    toolchain: &Toolchain,
    wish: Wish,
    start: impl Fn(&Path) -> Command,
    run: impl Fn(&mut Command) -> Command,
) -> Result<Done> {
    let tool = tool(target, wish);
    if wish.reports {
        reports::write(target.triple, start(&tool))?;
        return Ok(Done::one());
    }
    let mut done = smoke(|| start(&tool))?;
    add(&mut done, checks::all(target, &tool, &start)?);
    add(&mut done, capi::check(target, toolchain, wish, &start)?);
    suites(target, toolchain, wish, done, run)
}

fn add(done: &mut Done, more: Done) {
    done.tally += more.tally;
    done.skipped.extend(more.skipped);
}

/// What computes much while it is tested: under an emulator that is worth a little optimisation,
/// and all else is compiled the fastest way.
const COMPUTES: [&str; 5] = [
    "chronoscope",
    "chronoscope-measure",
    "chronoscope-report",
    "fastrand",
    "hdrhistogram",
];

/// What is for the machine that builds, and no part of what a user runs elsewhere.
const NOT_CROSSED: [&str; 2] = ["xtask", "chronoscope-bench"];

/// All that is crossed.
fn workspace(cargo: &mut Command) -> &mut Command {
    cargo
        .arg("--workspace")
        .args(NOT_CROSSED.iter().flat_map(|name| ["--exclude", *name]))
}

/// A cargo command for that target, with its folder.
fn cargo(target: &Target, toolchain: &Toolchain, what: &str, wish: Wish) -> Command {
    let mut cargo = toolchain.cargo();
    settings(&mut cargo, target, toolchain, what, wish);
    cargo.args(toolchain.flags(target.triple));
    cargo
}

fn settings(cargo: &mut Command, target: &Target, toolchain: &Toolchain, what: &str, wish: Wish) {
    cargo
        .args([what, "--quiet", "--target", target.triple])
        .arg("--target-dir")
        .arg(folder())
        .envs(target.env.iter().copied())
        .envs(toolchain.warnings_are_errors(target.triple))
        // Nobody debugs these builds: half the time and a quarter of the space.
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        // Without debugging information rustc strips that of the library, too, for which it takes
        // a tool on Apple's systems (`rust-objcopy`) that Debian's compiler comes without.
        .env("CARGO_PROFILE_DEV_STRIP", "none")
        .env("CARGO_INCREMENTAL", "0");
    // Where nothing is run, nothing need be fast.
    if matches!(target.how, How::Wine | How::Qemu(_)) {
        for name in COMPUTES {
            cargo.arg("--config");
            cargo.arg(format!("profile.dev.package.{name}.opt-level=1"));
        }
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
    let name = if matches!(target.how, How::Wine) {
        "chronoscope.exe"
    } else {
        "chronoscope"
    };
    folder().join(target.triple).join(profile(wish)).join(name)
}

/// The folder of its builds, as cargo calls it.
fn profile(wish: Wish) -> &'static str {
    if wish.release { "release" } else { "debug" }
}

/// Builds the tool, and the tests where they are wished for: in one go, so that what both need is
/// built once.
fn build(target: &Target, toolchain: &Toolchain, wish: Wish) -> Result<()> {
    if !wish.suites {
        let mut cargo = cargo(target, toolchain, "build", wish);
        return sh::run(cargo.args(["-p", "chronoscope-cli"]));
    }
    for call in target.suites.calls {
        let mut cargo = cargo(target, toolchain, "test", wish);
        sh::run(selected(&mut cargo, call).arg("--no-run"))?;
    }
    Ok(())
}

/// What one call to cargo names.
fn selected<'a>(cargo: &'a mut Command, call: &[&str]) -> &'a mut Command {
    match call.split_first() {
        Some((&"--workspace", rest)) => workspace(cargo).args(rest),
        _ => cargo.args(call),
    }
}

fn check(target: &Target, what: &[&str], toolchain: &Toolchain, done: &mut Done) -> Result<()> {
    let wish = Wish {
        suites: false,
        release: false,
        reports: false,
    };
    let mut cargo = cargo(target, toolchain, "check", wish);
    sh::run(selected(&mut cargo, what))?;
    done.tally.passed += 1;
    Ok(())
}

/// Links with zig, and looks whether that gave what it should.
fn link(target: &Target, toolchain: &Toolchain, wish: Wish, done: &mut Done) -> Result<()> {
    let mut cargo = zig::cargo(toolchain)?;
    settings(&mut cargo, target, toolchain, "build", wish);
    let built = sh::run(workspace(&mut cargo).args(toolchain.flags(target.triple)));
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
    run: impl Fn(&mut Command) -> Command,
) -> Result<Done> {
    if !wish.suites {
        return Ok(done);
    }
    println!("left out: {}", target.suites.left_out);
    let by_counter = (!target.suites.by_counter.is_empty()).then_some(target.suites.by_counter);
    let calls = target.suites.calls.iter().map(|call| (*call, "auto"));
    for (call, source) in calls.chain(by_counter.map(|call| (call, "counter"))) {
        let mut testing = cargo(target, toolchain, "test", wish);
        selected(&mut testing, call)
            .arg("--no-fail-fast")
            .env("CHRONOSCOPE_SOURCE", source)
            // Generated cases cost ten times as much here, and were all tried natively.
            .env("PROPTEST_CASES", "16")
            // A foreign program finds the workspace by no command of this machine, and has nothing
            // to approve.
            .env("INSTA_WORKSPACE_ROOT", sh::root())
            .env("INSTA_UPDATE", "no");
        add(&mut done, counted(&mut run(&mut testing))?);
    }
    Ok(done)
}
