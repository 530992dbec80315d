//! `cargo xtask test`: installs what the tests need, runs them, and sums up the results in one
//! line. Steps that mostly wait run next to steps that mostly compile, in two lanes.
//!
//! Which steps run: some for every change, others only if a file that they check has changed since
//! the last run of all steps, which a file names.

mod steps;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, iter};
pub use steps::ci;
use steps::{Lane, Size, Step};
use xshell::{Shell, cmd};
use xtask::tally::Done;
use xtask::{packages, sh};

#[derive(clap::Args)]
pub struct Args {
    /// Steps to run, always in their fixed order; by default those for every change, and those for
    /// what changed since the last run of all steps
    #[arg(conflicts_with = "all")]
    steps: Vec<String>,
    /// Run all steps; anything skipped is a failure, as with CI=true
    #[arg(long)]
    all: bool,
    /// List the steps without running them
    #[arg(long)]
    list: bool,
}

struct Ran {
    step: &'static Step,
    time: Duration,
    done: Done,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if args.list {
        for step in steps::ALL {
            println!("{:<10} {:<6} {}", step.name, size(step), step.about);
        }
        return Ok(());
    }
    let (chosen, left) = if args.all {
        (all(), vec![])
    } else if args.steps.is_empty() {
        for_changes(sh)?
    } else {
        (choose(&args.steps)?, vec![])
    };
    let names: Vec<_> = chosen.iter().map(|step| step.name).collect();
    println!("steps: {}", names.join(" "));
    let strict = args.all || env::var("CI").is_ok_and(|ci| ci == "true");
    // In one go, because every run of the package manager takes a while.
    let needs = chosen.iter().flat_map(|step| [step.needs, &(step.uses)()].concat());
    packages::install(sh, &needs.collect::<Vec<_>>());

    let start = Instant::now();
    // What needs no build comes first: it fails in seconds.
    let (first, rest): (Vec<_>, Vec<_>) =
        chosen.into_iter().partition(|step| step.needs.is_empty());
    let mut ran = run_steps(first, strict)?;
    // Both lanes need it, and so they need not wait for each other's builds.
    if !rest.is_empty() {
        drop(ci(sh)?);
    }
    let of = |lane| rest.iter().copied().filter(move |step| step.lane == lane);
    let either: Mutex<VecDeque<_>> = Mutex::new(of(Lane::Either).collect());
    let next = || either.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let run_lane = |lane| run_steps(of(lane).chain(iter::from_fn(next)), strict);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| run_lane(Lane::There));
        ran.extend(run_lane(Lane::Here)?);
        ran.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        anyhow::Ok(())
    })?;
    let place = |ran: &Ran| steps::ALL.iter().position(|step| step.name == ran.step.name);
    ran.sort_by_key(place);
    let times: Vec<_> = ran.iter().map(|ran| (ran.step.name, ran.time)).collect();
    summarise(ran, start.elapsed(), &left)?;
    if args.all { record(sh, &times) } else { Ok(()) }
}

/// Runs these steps one after the other, in a shell of their own.
fn run_steps(steps: impl IntoIterator<Item = &'static Step>, strict: bool) -> Result<Vec<Ran>> {
    let sh = sh::shell()?;
    Ok(steps.into_iter().map(|step| run_step(&sh, step, strict)).collect())
}

/// Returns the named steps in the order of the list.
fn choose(names: &[String]) -> Result<Vec<&'static Step>> {
    let known = |name: &&String| steps::ALL.iter().any(|step| step.name == **name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let known: Vec<_> = steps::ALL.iter().map(|step| step.name).collect();
        bail!("unknown step `{unknown}`; the steps are: {}", known.join(", "));
    }
    let chosen = steps::ALL.iter();
    Ok(chosen.filter(|step| names.iter().any(|name| name == step.name)).collect())
}

fn run_step(sh: &Shell, step: &'static Step, strict: bool) -> Ran {
    println!("\n=== {}: {}", step.name, step.about);
    let start = Instant::now();
    let missing = packages::missing(step.needs);
    let ended = if missing.is_empty() {
        (step.run)(sh, step, strict)
    } else {
        Ok(Done::skipped(format!("missing: {}", missing.join(", "))))
    };
    let mut done = ended.unwrap_or_else(|error| {
        eprintln!("error: {}: {error:#}", step.name);
        Done::failed(format!("{error:#}"))
    });
    if strict {
        done.failed += std::mem::take(&mut done.skipped);
    }
    let time = start.elapsed();
    println!("=== {}: {:.0} s, {}", step.name, time.as_secs_f64(), done.word());
    Ran { step, time, done }
}

fn summarise(steps: Vec<Ran>, time: Duration, left: &[String]) -> Result<()> {
    println!("\n=== summary: step, time, result");
    let line = |name: &str, time: Duration, what: &str| {
        println!("{name:<10} {:>6.1} s  {what}", time.as_secs_f64());
    };
    let mut all = Done::default();
    for ran in steps {
        line(ran.step.name, ran.time, ran.done.word());
        for reason in &ran.done.reasons {
            println!("           {}", reason.lines().next().unwrap_or_default());
        }
        all += ran.done;
    }
    for step in left {
        println!("not run: {step}");
    }
    let busy = sh::children_cpu().as_secs_f64();
    let root = sh::root().display();
    line("all", time, &format!("with {busy:.0} s of CPU time, in {root}"));
    println!("\n{} passed, {} failed, {} skipped", all.passed, all.failed, all.skipped);
    ensure!(all.failed == 0, "not all tests passed");
    Ok(())
}

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
        let touched = |path: &&String| paths.split(' ').any(|pattern| matches(pattern, path));
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

    #[test]
    fn an_unknown_step_is_reported() {
        let error = choose(&["fmt".into(), "lint".into()]).err().unwrap();
        let error = error.to_string();
        assert!(error.contains("`lint`") && error.contains("clippy"), "{error}");
    }

    #[test]
    fn steps_run_in_their_fixed_order() {
        let names = |steps: Vec<&Step>| steps.iter().map(|s| s.name).collect::<Vec<_>>();
        let chosen = choose(&["clippy".into(), "fmt".into()]).unwrap();
        assert_eq!(names(chosen), ["fmt", "clippy"]);
    }
}

#[cfg(test)]
mod chosen_tests {
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
    fn stale<'a>(patterns: &'a str, files: &[&str]) -> Vec<&'a str> {
        let unused = |pattern: &&str| !files.iter().any(|path| matches(pattern, path));
        patterns.split(' ').filter(unused).collect()
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
        let found = stale("*.sql a/gone.rs b/*", &["x/y.sql", "a/b/c"]);
        assert_eq!(found, ["a/gone.rs", "b/*"]);
    }

    /// What a file of the steps or of `ci` calls by a text: the program of a step, a script.
    #[test]
    fn what_steps_run_exists() {
        let sh = sh::shell().unwrap();
        let (steps, ci) = ["xtask/src/suite/steps.rs", "ci/src/main.rs"]
            .map(|path| sh.read_file(path).unwrap())
            .into();
        let own = steps.split("Step {").filter_map(|step| step.split_once("..STEP"));
        let of_ci = own.filter(|(step, _)| !step.contains(" run: "));
        let named = of_ci.filter_map(|(step, _)| step.split_once("name: \"")?.1.split_once('"'));
        let called = steps.split("in_ci(sh, \"").skip(1).filter_map(|at| at.split_once('"'));
        let named: Vec<_> = named.chain(called).collect();
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
