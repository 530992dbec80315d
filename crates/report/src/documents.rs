//! What the tool shows without measuring, for programs: lists and pages as JSON, from the same data
//! as their screens. As in a report, keys are only ever added within a version.

use crate::format::json::io_error;
use crate::text::{ListRow, Page};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// The version of [`list`].
pub const LIST: &str = "chronoscope.list/1";
/// The version of [`pages`].
pub const PAGE: &str = "chronoscope.page/1";

#[derive(Serialize)]
struct List<'a> {
    schema: &'static str,
    /// What is listed.
    what: &'a str,
    entries: Vec<Entry<'a>>,
}

/// One entry; whatever does not apply to it is left out.
#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    call: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    language: &'a str,
    available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable_reason: Option<&'a str>,
    about: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    looks_at: &'a str,
}

#[derive(Serialize)]
struct Explanation<'a> {
    schema: &'static str,
    #[serde(flatten)]
    page: Told<'a>,
    /// Other pages of the same name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Told<'a>>,
}

#[derive(Serialize)]
struct Told<'a> {
    id: &'a str,
    /// What it is: a clock, a wait, a finding, a purpose, a column.
    what: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    call: &'a str,
    about: &'a str,
    facts: BTreeMap<&'a str, &'a str>,
    references: &'a [String],
}

/// Writes a list of what `what` names.
///
/// # Errors
/// None are known, because its keys and values are strings.
pub fn list(what: &str, rows: &[ListRow]) -> io::Result<Vec<u8>> {
    written(&List { schema: LIST, what, entries: rows.iter().map(Entry::of).collect() })
}

/// Writes a page, and the others of the same name.
///
/// # Errors
/// There is no page.
pub fn pages(pages: &[Page]) -> io::Result<Vec<u8>> {
    let [page, others @ ..] = pages else {
        return Err(io::Error::other("there is no page"));
    };
    written(&Explanation {
        schema: PAGE,
        page: Told::of(page),
        others: others.iter().map(Told::of).collect(),
    })
}

impl<'a> Told<'a> {
    fn of(page: &'a Page) -> Self {
        let facts = page.facts.iter();
        Self {
            id: &page.id,
            what: &page.title,
            call: &page.call,
            about: &page.body,
            facts: facts.map(|(name, value)| (&**name, &**value)).collect(),
            references: &page.references,
        }
    }
}

impl<'a> Entry<'a> {
    fn of(row: &'a ListRow) -> Self {
        Self {
            id: &row.id,
            call: &row.call,
            kind: &row.kind,
            language: &row.language,
            available: row.available.is_ok(),
            unavailable_reason: row.available.as_ref().err().map(String::as_str),
            about: &row.about,
            looks_at: &row.looks_at,
        }
    }
}

fn written(document: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(document).map_err(io_error)?;
    bytes.push(b'\n');
    Ok(bytes)
}
