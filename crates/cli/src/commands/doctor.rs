//! What is wrong with time on this machine, or on one whose facts were recorded?

use super::{Examples, Run};
use crate::code::Code;
use crate::context::Context;
use crate::error::Usage;
use crate::finish::finish;
use crate::input;
use crate::output::write_whole;
use crate::progress::Progress;
use crate::uses::{Makes, Uses};
use crate::view::View;
use chronoscope_model::Report;
use chronoscope_probes::machine::{self, Root};
use chronoscope_survey::{Survey, doctor, may_measure};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub const EXAMPLES: Examples = [
    ("chronoscope doctor --fail-on warning", "Exit with 1 if there is a problem, for a script."),
    ("chronoscope doctor --record bundle", "Keep the facts, for someone elsewhere to look at."),
    ("chronoscope doctor --facts bundle -v", "Diagnose that bundle; -v lists what was ruled out."),
];

/// What is wrong with time on this machine, with evidence and the fix?
#[derive(clap::Args)]
pub struct Args {
    /// Also write the facts and figures to this new folder, without anything private.
    #[arg(long, value_name = "DIR", conflicts_with = "facts")]
    record: Option<PathBuf>,
    /// Diagnose a machine from such a folder, instead of this one.
    #[arg(long, value_name = "DIR")]
    facts: Option<PathBuf>,
}

/// The file of a bundle that holds what was measured.
const MEASURED: &str = "report.json";

impl Run for Args {
    fn uses(&self) -> Uses {
        match self.facts {
            Some(_) => Uses {
                findings: true,
                verbose: true,
                makes: Makes::Distributions,
                without_clocks: true,
                ..Uses::showing("doctor --facts")
            },
            None => Uses {
                makes: Makes::Distributions,
                without_clocks: true,
                ..Uses::measuring("doctor")
            },
        }
    }

    fn run(self, context: &Context) -> anyhow::Result<ExitCode> {
        let report = match &self.facts {
            Some(folder) => from_bundle(folder)?,
            None => here(context)?,
        };
        if let Some(folder) = &self.record {
            record(folder, &report)?;
        }
        finish(context, report, |report| View::Doctor.draw(report, Code::All, context))
    }
}

/// This machine, measured if that is possible.
fn here(context: &Context) -> anyhow::Result<Report> {
    if may_measure().is_err() {
        return Ok(doctor::unmeasured());
    }
    let progress = Progress::new(context);
    let survey = context.survey(Survey::doctor());
    Ok(survey.progress(|state| progress.show(state)).run()?)
}

/// Another machine, from its bundle.
fn from_bundle(folder: &Path) -> Result<Report, Usage> {
    let refuse = |why: String| Usage(format!("{}: {why}", folder.display()));
    let root = Root::recorded(folder).map_err(|why| refuse(why.to_string()))?;
    let file = folder.join(MEASURED);
    let there = file.symlink_metadata();
    let measured = match there {
        Ok(there) if there.is_symlink() => return Err(refuse(format!("{MEASURED} is a link"))),
        Ok(_) => Some(input::report(&file)?),
        // A bundle may hold facts only.
        Err(_) => None,
    };
    if measured.is_none() && root.process().arch.is_empty() {
        let why = "it is not a bundle: it has neither `process` nor `report.json`; `chronoscope \
                   doctor --record DIR` writes one";
        return Err(refuse(why.into()));
    }
    Ok(doctor::diagnosed(&root, measured))
}

/// Writes a bundle.
fn record(folder: &Path, report: &Report) -> anyhow::Result<()> {
    let refuse = |why: String| Usage(format!("cannot write {}: {why}", folder.display()));
    machine::record(&Root::host(), folder).map_err(|why| refuse(why.to_string()))?;
    let mut json = Vec::new();
    chronoscope_report::json::write(&doctor::without_names(report), &mut json)?;
    write_whole(&folder.join(MEASURED), &json)
}
