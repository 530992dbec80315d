//! Cells in words, as people see them on screens and in documents.

use crate::block::{Cell, Value};
use crate::number::{Figure, count, estimate, percent, short, signed, three};

/// What stands for a value that is absent.
const ABSENT: &str = "-";

/// What people see of a cell, and the uncertainty of its figure. The text may come from outside; a
/// format makes it safe.
pub(crate) fn of(cell: &Cell) -> Figure {
    let value = match (&cell.words, &cell.value) {
        (Some(words), _) => words.clone(),
        (None, Value::Estimate(e)) => return estimate(e),
        (None, Value::Absent) => ABSENT.into(),
        (None, Value::Text(text) | Value::Code(text)) => text.clone(),
        (None, Value::Flag(flag)) => if *flag { "yes" } else { "no" }.into(),
        (None, Value::Count(n)) => count(*n),
        (None, Value::Whole(n)) => signed(*n),
        (None, Value::Number(number)) => three(*number),
        (None, Value::Ns(ns)) => short(*ns),
        (None, Value::Share(share)) => percent(*share),
        (None, Value::Bar(_)) => String::new(),
    };
    Figure { value, spread: String::new() }
}
