//! What is asked of the tool on a target beyond what every machine is asked: the clocks and waits
//! that must be there, who it says runs it, Ctrl-C, a path that is no plain one, and that nothing of
//! it is left behind.

use super::target::{How, Target};
use crate::sh;
use crate::suite::{Done, follows_schema};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A folder that a careless program stumbles over.
const ODD: &str = "a folder, ünïcödé, 時計";

/// Longer than anything here takes; what ends a check that would hang.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs all of them on the tool, which `start` gives a command for.
pub fn all(target: &Target, tool: &Path, start: impl Fn(&Path) -> Command) -> Result<Done> {
    let mut done = Done::default();
    let mut check = |what: &str, ended: Result<()>| match ended {
        Ok(()) => {
            println!("{what}: ok");
            done.tally.passed += 1;
        }
        Err(error) => {
            eprintln!("{what}: FAILED: {error:#}");
            done.tally.failed += 1;
        }
    };
    let run = |args: &[&str]| report(start(tool).args(args));
    check(
        "the clocks that must be there",
        run(&["clocks", "--json", "--budget", "1s"])
            .and_then(|report| available(&report["clocks"], target.clocks)),
    );
    check(
        "the waits that must be there",
        run(&["waits", "--json", "--wait", "100us", "--count", "1"])
            .and_then(|report| available(&report["waits"], target.waits)),
    );
    check(
        "who runs it is told",
        run(&["hardware", "--json"]).and_then(|report| told(&report, target.told)),
    );
    check("Ctrl-C", interrupted(start(tool)));
    check("a path that is no plain one", odd_path(tool, &start));
    if matches!(target.how, How::Wine) {
        check("no load outlives the tool", load_ends(start(tool), tool));
    }
    Ok(done)
}

/// The report that a command prints.
fn report(command: &mut Command) -> Result<Value> {
    let text = sh::capture(&mut sh::within(PATIENCE, command))?;
    let report = serde_json::from_str(&text).context("what it printed is no JSON")?;
    follows_schema(&report)?;
    Ok(report)
}

/// Whether each of these is among the rows and available.
fn available(rows: &Value, wanted: &[&str]) -> Result<()> {
    let rows = rows.as_array().context("no rows")?;
    for id in wanted {
        let mut of_it = rows.iter().filter(|row| row["id"] == *id).peekable();
        if of_it.peek().is_none() {
            bail!("{id} has no row");
        }
        if let Some(row) = of_it.find(|row| row["available"] != true) {
            bail!("{id} is not available: {}", row["unavailable_reason"]);
        }
    }
    Ok(())
}

/// Whether the environment tells by whom the tool is run.
fn told(report: &Value, who: &str) -> Result<()> {
    let environment = &report["environment"];
    let said = match who {
        "emulated" => environment["emulated"].is_string(),
        who => environment["os"]
            .as_str()
            .is_some_and(|os| os.contains(who)),
    };
    if !said {
        bail!("nothing of {who} in {environment}");
    }
    Ok(())
}

/// A new, empty folder for a check, within the folder of builds.
fn folder(name: &str) -> Result<PathBuf> {
    let folder = super::folder().join("checks").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Waits for the end, and no longer than patience lasts.
fn wait(child: &mut Child) -> Result<std::process::ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill()?;
    bail!("it did not end")
}

/// Interrupted in the middle, it writes what it has, says that it is not all, and ends with 130.
/// Wine makes a console's Ctrl-C of the signal.
fn interrupted(mut command: Command) -> Result<()> {
    let path = folder("interrupted")?.join("report.json");
    let mut child = command
        .args(["clocks", "--budget", "60s", "--json"])
        .stdin(Stdio::null())
        .stdout(File::create(&path)?)
        .spawn()?;
    std::thread::sleep(Duration::from_secs(4));
    sh::silent(sh::program("kill").args(["-INT", &child.id().to_string()]))?;
    let status = wait(&mut child)?;
    if status.code() != Some(130) {
        bail!("it ended with {status} and not with 130");
    }
    let report: Value = serde_json::from_slice(&fs::read(&path)?).context("no JSON")?;
    follows_schema(&report)?;
    if report["run"]["complete"] != false {
        bail!("it calls itself complete");
    }
    if report["clocks"].as_array().is_none_or(Vec::is_empty) {
        bail!("it holds no clock");
    }
    Ok(())
}

/// Run from such a path it starts itself for the first reads, and it writes to such a path.
fn odd_path(tool: &Path, start: impl Fn(&Path) -> Command) -> Result<()> {
    let folder = folder(ODD)?;
    let name = tool.file_name().context("a tool has a name")?;
    let moved = folder.join(name);
    fs::copy(tool, &moved)?;
    // A relative path, as Wine has other names for absolute ones.
    let file = folder.join("report, ü.json");
    let argument = file.strip_prefix(sh::root()).unwrap_or(&file);
    let export = format!("json={}", argument.display());
    // Time enough for processes that a loaded machine is slow to start.
    let report = report(start(&moved).args([
        "clocks",
        "rust/instant",
        "--budget",
        "30s",
        "--json",
        "--export",
        &export,
    ]))?;
    if report["clocks"][0]["cost"]["first"].is_null() {
        bail!(
            "it could not start itself: no first reads ({})",
            report["ruler"]["notes"]
        );
    }
    let written: Value = serde_json::from_slice(&fs::read(&file)?).context("no JSON")?;
    if written != report {
        bail!("what it exported is not what it printed");
    }
    Ok(fs::remove_dir_all(folder)?)
}

/// The processes of the tool's loads, by the argument that makes one.
fn loads(tool: &Path) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| {
            let line = fs::read(process.path().join("cmdline")).ok()?;
            // Wine writes paths its own way.
            let line = String::from_utf8_lossy(&line).replace('\\', "/");
            (line.contains("--load-process") && line.contains(&*tool.to_string_lossy()))
                .then(|| process.file_name().to_str()?.parse().ok())?
        })
        .collect()
}

/// Ended by force, it takes its load with it.
fn load_ends(mut command: Command, tool: &Path) -> Result<()> {
    let mut child = command
        .args(["waits", "rust/thread-sleep", "--wait", "1ms"])
        .args(["--duration", "1h", "--load", "normal", "--quiet"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()?;
    let begun = Instant::now();
    while loads(tool).is_empty() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    // Ended in the middle of making a process, Wine leaves that one behind: it takes no time and does
    // nothing, and is not what is asked for here.
    std::thread::sleep(Duration::from_secs(1));
    let started = loads(tool);
    child.kill()?;
    child.wait()?;
    if started.is_empty() {
        bail!("no load was started");
    }
    let ended = Instant::now();
    while ended.elapsed() < Duration::from_secs(20) {
        let left = loads(tool);
        if !started.iter().any(|pid| left.contains(pid)) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("of its load there is left: {:?}", loads(tool))
}
