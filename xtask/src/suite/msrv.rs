//! Tests the library with the oldest Rust version that it promises, which rustup provides.

use anyhow::{Context, Result, ensure};
use std::env;
use std::time::Duration;
use xshell::{Shell, cmd};
use xtask::sh;
use xtask::tally::{Done, counted};

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
pub fn run(sh: &Shell) -> Result<Done> {
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
        let limit = sh::within(PATIENCE);
        sh::run(sh::words(sh, limit.iter().map(String::as_str).chain(install)))?;
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
