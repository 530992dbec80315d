//! Strips and stacks: pictures in the cells of a table, as SVG whose horizontal places are
//! percentages, so that they fill a column whose width is not known.

use crate::block::chart::{Mark, Share};
use crate::scale::{Scale, Unit};
use maud::{Markup, html};

/// The axis of a column without one of its own.
pub(super) fn axis(marks: &[&Mark]) -> Scale {
    Scale::log(Unit::Ns, marks.iter().flat_map(|mark| [mark.low, mark.value, mark.high]))
}

/// The labels of the axis, for the head of the column.
pub(super) fn head(_axis: &Scale) -> Markup {
    html! {}
}

/// What the marks of a column stand for, each kind once: the legend above the table.
pub(super) fn keys(_marks: &[&Mark]) -> Markup {
    html! {}
}

/// What the parts of a column of stacks stand for.
pub(super) fn stack_keys(_shares: &[&Share]) -> Markup {
    html! {}
}

/// The marks of one row.
pub(super) fn cell(marks: &[Mark], axis: &Scale) -> Markup {
    html! { @for mark in marks { (axis.at(mark.value)) } }
}

/// The parts of one row.
pub(super) fn stack(shares: &[Share]) -> Markup {
    html! { @for share in shares { (share.share) } }
}
