//! `cargo xtask test`: installs what the tests need, runs them, and sums up the results in one
//! line. Steps that mostly wait run next to steps that mostly compile, in two lanes.
//!
//! Which steps run: some for every change, others only if a file that they check has changed since
//! the commit at which they last passed, which a file names for each.

mod steps;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, VecDeque};
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
    /// what changed since they last passed
    #[arg(conflicts_with = "all")]
    steps: Vec<String>,
    /// Run all steps; anything skipped is a failure, as with CI=true. Implies --record
    #[arg(long)]
    all: bool,
    /// Record which steps passed, and at which commit: nothing may be skipped or uncommitted
    #[arg(long)]
    record: bool,
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
    let recorded = args.all || args.record;
    let strict = recorded || env::var("CI").is_ok_and(|ci| ci == "true");
    let commit = if recorded { Some(clean_commit(sh)?) } else { None };
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
    if let Some(commit) = commit {
        record(sh, &commit, ran.iter().filter(|ran| ran.done.failed == 0))?;
    }
    summarise(ran, start.elapsed(), &left)
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

/// Where each step last passed as a whole: commit, day, processor, and the seconds that it took.
const LAST: &str = "xtask/whole-run.json";
/// The most time of steps that changes add, as their records have it. The others are for `--all`.
/// Machines differ by a factor of three, and the slowest has 90 minutes, too.
const BUDGET: Duration = Duration::from_secs(30 * 60);
/// What a step is assumed to take that has no record.
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
    let last = last(sh)?;
    let mut known = HashMap::new();
    Ok(chosen(&last, |commit| {
        let changed = known.entry(commit.to_owned()).or_insert_with(|| {
            changed(sh, commit).map_err(|error| {
                let why = format!("{error:#}");
                let why = why.lines().next().unwrap_or_default();
                format!("changes since {commit} are not known: {why}")
            })
        });
        changed.clone()
    }))
}

fn last(sh: &Shell) -> Result<Map<String, Value>> {
    serde_json::from_str(&sh.read_file(LAST)?).context(LAST)
}

/// The files that differ from that commit.
fn changed(sh: &Shell, commit: &str) -> Result<Vec<String>> {
    let tracked = sh::read(cmd!(sh, "git diff --name-only --no-renames {commit}"))?;
    let new = sh::read(cmd!(sh, "git ls-files --others --exclude-standard"))?;
    Ok(tracked.lines().chain(new.lines()).map(str::to_owned).collect())
}

/// `changed` returns the files that differ from a commit, or why they are not known.
fn chosen(
    last: &Map<String, Value>,
    mut changed: impl FnMut(&str) -> Result<Vec<String>, String>,
) -> (Vec<&'static Step>, Vec<String>) {
    let (mut added, mut left, mut spent) = (Vec::new(), Vec::new(), Duration::ZERO);
    for step in steps::ALL {
        let Size::Whole(paths) = step.size else { continue };
        let passed = last.get(step.name);
        let why = match passed.and_then(|passed| passed["commit"].as_str()) {
            None => "it has not passed yet".to_owned(),
            Some(commit) => match changed(commit) {
                Err(why) => {
                    left.push(format!("{}: {why}", step.name));
                    continue;
                }
                Ok(files) => {
                    let touches = |path: &&String| paths.split(' ').any(|p| matches(p, path));
                    let Some(file) = files.iter().find(touches) else { continue };
                    format!("{file} has changed since {commit}")
                }
            },
        };
        let time = passed.and_then(|passed| passed["seconds"].as_f64());
        let time = time.map_or(UNKNOWN, Duration::from_secs_f64);
        if spent + time > BUDGET {
            let limit = BUDGET.as_secs() / 60;
            left.push(format!("{}, because {why}: over {limit} minutes; name it", step.name));
            continue;
        }
        println!("{}: added because {why}", step.name);
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

/// The commit that is checked out, with nothing else in its folder.
fn clean_commit(sh: &Shell) -> Result<String> {
    let other = sh::read(cmd!(sh, "git status --porcelain"))?;
    let other = other.lines().find(|line| !line.ends_with(LAST));
    if let Some(other) = other {
        bail!("only what is committed can be recorded; git status: {other}");
    }
    Ok(sh::read(cmd!(sh, "git rev-parse HEAD"))?.trim().to_owned())
}

/// Records which steps passed; what is known of the others stays.
fn record<'a>(sh: &Shell, commit: &str, passed: impl Iterator<Item = &'a Ran>) -> Result<()> {
    let day = sh::read(cmd!(sh, "date -u +%F"))?;
    let cpu = sh.read_file("/proc/cpuinfo").unwrap_or_default();
    let processor = xtask::processor(&cpu, &["cpu family", "model"]);
    let mut last = last(sh)?;
    for ran in passed {
        let entry = json!({
            "commit": commit, "date": day.trim(), "processor": processor,
            "seconds": ran.time.as_secs(),
        });
        last.insert(ran.step.name.to_owned(), entry);
    }
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

    /// Everything passed at the same commit, and took that long.
    fn last(seconds: u64) -> Map<String, Value> {
        let entry = json!({"commit": "c0", "seconds": seconds});
        steps::ALL.iter().map(|step| (step.name.to_owned(), entry.clone())).collect()
    }

    fn names(changed: &[&str], last: &Map<String, Value>) -> (Vec<&'static str>, Vec<String>) {
        let changed: Vec<_> = changed.iter().map(|path| (*path).to_owned()).collect();
        let (steps, left) = chosen(last, |_| Ok(changed.clone()));
        (steps.iter().map(|step| step.name).collect(), left)
    }

    #[test]
    fn a_file_adds_the_steps_that_check_it_and_no_others() {
        let (plain, _) = names(&["docs/METHOD.md"], &last(60));
        assert!(plain.contains(&"chromium") && !plain.contains(&"page"), "{plain:?}");
        for (path, step) in [
            ("crates/report/src/page/page.css", "page"),
            ("elsewhere/a.sql", "analysis"),
            ("crates/chronoscope/src/sys/linux.rs", "cross"),
            ("crates/watch/Cargo.toml", "package"),
            (".github/workflows/ci.yml", "forms"),
            ("crates/chronoscope/src/publish.rs", "models"),
        ] {
            let (with, left) = names(&[path], &last(60));
            assert!(with.contains(&step) && left.is_empty(), "{path}: {with:?}");
            let more = with.iter().filter(|name| !plain.contains(name)).count();
            assert_eq!(more, 1, "{path}: {with:?}");
        }
        let (with, _) = names(&["crates/report/src/page/page.css"], &last(60));
        assert!(!with.contains(&"chromium"), "a part of what runs: {with:?}");
    }

    #[test]
    fn each_step_counts_from_the_commit_at_which_it_passed() {
        let mut last = last(60);
        last["forms"]["commit"] = json!("c1");
        last["dist"]["commit"] = json!("gone");
        last.remove("page");
        let (steps, left) = chosen(&last, |commit| match commit {
            "c0" => Ok(vec!["action.yml".into(), "runtimes/a".into()]),
            "c1" => Ok(vec!["runtimes/a".into()]),
            _ => Err("no such commit".into()),
        });
        let runs = |name: &str| steps.iter().any(|step| step.name == name);
        assert!(runs("runtimes") && !runs("forms"), "action.yml is older than the forms");
        assert!(runs("page") && !runs("chromium"), "it has never passed");
        assert!(left == ["dist: no such commit"], "{left:?}");
    }

    #[test]
    fn what_takes_too_long_is_left_and_named() {
        let (with, left) = names(&["action.yml", "runtimes/a"], &last(1200));
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
