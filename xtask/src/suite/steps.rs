//! The steps of `cargo xtask test` in the order in which they run: what fails fast comes first.
//!
//! Tests the library with the oldest Rust version that it promises, which rustup provides.

use crate::{circles, count, promises};
use anyhow::{Context, Result, ensure};
use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;
use xshell::{Cmd, Shell, cmd};
use xtask::code::sources;
use xtask::packages::Need;
use xtask::sh;
use xtask::tally::{Done, counted, passed_on};

/// When a step runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// For every change.
    Change,
    /// For every change, unless this step runs, which contains it.
    Part(&'static str),
    /// With `--all`, and for changes of files whose paths match one of these words.
    Whole(&'static str),
}

/// One step of `cargo xtask test`.
pub struct Step {
    /// The step's name on the command line.
    pub name: &'static str,
    /// What the step checks, in a few words.
    pub about: &'static str,
    /// The packages that the step requires; without them, it is skipped.
    pub needs: &'static [Need],
    /// Optional packages; without them, the step skips some of its checks.
    pub uses: fn() -> Vec<Need>,
    /// Runs the step; by default, `ci` has one of this name. If `strict` is set, anything skipped
    /// is a failure.
    pub run: fn(sh: &Shell, step: &Step, strict: bool) -> Result<Done>,
    pub lane: Lane,
    pub size: Size,
}

/// Which of two lanes runs a step, one next to the other: one waits while the other compiles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// What runs on this machine, and is disturbed least by what only compiles.
    Here,
    /// What is for other compilers, systems and machines. Only this lane lets rustup install
    /// toolchains, which must not run twice at a time.
    There,
    /// Whichever has nothing else left: these steps compile, and measure nothing.
    Either,
}

/// Defaults for the fields that most steps share.
const STEP: Step = Step {
    name: "",
    about: "",
    needs: &[Need::Build],
    uses: Vec::new,
    run: |sh, step, _| in_ci(sh, step.name),
    lane: Lane::Here,
    size: Size::Change,
};

pub const ALL: &[Step] = &[
    Step {
        name: "fmt",
        about: "the source code is formatted",
        needs: &[],
        run: |sh, _, _| fmt(sh),
        ..STEP
    },
    Step {
        name: "deny",
        about: "licences and sources of all dependencies comply with deny.toml",
        needs: &[],
        run: |sh, _, _| promises::deny(sh).map(|()| Done::one()),
        ..STEP
    },
    Step {
        name: "lean",
        about: "no files import each other, code has its ceiling, and every file of tests is \
                compiled",
        needs: &[],
        run: |sh, _, _| lean(sh),
        ..STEP
    },
    Step { name: "clippy", about: "clippy reports nothing", run: |sh, _, _| clippy(sh), ..STEP },
    Step {
        name: "tests",
        about: "unit, property, integration and documentation tests",
        uses: || vec![Need::Capi, Need::Terminal, Need::Server],
        run: |sh, _, strict| tests(sh, strict),
        ..STEP
    },
    Step {
        name: "msrv",
        about: "the library's tests pass with the oldest Rust version that it promises",
        run: |sh, _, _| msrv(sh),
        lane: Lane::There,
        ..STEP
    },
    Step {
        name: "models",
        about: "what threads publish holds in every order that the memory model allows",
        run: |sh, _, _| models(sh),
        lane: Lane::Either,
        size: Size::Whole("crates/chronoscope/src/publish.rs crates/chronoscope/tests/loom.rs"),
        ..STEP
    },
    Step {
        name: "docs",
        about: "the documentation builds without warnings, and every item has an example",
        run: |sh, _, _| docs(sh),
        lane: Lane::Either,
        ..STEP
    },
    Step { name: "generated", about: "generated files are up to date", lane: Lane::Either, ..STEP },
    Step {
        name: "package",
        about: "each crate packs as for an upload, and the tool installs from these packages",
        lane: Lane::Either,
        size: Size::Whole("Cargo.toml Cargo.lock crates/*/Cargo.toml runtimes/Cargo.toml"),
        ..STEP
    },
    Step {
        name: "smoke",
        about: "the tool, built as users build it, does its main jobs on this machine",
        ..STEP
    },
    Step {
        name: "forms",
        about: "workflows, the action and package managers' manifests are sound; the action runs",
        needs: &[Need::Build, Need::Forms],
        size: Size::Whole("packaging/* .github/* action.yml templates/*"),
        ..STEP
    },
    Step {
        name: "chromium",
        about: "pages are drawn, read and copied in Chromium, and read back",
        needs: &[Need::Build, Need::Page],
        size: Size::Part("page"),
        ..STEP
    },
    Step {
        name: "page",
        about: "pages are drawn, read and copied in Chromium and Firefox, and read back; the page \
                that measures does so in WebKit too",
        needs: &[Need::Build, Need::Page, Need::Browsers],
        size: Size::Whole("crates/report/src/page/* crates/web/* ci/src/page.rs ci/src/page/*"),
        ..STEP
    },
    Step {
        name: "analysis",
        about: "queries of a fleet find what was planted, alike in DuckDB and ClickHouse; clocks \
                are as steady as allantools finds them",
        needs: &[Need::Build, Need::Analysis],
        run: |sh, _, _| passed_on(cmd!(sh, "cargo research fleet-queries --check")),
        lane: Lane::Either,
        size: Size::Whole("*.sql research/src/analysis/* */stability.*"),
        ..STEP
    },
    Step {
        name: "fleet",
        about: "alerts, dashboard and units are sound, and two Prometheus find what was planted",
        needs: &[Need::Build, Need::Fleet],
        size: Size::Whole("crates/fleet/files/* ci/src/fleet/*"),
        ..STEP
    },
    Step {
        name: "runtimes",
        about: "the clocks of every language runtime are measured, and no process is left",
        uses: || vec![Need::Runtimes],
        size: Size::Whole("runtimes/* ci/src/runtimes.rs"),
        ..STEP
    },
    Step {
        name: "disasm",
        about: "each timed loop contains what it claims to time",
        lane: Lane::Either,
        ..STEP
    },
    Step {
        name: "cross",
        about: "all other targets build; the tool and the tests run under Wine and QEMU",
        uses: targets,
        lane: Lane::There,
        size: Size::Whole("crates/chronoscope/src/sys/* ci/src/cross/target.rs"),
        ..STEP
    },
    Step {
        name: "targets",
        about: "the library's tests pass under Wine and QEMU, and all other targets compile",
        uses: targets,
        lane: Lane::There,
        size: Size::Part("cross"),
        ..STEP
    },
    // After the other targets, which install zig and build what `lab` runs.
    Step {
        name: "dist",
        about: "the library for C, built twice as a release is, has the same bytes",
        needs: &[Need::Build, Need::Zig],
        lane: Lane::There,
        size: Size::Whole("ci/src/dist/*"),
        ..STEP
    },
    Step {
        name: "planted",
        about: "a fault that is planted in a virtual machine is found, and none without it",
        needs: &[Need::Build, Need::Boot],
        run: |sh, _, _| lab(sh, &PLANTED),
        lane: Lane::There,
        size: Size::Part("lab"),
        ..STEP
    },
    Step {
        name: "research",
        about: "clippy reports nothing in the workspace of research, and its tests pass",
        run: |sh, _, _| research(sh),
        lane: Lane::Either,
        size: Size::Whole("research/*"),
        ..STEP
    },
    Step {
        name: "lab",
        about: "faults that are planted in virtual machines and processes are found, and no others",
        needs: &[Need::Build, Need::Boot],
        run: |sh, _, _| lab(sh, &[]),
        lane: Lane::There,
        size: Size::Whole("research/src/lab/* research/lab/*"),
        ..STEP
    },
];

/// Two scenarios of the lab: one without a fault, and one with.
const PLANTED: [&str; 2] = ["healthy", "hpet"];

fn lab(sh: &Shell, names: &[&str]) -> Result<Done> {
    counted(cmd!(sh, "cargo research lab {names...}"))
}

/// What the other targets need.
fn targets() -> Vec<Need> {
    use Need::{Aarch64, Armv7, Musl, QemuAarch64, Riscv64, S390x, Windows, Zig};
    vec![Windows, Aarch64, Armv7, S390x, Riscv64, Musl, Zig, QemuAarch64]
}

/// The program of the package `ci`, which is built once.
pub fn ci(sh: &Shell) -> Result<Cmd<'_>> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let build = cmd!(sh, "cargo build --quiet --package chronoscope-ci");
        let built = sh::run(build).map(|()| sh::target().join("debug/chronoscope-ci"));
        built.map_err(|error| eprintln!("error: {error:#}")).ok()
    });
    Ok(sh.cmd(built.as_ref().context("the package `ci` does not build")?))
}

fn in_ci(sh: &Shell, name: &str) -> Result<Done> {
    passed_on(ci(sh)?.args(["step", name]))
}

/// `cargo fmt` does not see modules that the macros of lists declare, such as `clocks!`, so each
/// file is named, but for the code that advice shows. Outside of a repository, cargo's choice must
/// do.
fn fmt(sh: &Shell) -> Result<Done> {
    let Ok(files) = sh::read(cmd!(sh, "git ls-files *.rs")) else {
        return one(cmd!(sh, "cargo fmt --all --check"));
    };
    let shown = |file: &&str| file.starts_with("crates/diagnose/code/");
    let files: Vec<_> = files.lines().filter(|file| !shown(file)).collect();
    println!("rustfmt --check of {} files", files.len());
    let check = cmd!(sh, "rustfmt --check --edition 2024 {files...}");
    ensure!(check.quiet().run().is_ok(), "rustfmt would change files");
    Ok(Done::one())
}

fn lean(sh: &Shell) -> Result<Done> {
    let mut done = Done::default();
    let sources = &sources(sh)?;
    done.check("circles", circles::check(sources));
    done.check("promises", promises::check(sh, sources));
    done.check("lines of Rust", count::lines(sources));
    done.check("tests", count::tests(sh));
    Ok(done)
}

fn one(command: Cmd<'_>) -> Result<Done> {
    sh::run(command).map(|()| Done::one())
}

fn clippy(sh: &Shell) -> Result<Done> {
    let strict = ["--", "-D", "warnings"];
    // What programs without an operating system can use: the library's counter and conversion, and
    // the time driver. It takes a second, unless it has to wait for what the other lane compiles.
    let alone = ["-p", "chronoscope", "-p", "chronoscope-adapters", "--no-default-features"];
    let driver = ["--features", "chronoscope-adapters/embassy", "--quiet"];
    sh::run(cmd!(sh, "cargo clippy {alone...} {driver...} {strict...}"))?;
    let small = ["-p", "chronoscope-cli", "--no-default-features", "--quiet"];
    sh::run(cmd!(sh, "cargo clippy {small...} {strict...}"))?;
    // Includes the clocks and waits of other libraries, which no other step builds. All other code
    // is built for some target with compiler warnings as errors.
    let all = ["--all-features", "--all-targets", "--quiet"];
    one(cmd!(sh, "cargo clippy --workspace {all...} {strict...}"))
}

fn research(sh: &Shell) -> Result<Done> {
    let all = ["--manifest-path", "research/Cargo.toml", "--workspace"];
    let strict = ["--all-targets", "--quiet", "--", "-D", "warnings"];
    sh::run(cmd!(sh, "cargo clippy {all...} {strict...}"))?;
    counted(cmd!(sh, "cargo test --no-fail-fast {all...}"))
}

/// If a tool that the tests of the C library or of the live view use is missing, those tests are
/// skipped, and no others.
fn tests(sh: &Shell, strict: bool) -> Result<Done> {
    let features = ["--features", FEATURES, "--features", ADAPTERS];
    let cargo = cmd!(sh, "cargo test --workspace --no-fail-fast {features...}");
    counted(match strict {
        true => cargo.env("CHRONOSCOPE_SKIP_NOTHING", "true"),
        false => cargo,
    })
}

/// Everything is built anew for loom, so it has a folder of its own. Only what tries the orders is
/// optimised.
fn models(sh: &Shell) -> Result<Done> {
    let fast = ["loom", "generator", "chronoscope"]
        .map(|name| format!("profile.dev.package.{name}.opt-level=3"));
    let fast = fast.iter().flat_map(|setting| ["--config", setting]);
    let cargo = cmd!(sh, "cargo test -p chronoscope --test loom {fast...}");
    let cargo = cargo.env("RUSTFLAGS", "--cfg loom");
    counted(cargo.env("CARGO_TARGET_DIR", sh::target().join("loom")))
}

fn docs(sh: &Shell) -> Result<Done> {
    // With the features of clippy, so that dependencies are checked only once.
    let doc = cmd!(sh, "cargo doc --workspace --no-deps --quiet --all-features");
    sh::run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    in_ci(sh, "examples")
}

/// Time limit for rustup to download a toolchain of about 100 MB.
const PATIENCE: Duration = Duration::from_secs(240);

/// The optional features of the published crates that do not need a newer version.
pub const FEATURES: &str = "chronoscope/chrono,chronoscope/jiff,chronoscope/serde,\
                            chronoscope/portable-atomic,chronoscope-tokio/test-util";

/// The features of a crate that promises no older version.
pub const ADAPTERS: &str = "chronoscope-adapters/async-io,chronoscope-adapters/criterion,\
                            chronoscope-adapters/embassy,chronoscope-adapters/governor,\
                            chronoscope-adapters/tracing-subscriber";

/// Runs all tests but those of the documentation, which use nothing else.
fn msrv(sh: &Shell) -> Result<Done> {
    let version = &version(sh)?;
    if let Err(why) = provide(sh, version) {
        return Ok(Done::skipped(format!("no Rust {version}: {why:#}")));
    }
    let what = ["-p", "chronoscope", "-p", "chronoscope-tokio", "--all-targets"];
    let test = ["test", "--no-fail-fast", "--features", FEATURES];
    let cargo = cmd!(sh, "rustup run {version} cargo {test...} {what...}");
    // Set by the toolchain that runs this program.
    let cargo = cargo.env_remove("RUSTC").env_remove("CARGO");
    counted(cargo.env("CARGO_TARGET_DIR", sh::target().join("msrv")))
}

/// Lets rustup install the version if it may and has not done so.
fn provide(sh: &Shell, version: &str) -> Result<()> {
    let has = || sh::read(cmd!(sh, "rustup run {version} cargo --version")).map(drop);
    if has().is_err() && env::var_os("CHRONOSCOPE_NO_INSTALL").is_none() {
        let install = ["rustup", "toolchain", "install", version, "--profile", "minimal"];
        sh::run(sh::limited(sh, PATIENCE).args(install))?;
    }
    has()
}

/// The version that both crates promise.
fn version(sh: &Shell) -> Result<String> {
    let packages = sh::metadata(sh, &["--no-deps"])?;
    let promised = |name: &str| {
        let package = packages.iter().find(|package| package["name"] == *name);
        let version = package.and_then(|package| package["rust_version"].as_str());
        version.with_context(|| format!("{name} promises no version of Rust"))
    };
    let (library, tokio) = (promised("chronoscope")?, promised("chronoscope-tokio")?);
    ensure!(library == tokio, "two crates promise different versions: {library} and {tokio}");
    Ok(library.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_crates_promise_one_version() {
        super::version(&xtask::sh::shell().unwrap()).unwrap();
    }
}
