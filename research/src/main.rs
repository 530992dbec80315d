//! Experiments with chronoscope: comparisons with other tools, planted faults, and long runs. Most
//! of them write a part of docs/RESULTS.md. `cargo research --help` lists them.

mod aa;
mod adapters;
mod alarms;
mod analysis;
mod answers;
mod bench;
mod between;
mod blame;
mod build;
mod changes;
mod crosscheck;
mod crosscheck_qpc;
mod crosscheck_runtimes;
mod crosscheck_trust;
mod crosscheck_waits;
mod fleet_queries;
mod fleet_serve;
mod lab;
mod loaded;
mod page;
mod paired;
mod pauses;
mod process;
mod python;
mod reproduce;
mod resolve;
mod results;
mod runtimes_repeat;
mod shipped;
mod snippets;
mod sweep_vm;
mod vm;
mod watch;
mod witness;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo research",
    about = "Comparisons with other tools, planted faults and long runs"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Plants faults of time in virtual machines and processes, and checks what the tool finds
    Lab(lab::Args),
    /// Compares costs with Google Benchmark and criterion; updates docs/RESULTS.md
    Crosscheck(crosscheck::Args),
    /// Sweeps the clock sources of an emulated PC with .NET; writes a report to docs/reports
    SweepVm(sweep_vm::Args),
    /// Compares the library with its peers and checks its promises; updates docs/RESULTS.md
    Bench(bench::Args),
    /// Checks that the intervals of consecutive complete runs overlap; updates docs/RESULTS.md
    Aa(aa::Args),
    /// Compares other people's crates with and without our adapters; updates docs/RESULTS.md
    Adapters(adapters::Args),
    /// Makes the table of what whole runs differ by from kept runs, and evaluates it
    Between(between::Args),
    /// Checks that the main command answers alike, and soon; updates docs/RESULTS.md
    Answers(answers::Args),
    /// Compares identical runs, and runs with a planted change; updates docs/RESULTS.md
    Changes(changes::Args),
    /// Looks for false alarms of doctor, idle and loaded; updates docs/RESULTS.md
    Alarms(alarms::Args),
    /// Checks that five dependent additions differ from four
    Resolve(resolve::Args),
    /// Plants causes of late wake-ups and checks that they are named; updates docs/RESULTS.md
    Blame(blame::Args),
    /// Stops an emulated PC again and again, and checks that each pause is named with its length;
    /// updates docs/RESULTS.md
    Pauses(pauses::Args),
    /// Times how soon a page is usable in Chromium; updates docs/RESULTS.md
    Page(page::Args),
    /// Times the queries of a synthetic fleet in both engines; updates docs/RESULTS.md
    FleetQueries(fleet_queries::Args),
    /// Times scrapes of the exporter, and what it takes; updates docs/RESULTS.md
    FleetServe(fleet_serve::Args),
    /// Runs the code of waits that `advise` prints, and compares it with the figures above it;
    /// updates docs/RESULTS.md
    Snippets(snippets::Args),
    /// Measures what the live view takes, and its waits next to those of `waits`; updates
    /// docs/RESULTS.md
    Watch(watch::Args),
    /// Plants disturbances of pieces with a witness, and bursty loads next to harnesses and
    /// `noise`; updates docs/RESULTS.md
    Witness(witness::Args),
    /// Measures reads and waits in Python with the wheel of a release; updates docs/RESULTS.md
    Python(python::Args),
    /// Measures what `cargo xtask dist` makes for this machine; updates docs/RESULTS.md
    Shipped(shipped::Args),
    /// Times a release build from nothing; updates docs/RESULTS.md
    Build,
    /// Compares waits with cyclictest; updates docs/RESULTS.md
    CrosscheckWaits,
    /// Compares waits of six languages with independent programs; updates docs/RESULTS.md
    CrosscheckLanguages(snippets::Rounds),
    /// Compares verdicts with the kernel's timer selftests and fio; updates docs/RESULTS.md
    CrosscheckTrust(paired::Tool),
    /// Compares QueryPerformanceCounter under Wine with a plain C loop; updates docs/RESULTS.md
    CrosscheckQpc,
    /// Compares reads in other languages with JMH, pyperf and others; updates docs/RESULTS.md
    CrosscheckRuntimes(crosscheck_runtimes::Args),
    /// Checks that runs of four runtimes agree, and how closely; updates docs/RESULTS.md
    RuntimesRepeat(runtimes_repeat::Args),
    /// Compares the programs of the five texts with the tool; updates docs/RESULTS.md
    Reproduce(reproduce::Args),
}

fn main() -> ExitCode {
    chronoscope_ci::ended(run(Args::parse().command))
}

fn run(command: Command) -> Result<()> {
    let sh = &chronoscope_ci::sh::shell()?;
    match command {
        Command::Lab(args) => lab::run(sh, &args),
        Command::Crosscheck(args) => crosscheck::run(sh, &args),
        Command::SweepVm(args) => sweep_vm::run(sh, &args),
        Command::Bench(args) => bench::run(sh, &args),
        Command::Aa(args) => aa::run(sh, &args),
        Command::Between(args) => between::run(sh, &args),
        Command::Adapters(args) => adapters::run(sh, &args),
        Command::Answers(args) => answers::run(sh, &args),
        Command::Changes(args) => changes::run(sh, &args),
        Command::Alarms(args) => alarms::run(sh, &args),
        Command::Resolve(args) => resolve::run(sh, &args),
        Command::Blame(args) => blame::run(sh, &args),
        Command::Pauses(args) => pauses::run(sh, &args),
        Command::Page(args) => page::run(sh, &args),
        Command::FleetQueries(args) => fleet_queries::run(sh, &args),
        Command::FleetServe(args) => fleet_serve::run(sh, &args),
        Command::Watch(args) => watch::run(sh, &args),
        Command::Witness(args) => witness::run(sh, &args),
        Command::Python(args) => python::run(sh, &args),
        Command::Shipped(args) => shipped::run(sh, &args),
        Command::Snippets(args) => snippets::run(sh, &args),
        Command::Build => build::run(sh),
        Command::CrosscheckWaits => crosscheck_waits::run(sh),
        Command::CrosscheckLanguages(args) => snippets::independent(sh, &args),
        Command::CrosscheckTrust(args) => crosscheck_trust::run(sh, &args),
        Command::CrosscheckQpc => crosscheck_qpc::run(sh),
        Command::CrosscheckRuntimes(args) => crosscheck_runtimes::run(sh, &args),
        Command::RuntimesRepeat(args) => runtimes_repeat::run(sh, &args),
        Command::Reproduce(args) => reproduce::run(sh, &args),
    }
}
