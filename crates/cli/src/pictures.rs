//! The charts of reports as pictures, each in a file of its own.

use chronoscope_report::page::{Input, pictures};
use std::collections::BTreeSet;

/// What kind of files pictures are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Svg,
    Png,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Svg, Self::Png];

    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Self::Svg => "each chart of the page as an SVG file, in a folder: svg=DIR",
            Self::Png => "the same as PNG files: png=DIR, in builds with the feature png",
        }
    }

    /// Checks that this tool can write such files.
    ///
    /// # Errors
    /// It was built without them; the line says what works instead.
    pub fn check(self) -> Result<(), String> {
        match self {
            Self::Png if cfg!(not(feature = "png")) => {
                Err("this chronoscope was built without PNG: svg=DIR writes the same pictures"
                    .into())
            }
            _ => Ok(()),
        }
    }

    /// The pictures of these reports: the name and the content of each file.
    ///
    /// # Errors
    /// There is nothing to draw, or a picture cannot be made.
    pub fn files(self, inputs: &[Input<'_>]) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
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
            files.push((format!("{name}.{}", self.extension()), self.bytes(picture.svg)?));
        }
        let id = self.extension();
        anyhow::ensure!(!files.is_empty(), "{id}: nothing that was measured has a chart");
        Ok(files)
    }

    fn bytes(self, svg: String) -> anyhow::Result<Vec<u8>> {
        match self {
            #[cfg(feature = "png")]
            Self::Png => {
                pictures::png(&svg).map_err(|why| anyhow::anyhow!("png: {why}; svg=DIR works"))
            }
            _ => Ok(svg.into_bytes()),
        }
    }
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
        let told = Kind::Svg.files(&[Input { name: "", report: &report }]);
        assert!(told.expect_err("nothing").to_string().contains("has a chart"));
    }
}
