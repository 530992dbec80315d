//! `cargo research changes`: does `compare` say that identical runs are the same, does it see a
//! change that was planted, and how long does it take?

mod pairs;
mod place;
mod plant;
mod runs;
mod sets;
mod speed;
mod turns;

use crate::paired::Tool;
use crate::results;
use anyhow::{Result, ensure};
use place::Place;
use std::cell::OnceCell;
use std::path::PathBuf;
use std::time::Instant;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Calm runs of each command; half as many are made under each other condition
    #[arg(default_value_t = 15)]
    runs: usize,
    /// Compare each run with one other only instead of all with all: 100 pairs need 200 runs
    #[arg(long)]
    disjoint: bool,
    /// What to measure
    #[arg(long, value_delimiter = ',', default_values = ["stored", "speed"])]
    parts: Vec<Part>,
    /// The time of each stored run; that of its command by default
    #[arg(long, value_name = "DURATION")]
    budget: Option<String>,
    /// How often `compare --run` compares identical commands, and different ones; how often sets
    /// are dealt out
    #[arg(long, default_value_t = 12)]
    draws: usize,
    /// The folder that keeps the runs; those that it holds are not made again
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    tool: Tool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Part {
    /// Pairs of stored reports, identical and with a planted change
    Stored,
    /// Commands that take turns
    Turns,
    /// Sets of stored runs, identical and with a planted change
    Sets,
    /// How long a comparison takes, and its memory
    Speed,
}

/// A part of docs/RESULTS.md, and what in it is not as it should be.
struct Found {
    name: &'static str,
    text: String,
    failures: Vec<String>,
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    ensure!(args.runs >= 2, "a pair needs two runs");
    let temporary = sh.create_temp_dir()?;
    let folder = args.keep.as_deref().unwrap_or(temporary.path());
    let place = &Place {
        sh,
        tool: args.tool.get(sh)?,
        folder: sh.current_dir().join(folder),
        budget: args.budget.as_deref(),
        slower: OnceCell::new(),
    };
    sh.create_dir(&place.folder)?;
    let mut failures = Vec::new();
    for part in &args.parts {
        let began = Instant::now();
        let found = match part {
            Part::Stored => pairs::run(place, args.runs, args.disjoint)?,
            Part::Turns => turns::run(place, args.draws)?,
            Part::Sets => sets::run(place, args.draws)?,
            Part::Speed => speed::run(place)?,
        };
        results::publish(sh, found.name, &found.text, false)?;
        failures.extend(found.failures);
        println!("{}: {:.0} s", found.name, began.elapsed().as_secs_f64());
    }
    ensure!(failures.is_empty(), "{}", failures.join("; "));
    Ok(())
}
