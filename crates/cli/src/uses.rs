//! Whether the common options apply to the command: none is accepted and then ignored.

use crate::error::Usage;
use crate::options::Global;
use crate::output;
use std::collections::BTreeSet;

/// Which common options apply to a command.
#[derive(Clone, Copy)]
pub struct Uses {
    /// The command as a user calls it.
    pub name: &'static str,
    /// It measures: on a CPU, within a budget, in an order.
    pub measures: bool,
    /// It reports findings.
    pub findings: bool,
    /// It has more to show if everything is asked for.
    pub verbose: bool,
    /// What it makes.
    pub makes: Makes,
    /// Whether it has something to say if not even a clock may be read.
    pub without_clocks: bool,
}

/// What a command makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Makes {
    /// A report without distributions.
    Report,
    /// A report that may have distributions.
    Distributions,
    /// A JSON document of its own.
    Document,
    /// Files for other programs.
    Files,
}

impl Uses {
    /// A command that measures.
    pub const fn measuring(name: &'static str) -> Self {
        Self {
            name,
            measures: true,
            findings: true,
            verbose: true,
            makes: Makes::Report,
            without_clocks: false,
        }
    }

    /// Refuses an option that does not apply to the command.
    ///
    /// # Errors
    /// It is given.
    pub fn refuse(&self, given: bool, option: &str) -> Result<(), Usage> {
        match given {
            true => Err(Usage(format!("{option} does not apply to `{}`", self.name))),
            false => Ok(()),
        }
    }

    /// A command that only shows what the tool knows.
    pub const fn showing(name: &'static str) -> Self {
        Self {
            name,
            measures: false,
            findings: false,
            verbose: false,
            makes: Makes::Document,
            without_clocks: false,
        }
    }
}

/// Checks the options before anything is done.
///
/// # Errors
/// An option that does not apply, and two that contradict each other (usage); an export that could
/// not be written.
pub fn check(uses: &Uses, global: &Global) -> anyhow::Result<()> {
    let refuse = |given: bool, option: &str| uses.refuse(given, option);
    if !uses.measures {
        refuse(global.cpu.is_some(), "--cpu")?;
        refuse(global.seed.is_some(), "--seed")?;
        refuse(global.budget.is_some(), "--budget")?;
    }
    if !uses.findings {
        refuse(global.fail_on.is_some(), "--fail-on")?;
        refuse(!global.allow.is_empty(), "--allow")?;
    }
    if !uses.verbose {
        refuse(global.verbose, "--verbose")?;
    }
    if uses.makes == Makes::Files {
        refuse(global.json, "--json")?;
        refuse(!global.export.is_empty(), "--export")?;
    }
    exports(uses, global)
}

fn exports(uses: &Uses, global: &Global) -> anyhow::Result<()> {
    for export in &global.export {
        let (name, id) = (uses.name, export.format.id);
        if uses.makes == Makes::Document && id != "json" {
            let line = format!("`{name}` can be exported as json only, not as {id}");
            return Err(Usage(line).into());
        }
        if uses.makes == Makes::Report && export.format.distributions_only {
            let line =
                format!("{id} holds distributions of waits only, and `{name}` measures none");
            return Err(Usage(line).into());
        }
    }
    let to_stdout = global.export.iter().filter(|e| e.path.is_none()).count();
    if to_stdout + usize::from(global.json) > 1 {
        let line = "standard output can hold one document: use --json or one --export FORMAT=-, \
                    and write the others to files";
        return Err(Usage(line.into()).into());
    }
    let mut paths = BTreeSet::new();
    for path in global.export.iter().filter_map(|e| e.path.as_deref()) {
        if !paths.insert(path) {
            let line = format!("two exports to {}: use a file for each", path.display());
            return Err(Usage(line).into());
        }
        output::check(path)?;
    }
    Ok(())
}
