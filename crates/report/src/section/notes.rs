//! What the run left out or did differently.

use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Tone};
use chronoscope_model::{Note, Report};

pub const SECTION: Section = Section {
    id: "notes",
    records: &[("notes", "note")],
    view: |report: &Report, _: Detail| report.notes.iter().map(note).collect(),
    ..PLAIN
};

fn note(note: &Note) -> Block {
    let fix = match note.fix.as_str() {
        "" => String::new(),
        fix => format!(" To change that: {fix}."),
    };
    let text = format!("Note: {}.{fix}", note.text.trim_end_matches('.'));
    Block::toned(Tone::Dim, text)
}
