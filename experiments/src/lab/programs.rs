//! The programs that a scenario needs: the tool, and those in `lab/`.

use super::scenario::{Board, PC, Tool};
use crate::vm;
use anyhow::Result;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};
use xtask::{cross, sh, tool};

/// Where the lab's own sources are.
pub fn sources() -> PathBuf {
    sh::root().join("lab")
}

/// Where scenarios leave what they wrote.
pub fn folder() -> PathBuf {
    vm::folder().join("lab")
}

/// The programs, each built when it is first needed.
pub struct Programs<'a> {
    sh: &'a Shell,
    targets: BTreeMap<&'static str, PathBuf>,
    dynamic: OnceCell<PathBuf>,
}

impl<'a> Programs<'a> {
    pub fn new(sh: &'a Shell) -> Self {
        Self { sh, targets: BTreeMap::new(), dynamic: OnceCell::new() }
    }

    /// Uses this tool on PCs instead of building one.
    pub fn give(&mut self, tool: PathBuf) {
        self.targets.insert(PC.target, tool);
    }

    /// The tool for a board.
    pub fn tool(&mut self, board: &Board) -> Result<PathBuf> {
        if let Some(tool) = self.targets.get(board.target) {
            return Ok(tool.clone());
        }
        let tool = cross::tool(self.sh, board.target)?;
        self.targets.insert(board.target, tool.clone());
        Ok(tool)
    }

    /// The tool for this machine.
    pub fn native(&mut self, linked: Tool) -> Result<PathBuf> {
        match (linked, self.dynamic.get()) {
            (Tool::Static, _) => self.tool(&PC),
            (Tool::Dynamic, Some(tool)) => Ok(tool.clone()),
            (Tool::Dynamic, None) => {
                let built = tool::release(self.sh)?.tool;
                Ok(self.dynamic.get_or_init(|| built).clone())
            }
        }
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
