//! What the tool shows without measuring, for programs: lists and pages as JSON, from the same data
//! as their screens. As in a report, keys are only ever added within a version.

use crate::format::json::io_error;
use crate::text::{ListRow, Page};
use chronoscope_model::compare::Compared;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// The version of [`list`].
pub const LIST: &str = "chronoscope.list/1";
/// The version of [`pages`].
pub const PAGE: &str = "chronoscope.page/1";
/// The version of [`demo`].
pub const DEMO: &str = "chronoscope.demo/1";

#[derive(Serialize)]
struct List<'a> {
    schema: &'static str,
    what: &'a str,
    entries: &'a [ListRow],
}

#[derive(Serialize)]
struct Explanation<'a> {
    schema: &'static str,
    #[serde(flatten)]
    page: &'a Page,
    /// The other pages of that name, and those of the other names that were asked for.
    #[serde(skip_serializing_if = "<[Page]>::is_empty")]
    others: &'a [Page],
}

#[derive(Serialize)]
struct Demonstration<'a> {
    schema: &'static str,
    demo: &'a str,
    happened: bool,
    what: &'a str,
    figures: BTreeMap<&'a str, f64>,
}

/// Writes what a demonstration has shown: whether it happened, in words, and in figures, whose
/// names end with the unit.
///
/// # Errors
/// None are known, because its keys are strings and its values finite.
pub fn demo(
    name: &str,
    happened: bool,
    what: &str,
    figures: &[(&str, f64)],
) -> io::Result<Vec<u8>> {
    let figures = figures.iter().copied().collect();
    written(&Demonstration { schema: DEMO, demo: name, happened, what, figures })
}

/// Writes a list of the things that `what` names.
///
/// # Errors
/// None are known, because its keys and values are strings.
pub fn list(what: &str, entries: &[ListRow]) -> io::Result<Vec<u8>> {
    written(&List { schema: LIST, what, entries })
}

/// Writes a page, and with it the other pages that were asked for.
///
/// # Errors
/// There is no page.
pub fn pages(pages: &[Page]) -> io::Result<Vec<u8>> {
    let [page, others @ ..] = pages else {
        return Err(io::Error::other("there is no page"));
    };
    written(&Explanation { schema: PAGE, page, others })
}

/// Writes a comparison of reports.
///
/// # Errors
/// None are known, because its keys are strings.
pub fn comparison(compared: &Compared) -> io::Result<Vec<u8>> {
    written(compared)
}

fn written(document: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(document).map_err(io_error)?;
    bytes.push(b'\n');
    Ok(bytes)
}
