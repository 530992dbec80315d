//! Where a target's standard library comes from.
//!
//! rustup has it for every target, where it can be reached. Elsewhere, Debian's `rustc-web` builds
//! it from the source that `rust-web-src` brings: the same commands, about half a minute more for
//! each target.

use crate::packages::{self, Need};
use crate::sh;
use anyhow::Result;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A toolchain that can build for the target.
pub enum Toolchain {
    /// The one that runs this program.
    Own,
    /// Debian's, which builds the library itself.
    BuildStd,
}

/// rustup is given so long to fetch a library of some 30 MB.
const PATIENCE: Duration = Duration::from_secs(120);

/// The toolchain for a target, or why there is none.
pub fn get(triple: &str) -> Result<Result<Toolchain, String>> {
    if has_library(triple) {
        return Ok(Ok(Toolchain::Own));
    }
    if sh::find("rustup").is_some() {
        let mut add = sh::program("rustup");
        add.args(["target", "add", triple]);
        match sh::run(&mut sh::within(PATIENCE, &add)) {
            Ok(()) if has_library(triple) => return Ok(Ok(Toolchain::Own)),
            Ok(()) => eprintln!("rustup added {triple} to another toolchain than this one"),
            Err(error) => eprintln!("{error:#}; its library will be built"),
        }
    }
    packages::install(&[Need::BuildStd])?;
    let missing = packages::missing(Need::BuildStd);
    if missing.is_empty() {
        return Ok(Ok(Toolchain::BuildStd));
    }
    Ok(Err(format!(
        "rustup cannot fetch its library (`rustup target add {triple}`), and to build it there is missing: {}",
        missing.join(", ")
    )))
}

/// Whether the compiler that runs this program has the library.
fn has_library(triple: &str) -> bool {
    sh::capture(sh::program("rustc").args(["--print", "target-libdir", "--target", triple]))
        .is_ok_and(|folder| Path::new(folder.trim()).exists())
}

impl Toolchain {
    pub fn about(&self) -> &'static str {
        match self {
            Self::Own => "with the library that rustup has for it",
            Self::BuildStd => "with a library built from rust-web-src",
        }
    }

    /// Its cargo.
    pub fn cargo(&self) -> Command {
        match self {
            Self::Own => sh::cargo(),
            Self::BuildStd => {
                let mut cargo = sh::program("/usr/bin/cargo");
                sh::clean(&mut cargo)
                    .env("RUSTC", "/usr/bin/rustc")
                    .env("CARGO", "/usr/bin/cargo")
                    // A released compiler builds its own library only when told that this is
                    // a part of building the compiler.
                    .env("RUSTC_BOOTSTRAP", "1");
                cargo
            }
        }
    }

    /// Makes warnings errors, as clippy does it for the machine that builds: it never sees the code
    /// of other systems. Another compiler than the project's own may warn of what it likes.
    pub fn warnings_are_errors(&self, triple: &str) -> Option<(String, &'static str)> {
        let triple = triple.replace('-', "_").to_uppercase();
        matches!(self, Self::Own)
            .then(|| (format!("CARGO_TARGET_{triple}_RUSTFLAGS"), "-Dwarnings"))
    }

    /// What each of its commands needs besides.
    pub fn flags(&self, triple: &str) -> &'static [&'static str] {
        match self {
            Self::Own => &[],
            Self::BuildStd if triple.ends_with("-none") => &["-Zbuild-std=core"],
            Self::BuildStd => &["-Zbuild-std=std,panic_unwind,test"],
        }
    }
}
