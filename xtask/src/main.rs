//! Development tasks for chronoscope: tests, generated files, cross-compiled targets, and
//! comparisons with other tools. `cargo xtask --help` lists them.

mod aa;
mod alarms;
mod api;
mod bench;
mod blame;
mod capi;
mod cross;
mod crosscheck;
mod crosscheck_qpc;
mod crosscheck_runtimes;
mod crosscheck_trust;
mod crosscheck_waits;
mod deny;
mod disasm;
mod generate;
mod lab;
mod msrv;
mod packages;
mod resolve;
mod results;
mod runner;
mod runtimes;
mod sh;
mod suite;
mod tally;
mod tool;
mod vm;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tasks for chronoscope")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Installs what the tests need and runs them
    Test(suite::Args),
    /// Regenerates checked-in files: schema, completions, man pages, C header, API list
    Generate(generate::Args),
    /// Installs the C library with its headers and pkg-config file
    InstallCapi(capi::Args),
    /// Checks the licences and sources of all dependencies against deny.toml
    Deny,
    /// Checks that each clock's timed loop contains the instruction or call that it claims to time
    Disasm(disasm::Args),
    /// Builds for other targets and runs their tests under Wine and QEMU
    Cross(cross::Args),
    /// Plants faults of time in virtual machines and processes, and checks what the tool finds
    Lab(lab::Args),
    /// Compares costs with Google Benchmark and criterion; updates docs/RESULTS.md
    Crosscheck(crosscheck::Args),
    /// Compares the library with its peers and checks its promises; updates docs/RESULTS.md
    Bench(bench::Args),
    /// Checks that the intervals of consecutive complete runs overlap; updates docs/RESULTS.md
    Aa(aa::Args),
    /// Looks for false alarms of doctor, idle and loaded; updates docs/RESULTS.md
    Alarms(alarms::Args),
    /// Checks that five dependent additions can be told from four
    Resolve(resolve::Args),
    /// Plants causes of lateness and checks that they are named; updates docs/RESULTS.md
    Blame(blame::Args),
    /// Compares waits with cyclictest; updates docs/RESULTS.md
    CrosscheckWaits,
    /// Compares verdicts with the kernel's timer selftests and fio; updates docs/RESULTS.md
    CrosscheckTrust(crosscheck_trust::Args),
    /// Compares QueryPerformanceCounter under Wine with a plain C loop; updates docs/RESULTS.md
    CrosscheckQpc,
    /// Compares reads in other languages with JMH, pyperf and others; updates docs/RESULTS.md
    CrosscheckRuntimes(crosscheck_runtimes::Args),
}

fn main() -> ExitCode {
    match run(Args::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    let sh = &sh::shell()?;
    match command {
        Command::Test(args) => suite::run(sh, &args),
        Command::Generate(args) => generate::run(sh, &args),
        Command::InstallCapi(args) => capi::install(sh, &args),
        Command::Deny => deny::run(sh),
        Command::Disasm(args) => disasm::run(sh, &args),
        Command::Cross(args) => cross::run(sh, &args),
        Command::Lab(args) => lab::run(sh, &args),
        Command::Crosscheck(args) => crosscheck::run(sh, &args),
        Command::Bench(args) => bench::run(sh, &args),
        Command::Aa(args) => aa::run(sh, &args),
        Command::Alarms(args) => alarms::run(sh, &args),
        Command::Resolve(args) => resolve::run(sh, &args),
        Command::Blame(args) => blame::run(sh, &args),
        Command::CrosscheckWaits => crosscheck_waits::run(sh),
        Command::CrosscheckTrust(args) => crosscheck_trust::run(sh, &args),
        Command::CrosscheckQpc => crosscheck_qpc::run(sh),
        Command::CrosscheckRuntimes(args) => crosscheck_runtimes::run(sh, &args),
    }
}
