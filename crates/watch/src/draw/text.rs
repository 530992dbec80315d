//! Lines of text that fit: an item of a line is shown as a whole or not at all.

use crate::view::View;
use chronoscope_report::clean::clean;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// A line that owns its text.
pub type Text = Line<'static>;

/// The style of what is read last.
pub const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// The style of what is read first.
pub const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// The style of what is too late, if there are colours.
pub fn alarm(view: &View) -> Style {
    if view.color { Style::new().fg(Color::Red) } else { Style::new() }
}

/// The cells that a text takes.
pub fn width(text: &str) -> usize {
    // Almost all texts are ASCII, and then nothing has to be looked up.
    if text.is_ascii() { text.len() } else { text.width() }
}

/// The text in this many cells, with an ellipsis if it had to be cut.
pub fn cut(text: &str, cells: usize) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if width(&out) + width(c.encode_utf8(&mut [0; 4])) + 1 > cells {
            break;
        }
        out.push(c);
    }
    if cells > 0 {
        out.push('…');
    }
    out
}

/// The text, cut or filled with spaces to this many cells.
pub fn left(text: &str, cells: usize) -> String {
    let mut out = cut(text, cells);
    out.extend(std::iter::repeat_n(' ', cells.saturating_sub(width(&out))));
    out
}

/// The text at the right end of this many cells; nothing if there is no room for all of it.
pub fn right(text: &str, cells: usize) -> String {
    let free = cells.checked_sub(width(text));
    free.map_or_else(|| " ".repeat(cells), |free| " ".repeat(free) + text)
}

/// A name that another program or a file chose, made safe to show.
pub fn name(text: &str) -> String {
    clean(text)
}

/// As many of the items, from the first, as fit, with the separator between them.
pub fn joined(items: &[String], cells: usize, view: &View) -> String {
    let separator = if view.ascii { ", " } else { " · " };
    let mut out = String::new();
    for item in items {
        let between = if out.is_empty() { "" } else { separator };
        if width(&out) + width(between) + width(item) > cells {
            break;
        }
        out += between;
        out += item;
    }
    out
}

/// Words, wrapped at spaces.
pub fn wrapped(text: &str, cells: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().filter(|line| {
            let between = usize::from(!line.is_empty());
            width(line) + between + width(word) <= cells || line.is_empty()
        });
        match line {
            Some(line) => {
                if !line.is_empty() {
                    line.push(' ');
                }
                *line += word;
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A bold heading with a remark, which is left out if it does not fit.
pub fn heading(title: &str, remark: &str, cells: usize) -> Text {
    let mut spans = vec![Span::styled(title.to_owned(), BOLD)];
    if width(title) + 2 + width(remark) <= cells {
        spans.push(Span::styled(format!("  {remark}"), DIM));
    }
    Line::from(spans)
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
