//! Packs each published crate as an upload would, and installs the tool from these packages with
//! the command that users type.

use crate::tally::Done;
use crate::{PUBLISHED, sh, tool};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use xshell::{Shell, cmd};

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub fn run(sh: &Shell) -> Result<Done> {
    let packed = sh::target().join("package");
    sh.remove_path(&packed)?;
    // Uncommitted changes are packed too. Nothing is built here, but everything below.
    let options = ["--no-verify", "--allow-dirty", "--quiet"];
    sh::run(cmd!(sh, "cargo package {PUBLISHED...} {options...}"))?;
    sh::run(cmd!(sh, "cargo publish --dry-run {PUBLISHED...} {options...}"))?;

    let registry = packed.join("registry");
    let names = registry_of(sh, &packed, &registry)?;
    let source = format!("source.packed.directory='{}'", registry.display());
    let source = ["--config", "source.crates-io.replace-with='packed'", "--config", &source];
    // Without optimisation, because that takes a third of the time.
    let unoptimised = ["chronoscope-cli", "--debug"];
    // Both need the same macros, and nothing that was built before.
    let scratch = sh.push_env("CARGO_TARGET_DIR", registry.join("target"));
    install(sh, &[&unoptimised[..], &source].concat())?;
    rest(sh, &registry, &names, &source)?;
    drop(scratch);
    // This is what other steps build, too.
    install(sh, &["--path", "crates/cli"]).map(|()| Done::one())
}

/// Makes a folder that Cargo accepts instead of its registry: the dependencies of everything, and
/// our packages. Returns our packages.
fn registry_of(sh: &Shell, packed: &Path, registry: &Path) -> Result<Vec<String>> {
    sh::run(cmd!(sh, "cargo vendor --locked --quiet {registry}"))?;
    let mut names = Vec::new();
    for file in sh
        .read_dir(packed)?
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "crate"))
    {
        sh::read(cmd!(sh, "tar -xzf {file} -C {registry}"))?;
        let sum = sh::read(cmd!(sh, "sha256sum {file}"))?;
        let (sum, _) = sum.split_once(' ').context("no hash")?;
        let name = file.file_stem().context("no name")?.to_string_lossy().into_owned();
        // With this hash, `--locked` accepts the package only if it is the one that others expect.
        let sums = format!("{{\"files\": {{}}, \"package\": \"{sum}\"}}");
        sh.write_file(registry.join(&name).join(".cargo-checksum.json"), sums)?;
        names.push(name);
    }
    Ok(names)
}

/// Installs the tool by a command of the README, and lets it measure.
fn install(sh: &Shell, what: &[&str]) -> Result<()> {
    let root = sh.create_temp_dir()?;
    let root = root.path();
    // Packed crates are installed where nothing of the workspace is in effect.
    let packed = !what.contains(&"--path");
    let _there = packed.then(|| sh.push_dir(root));
    let options = ["--locked", "--quiet", "--root"];
    sh::run(cmd!(sh, "cargo install {what...} {options...} {root}"))?;
    let tool = root.join("bin/chronoscope");
    let version = sh::read(cmd!(sh, "{tool} --version"))?;
    ensure!(version.trim() == format!("chronoscope {VERSION}"), "{version}");
    let report = sh::read(cmd!(sh, "{tool} clocks --budget 2s --json"))?;
    tool::holds(&tool::read_report(report.as_bytes())?, "clocks")
}

/// Compiles the packages that are not part of the tool.
fn rest(sh: &Shell, registry: &Path, names: &[String], source: &[&str]) -> Result<()> {
    let tool = format!("chronoscope-cli-{VERSION}");
    let lock = sh.read_file(registry.join(tool).join("Cargo.lock"))?;
    let is_in = |name: &str| lock.contains(&format!("name = \"{name}\"\nversion = \"{VERSION}\""));
    let end = format!("-{VERSION}");
    let rest: Vec<_> = names.iter().filter(|name| !is_in(name.trim_end_matches(&end))).collect();
    ensure!(!rest.is_empty(), "only the tool is a package");
    let workspace = registry.join("Cargo.toml");
    sh.write_file(&workspace, format!("[workspace]\nresolver = \"3\"\nmembers = {rest:?}\n"))?;
    let options = ["--workspace", "--all-features", "--quiet"];
    sh::run(cmd!(sh, "cargo check {options...} --manifest-path {workspace} {source...}"))
}
