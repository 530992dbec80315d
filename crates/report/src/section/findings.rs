//! The findings, with their evidence and what to do.

use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Text, Tone};
use chronoscope_model::{Finding, Level, Report};
use std::cmp::Reverse;

/// The section.
pub const SECTION: Section = Section {
    id: "findings",
    records: &[("findings", "finding")],
    view,
    ..PLAIN
};

/// What was found; nothing if there is nothing. That there is nothing stands at the end of a
/// summary.
fn view(report: &Report, _: Detail) -> Vec<Block> {
    if report.findings.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::heading("Findings")];
    blocks.extend(report.findings.iter().map(item));
    blocks
}

/// What was found, or that nothing was, as a screen of its own.
pub fn page(report: &Report) -> Vec<Block> {
    let blocks = view(report, Detail::Full);
    match blocks.is_empty() {
        true => vec![Block::Paragraph(line(report))],
        false => blocks,
    }
}

/// The most findings that one line names.
const NAMED: usize = 3;

/// What was found, in one line.
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

/// A level in words, and its tone.
fn level(level: Level) -> (Tone, &'static str) {
    match level {
        Level::Info => (Tone::Name, "info"),
        Level::Warning => (Tone::Warn, "warning"),
        Level::Error => (Tone::Bad, "error"),
    }
}

fn item(finding: &Finding) -> Block {
    let (tone, level) = level(finding.level);
    let evidence = finding.evidence.iter();
    let mut details: Vec<Text> = evidence.map(|text| Text::toned(Tone::Dim, text)).collect();
    details.push(format!("Fix: {}", finding.fix).into());
    Block::Item {
        head: Text::toned(tone, level)
            .and(" ")
            .and(Text::toned(Tone::Name, &finding.id))
            .and(format!("  {}", finding.title)),
        details,
    }
}
