//! The results of a target's build, ready to run.

use super::target::{How, Target};
use anyhow::Result;
use std::path::PathBuf;

/// A target that was built.
pub struct Built {
    pub target: &'static Target,
    /// The folder of the tool and the libraries.
    pub folder: PathBuf,
    pub tests: Vec<Test>,
    pub programs: Vec<Program>,
}

impl Built {
    pub fn tool(&self) -> PathBuf {
        self.folder.join(match self.target.how {
            How::Wine => "chronoscope.exe",
            _ => "chronoscope",
        })
    }
}

/// A test executable.
pub struct Test {
    pub name: String,
    pub program: PathBuf,
    /// The folder in which cargo would run it.
    pub folder: PathBuf,
}

/// A program in C or C++ that uses the library.
pub struct Program {
    /// The path of its source, relative to `crates/capi`.
    pub source: &'static str,
    pub program: Result<PathBuf>,
}
