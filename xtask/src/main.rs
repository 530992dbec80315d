//! Development chores for chronoscope: tests, generated files and cross-compiled targets.
//! `cargo xtask --help` lists them.

mod circles;
mod count;
mod promises;
mod suite;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;
use xtask::code::sources;
use xtask::sh;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development chores for chronoscope")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Installs what the tests need and runs them
    Test(suite::Args),
    /// Regenerates checked-in files: schema, completions, man pages, C header, API list, tables
    Generate(Words),
    /// Installs the C library with its headers and pkg-config file
    InstallCapi(Words),
    /// Checks the licences and sources of all dependencies against deny.toml
    Deny,
    /// Checks that each clock's timed loop contains the instruction or call that it claims to time
    Disasm(Words),
    /// Builds for other targets and runs their tests under Wine and QEMU
    Cross(Words),
    /// Builds the archives of a release into target/archives, the same bytes every time
    Dist(Words),
    /// Measures on this machine and writes the pages of docs/pages, their list and a picture
    Pages(Words),
    /// Counts lines of Rust without comments, blanks and tests
    Count,
}

/// Arguments that are passed on to `ci`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
struct Words {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    words: Vec<OsString>,
}

fn main() -> ExitCode {
    xtask::ended(run(Args::parse().command))
}

fn run(command: Command) -> Result<()> {
    let sh = &sh::shell()?;
    let ci = |name: &str, args: Words| {
        let words = args.words;
        Ok(suite::ci(sh)?.arg(name).args(words).quiet().run()?)
    };
    match command {
        Command::Test(args) => suite::run(sh, &args),
        Command::Generate(args) => ci("generate", args),
        Command::InstallCapi(args) => ci("install-capi", args),
        Command::Deny => promises::deny(sh),
        Command::Disasm(args) => ci("disasm", args),
        Command::Cross(args) => ci("cross", args),
        Command::Dist(args) => ci("dist", args),
        Command::Pages(args) => ci("pages", args),
        Command::Count => count::lines(&sources(sh)?),
    }
}
