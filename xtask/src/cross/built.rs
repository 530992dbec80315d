//! What was built for a target, ready to be run.

use super::target::{How, Target};
use anyhow::Result;
use std::path::PathBuf;

/// A target that was built.
pub struct Built {
    pub target: &'static Target,
    /// Where the tool and the libraries are.
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

/// A program of tests.
pub struct Test {
    pub name: String,
    pub program: PathBuf,
    /// Where cargo would run it.
    pub folder: PathBuf,
}

/// A program in C or C++ that uses the library.
pub struct Program {
    /// Its source, from `crates/capi`.
    pub source: &'static str,
    pub program: Result<PathBuf>,
}
