//! The page: one file of HTML that shows reports, drawn without a script and without a server.

pub mod browser;
mod chart;
mod document;
mod draw;
pub mod embed;
pub mod pictures;
mod table;
mod text;

pub use document::{comparison, write};

use chronoscope_model::Report;

/// A report, and what it is called on the page: the name of its file, if there are several.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub name: &'a str,
    pub report: &'a Report,
}

/// Reports that share strips and panels, each in a colour. More are drawn next to each other.
const TOGETHER: usize = 4;
