//! One page on a clock, a wait, a finding, a purpose, or a name on a screen.

use super::screen::Screen;
use super::style::Style;
use crate::block::Tone;
use crate::clean::clean;
use crate::term::Term;

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The id that it explains.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The call as a user writes it; empty if there is none.
    pub call: String,
    /// The text; an empty line separates paragraphs.
    pub body: String,
    /// Names and values.
    pub facts: Vec<(String, String)>,
    /// Where to read more.
    pub references: Vec<String>,
}

impl From<&Term> for Page {
    fn from(term: &Term) -> Self {
        let others = term.other_names();
        let facts = [
            ("unit", term.unit),
            ("how", term.how),
            ("what to do", term.act),
            ("also", others.as_str()),
        ];
        let known = facts.into_iter().filter(|(_, text)| !text.is_empty());
        Self {
            id: term.name().into(),
            title: term.place.into(),
            call: String::new(),
            body: term.about.into(),
            facts: known.map(|(name, text)| (name.into(), text.into())).collect(),
            references: term.references.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Draws the page.
pub fn render(page: &Page, style: &Style) -> String {
    let mut screen = Screen::new(style);
    let safe = |text: &str| style.signs(&clean(text));
    screen.heading(&safe(&page.id), &style.paint(Tone::Dim, &safe(&page.title)));
    if !page.call.is_empty() {
        screen.gap();
        screen.indented("    ", "      ", &style.paint(Tone::Name, &safe(&page.call)));
    }
    for paragraph in page.body.split("\n\n").filter(|p| !p.trim().is_empty()) {
        screen.gap();
        screen.paragraph(&safe(paragraph));
    }
    if !page.facts.is_empty() {
        screen.gap();
        let facts: Vec<(String, String)> =
            page.facts.iter().map(|(name, value)| (safe(name), safe(value))).collect();
        screen.facts(&facts);
    }
    if !page.references.is_empty() {
        screen.heading("References", "");
        for reference in &page.references {
            screen.indented("  ", "    ", &safe(reference));
        }
    }
    screen.finish()
}
