//! Verdicts and levels in their tones.

use super::style::{Style, Tone, clean};
use super::table::Cell;
use chronoscope_model::Level;
use chronoscope_model::clock::{Clock, Grade};

/// The tone of a grade.
pub(super) fn tone(grade: Grade) -> Tone {
    match grade {
        Grade::Good => Tone::Good,
        Grade::Limited => Tone::Warn,
        Grade::Avoid => Tone::Bad,
    }
}

/// The verdict as a cell. `good` is the same in words and in green; what is limited keeps the
/// plain colour of text, so that a table is not a carnival, and what is to be avoided is red.
pub(super) fn cell(clock: &Clock) -> Cell {
    match &clock.verdict {
        Some(v) if v.grade == Grade::Limited => clean(&v.text).into(),
        Some(v) => Cell::toned(tone(v.grade), clean(&v.text)),
        None => Cell::toned(Tone::Dim, "not judged"),
    }
}

/// A level as a word in its tone.
pub(super) fn level(style: &Style, level: Level) -> String {
    match level {
        Level::Info => style.paint(Tone::Name, "info"),
        Level::Warning => style.paint(Tone::Warn, "warning"),
        Level::Error => style.paint(Tone::Bad, "error"),
    }
}
