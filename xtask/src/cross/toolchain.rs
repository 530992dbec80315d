//! Finds a toolchain with a target's standard library.
//!
//! rustup provides the library for every target, if its server can be reached. If not, Debian's
//! `rustc-web` builds it from the source in `rust-web-src`: the commands are the same, and each
//! target takes about half a minute longer.

use super::target::{Target, Zig};
use super::zig;
use crate::packages::{self, Need};
use crate::sh;
use anyhow::Result;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::{Shell, cmd};

/// A toolchain that can build for the target.
pub enum Toolchain {
    /// The toolchain that runs this program.
    Own,
    /// Debian's toolchain, which builds the standard library itself.
    BuildStd,
}

/// Time limit for rustup to download a library of about 30 MB.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the toolchain for a target, or the reason why there is none.
pub fn get(sh: &Shell, triple: &str) -> Result<Toolchain, String> {
    if has_library(sh, triple) {
        return Ok(Toolchain::Own);
    }
    if sh::has("rustup") {
        let limit = sh::within(PATIENCE);
        let add = ["rustup", "target", "add", triple];
        let words = limit.iter().map(String::as_str).chain(add);
        match sh::run(sh::words(sh, words)) {
            Ok(()) if has_library(sh, triple) => return Ok(Toolchain::Own),
            Ok(()) => eprintln!("rustup added {triple} to a different toolchain than this one"),
            Err(error) => eprintln!("{error:#}; building the standard library instead"),
        }
    }
    packages::install(sh, &[Need::BuildStd]);
    let missing = packages::missing(&[Need::BuildStd]);
    if missing.is_empty() {
        return Ok(Toolchain::BuildStd);
    }
    Err(format!(
        "`rustup target add {triple}` failed, and building the standard library needs {}",
        missing.join(", ")
    ))
}

/// Whether the toolchain that runs this program has the target's standard library.
fn has_library(sh: &Shell, triple: &str) -> bool {
    sh::read(cmd!(sh, "rustc --print target-libdir --target {triple}"))
        .is_ok_and(|folder| Path::new(folder.trim()).exists())
}

impl Toolchain {
    pub fn about(&self) -> &'static str {
        match self {
            Self::Own => "standard library: from rustup",
            Self::BuildStd => "standard library: built from rust-web-src",
        }
    }

    /// The program that builds the target, and the environment variables that it needs.
    pub fn cargo(
        &self,
        sh: &Shell,
        target: &Target,
    ) -> Result<(PathBuf, Vec<(&'static str, OsString)>)> {
        let (mut cargo, mut env): (PathBuf, Vec<(_, OsString)>) = match self {
            Self::Own => ("cargo".into(), vec![]),
            Self::BuildStd => (
                "/usr/bin/cargo".into(),
                vec![
                    ("RUSTC", "/usr/bin/rustc".into()),
                    ("CARGO", "/usr/bin/cargo".into()),
                    // A stable compiler builds its own library only while it bootstraps itself.
                    // This variable claims that it does.
                    ("RUSTC_BOOTSTRAP", "1".into()),
                ],
            ),
        };
        let zig = match target.zig {
            Zig::Never => false,
            Zig::WithoutRustup => matches!(self, Self::BuildStd),
            Zig::Always => true,
        };
        if zig {
            cargo = zig::fetch(sh)?;
            env.extend(zig::env()?);
        }
        env.extend(target.env.iter().map(|(name, value)| (*name, value.into())));
        Ok((cargo, env))
    }

    /// The compiler's flags. Warnings are errors, as they are for native code under clippy, which
    /// never sees the code of other systems. A compiler of a different version may have other
    /// warnings, so there they are not errors.
    pub fn rustflags(&self, target: &Target) -> String {
        match self {
            Self::Own => format!("-Dwarnings {}", target.rustflags),
            Self::BuildStd => target.rustflags.into(),
        }
    }

    /// Additional arguments for each cargo command.
    pub fn args(&self, triple: &str) -> Option<&'static str> {
        match self {
            Self::Own => None,
            Self::BuildStd if triple.ends_with("-none") => Some("-Zbuild-std=core"),
            Self::BuildStd => Some("-Zbuild-std=std,panic_unwind,test"),
        }
    }
}
