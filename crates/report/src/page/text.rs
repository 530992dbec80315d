//! Text as HTML: tones, headings, code.

use crate::block::{Text, Tone};
use crate::clean::clean_span;
use maud::{Markup, html};

/// The longest text from outside, in characters.
const LONGEST: usize = 4000;

/// Text from outside without what could move, reorder or hide text; what is beyond any sensible
/// length is cut. The templates escape it.
pub(super) fn safe(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => clean_span(&text[..end]) + " …",
        None => clean_span(text),
    }
}

/// Words in which backticks stand around what can be typed.
pub(super) fn prose(words: &str) -> Markup {
    let words = safe(words);
    html! {
        @for (nth, part) in words.split('`').enumerate() {
            @if nth % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

pub(super) fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Strong => "strong",
        Tone::Dim => "dim",
        Tone::Good => "good",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
        Tone::Name => "name",
    }
}

pub(super) fn text(text: &Text) -> Markup {
    html! {
        @for span in &text.0 {
            @match span.tone {
                _ if span.text.trim().is_empty() => { (safe(&span.text)) }
                None => { (safe(&span.text)) }
                Some(Tone::Strong) => { b { (safe(&span.text)) } }
                Some(Tone::Name) => { code { (safe(&span.text)) } }
                Some(tone) => { span class=(class(tone)) { (safe(&span.text)) } }
            }
        }
    }
}

/// A heading of this level, 2 to 4.
pub(super) fn heading(level: u8, id: &str, title: &str) -> Markup {
    let title = safe(title);
    html! {
        @match level {
            0..=2 => { h2 id=(id) { (title) } }
            3 => { h3 id=(id) { (title) } }
            _ => { h4 id=(id) { (title) } }
        }
    }
}

/// The sentence below a heading, which a heading's remark is.
pub(super) fn deck(remark: &Text) -> Markup {
    html! { @if !remark.is_empty() { p.deck { (text(remark)) } } }
}

/// Lines as they are.
pub(super) fn verbatim(lines: &str) -> Markup {
    let lines: Vec<String> = lines.lines().map(safe).collect();
    html! { pre { code { (lines.join("\n")) } } }
}
