//! A screen under construction: headings, facts, paragraphs and tables, one below the other.

use super::style::{Style, Tone, columns};
use super::table::Table;
use textwrap::core::Word;
use textwrap::{WordSeparator, WrapAlgorithm};

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

    /// A call, indented, parted as in a cell.
    pub(super) fn call(&mut self, indent: &str, call: &str) {
        let width = Self::measure(self.style).saturating_sub(columns(indent));
        for line in wrap_cell(call, width.max(1)) {
            self.line(&format!("{indent}{line}"));
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

/// Text wrapped at spaces; what is longer than a line is broken where a name or a path can be
/// parted.
pub(super) fn wrap(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    // Ids and file names hold hyphens and must stay whole to be copied, where they can.
    let words = |line| WordSeparator::AsciiSpace.find_words(line).collect();
    wrap_words(text, words, width, first, rest)
}

/// A cell's text wrapped at spaces and where a call can be parted: behind a bracket, a comma, a
/// `::`, and before a method.
pub(super) fn wrap_cell(text: &str, width: usize) -> Vec<String> {
    wrap_words(text, parts, width, "", "")
}

fn wrap_words<'a>(
    text: &'a str,
    words: impl Fn(&'a str) -> Vec<Word<'a>>,
    width: usize,
    first: &str,
    rest: &str,
) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let indent = |nth: usize| if nth == 0 { first } else { rest };
        let room = [0, 1].map(|nth| width.saturating_sub(columns(indent(lines.len() + nth))));
        let least = room[0].min(room[1]).max(1);
        let words: Vec<Word<'_>> = words(line)
            .into_iter()
            .flat_map(|word| shorter(word, least))
            .collect();
        for words in WrapAlgorithm::new().wrap(&words, &room) {
            let mut out = indent(lines.len()).to_owned();
            for (i, word) in words.iter().enumerate() {
                out.push_str(word);
                if i + 1 < words.len() {
                    out.push_str(word.whitespace);
                }
            }
            lines.push(out);
        }
    }
    lines
}

/// Signs behind which a word that is longer than a line is parted, the best first.
const PARTING: [&[char]; 3] = [&['/'], &['<', '(', ',', ';'], &['-', '_', '=', '.']];

/// The word, or its parts where it is longer than a line: behind a sign that parts a path, a type
/// or a name, and anywhere where that does not suffice.
fn shorter(word: Word<'_>, width: usize) -> Vec<Word<'_>> {
    let mut words = vec![word];
    for signs in PARTING {
        words = words
            .into_iter()
            .flat_map(|word| match columns(&word) <= width {
                true => vec![word],
                false => split_behind(word, signs),
            })
            .collect();
    }
    words
        .iter()
        .flat_map(|word| word.break_apart(width).collect::<Vec<_>>())
        .collect()
}

fn split_behind<'a>(word: Word<'a>, signs: &[char]) -> Vec<Word<'a>> {
    let text: &str = word.word;
    let mut out = Vec::new();
    let mut start = 0;
    for (i, c) in text.char_indices() {
        let end = i + c.len_utf8();
        let empty = c == '(' && text[end..].starts_with(')');
        if signs.contains(&c) && !empty && end < text.len() {
            out.push(Word::from(&text[start..end]));
            start = end;
        }
    }
    let mut last = Word::from(&text[start..]);
    last.whitespace = word.whitespace;
    out.push(last);
    out
}

fn parts(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = 0;
    for (i, c) in line.char_indices() {
        let end = i + c.len_utf8();
        let next = line[end..].chars().next();
        let called = line[..i].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>');
        let ends = match c {
            ' ' => next != Some(' '),
            // A bracket of a call, and not one in a sentence.
            '(' => called && !matches!(next, Some(' ' | ')')),
            ',' | ';' => !matches!(next, Some(' ' | ')')),
            ':' => line[..i].ends_with(':'),
            // A method of what a call gave.
            ')' => next == Some('.'),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_parted_where_a_reader_would() {
        assert_eq!(
            wrap_cell("duration_cast<milliseconds>(system_clock::now())", 18),
            [
                "duration_cast<",
                "milliseconds>(",
                "system_clock::",
                "now())"
            ]
        );
        assert_eq!(
            wrap_cell("no clock (no /dev/ptp0)", 10),
            ["no clock", "(no", "/dev/ptp0)"]
        );
        assert_eq!(
            wrap("(/sys/devices/system/current_device)", 20, "  ", "  "),
            ["  (/sys/devices/", "  system/", "  current_device)"]
        );
        assert_eq!(wrap_cell("abcdefgh", 3), ["abc", "def", "gh"]);
    }
}
