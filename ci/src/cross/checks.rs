//! Further checks of the tool on a target, beyond the commands that must work everywhere: the
//! clocks and waits that must be available, the emulator or system that the report names, Ctrl-C,
//! an unusual path, and that no process is left behind. And the test suites.
//!
//! And the C library on a target: its test programs are compiled by the target's compilers, linked
//! with the archive, and run.

use super::build::{Build, Built, Program, Test};
use super::target::{Compilers, How, RunBy, folder};
use super::toolchain;
use crate::sh::{self, Runner};
use crate::tally::{Done, counted};
use crate::{capi, tool};
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;
use xshell::{Cmd, Shell, cmd};

/// A folder name that careless programs mishandle.
const ODD: &str = "a folder, ünïcödé, 時計";

/// A program that takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

pub fn all(sh: &Shell, runner: &Runner, built: &Built) -> Done {
    let target = built.target;
    let tool = built.tool();
    let run = |args: &str| report(sh, runner, &tool, &args.split(' ').collect::<Vec<_>>());
    let mut done = Done::default();
    done.check(
        "the clocks that must be available",
        run("clocks --json --budget 1s").and_then(|report| {
            available(&report["clocks"], target.clocks)?;
            unavailable(&report["clocks"], target.unavailable)
        }),
    );
    done.check(
        "the waits that must be available",
        run("waits --json --wait 100us --count 1")
            .and_then(|report| available(&report["waits"], target.waits)),
    );
    done.check(
        "the report names what runs the tool",
        run("hardware --json").and_then(|report| run_by(&report, target.run_by)),
    );
    done.check("Ctrl-C", interrupted(sh, runner, &tool));
    done.check("an unusual path", odd_path(sh, runner, &tool));
    if matches!(target.how, How::Wine) {
        done.check("no load outlives the tool", load_ends(sh, runner, &tool));
    }
    done
}

/// Runs the tool and returns its report.
fn report(sh: &Shell, runner: &Runner, tool: &Path, args: &[&str]) -> Result<Value> {
    let text = sh::read(runner.start_within(sh, PATIENCE, tool).args(args))?;
    tool::read_report(text.as_bytes())
}

/// The rows of one clock or wait.
fn rows<'a>(rows: &'a Value, id: &str) -> Result<Vec<&'a Value>> {
    let rows = rows.as_array().context("no rows")?;
    let found: Vec<_> = rows.iter().filter(|row| row["id"] == *id).collect();
    ensure!(!found.is_empty(), "{id} has no row");
    Ok(found)
}

/// Checks that each wanted clock or wait has a row and is available.
pub fn available(all: &Value, wanted: &[&str]) -> Result<()> {
    for id in wanted.iter().flat_map(|ids| ids.split_whitespace()) {
        for row in rows(all, id)? {
            ensure!(row["available"] == true, "{id} is unavailable: {}", row["unavailable_reason"]);
        }
    }
    Ok(())
}

/// Checks that each of these clocks or waits is unavailable and that the reason contains the given
/// text.
fn unavailable(all: &Value, wanted: &[(&str, &str)]) -> Result<()> {
    for (id, words) in wanted {
        for row in rows(all, id)? {
            let reason = row["unavailable_reason"].as_str().unwrap_or("available");
            ensure!(reason.contains(words), "{id}: {reason}");
        }
    }
    Ok(())
}

/// Checks that the report's environment names what runs the tool.
fn run_by(report: &Value, who: RunBy) -> Result<()> {
    let environment = &report["environment"];
    let emulated = environment["emulated"].is_string();
    let right = match who {
        RunBy::Nobody => !emulated,
        RunBy::Emulator => emulated,
        RunBy::Os(name) => environment["os"].as_str().is_some_and(|os| os.contains(name)),
    };
    ensure!(right, "unexpected environment: {environment}");
    Ok(())
}

/// Creates an empty folder for a check inside the folder of the target's build.
fn scratch(tool: &Path, name: &str) -> Result<PathBuf> {
    let folder = tool.with_file_name("checks").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Prepares a command that runs in the background.
fn watched(cmd: Cmd<'_>) -> Command {
    let mut command = Command::from(cmd);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// Checks that an interrupted run writes its results so far, marks the report as incomplete, and
/// exits with code 130. Wine turns the signal into a console Ctrl-C, and loses what arrives before
/// the program runs: on a busy machine it may be late, so the signal is sent again after a while. A
/// tool that had received the first would then end without a report.
fn interrupted(sh: &Shell, runner: &Runner, tool: &Path) -> Result<()> {
    let path = scratch(tool, "interrupted")?.join("report.json");
    let args = ["clocks", "--budget", "60s", "--json"];
    let mut child =
        watched(runner.start(sh, tool).args(args)).stdout(File::create(&path)?).spawn()?;
    std::thread::sleep(Duration::from_secs(4));
    let pid = child.id().to_string();
    let mut ended = None;
    for _ in 0..2 {
        sh::silent(cmd!(sh, "kill -INT {pid}"))?;
        ended = child.wait_timeout(PATIENCE)?;
        if ended.is_some() {
            break;
        }
        println!("{}: no answer to Ctrl-C", tool.display());
    }
    let Some(status) = ended else {
        let _ = cmd!(sh, "ps -eLo pid,ppid,stat,wchan:24,time,args").run();
        child.kill()?;
        child.wait()?;
        bail!("the tool did not exit");
    };
    ensure!(status.code() == Some(130), "{status}, expected exit code 130");
    let report = tool::read_report(&fs::read(&path)?)?;
    ensure!(report["run"]["complete"] == false, "the report is marked as complete");
    ensure!(
        report["clocks"].as_array().is_some_and(|all| !all.is_empty()),
        "the report has no clocks"
    );
    Ok(())
}

/// Checks that the tool can run from an unusual path, start itself from there for the first reads,
/// and export to such a path.
fn odd_path(sh: &Shell, runner: &Runner, tool: &Path) -> Result<()> {
    let folder = scratch(tool, ODD)?;
    let moved = folder.join(tool.file_name().context("the tool has no name")?);
    fs::copy(tool, &moved)?;
    // A relative path, because absolute paths differ under Wine.
    let file = folder.join("report, ü.json");
    let argument = file.strip_prefix(sh::root()).unwrap_or(&file);
    let export = format!("json={}", argument.display());
    // Enough time even if a busy machine is slow to start processes.
    let budget = ["--budget", "5m"];
    let args = ["clocks", "rust/instant", "--json", "--export", &export];
    let report = report(sh, runner, &moved, &[&args[..], &budget].concat())?;
    if report["clocks"][0]["cost"]["first"].is_null() {
        let notes = &report["notes"];
        bail!("the tool could not start itself: no first reads ({notes})");
    }
    let exported = tool::read_report(&fs::read(&file)?)?;
    ensure!(exported == report, "the exported report differs from the printed one");
    Ok(fs::remove_dir_all(folder)?)
}

/// The process ids of the tool's loads, which are recognised by their argument.
fn loads(tool: &Path) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| {
            let line = fs::read(process.path().join("cmdline")).ok()?;
            // Wine's paths have backslashes.
            let line = String::from_utf8_lossy(&line).replace('\\', "/");
            (line.contains("--load-process") && line.contains(&*tool.to_string_lossy()))
                .then(|| process.file_name().to_str()?.parse().ok())?
        })
        .collect()
}

/// Checks that the load processes end when the tool is killed.
fn load_ends(sh: &Shell, runner: &Runner, tool: &Path) -> Result<()> {
    let wait = ["waits", "rust/thread-sleep", "--wait", "1ms", "--duration", "1h"];
    let load = ["--load", "normal", "--quiet"];
    let started = runner.start(sh, tool).args(wait).args(load);
    let mut child = watched(started).spawn()?;
    let begun = Instant::now();
    while loads(tool).is_empty() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    // If the tool is killed while it starts a process, Wine leaves that process behind. It uses no
    // CPU time, and it is not what this check is about.
    std::thread::sleep(Duration::from_secs(1));
    let started = loads(tool);
    child.kill()?;
    child.wait()?;
    ensure!(!started.is_empty(), "the tool started no load");
    let ended = Instant::now();
    while ended.elapsed() < Duration::from_secs(20) {
        let left = loads(tool);
        if !started.iter().any(|pid| left.contains(pid)) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("load processes still running: {:?}", loads(tool))
}

/// A test executable that takes this long, even under emulation, hangs.
const LONGEST: Duration = Duration::from_secs(1800);

/// Unit tests of pure computation, by the beginning of their names. They simulate so much that they
/// take minutes under emulation. They run natively.
const COMPUTATION: &str = "stats::";

pub fn suites(sh: &Shell, runner: &Runner, built: &Built) -> Result<Done> {
    let Built { target, tests, .. } = built;
    let suites = &target.suites;
    let mut done = Done::default();
    if tests.is_empty() {
        return Ok(done);
    }
    println!("excluded: {COMPUTATION} {}: {}", suites.left_out, suites.why);
    let runs = tests.iter().map(|test| (test, "auto", vec![]));
    let again = tests.iter().filter_map(|test| {
        let only = test.modules(suites.by_counter);
        (!only.is_empty()).then_some((test, "counter", only))
    });
    for (test, source, only) in runs.chain(again) {
        let Test { name, program, folder } = test;
        let package = folder.file_name().unwrap_or_default().display();
        println!("{package}: {name}, CHRONOSCOPE_SOURCE={source}");
        let start = Instant::now();
        let _there = sh.push_dir(folder);
        let program = runner
            .start_within(sh, LONGEST, program)
            .args(&only)
            .args(["--quiet", "--skip", COMPUTATION])
            .args(test.modules(suites.left_out).iter().flat_map(|name| ["--skip", name]))
            .env("CHRONOSCOPE_SOURCE", source)
            // Generated cases take ten times as long here. The native tests run the full number.
            .env("PROPTEST_CASES", "16")
            // A program for another system cannot run cargo to find the workspace, and must not
            // update snapshots.
            .env("INSTA_WORKSPACE_ROOT", sh::root())
            .env("INSTA_UPDATE", "no");
        // If one suite fails, the others are still run.
        match counted(program) {
            Ok(counts) => done += counts,
            Err(error) => done.check(name, Err(error)),
        }
        println!("  {:.1} s", start.elapsed().as_secs_f64());
    }
    ensure!(done.passed != 0, "no test ran");
    Ok(done)
}

const C: [&str; 3] = ["examples/elapsed.c", "tests/native/inline.c", "tests/native/misuse.c"];
const CXX: [&str; 2] = ["examples/chrono.cpp", "tests/native/clock.cpp"];

/// Time limit for a program. Each takes less than a second, so one that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// Builds the archive, and links each program with it.
pub fn build_library(build: &Build<'_>) -> Result<Vec<Program>> {
    let Some(compilers) = build.target.compilers else {
        return Ok(vec![]);
    };
    let cargo = build.cargo("rustc");
    let libraries =
        capi::build(cargo.args(["-p", "chronoscope-capi", "--crate-type", "staticlib"]))?;
    build.sh.create_dir(folder().join(build.target.triple).join("capi"))?;
    let (c, cxx) = match compilers {
        Compilers::Debian(c, cxx) => (vec![c.to_owned()], vec![cxx.to_owned()]),
        Compilers::Zig(target) => {
            toolchain::fetch(build.sh)?;
            (toolchain::compiler("cc", target), toolchain::compiler("c++", target))
        }
    };
    let c = C.map(|source| (source, &c, ["-std=c99", "-O2"]));
    let cxx = CXX.map(|source| (source, &cxx, ["-std=c++11", "-pthread"]));
    let all = c.into_iter().chain(cxx);
    Ok(all
        .map(|(source, compiler, options)| Program {
            source,
            program: compile(build, compiler, &options, source, &libraries),
        })
        .collect())
}

fn compile(
    build: &Build<'_>,
    compiler: &[String],
    options: &[&str],
    source: &str,
    libraries: &str,
) -> Result<PathBuf> {
    let name = Path::new(source).file_name().unwrap_or_default();
    let file = folder().join(build.target.triple).join("capi").join(name);
    let file = file.with_extension("exe");
    let capi = Path::new("crates/capi");
    let compiler = sh::words(build.sh, compiler)
        .envs(toolchain::env()?)
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(options)
        .arg("-I")
        .arg(capi.join("include"))
        .arg(capi.join(source))
        .arg("-o")
        .arg(&file)
        .arg(build.folder().join("libchronoscope.a"))
        .args(libraries.split_whitespace())
        // Wine does not search the folders of MinGW's libraries.
        .args(matches!(build.target.how, How::Wine).then_some("-static"));
    sh::read(compiler)?;
    Ok(file)
}

/// Runs each program with every value of `CHRONOSCOPE_SOURCE`.
pub fn run_programs(sh: &Shell, runner: &Runner, built: &Built) -> Done {
    let mut done = Done::default();
    for Program { source, program } in &built.programs {
        let ran = match program {
            Ok(program) => with_every_source(sh, runner, program),
            Err(error) => Err(anyhow!("{error:#}")),
        };
        done.check(&format!("crates/capi/{source}"), ran);
    }
    done
}

/// By default, the library does not read an emulated counter, so the counter is also requested.
fn with_every_source(sh: &Shell, runner: &Runner, program: &Path) -> Result<()> {
    for from in ["auto", "os", "counter"] {
        let start = runner.start_within(sh, LIMIT, program);
        sh::read(start.env("CHRONOSCOPE_SOURCE", from))?;
    }
    Ok(())
}
