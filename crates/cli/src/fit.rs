//! Whether the common options fit the command and each other: none is taken and then ignored.

use crate::args::Global;
use crate::commands::Command;
use crate::output;
use crate::select::Usage;
use std::collections::BTreeSet;

/// What a command has a use for.
#[derive(Clone, Copy)]
struct Uses {
    /// As a user calls it.
    name: &'static str,
    /// It measures: on a CPU, within a time, and in an order where there are several of something.
    measures: bool,
    /// It looks for findings.
    findings: bool,
    /// What it makes.
    makes: Makes,
}

/// What a command makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    /// A report without waits.
    Report,
    /// A report that may have waits.
    Waits,
    /// A document of its own, which is JSON.
    Document,
    /// Files for other programs.
    Files,
}

/// What a command that measures one thing has a use for.
const MEASURING: Uses = Uses {
    name: "",
    measures: true,
    findings: false,
    makes: Makes::Report,
};

/// What a command that measures nothing has a use for.
const TELLING: Uses = Uses {
    measures: false,
    makes: Makes::Document,
    ..MEASURING
};

fn uses(command: Option<&Command>) -> Uses {
    let named = |name, uses| Uses { name, ..uses };
    let judging = Uses {
        findings: true,
        ..MEASURING
    };
    let waiting = Uses {
        makes: Makes::Waits,
        ..MEASURING
    };
    match command {
        None => Uses {
            findings: true,
            ..named("chronoscope", waiting)
        },
        Some(Command::Clocks(_)) => named("clocks", judging),
        Some(Command::Deltas(_)) => named("deltas", MEASURING),
        Some(Command::Calls(_)) => named("calls", MEASURING),
        Some(Command::Overhead(_)) => named("overhead", MEASURING),
        Some(Command::Waits(_)) => named("waits", waiting),
        // A moment is within every budget.
        Some(Command::Hardware(_)) => named("hardware", MEASURING),
        Some(Command::Advise(args)) if args.reads() => Uses {
            findings: true,
            makes: Makes::Waits,
            ..named("advise --from", TELLING)
        },
        Some(Command::Advise(args)) if args.is_about_waits() => named("advise --for wait", waiting),
        Some(Command::Advise(_)) => named("advise", judging),
        Some(Command::List(_)) => named("list", TELLING),
        Some(Command::Explain(_)) => named("explain", TELLING),
        Some(Command::Generate(_)) => Uses {
            makes: Makes::Files,
            ..named("generate", TELLING)
        },
    }
}

/// Looks at the options before anything is done.
///
/// # Errors
/// An option that the command has no use for, and two that contradict each other (usage); an export
/// that could not be written.
pub fn check(command: Option<&Command>, global: &Global) -> anyhow::Result<()> {
    let uses = uses(command);
    let name = uses.name;
    let refuse = |given: bool, option: &str, why: &str| match given {
        true => Err(Usage(format!(
            "{name} {why}, so {option} has no use with it"
        ))),
        false => Ok(()),
    };
    if !uses.measures {
        let why = "measures nothing";
        refuse(global.cpu.is_some(), "--cpu", why)?;
        refuse(global.seed.is_some(), "--seed", why)?;
        refuse(global.budget.is_some(), "--budget", why)?;
    }
    if !uses.findings {
        let why = "looks for no findings";
        refuse(global.fail_on.is_some(), "--fail-on", why)?;
        refuse(!global.allow.is_empty(), "--allow", why)?;
    }
    if uses.makes == Makes::Files {
        let why = "makes files of other kinds";
        refuse(global.json, "--json", why)?;
        refuse(!global.export.is_empty(), "--export", why)?;
    }
    exports(uses, global)
}

fn exports(uses: Uses, global: &Global) -> anyhow::Result<()> {
    for export in &global.export {
        let (name, id) = (uses.name, export.format.id);
        if uses.makes == Makes::Document && id != "json" {
            let line = format!("{name} is written as json and in no other format, not as {id}");
            return Err(Usage(line).into());
        }
        if uses.makes == Makes::Report && export.format.waits_alone {
            let line = format!("{id} holds waits alone, and {name} measures none");
            return Err(Usage(line).into());
        }
    }
    let to_stdout = global.export.iter().filter(|e| e.path.is_none()).count();
    if to_stdout + usize::from(global.json) > 1 {
        let line = "standard output holds one document: give one of --json and --export FORMAT=-, \
                    and files to the others";
        return Err(Usage(line.into()).into());
    }
    let mut paths = BTreeSet::new();
    for path in global.export.iter().filter_map(|e| e.path.as_deref()) {
        if !paths.insert(path) {
            let line = format!("two exports to {}: give each its own file", path.display());
            return Err(Usage(line).into());
        }
        output::check(path)?;
    }
    Ok(())
}
