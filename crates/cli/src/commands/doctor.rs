//! What is wrong with time on this machine, or on one whose facts were recorded?

use crate::context::Context;
use crate::error::Usage;
use crate::input;
use crate::output::write_whole;
use crate::screen::Screen;
use crate::task::{Amend, Examples, Job, Run, Task};
use crate::texts::{MOST, TAKES, Texts, is_sosreport};
use chronoscope_model::Report;
use chronoscope_probes::machine::{self, Root};
use chronoscope_report::json;
use chronoscope_survey::{Survey, doctor, may_measure};
use std::path::{Path, PathBuf};

pub const EXAMPLES: Examples = [
    ("chronoscope doctor --fail-on warning", "Exit with 1 if there is a problem, for a script."),
    ("chronoscope doctor --record bundle", "Keep the facts, for someone elsewhere to look at."),
    ("dmesg | chronoscope doctor -", "Diagnose a log, of this machine or of another."),
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
    /// Diagnose the machine that such a folder, a stored report or a text describes.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["budget", "cpu", "seed"])]
    facts: Option<PathBuf>,
    /// Texts of another machine, to be diagnosed together: dmesg, journalctl -k or kern.log, lscpu,
    /// /proc/cpuinfo or /proc/cmdline, the folder of a sosreport; `-` is standard input. What they
    /// do not say is unknown.
    #[arg(value_name = "FILE", conflicts_with_all = ["quick", "record", "budget", "cpu", "seed"])]
    files: Vec<PathBuf>,
}

/// The file of a bundle that holds what was measured.
const MEASURED: &str = "report.json";

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        let inputs: Vec<&Path> = self.facts.iter().chain(&self.files).map(|it| &**it).collect();
        let job = match &inputs[..] {
            [folder] if folder.is_dir() && !is_sosreport(folder) => {
                Job::stored(from_bundle(folder)?, Screen::Doctor)
            }
            [_, ..] => Job::stored(from_texts(&inputs)?, Screen::Doctor),
            [] if may_measure().is_err() => Job::stored(doctor::unmeasured(), Screen::Doctor),
            [] if self.quick => Job::survey(Survey::quick_doctor(), Screen::Doctor),
            [] => Job::survey(Survey::doctor(), Screen::Doctor),
        };
        let amend = self
            .record
            .map(|folder| -> Box<Amend> { Box::new(move |report, _| record(&folder, report)) });
        Ok(Job { distributions: true, amend, ..job }.into())
    }
}

/// Diagnoses a report, or the machine that texts describe together.
fn from_texts(paths: &[&Path]) -> Result<Report, Usage> {
    let mut texts = Texts::default();
    for path in paths {
        if path.is_dir() && is_sosreport(path) {
            texts.sosreport(path)?;
            continue;
        }
        let (name, bytes) = input::bytes(path, MOST)?;
        match input::held(&bytes, &name) {
            // JSON that is no report may be a journal.
            Ok(report) if paths.len() == 1 => return Ok(doctor::examined(report)),
            Ok(_) => {
                let why = "a report holds the facts of one run, and is diagnosed alone";
                return Err(Usage(format!("{name}: {why}")));
            }
            Err(Usage(why)) => {
                let added = texts.add(&name, &bytes);
                let json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
                added
                    .map_err(|other| if json { Usage(format!("{why}; {TAKES}")) } else { other })?;
            }
        }
    }
    let (_folder, root) = texts.machine()?;
    Ok(doctor::diagnosed(&root, None))
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
