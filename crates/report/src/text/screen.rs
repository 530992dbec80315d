//! A screen under construction: headings, facts, paragraphs and tables below each other.

use super::style::{INDENT, Style, columns};
use super::table::Table;
use super::wrapping::{wrap, wrap_cell};
use crate::block::Tone;
use crate::clean::clean_span;

/// The widest text that is comfortable to read; tables may be wider.
const MEASURE: usize = 100;

/// A screen under construction.
pub(super) struct Screen<'a> {
    style: &'a Style,
    text: String,
    /// Lines that come first and are not laid out.
    verbatim: String,
}

impl<'a> Screen<'a> {
    pub(super) fn new(style: &'a Style) -> Self {
        Self { style, text: String::new(), verbatim: String::new() }
    }

    /// The width that text is wrapped to.
    pub(super) fn measure(style: &Style) -> usize {
        style.width.clamp(20, MEASURE)
    }

    /// Adds lines with a layout of their own, which may be wider than the screen.
    pub(super) fn verbatim(&mut self, lines: &str) {
        for line in lines.lines() {
            let line = self.style.signs(&clean_span(line));
            self.verbatim.push_str(line.trim_end());
            self.verbatim.push('\n');
        }
    }

    /// Adds one line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds an empty line, but never two in a row.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds a heading, with a remark after it.
    pub(super) fn heading(&mut self, title: &str, remark: &str) {
        self.gap();
        let title = self.style.paint(Tone::Strong, title);
        if remark.is_empty() {
            self.line(&title);
        } else {
            let used = columns(&title) + 2;
            let lines = wrap(
                &format!("{title}  {remark}"),
                Self::measure(self.style),
                "",
                if used < 24 { "  " } else { "    " },
            );
            self.line(&lines.join("\n"));
        }
    }

    /// Adds an indented paragraph.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.indented("  ", "  ", text);
    }

    /// Adds a paragraph with one indentation for its first line and another for the rest.
    pub(super) fn indented(&mut self, first: &str, rest: &str, text: &str) {
        for line in wrap(text, Self::measure(self.style), first, rest) {
            self.line(&line);
        }
    }

    /// Adds a call, indented, and broken as in a cell.
    pub(super) fn call(&mut self, indent: &str, call: &str) {
        let width = Self::measure(self.style).saturating_sub(columns(indent));
        for line in wrap_cell(call, width.max(1)) {
            self.line(&format!("{indent}{line}"));
        }
    }

    /// Adds names and their values, aligned.
    pub(super) fn facts(&mut self, facts: &[(String, String)]) {
        let room = Self::measure(self.style);
        let names = facts.iter().map(|(name, _)| columns(name)).max();
        let names = names.unwrap_or(0).min(room / 2);
        for (name, value) in facts {
            let name = self.style.cut(name, names);
            let pad = " ".repeat(INDENT + names + 2 - columns(&name) - INDENT);
            let first = format!("  {}{pad}", self.style.paint(Tone::Dim, &name));
            self.indented(&first, &" ".repeat(INDENT + names + 2), value);
        }
    }

    /// Adds a table.
    pub(super) fn table(&mut self, table: &Table) {
        for line in table.render(self.style) {
            self.line(&line);
        }
    }

    /// Returns the screen as it is written, with a line feed at the end of its last line.
    pub(super) fn finish(self) -> String {
        let mut open = None;
        let mut out = self.verbatim;
        out.reserve(self.text.len() * 2);
        for line in self.text.trim_end_matches('\n').lines() {
            out.push_str(&self.style.finish(line, &mut open));
            out.push('\n');
        }
        out
    }
}
