//! The run that made the report.

use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Tone};
use crate::number::three;
use chronoscope_model::{Finding, Report};

pub const SECTION: Section = Section {
    id: "run",
    records: &[("run", "run"), ("spec", "spec"), ("load_runs", "load")],
    view,
    ..PLAIN
};

/// What makes every figure doubtful, in one line.
fn doubt(finding: &Finding) -> Block {
    let text = match finding.evidence.first() {
        Some(evidence) => format!("{}: {evidence}", finding.title),
        None => finding.title.clone(),
    };
    Block::toned(Tone::Warn, text)
}

/// Why the run may be off as a whole, in one line.
fn disturbed(report: &Report) -> Option<Block> {
    let seen: Vec<&str> = report.run.disturbed.iter().map(|it| it.text.as_str()).collect();
    (!seen.is_empty()).then(|| Block::toned(Tone::Warn, format!("Disturbed: {}", seen.join(", "))))
}

/// Length of the date that a time in RFC 3339 begins with.
const DATE: usize = 10;

/// In brief, the heading of the summary, and what makes all that follows doubtful; otherwise only
/// that the run was interrupted or disturbed.
fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let run = &report.run;
    let interrupted = "interrupted: this is what was measured until then";
    if detail != Detail::Brief {
        let text = format!("The run was {interrupted}.");
        let warning = || Block::toned(Tone::Warn, text);
        return (!run.complete).then(warning).into_iter().chain(disturbed(report)).collect();
    }
    let on = format!("{} on {}", run.tool_version, report.environment.arch);
    let mut remark = vec![on];
    remark.extend(run.started.get(..DATE).map(str::to_owned));
    if run.seconds > 0.0 {
        remark.push(format!("measured in {} s", three(run.seconds)));
    }
    if !run.complete {
        remark.push(interrupted.into());
    }
    let remark = remark.join(" · ");
    let mut blocks = vec![Block::noted("chronoscope", remark)];
    let doubt_of_all = report.findings.iter().find(|finding| finding.affects_all);
    blocks.extend(doubt_of_all.map(doubt));
    blocks.extend(disturbed(report));
    blocks
}
