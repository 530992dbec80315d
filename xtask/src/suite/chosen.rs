//! Which steps run: some for every change, others only if a file that they check has changed since
//! the last run of all steps, which a file names.

use super::steps::{self, Size, Step};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::time::Duration;
use xshell::{Shell, cmd};
use xtask::sh;

/// Commit, day and processor of the last run of all steps, and the seconds that each took.
const LAST: &str = "xtask/whole-run.json";
/// The most time of steps that changes add. The others are for `--all`.
const BUDGET: Duration = Duration::from_secs(45 * 60);
/// What a step is assumed to take that the last run does not time.
const UNKNOWN: Duration = Duration::from_secs(5 * 60);

/// When a step runs, in a word.
pub fn size(step: &Step) -> &'static str {
    match step.size {
        Size::Change | Size::Part(_) => "change",
        Size::Whole(_) => "all",
    }
}

/// All steps but those that others contain.
pub fn all() -> Vec<&'static Step> {
    steps::ALL.iter().filter(|step| !matches!(step.size, Size::Part(_))).collect()
}

/// The steps for what changed, and those that did not find a place, each with the reason.
pub fn for_changes(sh: &Shell) -> Result<(Vec<&'static Step>, Vec<String>)> {
    let last: Value = serde_json::from_str(&sh.read_file(LAST)?).context(LAST)?;
    let commit = last["commit"].as_str().context("no commit of the last run of all steps")?;
    let changed = match changed(sh, commit) {
        Ok(changed) => changed,
        Err(error) => {
            let why = format!("{error:#}");
            let why = why.lines().next().unwrap_or_default();
            let left = format!("steps for changes since {commit}, which are not known: {why}");
            return Ok((chosen(&[], &Value::Null).0, vec![left]));
        }
    };
    println!("{} files have changed since {commit}", changed.len());
    Ok(chosen(&changed, &last["seconds"]))
}

/// The files that differ from that commit.
fn changed(sh: &Shell, commit: &str) -> Result<Vec<String>> {
    let tracked = sh::read(cmd!(sh, "git diff --name-only --no-renames {commit}"))?;
    let new = sh::read(cmd!(sh, "git ls-files --others --exclude-standard"))?;
    Ok(tracked.lines().chain(new.lines()).map(str::to_owned).collect())
}

fn chosen(changed: &[String], seconds: &Value) -> (Vec<&'static Step>, Vec<String>) {
    let (mut added, mut left, mut spent) = (Vec::new(), Vec::new(), Duration::ZERO);
    for step in steps::ALL {
        let Size::Whole(paths) = step.size else { continue };
        let touched = |path: &&String| paths.iter().any(|pattern| matches(pattern, path));
        let Some(file) = changed.iter().find(touched) else { continue };
        let time = seconds[step.name].as_f64().map_or(UNKNOWN, Duration::from_secs_f64);
        if spent + time > BUDGET {
            let limit = BUDGET.as_secs() / 60;
            left.push(format!("{}, for {file}: over {limit} minutes; run --all", step.name));
            continue;
        }
        println!("{}: added because {file} changed", step.name);
        spent += time;
        added.push(step.name);
    }
    let runs = |step: &&Step| match step.size {
        Size::Change => true,
        Size::Part(whole) => !added.contains(&whole),
        Size::Whole(_) => added.contains(&step.name),
    };
    (steps::ALL.iter().filter(runs).collect(), left)
}

/// Whether a path is the pattern, in which each `*` stands for any text.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == path };
    let Some(path) = path.strip_prefix(start) else { return false };
    path.char_indices().any(|(at, _)| matches(rest, &path[at..])) || rest.is_empty()
}

/// Records a run of all steps.
pub fn record(sh: &Shell, times: &[(&str, Duration)]) -> Result<()> {
    let commit = sh::read(cmd!(sh, "git rev-parse HEAD"))?;
    let day = sh::read(cmd!(sh, "date -u +%F"))?;
    let cpu = sh.read_file("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let seconds: Map<String, Value> =
        times.iter().map(|(name, time)| ((*name).to_owned(), json!(time.as_secs()))).collect();
    let last = json!({
        "commit": commit.trim(), "date": day.trim(),
        "processor": model.map(|(_, name)| name), "seconds": seconds,
    });
    sh.write_file(LAST, serde_json::to_string_pretty(&last)? + "\n")?;
    println!("{LAST}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(changed: &[&str], seconds: &Value) -> (Vec<&'static str>, Vec<String>) {
        let changed: Vec<_> = changed.iter().map(|path| (*path).to_owned()).collect();
        let (steps, left) = chosen(&changed, seconds);
        (steps.iter().map(|step| step.name).collect(), left)
    }

    #[test]
    fn a_file_adds_the_steps_that_check_it_and_no_others() {
        let (plain, _) = names(&["docs/METHOD.md"], &Value::Null);
        assert!(plain.contains(&"chromium") && !plain.contains(&"page"), "{plain:?}");
        for (path, step) in [
            ("crates/report/src/page/page.css", "page"),
            ("elsewhere/a.sql", "analysis"),
            ("crates/chronoscope/src/sys/linux.rs", "cross"),
            ("crates/watch/Cargo.toml", "package"),
            (".github/workflows/ci.yml", "forms"),
            ("crates/chronoscope/src/publish.rs", "models"),
        ] {
            let (with, left) = names(&[path], &Value::Null);
            assert!(with.contains(&step) && left.is_empty(), "{path}: {with:?}");
            let more = with.iter().filter(|name| !plain.contains(name)).count();
            assert_eq!(more, 1, "{path}: {with:?}");
        }
        let (with, _) = names(&["crates/report/src/page/page.css"], &Value::Null);
        assert!(!with.contains(&"chromium"), "a part of what runs: {with:?}");
    }

    #[test]
    fn what_takes_too_long_is_left_and_named() {
        let (with, left) =
            names(&["action.yml", "runtimes/a"], &json!({"forms": 2000, "runtimes": 900}));
        assert!(with.contains(&"forms") && !with.contains(&"runtimes"), "{with:?}");
        assert!(left.len() == 1 && left[0].contains("runtimes/a"), "{left:?}");
    }

    /// The patterns that no file matches.
    fn stale<'a>(patterns: &[&'a str], files: &[&str]) -> Vec<&'a str> {
        let unused = |pattern: &&&str| !files.iter().any(|path| matches(pattern, path));
        patterns.iter().filter(unused).copied().collect()
    }

    #[test]
    fn paths_of_steps_are_those_of_files() {
        let sh = sh::shell().unwrap();
        let files = sh::read(cmd!(sh, "git ls-files -co --exclude-standard")).unwrap();
        let files: Vec<_> = files.lines().filter(|path| sh.path_exists(path)).collect();
        for step in steps::ALL {
            if let Size::Whole(patterns) = step.size {
                assert_eq!(stale(patterns, &files), [""; 0], "{}", step.name);
            }
        }
        assert_eq!(
            stale(&["*.sql", "a/gone.rs", "b/*"], &["x/y.sql", "a/b/c"]),
            ["a/gone.rs", "b/*"]
        );
    }

    /// What a file of the steps or of `ci` calls by a text: the program of a step, a script.
    #[test]
    fn what_steps_run_exists() {
        let sh = sh::shell().unwrap();
        let (steps, ci) = ["xtask/src/suite/steps.rs", "ci/src/main.rs"]
            .map(|path| sh.read_file(path).unwrap())
            .into();
        let named: Vec<_> =
            steps.split("in_ci(sh, \"").skip(1).filter_map(|at| at.split_once('"')).collect();
        assert!(named.len() > 8);
        let unknown = |name: &str| !ci.contains(&format!("\n        \"{name}\" =>"));
        assert!(unknown("gone"));
        for (name, _) in named {
            assert!(!unknown(name), "ci knows no step {name}");
        }
    }

    #[test]
    fn parts_belong_to_steps_and_all_contains_no_part() {
        for step in steps::ALL {
            if let Size::Part(whole) = step.size {
                assert!(all().iter().any(|step| step.name == whole), "{whole}");
            }
        }
    }
}
