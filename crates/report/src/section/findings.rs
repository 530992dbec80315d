//! The findings, with their evidence and what to do.

use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Text, Tone};
use crate::number::plural;
use chronoscope_model::check::{Check, Outcome};
use chronoscope_model::{Certainty, Finding, Level, Report};
use std::cmp::Reverse;

pub const SECTION: Section = Section {
    id: "findings",
    records: &[("findings", "finding"), ("checks", "check")],
    view,
    ..PLAIN
};

/// What was found; empty if there are no findings. The end of a summary says that there are none.
fn view(report: &Report, _: Detail) -> Vec<Block> {
    if report.findings.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::heading("Findings")];
    blocks.extend(report.findings.iter().map(|found| item(found, false)));
    blocks
}

/// What was found, or that nothing was, as a screen of its own.
pub fn page(report: &Report) -> Vec<Block> {
    let blocks = view(report, Detail::Full);
    if blocks.is_empty() { vec![Block::Paragraph(line(report))] } else { blocks }
}

/// The result of looking for each fault: what was found, and what is not known. If everything is
/// asked for, also what was ruled out, by which evidence.
pub fn diagnosis(report: &Report, detail: Detail) -> Vec<Block> {
    let of = |outcome: Outcome| report.checks.iter().filter(move |it| it.outcome == outcome);
    let remark = [
        (Outcome::Found, "found"),
        (Outcome::Clear, "ruled out"),
        (Outcome::Unknown, "unknown"),
        (Outcome::Elsewhere, "of other machines"),
    ];
    let remark = remark.map(|(outcome, word)| (of(outcome).count(), word));
    let remark = remark.iter().filter(|(count, _)| *count > 0);
    let remark: Vec<String> = remark.map(|(count, word)| format!("{count} {word}")).collect();
    let title = plural(report.checks.len() as u64, "fault", "faults");
    let mut blocks = vec![Block::noted(format!("Doctor: {title}"), remark.join(", "))];
    if report.findings.is_empty() {
        blocks.push(Block::Paragraph(line(report)))
    } else {
        blocks.extend(report.findings.iter().map(|found| item(found, true)))
    }
    blocks.extend(grouped("Unknown", of(Outcome::Unknown)));
    if detail == Detail::Everything {
        blocks.extend(grouped("Of other machines", of(Outcome::Elsewhere)));
        blocks.push(Block::heading("Ruled out"));
        blocks.extend(of(Outcome::Clear).map(|check| Block::Item {
            head: Text::toned(Tone::Name, &check.id),
            details: vec![Text::toned(Tone::Dim, &check.looks_at)],
        }));
    }
    blocks
}

/// Faults under a heading, by the reason; none if there are none.
fn grouped<'a>(title: &str, checks: impl Iterator<Item = &'a Check>) -> Vec<Block> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for check in checks {
        // A finding that is itself about something unknown is listed with the findings.
        let Some(why) = check.why.as_deref() else {
            continue;
        };
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, ids)) => ids.push(&check.id),
            None => groups.push((why, vec![&check.id])),
        }
    }
    let mut blocks: Vec<Block> = groups
        .into_iter()
        .map(|(why, ids)| Block::Item {
            head: why.into(),
            details: vec![Text::toned(Tone::Dim, ids.join(", "))],
        })
        .collect();
    if !blocks.is_empty() {
        blocks.insert(0, Block::heading(title));
    }
    blocks
}

/// The largest number of findings that one line names.
const NAMED: usize = 3;

pub(super) fn line(report: &Report) -> Text {
    let mut found: Vec<&Finding> = report.findings.iter().collect();
    if found.is_empty() {
        return Text::toned(Tone::Good, "No problems found.");
    }
    found.sort_by_key(|finding| Reverse(finding.level));
    let named = found.iter().take(NAMED).map(|finding| {
        let (tone, level) = level(finding.level);
        let level = Text::toned(tone, level);
        level.and(" ").and(Text::toned(Tone::Name, &finding.id))
    });
    let named = named.enumerate().fold(Text::default(), |all, (nth, one)| {
        let comma = if nth == 0 { "" } else { ", " };
        all.and(comma).and(one)
    });
    match found.len().saturating_sub(NAMED) {
        0 => named,
        more => named.and(format!(" and {more} more")),
    }
}

fn level(level: Level) -> (Tone, &'static str) {
    match level {
        Level::Info => (Tone::Name, "info"),
        Level::Warning => (Tone::Warn, "warning"),
        Level::Error => (Tone::Bad, "error"),
    }
}

/// How a finding is known, in a clause.
fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Measured => "measured: it was seen to happen",
        Certainty::Evidence => "evidence: a flag, a file or the kernel says so",
        Certainty::Unknown => "unknown: it could not be examined",
    }
}

fn item(finding: &Finding, at_length: bool) -> Block {
    let (tone, level) = level(finding.level);
    let evidence = finding.evidence.iter();
    let mut details: Vec<Text> = evidence.map(|text| Text::toned(Tone::Dim, text)).collect();
    if at_length {
        details.push(format!("Certainty: {}", certainty(finding.certainty)).into());
    }
    details.push(format!("Fix: {}", finding.fix).into());
    if at_length && !finding.reference.is_empty() {
        details.push(format!("Reference: {}", finding.reference).into());
    }
    Block::Item {
        head: Text::toned(tone, level)
            .and(" ")
            .and(Text::toned(Tone::Name, &finding.id))
            .and(format!("  {}", finding.title)),
        details,
    }
}
