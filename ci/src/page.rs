//! Opens pages in real browsers: Debian's Chromium, driven by Playwright, and Firefox ESR, which
//! draws one; the page that measures a browser also in Firefox ESR and in WebKitGTK. Pictures of
//! each state stay in `target/page`.

use crate::cross::toolchain;
use crate::tally::Done;
use crate::{sh, tool};
use anyhow::{Context, Result, ensure};
use chronoscope_measure::stats::estimate::Estimator;
use chronoscope_measure::stats::{Summary, tick};
use fastrand::Rng;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Shell, cmd};

/// Checks that take this long hang. They take some 40 s, and three times that on slow machines.
const LIMIT: Duration = Duration::from_secs(480);

/// What drives the browser: npm's packages in the versions of the lockfile, and the checks.
const FILES: [(&str, &str); 8] = [
    ("package.json", include_str!("page/node/package.json")),
    ("package-lock.json", include_str!("page/node/package-lock.json")),
    ("browser.mjs", include_str!("page/node/browser.mjs")),
    ("check.mjs", include_str!("page/node/check.mjs")),
    ("library.mjs", include_str!("page/node/library.mjs")),
    ("load.mjs", include_str!("page/node/load.mjs")),
    ("measure.mjs", include_str!("page/node/measure.mjs")),
    ("others.mjs", include_str!("page/node/others.mjs")),
];

/// The folder for pages, pictures and what drives the browser.
pub fn folder() -> PathBuf {
    sh::target().join("page")
}

/// Installs what drives the browser, unless it is there in these versions.
pub fn driver(sh: &Shell) -> Result<PathBuf> {
    let to = folder().join("node");
    let proof = to.join("node_modules/.package-lock.json");
    let lock = fs::read_to_string(to.join("package-lock.json")).unwrap_or_default();
    for (name, text) in FILES {
        sh.write_file(to.join(name), text)?;
    }
    if lock != FILES[1].1 || !proof.exists() {
        let options = ["--ignore-scripts", "--silent", "--no-audit", "--no-fund"];
        sh::run(cmd!(sh, "npm ci {options...} --prefix {to}"))?;
    }
    Ok(to)
}

/// Makes the pages, reads them back, and opens them.
/// With both browsers, or with Chromium only.
pub fn suite(sh: &Shell, both: bool) -> Result<Done> {
    let driver = driver(sh)?;
    let tool = tool::release(sh)?.tool;
    let mut done = Done::default();
    let pages = pages(sh, &tool, &folder().join("pages"))?;
    for page in &pages {
        done.check(&format!("{}: size", page.name), small_enough(page));
        if page.reports.len() == 1 {
            done.check(&format!("{}: read back", page.name), read_back(sh, &tool, page));
        }
    }
    if both {
        done.check("main: drawn by Firefox", firefox(sh, &pages[0].file));
    }
    let node = |script: &str| sh::limited(sh, LIMIT).arg("node").arg(driver.join(script));
    let checks = node("check.mjs").arg(folder());
    done.checks("the checks in Chromium", checks);
    let measured = |script: &str| node(script).arg(folder()).arg(&tool);
    done.checks("the page that measures, in Chromium", measured("measure.mjs"));
    if both {
        let name = "the page that measures, in Firefox and WebKit";
        done.checks(name, measured("others.mjs"));
    }
    done.check("estimators in a browser", estimators(sh));
    let module = library(sh)?;
    done.checks("the library in WebAssembly", node("library.mjs").arg(module));
    Ok(done)
}

/// The library as a module of WebAssembly that a test can call. For WASI it has to compile.
fn library(sh: &Shell) -> Result<PathBuf> {
    const BROWSER: &str = "wasm32-unknown-unknown";
    const WASI: &str = "wasm32-wasip1";
    for target in [BROWSER, WASI] {
        toolchain::provide(sh, target)?;
    }
    sh::run(cmd!(sh, "cargo check --quiet --package chronoscope --target {WASI}"))?;
    let of = ["--package", "chronoscope-web", "--features", "library", "--target", BROWSER];
    sh::run(cmd!(sh, "cargo build --quiet {of...}"))?;
    Ok(sh::target().join(BROWSER).join("debug/chronoscope_web.wasm"))
}

/// Whether the estimators of the page return what those of the engine do, on the same samples.
fn estimators(sh: &Shell) -> Result<()> {
    let mut rng = Rng::with_seed(7);
    let spread = |rng: &mut Rng| (0..6).map(|_| rng.f64()).sum::<f64>();
    // With rare delays, and on a lattice, as batches by a clock with steps are.
    let samples: Vec<f64> = (0..200)
        .map(|nth| {
            let late = if nth % 9 == 0 { 40.0 * rng.f64() } else { 0.0 };
            ((40.0 + spread(&mut rng) + late) / 0.25).round() * 0.25
        })
        .collect();
    let deltas: Vec<u64> = (0..500).map(|_| 5_000 * rng.u64(1..9)).collect();
    let script = sh::root().join("ci/src/page/node/estimators.cjs");
    let file = sh::root().join("crates/report/src/page/browser/estimators.wasm");
    let text = json!({ "samples": &samples, "deltas": &deltas }).to_string();
    let found: Vec<f64> =
        serde_json::from_str(&sh::read(cmd!(sh, "node {script} {file} {text}"))?)?;
    let estimator = Estimator { quantum: 0.25, lower: false };
    let mode = estimator.estimate(&samples, &mut Rng::with_seed(3));
    let mode = mode.context("no estimate")?;
    let s = Summary::of(&samples).context("no summary")?;
    let ticks = tick::tick(&deltas).context("no tick")?;
    let own = [
        mode.value,
        mode.low,
        mode.high,
        s.min,
        s.median,
        s.mad,
        s.p99,
        s.max,
        s.mean,
        s.sd,
        ticks.ticks as f64,
        ticks.support,
    ];
    ensure!(found.len() == own.len(), "{} figures, not {}", found.len(), own.len());
    for (browser, engine) in found.iter().zip(own) {
        let alike = (browser - engine).abs() <= 1e-9 * engine.abs();
        ensure!(alike, "{browser} in a browser, and {engine} in the engine");
    }
    Ok(())
}

fn small_enough(page: &Sample) -> Result<()> {
    let bytes = fs::metadata(&page.file)?.len();
    ensure!(bytes <= page.most_bytes, "{bytes} bytes, at most {}", page.most_bytes);
    Ok(())
}

/// Whether a page returns the report that it was made of.
fn read_back(sh: &Shell, tool: &Path, page: &Sample) -> Result<()> {
    let file = &page.file;
    let json = |file: &Path| -> Result<Value> {
        Ok(serde_json::from_str(&sh::read(cmd!(sh, "{tool} report {file} --json"))?)?)
    };
    let original = page.reports.first().context("no report")?;
    ensure!(json(file)? == json(original)?, "the page holds another report");
    Ok(())
}

/// Has Firefox draw a page, with a profile of its own, and checks that the picture is one.
fn firefox(sh: &Shell, page: &Path) -> Result<()> {
    let home = sh.create_temp_dir()?;
    let (profile, picture) = (home.path().join("profile"), folder().join("firefox.png"));
    sh.create_dir(&profile)?;
    let _ = fs::remove_file(&picture);
    let address = format!("file://{}", page.display());
    let command = sh::limited(sh, LIMIT)
        .args(["firefox-esr", "--headless", "--no-remote", "--profile"])
        .arg(&profile)
        .arg("--screenshot")
        .arg(&picture)
        .args(["--window-size=1280,2000", &address])
        .env("HOME", home.path())
        .env("MOZ_DISABLE_CONTENT_SANDBOX", "1");
    sh::silent(command)?;
    let png = fs::read(&picture).context("there is no picture")?;
    // The header of a PNG: eight bytes that mark it, then a chunk with its width and height.
    let number = |at: usize| {
        let bytes = png.get(at..at + 4).and_then(|word| word.try_into().ok());
        bytes.map_or(0, u32::from_be_bytes)
    };
    ensure!(png.starts_with(b"\x89PNG\r\n\x1a\n"), "the picture is no PNG");
    ensure!(number(16) == 1280 && number(20) >= 600, "it has {} x {}", number(16), number(20));
    // An empty page of this size has some 10 kB.
    ensure!(png.len() >= 40_000, "the picture has {} bytes, so it is blank", png.len());
    Ok(())
}

/// A page, and the reports that it was made of.
pub struct Sample {
    pub name: &'static str,
    pub file: PathBuf,
    pub reports: Vec<PathBuf>,
    pub most_bytes: u64,
}

/// What a page of a usual report may have, and one with a hundred histograms or with figures of
/// three hundred digits.
const USUAL: u64 = 500_000;
const LARGE: u64 = 3_000_000;

/// Pages of checked-in reports: name, command, samples, most bytes. The first one is that of the
/// main command.
const PAGES: [(&str, &str, &[&str], u64); 11] = [
    ("main", "report", &["main"], USUAL),
    ("clocks", "report", &["clocks"], USUAL),
    ("deltas", "report", &["deltas"], USUAL),
    ("waits", "report", &["waits"], USUAL),
    ("trust", "report", &["trust"], USUAL),
    ("runtimes", "report", &["runtimes"], USUAL),
    ("sweep", "report", &["sweep"], USUAL),
    ("doctor", "report", &["doctor"], USUAL),
    ("sections", "report", &["clocks", "deltas", "waits", "trust"], USUAL),
    ("several", "report", &["clocks", "clocks-again", "clocks-loaded"], USUAL),
    ("compare", "compare", &["clocks", "clocks-again"], USUAL),
];

/// What runs or requests something if a page does not escape it.
const HOSTILE: &str = "</script><script>window.__evil=1</script>\"'><img src=http://127.0.0.1:1/x \
                       onerror=window.__evil=2>\u{1}\u{202e}=cmd()";

/// How a sample is changed.
type Change = fn(&mut Value);

/// Makes all pages.
pub fn pages(sh: &Shell, tool: &Path, to: &Path) -> Result<Vec<Sample>> {
    let samples = sh::root().join("crates/cli/tests/data/reports");
    let report = |name: &str| samples.join(format!("{name}.x86_64-unknown-linux-gnu.json"));
    sh.create_dir(to)?;
    let mut made = Vec::new();
    for (name, command, of, most_bytes) in PAGES {
        let reports: Vec<PathBuf> = of.iter().map(|name| report(name)).collect();
        made.push(page(sh, tool, to, (name, command), reports, most_bytes)?);
    }
    let changed: [(&'static str, &str, Change, u64); 5] = [
        ("hostile", "main", strings, USUAL),
        ("hostile-waits", "waits", strings, USUAL),
        ("extreme", "main", |report| numbers(report, 1e308), LARGE),
        ("empty", "main", empty, USUAL),
        ("hundred", "waits", hundred, LARGE),
    ];
    for (name, of, change, most_bytes) in changed {
        let mut changed: Value = serde_json::from_str(&sh.read_file(report(of))?)?;
        change(&mut changed);
        let file = to.join(format!("{name}.json"));
        sh.write_file(&file, serde_json::to_string(&changed)?)?;
        made.push(page(sh, tool, to, (name, "report"), vec![file], most_bytes)?);
    }
    Ok(made)
}

fn page(
    sh: &Shell,
    tool: &Path,
    to: &Path,
    (name, command): (&'static str, &str),
    reports: Vec<PathBuf>,
    most_bytes: u64,
) -> Result<Sample> {
    let file = to.join(format!("{name}.html"));
    sh.remove_path(&file)?;
    let sources = &reports;
    sh::read(cmd!(sh, "{tool} {command} {sources...} -o {file}"))
        .with_context(|| format!("cannot make the page `{name}`"))?;
    Ok(Sample { name, file, reports, most_bytes })
}

/// Makes every name and text hostile that a program may write freely.
fn strings(report: &mut Value) {
    const FREE: [&str; 10] =
        ["id", "title", "model", "call", "text", "evidence", "fix", "name", "os", "short"];
    tool::each(report, "", &mut |key, value| match value {
        Value::String(text) if FREE.contains(&key) => text.push_str(HOSTILE),
        _ => {}
    });
}

/// Replaces every number with a fraction, all of which are figures.
fn numbers(report: &mut Value, by: f64) {
    tool::each(report, "", &mut |_, value| {
        if value.is_f64() {
            *value = json!(by);
        }
    });
}

/// Leaves nothing that was measured.
fn empty(report: &mut Value) {
    for (_, list) in report.as_object_mut().into_iter().flatten() {
        if let Value::Array(list) = list {
            list.clear();
        }
    }
}

/// A hundred waits, each of its own duration, so that each has its own curve.
fn hundred(report: &mut Value) {
    let waits = report["waits"].as_array().cloned().unwrap_or_default();
    let measured: Vec<Value> =
        waits.into_iter().filter(|wait| wait["samples"].as_u64().is_some_and(|n| n > 0)).collect();
    let all = measured.iter().cycle().take(100).enumerate().map(|(nth, wait)| {
        let mut wait = wait.clone();
        let round = nth / measured.len().max(1);
        wait["requested_ns"] = json!((round + 1) * 100_000);
        wait
    });
    report["waits"] = all.collect();
}
