//! One page on a clock, a wait, a finding, a purpose, or a name on a screen.

use super::screen::Screen;
use super::style::Style;
use crate::block::Tone;
use crate::terms;
use chronoscope_model as model;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// A page as it is drawn, and written for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Page {
    pub id: String,
    /// What is explained: a clock, a wait, a finding, a purpose, a column.
    #[serde(rename = "what")]
    pub title: String,
    /// The call as a user writes it; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// The text; an empty line separates paragraphs.
    #[serde(rename = "about")]
    pub body: String,
    #[serde(serialize_with = "by_name")]
    pub facts: Vec<(String, String)>,
    pub references: Vec<String>,
}

fn by_name<S: Serializer>(facts: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
    let facts: BTreeMap<&str, &str> = facts.iter().map(|(name, it)| (&**name, &**it)).collect();
    facts.serialize(to)
}

/// A page on a name that screens print.
impl From<&model::Page> for Page {
    fn from(page: &model::Page) -> Self {
        let others = terms::shown(page.names.get(1..).unwrap_or_default());
        let facts =
            [("unit", page.unit), ("how", page.how), ("what to do", page.act), ("also", &others)];
        let known = facts.into_iter().filter(|(_, text)| !text.is_empty());
        Self {
            id: page.names.first().copied().unwrap_or_default().into(),
            title: page.title.into(),
            call: String::new(),
            body: page.about.into(),
            facts: known.map(|(name, text)| (name.into(), text.into())).collect(),
            references: page.references.iter().map(ToString::to_string).collect(),
        }
    }
}

pub fn render(page: &Page, style: &Style) -> String {
    let mut screen = Screen::new(style);
    let safe = |text: &str| Screen::new(style).safe(text);
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
        let facts = page.facts.iter().map(|(name, value)| (safe(name), safe(value)));
        screen.facts(&facts.collect::<Vec<_>>());
    }
    if !page.references.is_empty() {
        screen.heading("References", "");
        for reference in &page.references {
            screen.indented("  ", "    ", &safe(reference));
        }
    }
    screen.finish()
}
