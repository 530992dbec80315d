//! zig, which carries what it takes to link for macOS: from PyPI, into a folder of ours.

use super::toolchain::Toolchain;
use crate::sh;
use anyhow::Result;
use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Removes what zig leaves beside the source when it is only asked for its preprocessor's output:
/// an empty `a.o`.
pub fn tidy() {
    let litter = sh::root().join("crates/probes/a.o");
    if std::fs::metadata(&litter).is_ok_and(|file| file.len() == 0) {
        std::fs::remove_file(&litter).ok();
    }
}

/// The versions this was seen to work with.
const PACKAGES: [&str; 2] = ["ziglang==0.17.0", "cargo-zigbuild==0.24.0"];

fn folder() -> PathBuf {
    super::folder().join("zig")
}

/// `cargo zigbuild` in place of cargo, by that toolchain; fetched where it is not there yet.
pub fn cargo(toolchain: &Toolchain) -> Result<Command> {
    let program = folder().join("bin/cargo-zigbuild");
    if !program.exists() {
        sh::run(
            sh::program("python3")
                .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
                .arg(folder())
                .args(PACKAGES),
        )?;
    }
    let mut cargo = sh::program(&program);
    for (name, value) in toolchain.cargo().get_envs() {
        match value {
            Some(value) => cargo.env(name, value),
            None => cargo.env_remove(name),
        };
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(
        [folder().join("bin")]
            .into_iter()
            .chain(env::split_paths(&path)),
    )?;
    cargo
        .env("PATH", path)
        .env("PYTHONPATH", folder())
        .env("ZIG_GLOBAL_CACHE_DIR", folder().join("cache"))
        .env("CARGO_ZIGBUILD_CACHE_DIR", folder().join("cargo-zigbuild"));
    Ok(cargo)
}
