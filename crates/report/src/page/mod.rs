//! The page: one file of HTML that shows reports, drawn without a script and without a server.

mod chart;
mod document;
pub mod embed;
pub mod pictures;
mod strip;
mod table;

pub use document::{comparison, write};

use chronoscope_model::Report;

/// A report, and what it is called on the page: the name of its file, if there are several.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub name: &'a str,
    pub report: &'a Report,
}
