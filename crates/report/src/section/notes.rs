//! What the run left out or did differently.

use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Tone};
use chronoscope_model::{Note, Report};

pub const SECTION: Section = Section {
    id: "notes",
    records: &[("notes", "note")],
    view: |report: &Report, _: Detail| {
        let noted = report.notes.iter().map(|note| format!("Note: {}", words(note)));
        noted.map(|note| Block::toned(Tone::Dim, note)).collect()
    },
    glance: Some(glance),
    ..PLAIN
};

/// One line: the first note, and how many more there are.
fn glance(report: &Report, _: usize) -> Vec<Block> {
    /// What fits into a line of 80 columns.
    const WIDTH: usize = 55;
    let Some((first, rest)) = report.notes.split_first() else {
        return Vec::new();
    };
    let mut text = first.text.clone();
    if let Some((end, _)) = text.char_indices().nth(WIDTH) {
        let words = text[..end].rfind(' ').unwrap_or(end);
        text.replace_range(words.., " …");
    }
    if !rest.is_empty() {
        text += &format!(" · {} more: -v", rest.len());
    }
    vec![Block::toned(Tone::Dim, format!("Note: {text}"))]
}

/// The notes under a heading that says what they are.
pub(crate) fn listed(report: &Report) -> Vec<Block> {
    report.notes.iter().map(|note| Block::paragraph(words(note))).collect()
}

fn words(note: &Note) -> String {
    let fix = match note.fix.as_str() {
        "" => String::new(),
        fix => format!(" To change that: {fix}."),
    };
    format!("{}.{fix}", note.text.trim_end_matches('.'))
}
