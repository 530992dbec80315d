//! The steps of `cargo xtask test`, in the order in which they are taken: what fails fast is first.

use crate::packages::Need;
use crate::runner::Runner;
use crate::tally::{Done, counted};
use crate::{api, cross, deny, disasm, generate, sh, tool};
use anyhow::Result;
use xshell::{Cmd, Shell, cmd};

/// One step of the whole.
pub struct Step {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub about: &'static str,
    /// The packages without which it is skipped.
    pub needs: &'static [Need],
    /// Further packages without which it leaves something out.
    pub uses: fn() -> Vec<Need>,
    /// Takes it; if `strict`, nothing may be left out.
    pub run: fn(sh: &Shell, strict: bool) -> Result<Done>,
}

/// What most steps have in common.
const STEP: Step = Step {
    name: "",
    about: "",
    needs: &[Need::Build],
    uses: Vec::new,
    run: |_, _| Ok(Done::default()),
};

/// Every step.
pub const ALL: &[Step] = &[
    Step {
        name: "fmt",
        about: "the source is formatted",
        needs: &[],
        run: |sh, _| one(cmd!(sh, "cargo fmt --all --check")),
        ..STEP
    },
    Step {
        name: "deny",
        about: "licences and sources of all dependencies follow deny.toml",
        needs: &[],
        run: |sh, _| deny::run(sh).map(|()| Done::one()),
        ..STEP
    },
    Step {
        name: "clippy",
        about: "no lint has anything to say",
        run: clippy,
        ..STEP
    },
    Step {
        name: "tests",
        about: "unit, property, integration and documentation tests",
        uses: || vec![Need::Capi],
        run: tests,
        ..STEP
    },
    Step {
        name: "docs",
        about: "the documentation builds without a warning, and every item has an example",
        run: docs,
        ..STEP
    },
    Step {
        name: "generated",
        about: "generated files are as the source would make them",
        run: |sh, _| generate::check(sh).map(|()| Done::one()),
        ..STEP
    },
    Step {
        name: "package",
        about: "each crate that is published can be built from its package",
        run: package,
        ..STEP
    },
    Step {
        name: "smoke",
        about: "the tool, as users build it, does its main jobs on this machine",
        run: |sh, _| {
            let tool = tool::release(sh)?.tool;
            Ok(tool::smoke(sh, &Runner::default(), &tool))
        },
        ..STEP
    },
    Step {
        name: "disasm",
        about: "each timed loop contains what it claims to time",
        run: |sh, _| disasm::check(sh),
        ..STEP
    },
    Step {
        name: "cross",
        about: "the other targets build; tool and tests run under Wine and QEMU",
        uses: cross::needs,
        run: |sh, _| cross::suite(sh),
        ..STEP
    },
];

fn one(command: Cmd<'_>) -> Result<Done> {
    sh::run(command).map(|()| Done::one())
}

fn clippy(sh: &Shell, _: bool) -> Result<Done> {
    let strict = ["--", "-D", "warnings"];
    // With the clocks and waits of other libraries, which are in no other build; in all others the
    // compiler's warnings are errors on some target.
    let peers = ["--features", "chronoscope-cli/peers"];
    sh::run(cmd!(
        sh,
        "cargo clippy --workspace {peers...} --all-targets --quiet {strict...}"
    ))?;
    // The library's counter and conversion, for programs without an operating system.
    let alone = ["-p", "chronoscope", "--no-default-features", "--quiet"];
    one(cmd!(sh, "cargo clippy {alone...} {strict...}"))
}

/// Without a tool that they use, the tests of the library for C are left out, and no others.
fn tests(sh: &Shell, strict: bool) -> Result<Done> {
    let cargo = cmd!(sh, "cargo test --workspace --no-fail-fast");
    counted(match strict {
        true => cargo.env("CHRONOSCOPE_SKIP_NOTHING", "true"),
        false => cargo,
    })
}

/// The packages are built from each other, as those who depend on them would build them.
fn package(sh: &Shell, _: bool) -> Result<Done> {
    let unpublished = ["--exclude", "xtask", "--exclude", "chronoscope-bench"];
    // What is not committed yet is checked, too.
    let options = ["--allow-dirty", "--quiet"];
    one(cmd!(
        sh,
        "cargo package --workspace {unpublished...} {options...}"
    ))
}

fn docs(sh: &Shell, _: bool) -> Result<Done> {
    let doc = cmd!(sh, "cargo doc --workspace --no-deps --quiet");
    sh::run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    api::examples(sh).map(|()| Done::one())
}
