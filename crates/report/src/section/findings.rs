//! The findings, with their evidence and what to do.

use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Text, Tone};
use chronoscope_model::{Finding, Level, Report};

/// The section.
pub const SECTION: Section = Section {
    id: "findings",
    records: &[("findings", "finding")],
    view,
    ..PLAIN
};

/// A summary also says that there are none; next to another section they are shown if there are
/// any.
fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let mut blocks = Vec::new();
    if report.findings.is_empty() {
        if detail == Detail::Brief && !report.clocks.is_empty() {
            blocks.push(Block::heading("Findings"));
            blocks.push(Block::Paragraph(Text::toned(Tone::Good, "No problems found.")));
        }
        return blocks;
    }
    blocks.push(Block::heading("Findings"));
    blocks.extend(report.findings.iter().map(item));
    blocks
}

fn item(finding: &Finding) -> Block {
    let (tone, level) = match finding.level {
        Level::Info => (Tone::Name, "info"),
        Level::Warning => (Tone::Warn, "warning"),
        Level::Error => (Tone::Bad, "error"),
    };
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
