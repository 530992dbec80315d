//! Whether the code of waits that `advise` prints keeps the figures above it, and whether waits of
//! runtimes are as late in programs that know nothing of the tool.

use anyhow::Result;
use chronoscope_ci::{cross, sh, tool};
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Durations, and rates of loops that work for 0.5 ms
    #[arg(default_values = ["1ms", "16.7ms", "6.944ms", "144Hz"])]
    durations: Vec<String>,
    /// Take the code for Windows, in C and C++, which MinGW compiles and Wine runs
    #[arg(long)]
    windows: bool,
}

/// Compiles and runs each snippet, and compares it with the advice: within 1.5 points of a CPU, and
/// 25 % or 5 us.
pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let script = |tool| {
        let durations = &args.durations;
        cmd!(sh, "python3 -B research/python/snippets.py {tool} {durations...}")
    };
    if !args.windows {
        return sh::run(script(tool::release(sh)?.tool));
    }
    let (wine, tool) = cross::windows(sh)?;
    let ran = sh::run(script(tool).envs(wine.runner().env));
    wine.end(sh);
    ran
}

#[derive(clap::Args)]
pub struct Rounds {
    /// How often the tool and each program take turns
    #[arg(default_value_t = 15)]
    rounds: u32,
}

/// Compares the medians of six languages, idle and next to busy processes: within 10 % or 3 us.
pub fn independent(sh: &Shell, args: &Rounds) -> Result<()> {
    let tool = tool::release(sh)?.tool;
    let rounds = args.rounds.to_string();
    sh::run(cmd!(sh, "python3 -B research/python/independent.py {tool} {rounds}"))
}
