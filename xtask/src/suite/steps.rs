//! The steps of `cargo xtask test`, in the order in which they are taken: what fails fast first.

use super::{Done, Step, Tally, smoke};
use crate::packages::{self, Need};
use crate::{cross, deny, disasm, generate, sh};
use anyhow::{Result, bail};
use std::process::Command;

/// The feature with which the tool is built to compare with other libraries.
const PEERS: &str = "chronoscope-cli/peers";

/// Every step.
pub const ALL: &[Step] = &[
    Step {
        name: "fmt",
        about: "the source is formatted",
        needs: &[],
        run: |_| one(sh::cargo().args(["fmt", "--all", "--check"])),
    },
    Step {
        name: "deny",
        about: "licences and sources of all dependencies are as deny.toml allows",
        needs: &[],
        run: |_| deny::run().map(|()| Done::one()),
    },
    Step {
        name: "clippy",
        about: "no lint has anything to say",
        needs: &[Need::Build],
        run: |_| {
            let clippy = |what: &[&str]| {
                let mut command = sh::cargo();
                command.arg("clippy").args(what);
                sh::run(command.args(["--all-targets", "--quiet", "--", "-D", "warnings"]))
            };
            clippy(&["--workspace"])?;
            // With the clocks and waits of other libraries, which are in no other build.
            clippy(&[
                "-p",
                "chronoscope-cli",
                "-p",
                "chronoscope-probes",
                "--features",
                PEERS,
            ])?;
            // The library's counter and conversion, for programs without an operating system.
            let alone = [
                "clippy",
                "-p",
                "chronoscope",
                "--no-default-features",
                "--quiet",
            ];
            sh::run(sh::cargo().args(alone).args(["--", "-D", "warnings"]))?;
            Ok(Done::one())
        },
    },
    Step {
        name: "tests",
        about: "unit, property, integration and documentation tests",
        needs: &[Need::Build],
        run: tests,
    },
    Step {
        name: "docs",
        about: "the documentation builds without a warning",
        needs: &[Need::Build],
        run: |_| {
            one(sh::cargo().env("RUSTDOCFLAGS", "-D warnings").args([
                "doc",
                "--workspace",
                "--no-deps",
                "--quiet",
            ]))
        },
    },
    Step {
        name: "generated",
        about: "generated files are as the source would make them",
        needs: &[Need::Build],
        run: |_| generate::check(),
    },
    Step {
        name: "smoke",
        about: "the tool, built as users build it, does its main jobs here",
        needs: &[Need::Build],
        run: |_| {
            sh::run(sh::cargo().args(["build", "--release", "--quiet"]))?;
            smoke(|| sh::program(sh::target().join("release/chronoscope")))
        },
    },
    Step {
        name: "disasm",
        about: "each timed loop contains what it claims to time",
        needs: &[Need::Build, Need::Disasm],
        run: |_| disasm::check(None),
    },
    Step {
        name: "cross",
        about: "the other targets build; tool and tests run under Wine and QEMU",
        needs: &[Need::Build],
        run: cross::suite,
    },
];

/// Without a tool of its own the tests of the library for C are left out, and all others are not: so
/// what they need is installed here, and is no need of the whole step.
fn tests(strict: bool) -> Result<Done> {
    if let Err(error) = packages::install(&[Need::Capi]) {
        eprintln!("warning: packages could not be installed: {error:#}");
    }
    let mut cargo = sh::cargo();
    cargo.args(["test", "--workspace", "--no-fail-fast"]);
    if strict {
        cargo.env("CHRONOSCOPE_SKIP_NOTHING", "true");
    }
    counted(&mut cargo)
}

fn one(command: &mut Command) -> Result<Done> {
    sh::run(command).map(|()| Done::one())
}

/// Runs tests and counts them.
pub fn counted(command: &mut Command) -> Result<Done> {
    let mut tally = Tally::default();
    let ended = sh::lines(command, |line| {
        println!("{line}");
        tally.add_line(line);
    });
    match ended {
        Err(error) if tally.failed == 0 => Err(error),
        _ if tally == Tally::default() => bail!("no test ran"),
        _ => Ok(Done {
            tally,
            skipped: Vec::new(),
        }),
    }
}
