//! One page on a clock, a fault, a column.

use super::screen::Screen;
use super::style::{Style, Tone, clean};

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The id that it explains.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The call as a user writes it; empty where there is none.
    pub call: String,
    /// The text; an empty line parts paragraphs.
    pub body: String,
    /// Names and values.
    pub facts: Vec<(String, String)>,
    /// Where to read more.
    pub references: Vec<String>,
}

/// The page.
pub fn render(page: &Page, style: &Style) -> String {
    let mut screen = Screen::new(style);
    screen.heading(&clean(&page.id), &clean(&page.title));
    if !page.call.is_empty() {
        screen.gap();
        screen.indented(
            "    ",
            "      ",
            &style.paint(Tone::Name, &clean(&page.call)),
        );
    }
    for paragraph in page.body.split("\n\n").filter(|p| !p.trim().is_empty()) {
        screen.gap();
        screen.paragraph(&clean(paragraph));
    }
    if !page.facts.is_empty() {
        screen.gap();
        let facts: Vec<(String, String)> = page
            .facts
            .iter()
            .map(|(name, value)| (clean(name), clean(value)))
            .collect();
        screen.facts(&facts);
    }
    if !page.references.is_empty() {
        screen.heading("References", "");
        for reference in &page.references {
            screen.indented("  ", "    ", &clean(reference));
        }
    }
    screen.finish()
}
