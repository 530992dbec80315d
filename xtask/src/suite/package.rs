//! Builds each published crate from its package, against the packages of the others, as dependents
//! would build it.

use anyhow::{Context, Result};
use serde_json::Value;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};
use xtask::tally::Done;
use xtask::{PUBLISHED, sh};

pub fn run(sh: &Shell) -> Result<Done> {
    if forget(&cargo_home()?)? {
        clean(sh)?;
    }
    // Uncommitted changes are checked too.
    let options = ["--allow-dirty", "--quiet"];
    sh::run(cmd!(sh, "cargo package {PUBLISHED...} {options...}"))?;
    Ok(Done::one())
}

fn cargo_home() -> Result<PathBuf> {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
        .context("there is no CARGO_HOME and no home directory")
}

/// Removes our packages as Cargo unpacked them in an earlier run, and returns whether there were
/// any.
///
/// Cargo serves the packages from a registry in the target directory, and keeps what it unpacks
/// from there under a name that depends on that directory's path alone. It unpacks a version only
/// once. So a later run in a directory of the same name, such as another clone, would build each
/// crate against the old version of the others. Registries on this machine's disk have no host, so
/// their names begin with a hyphen.
fn forget(cargo_home: &Path) -> Result<bool> {
    let mut any = false;
    for registry in children(&cargo_home.join("registry/src"), "-")? {
        for package in children(&registry, "chronoscope")? {
            fs::remove_dir_all(&package)
                .with_context(|| format!("cannot remove {}", package.display()))?;
            any = true;
        }
    }
    Ok(any)
}

/// Removes what was built from such packages: Cargo does not look whether the files of a crate
/// from a registry have changed.
fn clean(sh: &Shell) -> Result<()> {
    let metadata = sh::read(cmd!(sh, "cargo metadata --no-deps --format-version 1"))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let names = metadata["packages"].as_array().into_iter().flatten();
    let names = names.filter_map(|package| package["name"].as_str());
    // The program that is running now.
    let names = names.filter(|name| *name != "xtask");
    let chosen = names.flat_map(|name| ["-p", name]);
    sh::run(cmd!(sh, "cargo clean --quiet --profile dev {chosen...}"))
}

/// The folders in `folder` whose names begin with `start`; none if `folder` does not exist.
fn children(folder: &Path, start: &str) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(|| format!("cannot read {}", folder.display()))?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let ours = entry.file_name().to_string_lossy().starts_with(start);
        if ours && entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_packages_from_registries_on_disk_are_forgotten() -> Result<()> {
        let home = Shell::new()?.create_temp_dir()?;
        let src = home.path().join("registry/src");
        let stale = src.join("-14cd1cce/chronoscope-0.1.0");
        let kept = ["-14cd1cce/other-0.1.0", "index.crates.io-19/chronoscope-0.1.0"];
        fs::create_dir_all(&stale)?;
        for path in kept {
            fs::create_dir_all(src.join(path))?;
        }
        assert!(forget(home.path())?);
        assert!(!stale.exists() && kept.iter().all(|path| src.join(path).exists()));
        assert!(!forget(home.path())? && !forget(&home.path().join("missing"))?);
        Ok(())
    }
}
