//! The charts of reports as pictures, each in a file of its own.

use chronoscope_report::page::{Input, pictures};
use std::collections::BTreeSet;

/// The format's name, which is also the extension of its files.
pub const ID: &str = "svg";

pub const ABOUT: &str = "each chart of the page as an SVG file, in a folder: svg=DIR";

/// What is answered to those who ask for PNG.
pub const NO_PNG: &str = "PNG is not written: svg=DIR writes each chart, and a browser or \
                          rsvg-convert turns an SVG into a PNG";

/// The pictures of these reports: the name and the content of each file.
///
/// # Errors
/// There is nothing to draw.
pub fn files(inputs: &[Input<'_>]) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut taken = BTreeSet::new();
    let mut files = Vec::new();
    for picture in pictures::of(inputs) {
        let stem = file_stem(&picture.name);
        let mut name = stem.clone();
        for number in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            name = format!("{stem}-{number}");
        }
        files.push((format!("{name}.{ID}"), picture.svg.into_bytes()));
    }
    anyhow::ensure!(!files.is_empty(), "{ID}: nothing that was measured has a chart");
    Ok(files)
}

/// A name that is a file on every system, whatever a report contains.
fn file_stem(name: &str) -> String {
    let fits = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '-' };
    let stem: String = name.chars().map(fits).take(100).collect();
    if stem.is_empty() { "chart".into() } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_out_of_no_folder() {
        assert_eq!(file_stem("waits-none"), "waits-none");
        assert_eq!(file_stem("../etc/a b\u{0}\\"), "---etc-a-b--");
        assert_eq!(file_stem(""), "chart");
    }

    #[test]
    fn a_report_without_charts_is_one_line() {
        let report = chronoscope_model::Report::default();
        let refused = files(&[Input { name: "", report: &report }]);
        assert!(refused.expect_err("nothing").to_string().contains("has a chart"));
    }
}
