//! Text as HTML: tones, headings, code; and what a page has once: each id, and the explanation of
//! each term.

use crate::block::{Text, Tone};
use crate::clean::clean_span;
use crate::terms;
use chronoscope_model::Page;
use maud::{Markup, PreEscaped, html};
use std::collections::HashMap;

/// The longest text from outside, in characters.
const LONGEST_TEXT: usize = 4000;

/// Text from outside without what could move, reorder or hide text; what is beyond any sensible
/// length is cut. The templates escape it.
pub(super) fn safe(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
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
            @match span.tone.filter(|_| !span.text.trim().is_empty()) {
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

/// Pieces one after the other; absent if there are none.
pub(super) fn joined(pieces: impl Iterator<Item = Markup>) -> Option<Markup> {
    pieces.reduce(|all, one| PreEscaped(all.0 + &one.0))
}

/// Lines as they are.
pub(super) fn verbatim(lines: &str) -> Markup {
    let lines: Vec<String> = lines.lines().map(safe).collect();
    html! { pre { code { (lines.join("\n")) } } }
}

// What a page has once: each id, and the explanation of each term.

/// Ids of the page's own elements.
const OWN: [&str; 4] = ["theme", "tip", "main", "top"];

/// The longest id, in characters.
const LONGEST_ID: usize = 100;

pub(super) struct Once {
    /// Each id that was given, and the number of the last one that was wished for alike.
    ids: HashMap<String, usize>,
    /// The explained terms; the place of each is the number of its element.
    pages: Vec<&'static Page>,
    /// The section that is being written, whose explanations are preferred.
    pub(super) section: &'static str,
}

impl Once {
    pub(super) fn new() -> Self {
        let ids = OWN.map(|id| (id.to_owned(), 1)).into();
        Self { ids, pages: Vec::new(), section: "" }
    }

    /// An id that no other element has, as much like this one as its characters allow.
    pub(super) fn id(&mut self, wish: &str) -> String {
        let plain =
            |c: char| if c.is_ascii_alphanumeric() || "/-_.~".contains(c) { c } else { '-' };
        let wish: String = wish.chars().take(LONGEST_ID).map(plain).collect();
        let wish = if wish.is_empty() { "x".to_owned() } else { wish };
        let mut nth = self.ids.get(&wish).map_or(1, |last| last + 1);
        loop {
            let id = if nth == 1 { wish.clone() } else { format!("{wish}~{nth}") };
            if nth == 1 || !self.ids.contains_key(&id) {
                self.ids.insert(wish, nth);
                self.ids.insert(id.clone(), 1);
                return id;
            }
            nth += 1;
        }
    }

    /// The element that explains a name, if the name has an explanation.
    fn explained(&mut self, name: &str) -> Option<String> {
        let found = terms::find(name);
        let own = found.iter().find(|page| page.title.contains(self.section));
        let page = *own.or(found.first())?;
        let known = self.pages.iter().position(|it| std::ptr::eq(*it, page));
        let nth = known.unwrap_or_else(|| {
            self.pages.push(page);
            self.pages.len() - 1
        });
        Some(format!("term-{nth}"))
    }

    /// A name that shows its explanation when it is pressed, or just the name.
    pub(super) fn term(&mut self, name: &str) -> Markup {
        let words = safe(&name.replace('\n', " "));
        html! {
            @if let Some(id) = self.explained(name) {
                button.term type="button" popovertarget=(id) { (words) }
            } @else { (words) }
        }
    }

    /// A button that shows the explanation of the name next to it; nothing if there is none.
    pub(super) fn about(&mut self, name: &str) -> Markup {
        let words = safe(&name.replace('\n', " "));
        html! {
            @if let Some(id) = self.explained(name) {
                button.about type="button" popovertarget=(id) aria-label={ "About " (words) } {}
            }
        }
    }

    /// The explanations of all terms so far.
    pub(super) fn explanations(&self) -> Markup {
        html! {
            @for (nth, page) in self.pages.iter().enumerate() {
                div.page #{ "term-" (nth) } popover {
                    p { b { (terms::shown(page.names)) } " " span.dim { (page.title)
                        @if !page.unit.is_empty() { ", " (page.unit) } } }
                    @for about in page.about.split("\n\n").filter(|it| !it.is_empty()) {
                        p { (prose(about)) }
                    }
                    @if !page.how.is_empty() { p { b { "How: " } (prose(page.how)) } }
                    @if !page.act.is_empty() { p { b { "What to do: " } (prose(page.act)) } }
                    @if !page.references.is_empty() {
                        p.dim { "See " (prose(&page.references.join(" · "))) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_is_given_twice() {
        let mut once = Once::new();
        let wishes = ["a", "a", "a~2", "a", "", "", "é", "<x>", "tip", "a~2"];
        let ids: Vec<String> = wishes.iter().map(|wish| once.id(wish)).collect();
        let different: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(different.len(), wishes.len(), "{ids:?}");
        assert!(ids.iter().all(|id| OWN.iter().all(|own| own != id)));
        assert_eq!(ids[..2], ["a", "a~2"]);
    }
}
