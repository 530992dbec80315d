//! Text for a terminal that shows only ASCII.

use std::borrow::Cow;

/// The signs that screens use, as a reader of plain text expects them.
const SIGNS: [(&str, &str); 30] = [
    (" · ", ", "),
    ("·", "."),
    ("±", "+/-"),
    ("µ", "u"),
    ("…", ".."),
    ("▸", ">"),
    ("─", "-"),
    ("━", "="),
    ("┬", "+"),
    ("┤", "+"),
    ("│", "|"),
    ("┼", "+"),
    ("●", "o"),
    ("○", "+"),
    ("√", "sqrt "),
    ("×", "x"),
    ("→", "->"),
    ("▁", "."),
    ("▂", ":"),
    ("▃", "-"),
    ("▄", "="),
    ("▅", "+"),
    ("▆", "*"),
    ("▇", "#"),
    ("░", ":"),
    ("▒", "+"),
    ("▓", "*"),
    ("█", "#"),
    ("↑", "^"),
    ("↓", "v"),
];

/// The replacement for a sign that no ASCII character resembles.
const OTHER: &str = "_";

/// The text in ASCII: signs that screens use by name, letters of other scripts by those that sound
/// or look like them, and what is left as `_`. Never `?`, which would read as a question.
pub fn ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let plain = SIGNS.iter().fold(text.to_owned(), |text, (sign, plain)| text.replace(sign, plain));
    deunicode::deunicode_with_tofu(&plain, OTHER).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_has_something_like_it_and_none_becomes_a_question() {
        assert_eq!(ascii("8 ± 1 µs · 3 × √2 …"), "8 +/- 1 us, 3 x sqrt 2 ..");
        assert_eq!(ascii("≤ ≥ → – é 时"), "<= >= -> - e Shi");
        // A private-use sign has no name.
        assert_eq!(ascii("\u{e000}"), "_");
        let every = ('\u{80}'..=char::MAX).step_by(17).map(|c| ascii(&c.to_string()).into_owned());
        assert!(every.into_iter().all(|text| text.is_ascii()));
    }
}
