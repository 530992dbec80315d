//! A screen under construction: headings, facts, paragraphs and tables, one below the other.

use super::style::{Style, Tone, columns};
use super::table::Table;
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter};

/// The indentation of everything but headings.
pub(super) const INDENT: usize = 2;

/// The widest column of text that is pleasant to read; tables may be wider.
const MEASURE: usize = 100;

/// Lines that grow.
pub(super) struct Screen<'a> {
    style: &'a Style,
    text: String,
}

impl<'a> Screen<'a> {
    pub(super) fn new(style: &'a Style) -> Self {
        Self {
            style,
            text: String::new(),
        }
    }

    /// The width that text is wrapped to.
    pub(super) fn measure(style: &Style) -> usize {
        style.width.clamp(20, MEASURE)
    }

    /// One line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// An empty line, but never two.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A heading, with a remark behind it.
    pub(super) fn heading(&mut self, title: &str, remark: &str) {
        self.gap();
        let title = self.style.paint(Tone::Strong, title);
        if remark.is_empty() {
            self.line(&title);
        } else {
            let remark = self.style.paint(Tone::Dim, remark);
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

    /// A paragraph, indented.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.indented("  ", "  ", text);
    }

    /// A paragraph with a first and a following indentation.
    pub(super) fn indented(&mut self, first: &str, rest: &str, text: &str) {
        for line in wrap(text, Self::measure(self.style), first, rest) {
            self.line(&line);
        }
    }

    /// Names and what is known of them, aligned.
    pub(super) fn facts(&mut self, facts: &[(String, String)]) {
        #[cfg(test)]
        super::terms::printed(facts.iter().map(|(name, _)| name.as_str()));
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

    /// A table.
    pub(super) fn table(&mut self, table: &Table) {
        #[cfg(test)]
        super::terms::printed(table.heads());
        for line in table.render(self.style) {
            self.line(&line);
        }
    }

    /// The screen as it is written, with a line feed behind its last line.
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

/// Text wrapped at spaces; what is longer than a line is broken.
pub(super) fn wrap(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    let options = Options::new(width)
        .initial_indent(first)
        .subsequent_indent(rest)
        .word_separator(WordSeparator::AsciiSpace)
        // Ids and file names hold hyphens and must stay whole to be copied.
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options)
        .into_iter()
        .map(|line| line.into_owned())
        .collect()
}

/// A cell's text wrapped at spaces and where a call can be parted: behind a bracket, a comma, a
/// `::`.
pub(super) fn wrap_cell(text: &str, width: usize) -> Vec<String> {
    let options = Options::new(width)
        .word_separator(WordSeparator::Custom(|line| {
            Box::new(parts(line).into_iter())
        }))
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options)
        .into_iter()
        .map(|line| line.into_owned())
        .collect()
}

fn parts(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = 0;
    for (i, c) in line.char_indices() {
        let end = i + c.len_utf8();
        let next = line[end..].chars().next();
        let ends = match c {
            ' ' => next != Some(' '),
            '(' | ',' | ';' => !matches!(next, Some(' ' | ')')),
            ':' => line[..i].ends_with(':'),
            _ => false,
        };
        if ends && next.is_some() {
            words.push(Word::from(&line[start..end]));
            start = end;
        }
    }
    words.push(Word::from(&line[start..]));
    words
}
