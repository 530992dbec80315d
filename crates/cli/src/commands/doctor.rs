//! What is wrong with time on this machine, or on one whose facts were recorded?

use crate::archive::{self, Held};
use crate::context::{Context, Usage};
use crate::input;
use crate::output::{cannot_write, check_folder, write_whole};
use crate::task::{Amend, Job, Run, Screen, Task};
use crate::texts::{MOST, TAKES, Texts, is_sosreport};
use chronoscope_model::units::parse_whole;
use chronoscope_model::{Note, Report};
use chronoscope_probes::machine::{self, Root};
use chronoscope_report::json;
use chronoscope_survey::{Survey, doctor, may_measure};
use std::path::{Path, PathBuf};
use std::{fs, io};

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
    /// What affects another process: its timer slack, libraries that replace clocks, its quota and
    /// its time namespace. Nothing is measured.
    #[arg(long, value_name = "PID", value_parser = parse_whole::<u32>, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["quick", "record", "facts", "files", "budget", "cpu", "seed"])]
    pid: Option<u32>,
    /// What is known of another machine, to be diagnosed together: dmesg, journalctl -k or
    /// kern.log, lscpu, /proc/cpuinfo or /proc/cmdline, what chronyc, timedatectl, ntpq, adjtimex
    /// or w32tm print, a sosreport, a bundle or a report, also compressed; `-` is standard input.
    /// What they do not say is unknown.
    #[arg(value_name = "FILE", conflicts_with_all = ["quick", "record", "budget", "cpu", "seed"])]
    files: Vec<PathBuf>,
}

/// The file of a bundle that holds what was measured.
const MEASURED: &str = "report.json";

impl Run for Args {
    fn task(self, _: &Context) -> anyhow::Result<Task> {
        if let Some(folder) = &self.record {
            check_folder(folder)?;
            if fs::read_dir(folder).is_ok_and(|mut there| there.next().is_some()) {
                let full = io::Error::other("the folder is not empty");
                return Err(Usage(cannot_write(folder, &full).to_string()).into());
            }
        }
        let inputs: Vec<&Path> = self.facts.iter().chain(&self.files).map(|it| &**it).collect();
        let job = match (self.pid, &inputs[..]) {
            (Some(pid), _) => Job::stored(of_process(pid)?, Screen::Doctor),
            (None, [_, ..]) => Job::stored(from_files(&inputs)?, Screen::Doctor),
            _ if may_measure().is_err() => Job::stored(doctor::unmeasured(), Screen::Doctor),
            _ if self.quick => Job::survey(Survey::quick_doctor(), Screen::Doctor),
            _ => Job::survey(Survey::doctor(), Screen::Doctor),
        };
        let amend = self
            .record
            .map(|folder| -> Box<Amend> { Box::new(move |report, _| record(&folder, report)) });
        Ok(Job { distributions: true, amend, ..job }.into())
    }
}

/// What affects another process of this machine.
fn of_process(pid: u32) -> Result<Report, Usage> {
    let root = Root::of_process(pid);
    let root = root.map_err(|why| Usage(format!("cannot look at process {pid}: {why}")))?;
    Ok(doctor::diagnosed(&root, None))
}

/// The machine that all of these describe together.
#[derive(Default)]
struct Described {
    /// A report, or a bundle.
    report: Option<Report>,
    texts: Texts,
}

impl Described {
    fn report(&mut self, name: &str, report: Report) -> Result<(), Usage> {
        let again = || Usage(format!("{name}: one report or bundle is diagnosed at a time"));
        if self.report.replace(report).is_some() { Err(again()) } else { Ok(()) }
    }

    fn folder(&mut self, name: &str, folder: &Path) -> Result<(), Usage> {
        if is_sosreport(folder) {
            return self.texts.sosreport(folder);
        }
        self.report(name, from_bundle(folder)?)
    }

    fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), Usage> {
        match input::held(bytes, name) {
            Ok(report) => self.report(name, report),
            // JSON that is no report may be a journal.
            Err(Usage(why)) => {
                let json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
                let refuse = |other| if json { Usage(format!("{why}; {TAKES}")) } else { other };
                self.texts.add(name, bytes).map_err(refuse)
            }
        }
    }
}

/// Diagnoses the machine that reports, bundles and texts describe together.
fn from_files(paths: &[&Path]) -> Result<Report, Usage> {
    let mut all = Described::default();
    for path in paths {
        let shown = path.display().to_string();
        if path.is_dir() {
            all.folder(&shown, path)?;
            continue;
        }
        let held = if path.is_file() { archive::open(path)? } else { None };
        match held {
            Some(Held::Folder(folder)) => {
                all.folder(&shown, folder.path()).map_err(|Usage(why)| {
                    Usage(why.replace(&folder.path().display().to_string(), &shown))
                })?;
            }
            Some(Held::Text(bytes)) => all.bytes(&shown, &bytes)?,
            None => {
                let (name, bytes) = input::bytes(path, MOST)?;
                all.bytes(&name, &bytes)?;
            }
        }
    }
    match all.report {
        Some(report) if all.texts.is_empty() => Ok(doctor::examined(report)),
        report => {
            let read = all.texts.read();
            let (_folder, root) = all.texts.machine()?;
            let mut report = match report {
                Some(report) => doctor::completed(report, &root),
                None => doctor::diagnosed(&root, None),
            };
            report.notes.extend(read.map(|text| Note {
                id: "read".into(),
                text,
                ..Note::default()
            }));
            Ok(report)
        }
    }
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
    if measured.is_none() && root.arch().is_empty() {
        let why = "it is not a bundle: it has neither `process` nor `report.json`; `chronoscope \
                   doctor --record DIR` writes one";
        return Err(refuse(why.into()));
    }
    Ok(doctor::diagnosed(&root, measured))
}

fn record(folder: &Path, report: &Report) -> anyhow::Result<()> {
    machine::record(&Root::host(), folder).map_err(|error| cannot_write(folder, &error))?;
    let mut json = Vec::new();
    json::write(&doctor::without_names(report), &mut json)?;
    write_whole(&folder.join(MEASURED), &json)
}
