//! A page of prose: what `explain` shows of a name on a screen, a fault, a cause of late waits or a
//! purpose, and how it is written in Markdown.
//!
//! A page is a heading with its names, a list of what belongs to it, and paragraphs:
//!
//! ```text
//! ## read | throughput
//!
//! - where: column of clocks
//! - unit: ns
//! - see: docs/METHOD.md
//!
//! What it is, in one paragraph or several.
//!
//! How: How the figure is obtained.
//!
//! What to do: What to do about it.
//! ```
//!
//! Code stands at its end, between lines of three backticks.
//!
//! More names may follow in a line `- also:`. Lists use the first name. ` *` at the end of a name
//! stands for any word, and `<a duration>` for any duration.

use crate::packed;

/// One page. A text that does not apply is empty.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Its names as screens print them; lists use the first. ` *` at the end stands for any word,
    /// and `<a duration>` for any duration.
    pub names: &'static [&'static str],
    /// Its heading: what a fault is, or where a name is shown.
    pub title: &'static str,
    /// The unit of a figure.
    pub unit: &'static str,
    /// What it is.
    pub about: &'static str,
    /// How it is obtained, or what a fault is found by.
    pub how: &'static str,
    /// What to do about it.
    pub act: &'static str,
    /// An example, if there is one.
    pub code: &'static str,
    /// Where to read more: the project's own documents, manuals, papers, kernel files.
    pub references: &'static [&'static str],
}

impl Page {
    /// A page without a text, for `..Page::EMPTY`.
    pub const EMPTY: Self = Self {
        names: &[],
        title: "",
        unit: "",
        about: "",
        how: "",
        act: "",
        code: "",
        references: &[],
    };

    /// The name that lists show it by.
    pub const fn name(&self) -> &'static str {
        match self.names {
            [first, ..] => first,
            [] => "",
        }
    }
}

/// The pages of a file that was [`packed!`], if there is one. Malformed parts of a page are left
/// out; a test finds them.
pub fn pages(file: &[u8]) -> impl Iterator<Item = Page> + use<> {
    let text: &'static str = if file.is_empty() { "" } else { packed::text(file).leak() };
    text.split("\n## ").skip(1).map(page)
}

fn page(text: &'static str) -> Page {
    let (names, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut names: Vec<&str> = names.split(" | ").collect();
    let (rest, code) = rest.split_once("\n```\n").unwrap_or((rest, ""));
    let code = code.trim_end().trim_end_matches("\n```");
    let mut page = Page { code, ..Page::EMPTY };
    let mut about = Vec::new();
    let mut references = Vec::new();
    for paragraph in rest.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        if paragraph.starts_with("- ") {
            for line in paragraph.lines() {
                match line.split_once(": ") {
                    Some(("- where" | "- title", place)) => page.title = place,
                    Some(("- also", others)) => names.extend(others.split(" | ")),
                    Some(("- unit", unit)) => page.unit = unit,
                    Some(("- see", reference)) => references.push(reference),
                    _ => {}
                }
            }
            continue;
        }
        let text: &'static str = paragraph.replace('\n', " ").leak();
        if let Some(how) = text.strip_prefix("How: ") {
            page.how = how;
        } else if let Some(act) = text.strip_prefix("What to do: ") {
            page.act = act;
        } else {
            about.push(text);
        }
    }
    page.names = names.leak();
    page.about = about.join("\n\n").leak();
    page.references = references.leak();
    page
}
