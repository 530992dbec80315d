//! A screen under construction: blocks as lines below each other.

use super::style::{INDENT, Style, columns};
use super::wrapping::{wrap, wrap_cell};
use super::{layout, plot, strip, table};
use crate::block::{Block, Text, Tone};
use crate::clean::{clean, clean_span};
use crate::section::Detail;

/// The widest text that is comfortable to read; tables may be wider.
const MEASURE: usize = 100;

/// The widest name of a language that keeps code aligned.
const LANGUAGE: usize = 12;

pub(super) struct Screen<'a> {
    style: &'a Style,
    text: String,
}

impl<'a> Screen<'a> {
    pub(super) fn new(style: &'a Style) -> Self {
        Self { style, text: String::new() }
    }

    /// The width that text is wrapped to.
    fn measure(&self) -> usize {
        self.style.width.clamp(20, MEASURE)
    }

    pub(super) fn block(&mut self, block: &Block, detail: Detail) {
        let style = self.style;
        match block {
            Block::Heading { title, remark } => {
                self.heading(&self.safe(title), &paint(remark, style))
            }
            Block::Facts(facts) => {
                let facts = facts.iter().map(|it| (self.safe(&it.name), paint(&it.value, style)));
                self.facts(&facts.collect::<Vec<_>>());
            }
            Block::Table(table) => {
                for laid in layout::laid(table, detail, style) {
                    if !laid.title.is_empty() {
                        let remark = style.paint(Tone::Dim, &style.signs(&laid.remark));
                        self.heading(&laid.title, &remark);
                    }
                    if !table.headless && detail != Detail::Brief {
                        self.gap();
                    }
                    self.lines(table::lines(&laid.table, detail != Detail::Brief, style));
                    if let Some(keys) = strip::keys(&laid.strips, style) {
                        self.paragraph(&style.paint(Tone::Dim, &keys));
                    }
                }
            }
            Block::Chart(chart) => self.lines(plot::lines(chart, style)),
            Block::Paragraph(text) => self.paragraph(&paint(text, style)),
            Block::Legend(text) => {
                if detail != Detail::Brief {
                    self.gap();
                }
                self.paragraph(&style.paint(Tone::Dim, &paint(text, style)));
            }
            // The screen cuts what is too long.
            Block::Line(text) => self.lines(vec![format!("  {}", paint(text, style))]),
            Block::Item { head, details } => {
                self.indented("  ", "    ", &paint(head, style));
                for detail in details {
                    self.indented("    ", "      ", &paint(detail, style));
                }
            }
            Block::Code(code) => {
                self.gap();
                self.code(code);
            }
        }
    }

    /// Text made safe, with signs that the terminal can show.
    pub(super) fn safe(&self, text: &str) -> String {
        self.style.signs(&clean(text))
    }

    pub(super) fn lines(&mut self, lines: Vec<String>) {
        for line in lines {
            self.text.push_str(&line);
            self.text.push('\n');
        }
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
        let rest = if columns(&title) < 22 { "  " } else { "    " };
        let whole = if remark.is_empty() { title } else { format!("{title}  {remark}") };
        match remark {
            "" => self.lines(vec![whole]),
            _ => self.indented("", rest, &whole),
        }
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        self.indented("  ", "  ", text);
    }

    /// Adds a paragraph with one indentation for its first line and another for the rest.
    pub(super) fn indented(&mut self, first: &str, rest: &str, text: &str) {
        self.lines(wrap(text, self.measure(), first, rest));
    }

    /// Adds a call, indented, and broken as in a cell.
    pub(super) fn call(&mut self, indent: &str, call: &str) {
        let width = self.measure().saturating_sub(columns(indent));
        let lines = wrap_cell(call, width.max(1)).into_iter();
        self.lines(lines.map(|line| format!("{indent}{line}")).collect());
    }

    pub(super) fn facts(&mut self, facts: &[(String, String)]) {
        let names = facts.iter().map(|(name, _)| columns(name)).max();
        let names = names.unwrap_or(0).min(self.measure() / 2);
        for (name, value) in facts {
            let name = self.style.cut(name, names);
            let pad = " ".repeat(names + 2 - columns(&name));
            let first = format!("  {}{pad}", self.style.paint(Tone::Dim, &name));
            self.indented(&first, &" ".repeat(INDENT + names + 2), value);
        }
    }

    /// Adds lines of code next to the name of their language.
    fn code(&mut self, code: &[(String, String)]) {
        let widest = code.iter().map(|(language, _)| language.chars().count()).max();
        let widest = widest.unwrap_or(0).min(LANGUAGE);
        for (language, lines) in code {
            for (nth, line) in lines.lines().enumerate() {
                let name = if nth == 0 { clean(language) } else { String::new() };
                let name = self.style.paint(Tone::Dim, &format!("{name:widest$}"));
                // The indentation of code is kept; the rest of the line is made safe.
                let indent = " ".repeat(line.len() - line.trim_start().len());
                let first = format!("  {name}  {indent}");
                self.indented(&first, &" ".repeat(widest + 6), &self.safe(line));
            }
        }
    }

    /// Returns the screen as it is written, with a line feed at the end of its last line.
    pub(super) fn finish(self) -> String {
        let mut open = None;
        let mut out = String::with_capacity(self.text.len() * 2);
        for line in self.text.trim_end_matches('\n').lines() {
            out.push_str(&self.style.finish(line, &mut open));
            out.push('\n');
        }
        out
    }
}

/// Text with its tones, and without anything that a terminal would act on.
fn paint(text: &Text, style: &Style) -> String {
    let spans = text.0.iter().map(|span| {
        let text = style.signs(&clean_span(&span.text));
        span.tone.map_or(text.clone(), |tone| style.paint(tone, &text))
    });
    spans.collect::<String>().trim_end().to_owned()
}
