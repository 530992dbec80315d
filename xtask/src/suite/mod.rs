//! `cargo xtask test`: sets up what the tests need, passes them, and says in one line how that
//! went.

mod smoke;
mod steps;
pub mod tally;

use crate::packages::{self, Need};
use crate::sh;
use anyhow::{Result, bail};
use std::env;
use std::time::{Duration, Instant};
use tally::Tally;

pub use smoke::{follows_schema, smoke};
pub use steps::counted;

#[derive(clap::Args)]
pub struct Args {
    /// The steps to take, in their own order; all when none is named
    steps: Vec<String>,
    /// Nothing may be skipped: what is missing is a failure (as with CI=true)
    #[arg(long)]
    all: bool,
    /// Lists the steps and takes none
    #[arg(long)]
    list: bool,
}

/// One step of the whole.
pub struct Step {
    /// As it is named on the command line.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub about: &'static str,
    /// Which packages it cannot do without.
    pub needs: &'static [Need],
    /// Takes it.
    pub run: fn(strict: bool) -> Result<Done>,
}

/// How a step ended that did not fail as a whole.
#[derive(Default, Debug)]
pub struct Done {
    /// Tests and checks, counted one by one.
    pub tally: Tally,
    /// What was skipped, and why.
    pub skipped: Vec<String>,
}

impl Done {
    /// One check, passed.
    pub fn one() -> Self {
        Self {
            tally: Tally {
                passed: 1,
                ..Tally::default()
            },
            skipped: Vec::new(),
        }
    }

    /// Adds one that was skipped, with the reason.
    pub fn skip(&mut self, why: impl Into<String>) {
        self.tally.skipped += 1;
        self.skipped.push(why.into());
    }
}

struct Taken {
    step: &'static Step,
    time: Duration,
    tally: Tally,
    words: Vec<String>,
}

pub fn run(args: &Args) -> Result<()> {
    if args.list {
        for step in steps::ALL {
            println!("{:<10} {}", step.name, step.about);
        }
        return Ok(());
    }
    let chosen = choose(&args.steps)?;
    let strict = args.all || env::var("CI").is_ok_and(|ci| ci == "true");
    let needs: Vec<_> = chosen.iter().flat_map(|step| step.needs).copied().collect();
    if let Err(error) = packages::install(&needs) {
        eprintln!("warning: packages could not be installed: {error:#}");
    }

    let taken: Vec<_> = chosen.into_iter().map(|step| take(step, strict)).collect();
    summarise(&taken)
}

/// The steps of those names, in the order of the list.
fn choose(names: &[String]) -> Result<Vec<&'static Step>> {
    if let Some(unknown) = names
        .iter()
        .find(|name| !steps::ALL.iter().any(|step| step.name == **name))
    {
        let known: Vec<_> = steps::ALL.iter().map(|step| step.name).collect();
        bail!(
            "no step is named `{unknown}`; there are: {}",
            known.join(", ")
        );
    }
    Ok(steps::ALL
        .iter()
        .filter(|step| names.is_empty() || names.iter().any(|name| name == step.name))
        .collect())
}

fn take(step: &'static Step, strict: bool) -> Taken {
    println!("\n=== {}: {}", step.name, step.about);
    let start = Instant::now();
    let missing: Vec<_> = step
        .needs
        .iter()
        .flat_map(|need| packages::missing(*need))
        .collect();
    let ended = if missing.is_empty() {
        (step.run)(strict)
    } else {
        let mut done = Done::default();
        done.skip(format!("missing: {}", missing.join(", ")));
        Ok(done)
    };
    let (tally, words) = match ended {
        // A step that counts its own failures has shown them already.
        Ok(done) if strict && done.tally.skipped > 0 => (
            Tally {
                failed: done.tally.failed + done.tally.skipped,
                skipped: 0,
                ..done.tally
            },
            done.skipped,
        ),
        Ok(done) => (done.tally, done.skipped),
        Err(error) => {
            eprintln!("error: {}: {error:#}", step.name);
            (
                Tally {
                    failed: 1,
                    ..Tally::default()
                },
                vec![format!("{error:#}")],
            )
        }
    };
    Taken {
        step,
        time: start.elapsed(),
        tally,
        words,
    }
}

fn summarise(taken: &[Taken]) -> Result<()> {
    println!("\n=== summary");
    let mut all = Tally::default();
    for Taken {
        step,
        time,
        tally,
        words,
    } in taken
    {
        println!(
            "{:<10} {:>6.1} s  {:<7} {}",
            step.name,
            time.as_secs_f64(),
            tally.word(),
            words
                .first()
                .and_then(|w| w.lines().next())
                .unwrap_or_default()
        );
        for more in words.iter().skip(1) {
            println!("{:28}{}", "", more.lines().next().unwrap_or_default());
        }
        all += *tally;
    }
    let seconds: f64 = taken.iter().map(|step| step.time.as_secs_f64()).sum();
    println!("{seconds:.0} s in all, in {}", sh::root().display());
    println!(
        "\n{} passed, {} failed, {} skipped",
        all.passed, all.failed, all.skipped
    );
    if all.failed > 0 {
        bail!("not all passed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_step_is_named() {
        let error = choose(&["fmt".into(), "lint".into()])
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.contains("`lint`") && error.contains("clippy"),
            "{error}"
        );
    }

    #[test]
    fn steps_keep_their_order() {
        let names = |steps: Vec<&Step>| steps.iter().map(|s| s.name).collect::<Vec<_>>();
        assert_eq!(
            names(choose(&["clippy".into(), "fmt".into()]).unwrap()),
            ["fmt", "clippy"]
        );
        assert_eq!(choose(&[]).unwrap().len(), steps::ALL.len());
    }
}
