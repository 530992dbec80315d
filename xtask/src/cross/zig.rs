//! zig, which brings what it takes to link for macOS and for musl: from PyPI, into a folder of
//! ours.

use super::target::folder;
use crate::sh;
use anyhow::Result;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use xshell::{Shell, cmd};

/// Versions that work.
const PACKAGES: [&str; 2] = ["ziglang==0.17.0", "cargo-zigbuild==0.24.0"];

fn own() -> PathBuf {
    folder().join("zig")
}

/// The program that takes the place of cargo, fetched unless it is there already.
pub fn fetch(sh: &Shell) -> Result<PathBuf> {
    let program = own().join("bin/cargo-zigbuild");
    if !program.exists() {
        let folder = own();
        let options = ["--quiet", "--no-deps", "--root-user-action=ignore"];
        sh::run(cmd!(
            sh,
            "python3 -m pip install {options...} --target {folder} {PACKAGES...}"
        ))?;
    }
    Ok(program)
}

/// The words that start zig as a compiler, `cc` or `c++`, for a target by zig's name.
pub fn compiler(language: &str, target: &str) -> Vec<String> {
    let zig = own().join("ziglang/zig").display().to_string();
    [&zig, language, "-target", target]
        .map(str::to_owned)
        .to_vec()
}

/// What it needs in its environment.
pub fn env() -> Result<Vec<(&'static str, OsString)>> {
    let path = env::var_os("PATH").unwrap_or_default();
    let bin = own().join("bin");
    let path = env::join_paths([bin].into_iter().chain(env::split_paths(&path)))?;
    Ok(vec![
        ("PATH", path),
        ("PYTHONPATH", own().into()),
        ("ZIG_GLOBAL_CACHE_DIR", own().join("cache").into()),
        (
            "CARGO_ZIGBUILD_CACHE_DIR",
            own().join("cargo-zigbuild").into(),
        ),
    ])
}

/// Removes what zig leaves next to the source when it is only asked for its preprocessor's output:
/// an empty `a.o`.
pub fn tidy(sh: &Shell) -> Result<()> {
    let litter = sh::root().join("crates/probes/a.o");
    if std::fs::metadata(&litter).is_ok_and(|file| file.len() == 0) {
        sh.remove_path(litter)?;
    }
    Ok(())
}
