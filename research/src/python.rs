//! What a read and a wait take in Python, with the module and without.

use crate::results;
use anyhow::{Context, Result};
use chronoscope_ci::sh;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Print the part without writing it
    #[arg(long)]
    dry: bool,
}

#[derive(Deserialize)]
struct Measured {
    version: String,
    /// Nanoseconds.
    pairs: BTreeMap<String, f64>,
    /// The median overshoot in microseconds, and the share of a CPU.
    waits: BTreeMap<String, (f64, f64)>,
    /// Of sleeps in an event loop: the overshoot at p50 and p90 in microseconds, and the share of a
    /// CPU.
    tasks: BTreeMap<String, (f64, f64, f64)>,
}

/// Installs the wheel of a release in each interpreter, and measures there.
pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    sh::run(cmd!(sh, "cargo xtask dist --target x86_64-unknown-linux-gnu"))?;
    let scratch = sh.create_temp_dir()?;
    let (wheels, to) = (sh::target().join("archives"), scratch.path());
    let all = cmd!(sh, "python3 -B research/python/all.py {wheels} {to}");
    let text = sh::read(all.env("PYTHONPATH", sh::root().join("ci/src")))?;
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
    let mut part = format!(
        "## Reads and waits in Python\n\n{}`cargo research python`, {now}. Pairs: two reads and \
         their difference, without the loop, the cheapest of 40 interleaved rounds; in brackets, \
         the ratio to `perf_counter_ns` (goal: 0.75). Waits of 1 ms in turns: the median overshoot \
         and the CPU time (goals: 0.1 of `time.sleep`'s, 6 %). In asyncio's loop, p50, p90 and the \
         CPU time of `asyncio.sleep` and of the module's `sleep` (goals: 5 us, 20 us, 1.5 points \
         more).\n\n\
         | CPython | `perf_counter_ns` twice | `Instant` | `Stopwatch` | `elapsed_bounded` | \
         `time.sleep` | `wait` | `asyncio.sleep` | `sleep` |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        results::this_machine(sh)
    );
    for line in text.lines() {
        let Measured { version, pairs, waits, tasks } = serde_json::from_str(line)?;
        let pair = |name: &str| pairs.get(name).copied().with_context(|| format!("no {name}"));
        let floor = pair("floor")?;
        write!(part, "| {version} | {floor:.1} ns ")?;
        for name in ["instant", "stopwatch", "bounded"] {
            let ns = pair(name)?;
            write!(part, "| {ns:.1} ns ({:.2}) ", ns / floor)?;
        }
        let [(slept, slept_cpu), (waited, waited_cpu)] =
            ["sleep", "wait"].map(|name| waits.get(name).copied().unwrap_or_default());
        write!(
            part,
            "| {slept:.1} us, {:.1} % | {waited:.1} us ({:.3}), {:.1} % |",
            slept_cpu * 100.0,
            waited / slept,
            waited_cpu * 100.0
        )?;
        for name in ["asyncio", "clock"] {
            let (p50, p90, cpu) = tasks.get(name).with_context(|| format!("no {name}"))?;
            write!(part, " {p50:.1} us, {p90:.1} us, {:.1} % |", cpu * 100.0)?;
        }
        part.push('\n');
    }
    results::publish(sh, "python", &part, args.dry)
}
