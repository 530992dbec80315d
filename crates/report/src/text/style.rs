//! How a screen is drawn: its width, whether it may use colour, which signs it may use, and where
//! its lines are broken.

use crate::block::Tone;
use std::borrow::Cow;
use textwrap::core::Word;
use textwrap::{WordSeparator, WrapAlgorithm};
use unicode_width::UnicodeWidthChar;

/// What the terminal can show, as the caller found it; nothing here examines a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns. No line of a screen is wider.
    pub width: usize,
    /// Whether escape sequences for colour may be written.
    pub color: bool,
    /// Whether signs beyond ASCII may be written.
    pub unicode: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { width: 80, color: false, unicode: true }
    }
}

/// Every tone, in the order of their marks.
const TONES: [Tone; 6] = [Tone::Strong, Tone::Dim, Tone::Good, Tone::Warn, Tone::Bad, Tone::Name];

fn ansi(tone: Tone) -> anstyle::Style {
    use anstyle::AnsiColor;
    let style = anstyle::Style::new();
    match tone {
        Tone::Strong => style.bold(),
        Tone::Dim => style.dimmed(),
        Tone::Good => style.fg_color(Some(AnsiColor::Green.into())),
        Tone::Warn => style.fg_color(Some(AnsiColor::Yellow.into())),
        Tone::Bad => style.fg_color(Some(AnsiColor::Red.into())).bold(),
        Tone::Name => style.fg_color(Some(AnsiColor::Cyan.into())),
    }
}

/// The mark that opens a tone in text that is not laid out yet.
///
/// Escape sequences would count as columns while text is wrapped and aligned. So the layout carries
/// tones as tag characters, whose width is zero (Unicode, "Tags" block, default ignorable), and the
/// last step turns them into escape sequences. [`clean`](crate::clean::clean) removes such
/// characters from foreign text, so none can be smuggled in.
fn mark(tone: Tone) -> char {
    char::from_u32(FIRST_MARK + tone as u32).unwrap_or(END_MARK)
}

fn of_mark(c: char) -> Option<Tone> {
    let offset = (c as u32).checked_sub(FIRST_MARK)?;
    TONES.get(offset as usize).copied()
}

/// The indentation of everything but headings.
pub(super) const INDENT: usize = 2;

const FIRST_MARK: u32 = 0xE_0030;
const END_MARK: char = '\u{E007F}';

impl Style {
    /// Text in a tone, to be laid out: a mark that takes no column opens and closes it.
    pub fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        format!("{}{text}{END_MARK}", mark(tone))
    }

    /// Text whose signs the terminal can show: without Unicode, the signs that screens use become
    /// ASCII.
    pub fn signs(&self, text: &str) -> String {
        if self.unicode { text.to_owned() } else { ascii(text).into_owned() }
    }

    /// A bar of this length, 0 to 1, on a number of columns.
    pub(super) fn bar(&self, length: f64, columns: usize) -> String {
        let eighths = (length.clamp(0.0, 1.0) * columns as f64 * 8.0).round() as usize;
        if columns == 0 || eighths == 0 && length <= 0.0 {
            return String::new();
        }
        if !self.unicode {
            return "#".repeat((eighths / 8).max(1));
        }
        let whole = "█".repeat(eighths / 8);
        let bar = whole + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
        if bar.is_empty() { "▏".into() } else { bar }
    }

    /// A line as it is written: cut to the width, marks turned into colour.
    ///
    /// `open` carries the tone of a passage that was wrapped over the end of the line.
    pub(super) fn finish(&self, line: &str, open: &mut Option<Tone>) -> String {
        let line = self.cut(line, self.width);
        // Hold spaces back until something follows them, so that no line ends with one.
        let mut spaces = 0;
        let mut out = String::with_capacity(line.len() + 16);
        let mut styled = false;
        for c in line.chars() {
            if let Some(tone) = of_mark(c) {
                *open = Some(tone);
            } else if c == END_MARK {
                if let (true, Some(tone)) = (styled, *open) {
                    out.push_str(&ansi(tone).render_reset().to_string());
                }
                styled = false;
                *open = None;
            } else if c == ' ' {
                spaces += 1;
            } else {
                out.extend(std::iter::repeat_n(' ', std::mem::take(&mut spaces)));
                // Indentation stays plain, also within a wrapped passage.
                if let (false, Some(tone)) = (styled, *open) {
                    out.push_str(&ansi(tone).render().to_string());
                    styled = true;
                }
                if self.unicode || c.is_ascii() {
                    out.push(c);
                } else {
                    out.push_str(&ascii(c.encode_utf8(&mut [0; 4])));
                }
            }
        }
        if let (true, Some(tone)) = (styled, *open) {
            out.push_str(&ansi(tone).render_reset().to_string());
        }
        out
    }

    /// A line of a picture as it is written, in exactly the width: what is written over it leaves
    /// nothing of it. Without Unicode, each sign becomes ASCII for itself: in a picture, `·`
    /// between spaces separates nothing.
    pub fn filled(&self, line: &str) -> String {
        let ascii = |c: char| {
            let is_mark = of_mark(c).is_some() || c == END_MARK;
            if is_mark { c.to_string() } else { ascii(c.encode_utf8(&mut [0; 4])).into_owned() }
        };
        let line = match self.unicode {
            true => cut(line, self.width, ""),
            false => cut(&line.chars().map(ascii).collect::<String>(), self.width, ""),
        };
        // The spaces at the end are not drawn with the line.
        let (mut drawn, mut at) = (0, 0);
        for c in line.chars() {
            at += c.width().unwrap_or(0);
            if c != ' ' && of_mark(c).is_none() && c != END_MARK {
                drawn = at;
            }
        }
        self.finish(&line, &mut None) + &" ".repeat(self.width - drawn)
    }

    /// Cuts text to a number of columns, and marks the cut with a sign.
    pub fn cut(&self, text: &str, width: usize) -> String {
        let sign = self.signs("…");
        cut(text, width, if columns(&sign) <= width { &sign } else { "" })
    }
}

/// As much of a text as fits in a number of columns, with the sign if that is not all.
fn cut(text: &str, width: usize, sign: &str) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let room = width - columns(sign);
    let (mut out, mut used, mut cut) = (String::new(), 0, false);
    for c in text.chars() {
        let mark = of_mark(c).is_some() || c == END_MARK;
        let wide = c.width().unwrap_or(0);
        if !mark && !cut && used + wide > room {
            cut = true;
            out.push_str(sign);
        }
        // Marks are kept beyond the cut, so that an open tone is closed.
        if mark || !cut {
            out.push(c);
            used += wide;
        }
    }
    out
}

/// The columns that a text takes; marks take none.
pub fn columns(text: &str) -> usize {
    // Almost all texts are plain, and then nothing has to be looked up.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

// Text for a terminal that shows only ASCII.

/// The signs that screens use, each in a line with what a reader of plain text expects
/// in its place.
const SIGNS: &str = include_str!("signs.txt");

/// The text in ASCII: the signs that screens use as what resembles them, all others as `_`. Never
/// `?`, which would read as a question. A table of all scripts takes as much as all our prose.
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let signs = SIGNS.lines().filter_map(|line| line.trim_matches('"').split_once("\" = \""));
    let plain = signs.fold(text.to_owned(), |text, (sign, plain)| text.replace(sign, plain));
    plain.replace(|c: char| !c.is_ascii(), "_").into()
}

// Wrapping text, calls and names.

/// Wraps text at spaces; a word longer than a line is broken where a name or a path may be broken.
pub(super) fn wrap(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    wrap_words(text, words, width, first, rest)
}

/// A word without the marks of its tone.
fn bare(word: &str) -> String {
    word.chars().filter(char::is_ascii).collect()
}

/// What a figure is not parted from: the end of a line between them makes two readings.
const UNITS: [&str; 15] =
    ["%", "ns", "us", "ms", "s", "min", "h", "Hz", "kHz", "MHz", "GHz", "ppm", "KiB", "MiB", "GiB"];

/// The words of a line, a figure together with its unit. Ids and file names contain hyphens, and
/// should stay whole so that they can be copied.
fn words(line: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut end = 0;
    for word in WordSeparator::AsciiSpace.find_words(line) {
        let start = end;
        end += word.word.len() + word.whitespace.len();
        let unit = UNITS.contains(&bare(&word).trim_end_matches([',', '.', ':', ';', ')']));
        match words.last_mut() {
            Some(last) if unit && bare(last).ends_with(|c: char| c.is_ascii_digit()) => {
                let start = start - last.word.len() - last.whitespace.len();
                *last = Word::from(&line[start..end]);
            }
            _ => words.push(word),
        }
    }
    words
}

/// Wraps a cell's text at spaces and where a call may be broken: after a bracket, a comma or a
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
        let words: Vec<Word<'_>> =
            words(line).into_iter().flat_map(|word| shorter(word, least)).collect();
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

/// The signs after which a word longer than a line may be broken, the best first.
const BREAKING: [&[char]; 3] = [&['/'], &['<', '(', ',', ';'], &['-', '_', '=', '.']];

/// Returns the word, or its pieces if it is longer than a line: broken after a sign within a path,
/// a type or a name, or anywhere if that is not enough.
fn shorter<'a>(word: Word<'a>, width: usize) -> Vec<Word<'a>> {
    let mut words = vec![word];
    for signs in BREAKING {
        let split = |word: Word<'a>| match columns(&word) <= width {
            true => vec![word],
            false => split_after(word, signs),
        };
        words = words.into_iter().flat_map(split).collect();
    }
    words.iter().flat_map(|word| word.break_apart(width).collect::<Vec<_>>()).collect()
}

fn split_after<'a>(word: Word<'a>, signs: &[char]) -> Vec<Word<'a>> {
    let empty = |c, next| c == '(' && next == ')';
    let mut words = pieces(word.word, |_, c, next| signs.contains(&c) && !empty(c, next));
    if let Some(last) = words.last_mut() {
        last.whitespace = word.whitespace;
    }
    words
}
fn parts(line: &str) -> Vec<Word<'_>> {
    pieces(line, |before, c, next| match c {
        ' ' => next != ' ',
        // The bracket of a call, not one in a sentence.
        '(' => {
            let called = |c: char| c.is_alphanumeric() || c == '_' || c == '>';
            before.ends_with(called) && !matches!(next, ' ' | ')')
        }
        ',' | ';' => !matches!(next, ' ' | ')'),
        ':' => before.ends_with(':'),
        // A method on the result of a call.
        ')' => next == '.',
        _ => false,
    })
}
/// The pieces of a text, each of which ends with a character that does so, by what is before it,
/// itself, and the next one.
fn pieces(text: &str, ends: impl Fn(&str, char, char) -> bool) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = 0;
    for ((i, c), (end, next)) in text.char_indices().zip(text.char_indices().skip(1)) {
        if ends(&text[..i], c, next) {
            words.push(Word::from(&text[start..end]));
            start = end;
        }
    }
    words.push(Word::from(&text[start..]));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_take_no_columns_and_become_colour() {
        let style = Style { color: true, ..Style::default() };
        let text = style.paint(Tone::Good, "good");
        assert_eq!(columns(&text), 4);
        assert_eq!(style.finish(&text, &mut None), "\u{1b}[32mgood\u{1b}[0m");
        assert_eq!(Style::default().paint(Tone::Good, "good"), "good");
    }

    #[test]
    fn a_tone_continues_over_the_end_of_a_line_and_stops_when_cut() {
        let style = Style { color: true, width: 6, ..Style::default() };
        let text = style.paint(Tone::Dim, "one\n  two");
        let mut open = None;
        let lines: Vec<_> = text.lines().map(|l| style.finish(l, &mut open)).collect();
        assert_eq!(lines, ["\u{1b}[2mone\u{1b}[0m", "  \u{1b}[2mtwo\u{1b}[0m"]);
        assert_eq!(open, None);
        let cut = style.finish(&style.paint(Tone::Bad, "far too long"), &mut None);
        assert_eq!(cut, "\u{1b}[1m\u{1b}[31mfar t…\u{1b}[0m");
    }

    #[test]
    fn without_unicode_everything_is_ascii() {
        let style = Style { unicode: false, ..Style::default() };
        assert_eq!(style.finish("µ ± ─", &mut None), "u +/- -");
    }

    #[test]
    fn every_sign_has_something_like_it_and_none_becomes_a_question() {
        assert_eq!(ascii("8 ± 1 µs · 3 × √2 …"), "8 +/- 1 us, 3 x sqrt 2 ..");
        assert_eq!(ascii("≤ ≥ → – é 时"), "<= >= -> - e _");
    }

    #[test]
    fn long_words_break_where_a_reader_would_break_them() {
        assert_eq!(
            wrap_cell("duration_cast<milliseconds>(system_clock::now())", 18),
            ["duration_cast<", "milliseconds>(", "system_clock::", "now())"]
        );
        assert_eq!(wrap_cell("no clock (no /dev/ptp0)", 10), ["no clock", "(no", "/dev/ptp0)"]);
        assert_eq!(
            wrap("(/sys/devices/system/current_device)", 20, "  ", "  "),
            ["  (/sys/devices/", "  system/", "  current_device)"]
        );
        assert_eq!(wrap_cell("abcdefgh", 3), ["abc", "def", "gh"]);
    }
}
