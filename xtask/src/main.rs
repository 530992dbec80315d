//! What it takes to work on chronoscope: its tests, its generated files, its other targets and
//! the comparisons of its figures with other tools. `cargo xtask --help` lists them.

mod api;
mod bench;
mod capi;
mod cross;
mod crosscheck;
mod crosscheck_qpc;
mod crosscheck_waits;
mod deny;
mod disasm;
mod generate;
mod packages;
mod results;
mod runner;
mod selftest;
mod sh;
mod suite;
mod tally;
mod tool;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Tests, targets and generated files of chronoscope"
)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sets up what the tests need and runs them
    Test(suite::Args),
    /// Writes the files that are made from the source: schema, completions, man pages, header
    Generate(generate::Args),
    /// Installs the library for C, with its headers and its pkg-config file
    InstallCapi(capi::Args),
    /// Checks licences and sources of all dependencies against deny.toml
    Deny,
    /// Checks that each clock's timed loop contains the instruction or call it claims to time
    Disasm(disasm::Args),
    /// Builds the other targets and runs them under Wine and QEMU
    Cross(cross::Args),
    /// Compares costs with Google Benchmark and criterion, and writes docs/RESULTS.md
    Crosscheck(crosscheck::Args),
    /// Compares the library with its peers and with its promises, and writes docs/RESULTS.md
    Bench(bench::Args),
    /// Compares identical clocks under two names, which must seldom differ
    Aa(selftest::Args),
    /// Tells five dependent additions from four
    Resolve(selftest::Args),
    /// Compares waits with cyclictest, and writes docs/RESULTS.md
    CrosscheckWaits,
    /// Compares Windows' counter under Wine with a plain C loop, and writes docs/RESULTS.md
    CrosscheckQpc,
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
        Command::Crosscheck(args) => crosscheck::run(sh, &args),
        Command::Bench(args) => bench::run(sh, &args),
        Command::Aa(args) => selftest::run(sh, "aa", &args),
        Command::Resolve(args) => selftest::run(sh, "resolve", &args),
        Command::CrosscheckWaits => crosscheck_waits::run(sh),
        Command::CrosscheckQpc => crosscheck_qpc::run(sh),
    }
}
