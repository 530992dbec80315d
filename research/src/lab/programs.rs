//! The programs that a scenario needs: the tool, and those in `research/lab`.

use super::scenario::{Board, PC, Tool};
use crate::vm;
use anyhow::Result;
use chronoscope_ci::{cross, sh, tool};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// The folder of the lab's own sources.
pub fn sources() -> PathBuf {
    sh::root().join("research/lab")
}

/// The folder for the output of scenarios.
pub fn folder() -> PathBuf {
    vm::folder().join("lab")
}

/// The programs, each built when it is first needed.
pub struct Programs<'a> {
    sh: &'a Shell,
    /// The tool by target, and by an empty name for that of this machine.
    tools: BTreeMap<&'static str, PathBuf>,
}

impl<'a> Programs<'a> {
    /// Uses a given tool on PCs instead of building one.
    pub fn new(sh: &'a Shell, given: Option<PathBuf>) -> Self {
        Self { sh, tools: given.into_iter().map(|tool| (PC.target, tool)).collect() }
    }

    pub fn tool(&mut self, board: &Board) -> Result<PathBuf> {
        self.built(board.target, |sh| cross::tool(sh, board.target))
    }

    pub fn native(&mut self, linked: Tool) -> Result<PathBuf> {
        match linked {
            Tool::Static => self.tool(&PC),
            Tool::Dynamic => self.built("", |sh| Ok(tool::release(sh)?.tool)),
        }
    }

    fn built(
        &mut self,
        name: &'static str,
        build: impl FnOnce(&Shell) -> Result<PathBuf>,
    ) -> Result<PathBuf> {
        if !self.tools.contains_key(name) {
            self.tools.insert(name, build(self.sh)?);
        }
        Ok(self.tools[name].clone())
    }

    /// The program that plants a fault, statically linked by this compiler.
    pub fn plant(&self, compiler: &str) -> Result<PathBuf> {
        let source = sources().join("plant.c");
        self.compiled(compiler, &source, &["-static"], "plant")
    }

    /// The library whose clock runs backwards.
    pub fn backwards(&self) -> Result<PathBuf> {
        let source = sources().join("backwards.c");
        self.compiled("gcc", &source, &["-shared", "-fPIC"], "backwards.so")
    }

    fn compiled(&self, with: &str, source: &Path, how: &[&str], name: &str) -> Result<PathBuf> {
        let sh = self.sh;
        let program = folder().join(with).join(name);
        if let Some(folder) = program.parent() {
            sh.create_dir(folder)?;
        }
        let warnings = ["-O2", "-Wall", "-Wextra", "-Werror"];
        sh::read(cmd!(sh, "{with} {warnings...} {how...} -o {program} {source}"))?;
        Ok(program)
    }
}
