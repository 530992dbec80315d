//! What is wrong with time on this machine, or on one whose facts were recorded?

use crate::context::Context;
use crate::error::Usage;
use crate::input;
use crate::output::write_whole;
use crate::screen::Screen;
use crate::task::{Amend, Examples, Job, Run, Task};
use chronoscope_model::Report;
use chronoscope_probes::machine::{self, Root};
use chronoscope_report::json;
use chronoscope_survey::{Survey, doctor, may_measure};
use std::path::{Path, PathBuf};

pub const EXAMPLES: Examples = [
    ("chronoscope doctor --fail-on warning", "Exit with 1 if there is a problem, for a script."),
    ("chronoscope doctor --record bundle", "Keep the facts, for someone elsewhere to look at."),
    ("chronoscope doctor --facts bundle -v", "Diagnose that bundle; -v lists what was ruled out."),
];

/// What is wrong with time here, on what evidence, and what is the fix?
#[derive(clap::Args)]
pub struct Args {
    /// Only facts and the cost of the system's clock, in less than 0.2 s and 20 ms of CPU time.
    #[arg(long, conflicts_with_all = ["facts", "budget", "cpu"])]
    quick: bool,
    /// Also write the facts and figures to this new folder, without anything private.
    #[arg(long, value_name = "DIR", conflicts_with = "facts")]
    record: Option<PathBuf>,
    /// Diagnose the machine that such a folder or a stored report describes, instead of this one.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["budget", "cpu", "seed"])]
    facts: Option<PathBuf>,
}

/// The file of a bundle that holds what was measured.
const MEASURED: &str = "report.json";

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let job = match &self.facts {
            Some(folder) if folder.is_dir() => Job::stored(from_bundle(folder)?, Screen::Doctor),
            Some(file) => Job::stored(doctor::examined(from_report(file)?), Screen::Doctor),
            None if may_measure().is_err() => Job::stored(doctor::unmeasured(), Screen::Doctor),
            None if self.quick => Job::survey(Survey::quick_doctor(), Screen::Doctor),
            None => Job::survey(Survey::doctor(), Screen::Doctor),
        };
        let amend = self
            .record
            .map(|folder| -> Box<Amend> { Box::new(move |report, _| record(&folder, report)) });
        Ok(Job { distributions: true, amend, ..job }.into())
    }
}

/// Reads the report of another machine.
fn from_report(file: &Path) -> Result<Report, Usage> {
    input::report(file).map_err(|Usage(why)| {
        let takes = "--facts takes a report in JSON, or the folder that `chronoscope doctor \
                     --record DIR` wrote (unpack an archive of it first)";
        Usage(format!("{why}; {takes}"))
    })
}

/// Reads the report of another machine from its bundle.
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

fn record(folder: &Path, report: &Report) -> anyhow::Result<()> {
    let refuse = |why: String| Usage(format!("cannot write {}: {why}", folder.display()));
    machine::record(&Root::host(), folder).map_err(|why| refuse(why.to_string()))?;
    let mut json = Vec::new();
    json::write(&doctor::without_names(report), &mut json)?;
    write_whole(&folder.join(MEASURED), &json)
}
