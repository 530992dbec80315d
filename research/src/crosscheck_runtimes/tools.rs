//! The benchmark tool of each language. Each reports batches of 0.1 to 0.3 ms, as chronoscope makes
//! them: on a busy machine, longer ones are all interrupted.

use anyhow::{Context, Result};
use chronoscope_ci::cross::toolchain;
use chronoscope_ci::runtimes::{self, from_npm, from_pypi};
use chronoscope_ci::sh;
use serde_json::Value;
use std::path::PathBuf;
use xshell::{Cmd, Shell, cmd};

/// A benchmark tool, and the clock that it times.
pub struct Tool {
    pub name: &'static str,
    /// The id of the runtime, and of its clock.
    pub runtime: &'static str,
    pub clock: &'static str,
    pub call: &'static str,
    pub prepare: fn(sh: &Shell) -> Result<()>,
    /// Returns the cost of a read in each batch, in nanoseconds, with the loop.
    pub measure: fn(sh: &Shell, cpu: usize) -> Result<Vec<f64>>,
}

pub const ALL: &[Tool] = &[
    Tool {
        name: "JMH 1.37",
        runtime: "java",
        clock: "nano-time",
        call: "System.nanoTime()",
        prepare: prepare_jmh,
        measure: jmh,
    },
    Tool {
        name: "go test -bench",
        runtime: "go",
        clock: "time-now",
        call: "time.Now()",
        prepare: |_| Ok(()),
        measure: go,
    },
    Tool {
        name: "pyperf 2.10.0",
        runtime: "python",
        clock: "perf-counter-ns",
        call: "time.perf_counter_ns()",
        prepare: |sh| {
            let to = runtimes::folder().join("pyperf");
            from_pypi(sh, &to, &PYPERF, "pyperf/__init__.py").map(drop)
        },
        measure: pyperf,
    },
    Tool {
        name: "mitata 1.0.34",
        runtime: "node",
        clock: "hrtime-bigint",
        call: "process.hrtime.bigint()",
        prepare: prepare_mitata,
        measure: mitata,
    },
    Tool {
        name: "a loop of 10,000,000",
        runtime: "dotnet-coreclr",
        clock: "stopwatch",
        call: "Stopwatch.GetTimestamp()",
        prepare: prepare_loop,
        measure: |sh, cpu| dotnet(sh, cpu, &["dotnet", "exec", "--runtimeconfig", &config()]),
    },
    Tool {
        name: "a loop of 10,000,000",
        runtime: "dotnet-mono",
        clock: "stopwatch",
        call: "Stopwatch.GetTimestamp()",
        prepare: prepare_loop,
        measure: |sh, cpu| dotnet(sh, cpu, &["mono"]),
    },
    Tool {
        name: "a loop in C, in the same engine",
        runtime: "wasmtime",
        clock: "clock-time-get-monotonic",
        call: "clock_time_get(monotonic, 1)",
        prepare: |sh| {
            toolchain::fetch(sh)?;
            let compiler = sh::words(sh, toolchain::compiler("cc", "wasm32-wasi"));
            let compiler = compiler.args(["-O2", "-o"]).arg(wasm());
            sh::run(compiler.arg(format!("{SOURCES}/clock_time_get.c")).envs(toolchain::env()?))
        },
        measure: |sh, cpu| {
            Ok(lines(&sh::read(pinned(sh, cpu, &["wasmtime", "run"])?.arg(wasm()))?))
        },
    },
];

const PYPERF: [&str; 2] = ["pyperf==2.10.0", "psutil"];
const MITATA: [&str; 1] = ["mitata@1.0.34"];

/// The folder with the sources of the programs to compare with.
const SOURCES: &str = "research/crosscheck/runtimes";

/// Maven Central, which has JMH and the libraries that it needs.
const MAVEN: &str = "https://repo1.maven.org/maven2";
const JARS: [&str; 4] = [
    "org/openjdk/jmh/jmh-core/1.37/jmh-core-1.37.jar",
    "org/openjdk/jmh/jmh-generator-annprocess/1.37/jmh-generator-annprocess-1.37.jar",
    "net/sf/jopt-simple/jopt-simple/5.0.4/jopt-simple-5.0.4.jar",
    "org/apache/commons/commons-math3/3.6.1/commons-math3-3.6.1.jar",
];

/// The folder in which the programs to compare with are built.
pub fn folder() -> PathBuf {
    runtimes::folder().join("crosscheck")
}

fn pinned<'a>(sh: &'a Shell, cpu: usize, program: &[&str]) -> Result<Cmd<'a>> {
    let words = sh::pinned(cpu).into_iter();
    let words = words.chain(program.iter().map(|&word| word.to_owned()));
    Ok(sh::words(sh, words).env("PATH", runtimes::path()?))
}

fn jar(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    folder().join(name).display().to_string()
}

fn class_path() -> String {
    let built = folder().join("jmh").display().to_string();
    let all: Vec<String> = [built].into_iter().chain(JARS.map(jar)).collect();
    all.join(":")
}

fn prepare_jmh(sh: &Shell) -> Result<()> {
    for path in JARS {
        let (jar, url) = (jar(path), format!("{MAVEN}/{path}"));
        if !std::path::Path::new(&jar).exists() {
            let part = format!("{jar}.part");
            sh::run(cmd!(sh, "curl -sSf --retry 3 -o {part} {url}"))?;
            std::fs::rename(part, jar)?;
        }
    }
    let built = folder().join("jmh");
    sh.create_dir(&built)?;
    let class_path = class_path();
    let source = format!("{SOURCES}/NanoTime.java");
    sh::run(cmd!(sh, "javac -cp {class_path} -d {built} {source}"))
}

fn jmh(sh: &Shell, cpu: usize) -> Result<Vec<f64>> {
    let found = folder().join("jmh.json").display().to_string();
    let main = ["-cp", &class_path(), "org.openjdk.jmh.Main"];
    let warm = ["-f", "1", "-wi", "10", "-w", "100ms"];
    let timed = ["-i", "1000", "-r", "200us", "-rf", "json", "-rff", &found];
    let java = pinned(sh, cpu, &["java"])?;
    sh::read(java.args(main).args(warm).args(timed))?;
    let found: Value = serde_json::from_str(&sh.read_file(&found)?)?;
    Ok(numbers(&found[0]["primaryMetric"]["rawData"][0]))
}

fn go(sh: &Shell, cpu: usize) -> Result<Vec<f64>> {
    let timed = ["-run", "^$", "-bench", ".", "-benchtime", "2000x", "-count", "1000"];
    let go = pinned(sh, cpu, &["go", "test"])?.args(timed);
    let go = go.arg(format!("{SOURCES}/now_test.go"));
    let text = sh::read(go.env("GO111MODULE", "off").env("GOTOOLCHAIN", "local"))?;
    Ok(of_go(&text))
}

/// The figures of lines such as `BenchmarkNow  9169322  45.2 ns/op`.
fn of_go(text: &str) -> Vec<f64> {
    let lines = text.lines().filter(|line| line.starts_with("Benchmark"));
    let figures = lines.filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let unit = words.iter().position(|word| *word == "ns/op")?;
        words.get(unit.checked_sub(1)?)?.parse().ok()
    });
    figures.collect()
}

fn pyperf(sh: &Shell, cpu: usize) -> Result<Vec<f64>> {
    let found = folder().join("pyperf.json");
    sh.remove_path(&found)?;
    let script = format!("{SOURCES}/perf_counter_ns.py");
    let timed = ["-p", "3", "-n", "300", "-w", "50", "--loops", "2000", "--quiet"];
    let python = pinned(sh, cpu, &["python3", &script])?.args(timed);
    let python = python.args(["--inherit-environ", "PYTHONPATH", "-o"]).arg(&found);
    sh::read(python.env("PYTHONPATH", runtimes::folder().join("pyperf")))?;
    let found: Value = serde_json::from_str(&sh.read_file(&found)?)?;
    let runs = found["benchmarks"][0]["runs"].as_array();
    let runs = runs.context("pyperf wrote no runs")?;
    let seconds = runs.iter().flat_map(|run| numbers(&run["values"]));
    Ok(seconds.map(|seconds| seconds * 1e9).collect())
}

fn prepare_mitata(sh: &Shell) -> Result<()> {
    let to = runtimes::folder().join("mitata");
    let folder = from_npm(sh, &to, &MITATA, "node_modules/mitata/package.json")?;
    // Node looks for a module next to the program.
    sh.copy_file(format!("{SOURCES}/hrtime.mjs"), folder.join("hrtime.mjs"))?;
    Ok(())
}

fn mitata(sh: &Shell, cpu: usize) -> Result<Vec<f64>> {
    let script = runtimes::folder().join("mitata/hrtime.mjs");
    let text = sh::read(pinned(sh, cpu, &["node"])?.arg(script))?;
    Ok(numbers(&serde_json::from_str(&text)?))
}

fn prepare_loop(sh: &Shell) -> Result<()> {
    let built = folder().join("loop.exe").display().to_string();
    let source = format!("{SOURCES}/Loop.cs");
    sh.write_file(config(), CONFIG)?;
    sh::run(cmd!(sh, "mcs -optimize+ -out:{built} {source}"))
}

/// The configuration that names the version of the framework; without it, `dotnet` requires a
/// project.
fn config() -> String {
    folder().join("loop.json").display().to_string()
}

const CONFIG: &str = r#"{"runtimeOptions": {
    "framework": {"name": "Microsoft.NETCore.App", "version": "3.0.0"},
    "rollForward": "LatestMajor"
}}"#;

fn dotnet(sh: &Shell, cpu: usize, runner: &[&str]) -> Result<Vec<f64>> {
    let program = pinned(sh, cpu, runner)?.arg(folder().join("loop.exe"));
    Ok(lines(&sh::read(program.env("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"))?))
}

fn wasm() -> PathBuf {
    folder().join("clock_time_get.wasm")
}

fn lines(text: &str) -> Vec<f64> {
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_go_are_found() {
        let text = "goos: linux\nBenchmarkNow \t 9169322\t  45.2 ns/op\nBenchmarkNow-2 7 46 ns/op\n\
                    PASS\nok  \tcrosscheck\t8.8s\n";
        assert_eq!(of_go(text), [45.2, 46.0]);
        assert!(of_go("").is_empty());
    }

    #[test]
    fn each_tool_compares_a_declared_runtime() {
        for tool in ALL {
            let runtime = chronoscope_runtimes::find(tool.runtime).expect("declared");
            let source = chronoscope_model::packed::text(runtime.source.packed);
            assert!(source.contains(tool.clock), "{}", tool.runtime);
        }
    }
}
