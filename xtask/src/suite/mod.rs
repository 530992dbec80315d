//! `cargo xtask test`: sets up what the tests need, runs them, and reports the result in one line.

mod steps;

use crate::packages;
use crate::sh;
use crate::tally::{Done, Tally};
use anyhow::{Result, bail};
use std::env;
use std::time::{Duration, Instant};
use steps::Step;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// The steps to take, in their own order; all if none is named
    steps: Vec<String>,
    /// Nothing may be skipped: what is missing is a failure (as with CI=true)
    #[arg(long)]
    all: bool,
    /// Lists the steps and takes none
    #[arg(long)]
    list: bool,
}

/// A step that was taken.
struct Taken {
    name: &'static str,
    time: Duration,
    /// What the programs that it started took of all CPUs; zero if the system does not say.
    cpu: Duration,
    tally: Tally,
    /// What was skipped or failed, and why.
    words: Vec<String>,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    if args.list {
        for step in steps::ALL {
            println!("{:<10} {}", step.name, step.about);
        }
        return Ok(());
    }
    let chosen = choose(&args.steps)?;
    let strict = args.all || env::var("CI").is_ok_and(|ci| ci == "true");
    // All at once, as each installation takes its time.
    let needs = chosen
        .iter()
        .flat_map(|step| [step.needs, &(step.uses)()].concat());
    packages::install(sh, &needs.collect::<Vec<_>>());

    let taken: Vec<_> = chosen
        .into_iter()
        .map(|step| take(sh, step, strict))
        .collect();
    summarise(&taken)
}

/// The steps of those names, in the order of the list.
fn choose(names: &[String]) -> Result<Vec<&'static Step>> {
    let known = |name: &&String| steps::ALL.iter().any(|step| step.name == **name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        let known: Vec<_> = steps::ALL.iter().map(|step| step.name).collect();
        bail!(
            "no step is named `{unknown}`; the steps are: {}",
            known.join(", ")
        );
    }
    let chosen = steps::ALL.iter();
    Ok(chosen
        .filter(|step| names.is_empty() || names.iter().any(|name| name == step.name))
        .collect())
}

fn take(sh: &Shell, step: &'static Step, strict: bool) -> Taken {
    println!("\n=== {}: {}", step.name, step.about);
    let (start, before) = (Instant::now(), children_cpu());
    let missing = packages::missing(step.needs);
    let ended = if missing.is_empty() {
        (step.run)(sh, strict)
    } else {
        let mut done = Done::default();
        done.skip(format!("missing: {}", missing.join(", ")));
        Ok(done)
    };
    let (mut tally, words) = match ended {
        Ok(done) => (done.tally, done.skipped),
        Err(error) => {
            eprintln!("error: {}: {error:#}", step.name);
            let failed = Tally {
                failed: 1,
                ..Tally::default()
            };
            (failed, vec![format!("{error:#}")])
        }
    };
    if strict {
        tally.failed += std::mem::take(&mut tally.skipped);
    }
    let time = start.elapsed();
    println!(
        "=== {}: {:.0} s, {}",
        step.name,
        time.as_secs_f64(),
        tally.word()
    );
    Taken {
        name: step.name,
        time,
        cpu: children_cpu().saturating_sub(before),
        tally,
        words,
    }
}

/// CPU time of the programs that were started and have ended: the times of children in
/// `/proc/self/stat` (proc(5)), in hundredths of a second.
fn children_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in brackets, may contain anything; the next field is the third.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(16 - 3).take(2);
    let hundredths: u64 = times.flat_map(str::parse::<u64>).sum();
    Duration::from_millis(hundredths * 10)
}

fn summarise(taken: &[Taken]) -> Result<()> {
    println!("\n=== summary: each step's time, its CPU time, and its result");
    let mut all = Tally::default();
    let (mut time, mut cpu) = (Duration::ZERO, Duration::ZERO);
    for step in taken {
        let [wall, busy] = [step.time, step.cpu].map(|time| time.as_secs_f64());
        println!(
            "{:<10} {wall:>6.1} s {busy:>6.1} s  {}",
            step.name,
            step.tally.word()
        );
        for words in &step.words {
            println!("{:30}{}", "", words.lines().next().unwrap_or_default());
        }
        all += step.tally;
        time += step.time;
        cpu += step.cpu;
    }
    let [wall, busy] = [time, cpu].map(|time| time.as_secs_f64());
    println!(
        "{:<10} {wall:>6.1} s {busy:>6.1} s  in {}",
        "all",
        sh::root().display()
    );
    let Tally {
        passed,
        failed,
        skipped,
    } = all;
    println!("\n{passed} passed, {failed} failed, {skipped} skipped");
    if failed > 0 {
        bail!("not all tests passed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_step_is_named() {
        let error = choose(&["fmt".into(), "lint".into()]).err().unwrap();
        let error = error.to_string();
        assert!(
            error.contains("`lint`") && error.contains("clippy"),
            "{error}"
        );
    }

    #[test]
    fn steps_keep_their_order() {
        let names = |steps: Vec<&Step>| steps.iter().map(|s| s.name).collect::<Vec<_>>();
        let chosen = choose(&["clippy".into(), "fmt".into()]).unwrap();
        assert_eq!(names(chosen), ["fmt", "clippy"]);
        assert_eq!(choose(&[]).unwrap().len(), steps::ALL.len());
    }
}
