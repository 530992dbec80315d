//! The runs that are compared.

use super::place::Place;
use super::plant;
use crate::loaded::loaded;
use crate::paired::report;
use anyhow::Result;
use chronoscope_ci::sh as shell;
use serde_json::Value;
use std::path::{Path, PathBuf};
use xshell::cmd;

/// A command, and the condition that it runs under.
#[derive(PartialEq)]
pub struct Kind {
    pub name: &'static str,
    pub words: &'static [&'static str],
    /// Whether a thread for each CPU spins alongside.
    pub loaded: bool,
    /// By which share the reads of the system's clocks are slower.
    pub planted: Option<f64>,
}

pub const CLOCKS: Kind = Kind { name: "clocks", words: &["clocks"], loaded: false, planted: None };
pub const CLOCKS_LOADED: Kind = Kind { loaded: true, ..CLOCKS };
pub const MAIN: Kind = Kind { name: "main", words: &[], ..CLOCKS };
pub const MAIN_LOADED: Kind = Kind { loaded: true, ..MAIN };
pub const SMALL: Kind = Kind { name: "small", planted: Some(0.025), ..CLOCKS };
pub const LARGE: Kind = Kind { name: "large", planted: Some(0.05), ..CLOCKS };
pub const LARGE_LOADED: Kind = Kind { loaded: true, ..LARGE };

impl Kind {
    /// How many runs of it are made, if there are `runs` calm ones of the unchanged tool: half as
    /// many of the others make enough pairs with those.
    pub fn number(&self, runs: usize, disjoint: bool) -> usize {
        let plain = !self.loaded && self.planted.is_none();
        if plain || disjoint { runs } else { runs.div_ceil(2) }
    }

    pub fn file(&self, folder: &Path, number: usize) -> PathBuf {
        let load = if self.loaded { "-loaded" } else { "" };
        folder.join(format!("{}{load}-{}.json", self.name, number + 1))
    }
}

impl Place<'_> {
    /// The file of this run, which is made unless it is there.
    pub fn made(&self, kind: &Kind, number: usize) -> Result<PathBuf> {
        let file = kind.file(&self.folder, number);
        if !file.exists() {
            let Self { sh, tool, .. } = self;
            let mut run = cmd!(sh, "{tool}").args(kind.words).args(["--json", "--quiet"]);
            if let Some(budget) = self.budget {
                run = run.args(["--budget", budget]);
            }
            if let Some(share) = kind.planted {
                run = run.env("LD_PRELOAD", plant::library(self, share)?);
            }
            let text = loaded(kind.loaded, || shell::read(run))?;
            sh.write_file(&file, text)?;
            println!("{}", file.display());
        }
        Ok(file)
    }

    /// What the tool says of these two, as JSON.
    pub fn compared(&self, a: &Path, b: &Path) -> Result<Value> {
        let Self { sh, tool, .. } = self;
        report(cmd!(sh, "{tool} compare {a} {b} --json --quiet"))
    }
}
