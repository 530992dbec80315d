//! Wrapping text, calls and names.

use super::style::columns;
use textwrap::core::Word;
use textwrap::{WordSeparator, WrapAlgorithm};

/// Wraps text at spaces; a word longer than a line is broken where a name or a path may be broken.
pub(super) fn wrap(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    // Ids and file names contain hyphens, and should stay whole so that they can be copied.
    let words = |line| WordSeparator::AsciiSpace.find_words(line).collect();
    wrap_words(text, words, width, first, rest)
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
fn shorter(word: Word<'_>, width: usize) -> Vec<Word<'_>> {
    let mut words = vec![word];
    for signs in BREAKING {
        words = words
            .into_iter()
            .flat_map(
                |word| if columns(&word) <= width { vec![word] } else { split_after(word, signs) },
            )
            .collect();
    }
    words.iter().flat_map(|word| word.break_apart(width).collect::<Vec<_>>()).collect()
}

fn split_after<'a>(word: Word<'a>, signs: &[char]) -> Vec<Word<'a>> {
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
            // The bracket of a call, not one in a sentence.
            '(' => called && !matches!(next, Some(' ' | ')')),
            ',' | ';' => !matches!(next, Some(' ' | ')')),
            ':' => line[..i].ends_with(':'),
            // A method on the result of a call.
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
