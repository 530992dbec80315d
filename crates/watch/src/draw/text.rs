//! Lines of text that fit: an item of a line is shown as a whole or not at all.

use chronoscope_report::block::Tone;
use chronoscope_report::clean::clean;
use chronoscope_report::text::{Style, columns};

/// The text, cut or filled with spaces to this many cells.
pub fn left(text: &str, cells: usize, style: &Style) -> String {
    let mut out = style.cut(text, cells);
    out.extend(std::iter::repeat_n(' ', cells.saturating_sub(columns(&out))));
    out
}

/// The text at the right end of this many cells; nothing if there is no room for all of it.
pub fn right(text: &str, cells: usize) -> String {
    let free = cells.checked_sub(columns(text));
    free.map_or_else(|| " ".repeat(cells), |free| " ".repeat(free) + text)
}

/// A name that another program or a file chose, made safe to show.
pub fn name(text: &str, style: &Style) -> String {
    style.signs(&clean(text))
}

/// As many of the items, from the first, as fit, with the separator between them.
pub fn joined(items: &[String], cells: usize, style: &Style) -> String {
    let separator = style.signs(" · ");
    let mut out = String::new();
    for item in items {
        let between = if out.is_empty() { "" } else { &separator };
        if columns(&out) + columns(between) + columns(item) > cells {
            break;
        }
        out += between;
        out += item;
    }
    out
}

/// A bold heading with a remark, which is left out if it does not fit.
pub fn heading(title: &str, remark: &str, cells: usize, style: &Style) -> String {
    let mut text = style.paint(Tone::Strong, title);
    if columns(title) + 2 + columns(remark) <= cells {
        text += &style.paint(Tone::Dim, &format!("  {remark}"));
    }
    text
}

/// A time of day in UTC, from nanoseconds since 1970.
pub fn clock(wall_ns: u64) -> String {
    let s = wall_ns / 1_000_000_000 % 86_400;
    format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
}

/// A time of day with milliseconds.
pub fn moment(wall_ns: u64) -> String {
    format!("{}.{:03}", clock(wall_ns), wall_ns / 1_000_000 % 1_000)
}

/// How long something lasts, in seconds or longer.
pub fn lasting(ns: u64) -> String {
    let s = ns / 1_000_000_000;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        3600..86_400 => format!("{} h {} min", s / 3600, s / 60 % 60),
        _ => format!("{} d {} h", s / 86_400, s / 3600 % 24),
    }
}
