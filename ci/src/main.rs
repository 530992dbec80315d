//! The commands of `cargo xtask` that need many crates, and steps of its tests.

use anyhow::{Result, bail};
use chronoscope_ci::sh::Runner;
use chronoscope_ci::tally::Done;
use chronoscope_ci::{
    capi, cross, disasm, dist, ended, fleet, forms, generate, package, page, pages, runtimes, sh,
    tool,
};
use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xshell::Shell;

#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Regenerates checked-in files: schema, completions, man pages, C header, API list, tables
    Generate(generate::Args),
    /// Installs the C library with its headers and pkg-config file
    InstallCapi(capi::Args),
    /// Checks that each clock's timed loop contains the instruction or call that it claims to time
    Disasm(disasm::Args),
    /// Builds for other targets and runs their tests under Wine and QEMU
    Cross(cross::Args),
    /// Builds the archives of a release into target/archives, the same bytes every time
    Dist(dist::Args),
    /// Measures on this machine and writes the pages of docs/pages, their list and a picture
    Pages(pages::Args),
    /// Runs one step of `cargo xtask test`
    Step { name: String },
}

fn main() -> ExitCode {
    ended(run(Args::parse().command))
}

fn run(command: Command) -> Result<()> {
    let sh = &sh::shell()?;
    match command {
        Command::Generate(args) => generate::run(sh, &args),
        Command::InstallCapi(args) => capi::install(sh, &args),
        Command::Disasm(args) => disasm::run(sh, &args),
        Command::Cross(args) => cross::run(sh, &args),
        Command::Dist(args) => dist::run(sh, &args),
        Command::Pages(args) => pages::run(sh, &args),
        Command::Step { name } => {
            step(sh, &name)?.pass_on();
            Ok(())
        }
    }
}

fn step(sh: &Shell, name: &str) -> Result<Done> {
    match name {
        "cross" => cross::suite(sh, false),
        "disasm" => disasm::check(sh),
        "dist" => dist::library(sh),
        "examples" => generate::examples(sh).map(|()| Done::one()),
        "fleet" => fleet::suite(sh),
        "forms" => forms::suite(sh),
        "generated" => generate::check(sh).map(|()| Done::one()),
        "package" => package::run(sh),
        "page" => page::suite(sh, true),
        "chromium" => page::suite(sh, false),
        "runtimes" => runtimes::suite(sh),
        "smoke" => {
            let tool = tool::release(sh)?.tool;
            Ok(tool::smoke(sh, &Runner::default(), &tool))
        }
        "targets" => cross::suite(sh, true),
        _ => bail!("no step is named {name}"),
    }
}
