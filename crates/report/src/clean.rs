//! Text from outside (a CPU's name, a file, a kernel's log) made safe to show.

use unicode_width::UnicodeWidthChar;

/// The text without anything that could move the cursor, change colours, or reorder or hide text.
/// Control characters become spaces; spaces at both ends are removed.
pub fn clean(text: &str) -> String {
    clean_span(text).trim().to_owned()
}

/// Like [`clean`], but keeps the spaces at both ends, because the span is part of a longer text.
pub(crate) fn clean_span(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        // Zero-width characters: joiners, bidirectional controls (UAX #9), tags, combining
        // marks that could pile up without end.
        } else if c.width().unwrap_or(0) > 0 && !is_bidi_control(c) {
            out.push(c);
        }
    }
    out
}

/// The text with escapes (`\u{1b}`) in place of all that [`clean`] removes but combining marks, for
/// messages: what is in the name of a file can still be told from it.
pub fn escaped(text: &str) -> String {
    let shown = |c: char| if is_unseen(c) { c.escape_default().to_string() } else { c.into() };
    text.chars().map(shown).collect()
}

/// Whether a terminal or a browser obeys a character, or hides or reorders others by it.
pub(crate) fn is_unseen(c: char) -> bool {
    let joins = matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}');
    let hides = joins || matches!(c, '\u{2028}' | '\u{2029}' | '\u{E0000}'..='\u{E007F}');
    c.is_control() || is_bidi_control(c) || hides
}

/// The explicit formatting characters of UAX #9, section 2.
fn is_bidi_control(c: char) -> bool {
    matches!(
        c,
        '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_reaches_the_terminal_as_control() {
        let evil = "a\u{1b}[31mb\u{7}c\u{9b}2Jd\u{202e}e\u{E0030}f\r\ng\0";
        assert_eq!(clean(evil), "a [31mb c 2Jdef g");
        assert_eq!(clean("Intel(R) Xeon(R)"), "Intel(R) Xeon(R)");
        assert_eq!(clean_span(" a\n"), " a ");
        let shown = "a\\u{1b}[31mb\\u{7}c\\u{9b}2Jd\\u{202e}e\\u{e0030}f\\r\\ng\\u{0}";
        assert_eq!(escaped(evil), shown);
        assert_eq!(escaped("größe, e\u{301} \\ 'x'"), "größe, e\u{301} \\ 'x'");
    }
}
