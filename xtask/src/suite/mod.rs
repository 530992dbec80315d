//! `cargo xtask test`: installs what the tests need, runs them, and sums up the results in one
//! line. Steps that mostly wait run next to steps that mostly compile.

mod chosen;
mod msrv;
mod steps;

pub use steps::ci;

use anyhow::{Result, bail, ensure};
use std::env;
use std::time::{Duration, Instant};
use steps::Step;
use xshell::Shell;
use xtask::packages;
use xtask::sh;
use xtask::tally::Done;

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
            println!("{:<10} {:<6} {}", step.name, chosen::size(step), step.about);
        }
        return Ok(());
    }
    let (chosen, left) = if args.all {
        (chosen::all(), vec![])
    } else if args.steps.is_empty() {
        chosen::for_changes(sh)?
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
    let (there, here): (Vec<_>, Vec<_>) = rest.into_iter().partition(|step| step.concurrent);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| run_steps(there, strict));
        ran.extend(run_steps(here, strict)?);
        ran.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        anyhow::Ok(())
    })?;
    let place = |ran: &Ran| steps::ALL.iter().position(|step| step.name == ran.step.name);
    ran.sort_by_key(place);
    let times: Vec<_> = ran.iter().map(|ran| (ran.step.name, ran.time)).collect();
    summarise(ran, start.elapsed(), &left)?;
    if args.all { chosen::record(sh, &times) } else { Ok(()) }
}

/// Runs these steps one after the other, in a shell of their own.
fn run_steps(steps: Vec<&'static Step>, strict: bool) -> Result<Vec<Ran>> {
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
        (step.run)(sh, strict)
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
