//! Runs every command of docs/REPRODUCE.md, shortened, and looks for what its row promises.
//!
//! All rows are tried before the test fails, so that it names everything that is wrong at once.

// The rows name clocks of this processor and waits of this system.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a count becomes, wherever it stands in a command.
const LESS: &[(&str, &str)] = &[
    ("--calls 10M", "--calls 10k"),
    ("--reads 1M", "--reads 1k"),
    ("--count 500", "--count 3"),
    ("--count 50", "--count 2"),
    ("--duration 2h", "--duration 1s"),
    ("--duration 10s", "--duration 1s"),
    ("overhead 9999", "overhead 99"),
    ("instant 9999", "instant 99"),
    ("monotonic 9999", "monotonic 99"),
    ("waits 10 500", "waits 10 2"),
];

/// The option that shortens a command of this beginning, unless it has one of its own.
const SHORT: &[(&str, &str)] = &[
    ("clocks", "--budget 300ms"),
    ("deltas", "--reads 1k"),
    ("deltas posix", "--budget 300ms"),
    ("calls -v", "--budget 300ms"),
    ("calls --load", "--budget 900ms"),
    ("calls posix", "--budget 300ms"),
    ("--preset timetest", "--budget 300ms"),
    ("overhead", "99 99 99"),
    ("waits --preset", "--count 2 --wait 1ms"),
    // Its calls of the system are counted last.
    ("runtimes dotnet-mono", "--budget 12s"),
    ("runtimes", "--budget 4s"),
    ("doctor", "--budget 1s"),
    ("advise --for", "--budget 1s"),
    ("--preset time-functions", "--budget 1s"),
    ("--preset instant-overhead", "--budget 1s"),
    ("--preset windows-waits", "--count 1 --load none,normal"),
    ("--preset stopwatch", "--budget 4s"),
];

struct Row {
    line: usize,
    command: String,
    words: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The parts of a cell that stand between backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The rows whose second cell is a command.
fn rows() -> Vec<Row> {
    let page = fs::read_to_string(root().join("docs/REPRODUCE.md")).expect("the page");
    let row = |(at, line): (usize, &str)| {
        let cells: Vec<&str> = line.split('|').collect();
        let [_, _, command, words, _, _] = cells[..] else { return None };
        let command = quoted(command).pop()?;
        Some(Row { line: at + 1, command, words: quoted(words) })
    };
    page.lines().enumerate().filter_map(row).collect()
}

/// The arguments of a command, shortened.
fn shortened(args: &str) -> String {
    let mut args = args.to_owned();
    for (long, less) in LESS {
        if let Some(before) = args.strip_suffix(long) {
            args = format!("{before}{less}");
        }
        args = args.replace(&format!("{long} "), &format!("{less} "));
    }
    for (begin, option) in SHORT {
        let own = option.split(' ').next().unwrap_or_default();
        let numbers = own == "99" && args.contains(" 99");
        if args.starts_with(begin) && !args.contains(own) && !numbers {
            args = format!("{args} {option}");
        }
    }
    args
}

/// A folder to run in, which holds what the rows read.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    symlink(root().join("docs"), folder.path().join("docs")).expect("a link");
    for name in ["mains", "battery"] {
        let export = format!("json={}", folder.path().join(name).with_extension("json").display());
        let waits = ["waits", "linux/nanosleep", "--wait", "1ms", "--count", "50", "--export"];
        common::run(&[&waits[..], &[&export]].concat());
    }
    folder
}

/// The text as one line, in which words are found wherever a screen breaks its lines.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a command prints, or how it failed.
fn run(args: &str, folder: &Path) -> Result<String, String> {
    let words: Vec<&str> = args.split(' ').collect();
    let mut command = common::tool(&words);
    let output = command.env("COLUMNS", "200").current_dir(folder).output().expect("the tool");
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(0) || errors.contains("panicked") {
        return Err(format!("{}: {}", output.status, errors.trim()));
    }
    Ok(flat(&String::from_utf8_lossy(&output.stdout)))
}

/// The text of a file, or of all files directly in a folder.
fn text_of(path: &Path) -> String {
    let files = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.chain([path.to_owned()]).filter(|path| path.is_file());
    files.map(|path| fs::read_to_string(path).unwrap_or_default()).collect()
}

/// The language runtimes that are not installed here, and the presets that measure them.
fn missing() -> BTreeSet<String> {
    let entries = |what: &str| {
        let output = common::run(&["list", what, "--json"]);
        let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        list["entries"].as_array().expect("a list").clone()
    };
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().expect("a text").to_owned();
    let runtimes = entries("runtimes");
    let ids = |of: &dyn Fn(&serde_json::Value) -> bool| -> BTreeSet<String> {
        runtimes.iter().filter(|row| of(row)).map(|row| text(row, "id")).collect()
    };
    let mut missing = ids(&|row| row["available"] == false);
    // A word may stand for several, such as `dotnet` for those of CoreCLR and of Mono.
    let is_missing = |word: &str| {
        let named = ids(&|row| text(row, "id").split('-').next() == Some(word));
        !named.is_empty() && named.is_subset(&missing)
    };
    let presets = entries("presets").into_iter();
    let presets = presets.filter(|row| text(row, "call").split(' ').any(is_missing));
    let presets: Vec<_> = presets.map(|row| text(&row, "id")).collect();
    missing.extend(presets);
    missing
}

#[test]
fn every_row_of_the_page_shows_what_it_promises() {
    let (rows, folder, missing) = (rows(), place(), missing());
    assert!(rows.len() >= 100, "only {} rows were read", rows.len());
    let mut screens: BTreeMap<&str, Result<String, String>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for Row { line, command, words } in &rows {
        let mut report = |reason: String| wrong.push(format!("line {line}: {command}: {reason}"));
        if words.is_empty() {
            report("it names nothing to look for".to_owned());
        }
        let Some(args) = command.strip_prefix("chronoscope ") else {
            // Run elsewhere: the first word is the file or folder that does that.
            let (path, words) = words.split_first().map_or(("", &[][..]), |(a, b)| (a.as_str(), b));
            let text = text_of(&root().join(path));
            for word in words.iter().filter(|word| !text.contains(word.as_str())) {
                report(format!("no `{word}` in {path}"));
            }
            continue;
        };
        let needs = missing.iter().find(|id| args.contains(id.as_str()));
        let shown_anyway = args.starts_with("list") || args.starts_with("explain");
        if let Some(id) = needs.filter(|_| !shown_anyway) {
            println!("line {line}: skipped, {id} is not installed");
            continue;
        }
        let ran = |args: &str| {
            let start = Instant::now();
            let screen = run(args, folder.path());
            println!("{:6.2} s  chronoscope {args}", start.elapsed().as_secs_f64());
            screen
        };
        let screen = screens.entry(command).or_insert_with(|| ran(&shortened(args)));
        let shows = |text: &String| words.iter().all(|word| text.contains(word.as_str()));
        // A busy machine may leave something out of so short a run. Runtimes are started and traced
        // within their budget.
        if !screen.as_ref().is_ok_and(shows) {
            *screen = ran(&shortened(args).replace("--budget 4s", "--budget 20s"));
        }
        match screen {
            Err(error) => report(error.clone()),
            Ok(text) => {
                for word in words.iter().filter(|word| !text.contains(word.as_str())) {
                    report(format!("no `{word}` on its screen"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
