//! The formats, each in the list below. A format writes what the sections give it, and knows none
//! of them.

pub mod csv;
pub mod json;
pub mod markdown;
mod waits;

use crate::metrics::Metrics;
use crate::page::{self, Input};
use chronoscope_model::Report;
use std::io;

/// A format that a report can be written in.
pub struct Format {
    /// The format's name, as `--export` takes it.
    pub id: &'static str,
    /// The usual extension of a file's name, without the dot.
    pub extension: &'static str,
    pub about: &'static str,
    /// Whether the format holds the distributions of a report and nothing else.
    pub distributions_only: bool,
    pub write: Write,
}

/// Writes a report.
pub type Write = fn(&Report, &mut dyn io::Write) -> io::Result<()>;

/// Each with its id, its extension, the function that writes it, whether that is distributions
/// only, and what it is about.
macro_rules! formats {
    ($($id:literal $extension:literal $write:path, $waits:literal: $about:literal;)*) => {
        /// Every format.
        pub static ALL: &[&Format] = &[$(&Format {
            id: $id,
            extension: $extension,
            about: $about,
            distributions_only: $waits,
            write: $write,
        }),*];
    };
}

formats! {
    "json" "json" json::write, false:
        "The whole report as one document, described by a JSON Schema";
    "ndjson" "ndjson" json::write_records, false:
        "One JSON record per line: the run, the machine, then each clock, wait, finding, advice";
    "csv" "csv" csv::write, false:
        "The table of the screen, or else all tables, named in the first column";
    "markdown" "md" markdown::write, false:
        "Tables for an issue or a document";
    "html" "html" html, false:
        "A page with charts, which holds the report itself";
    "hdr" "hlog" waits::hdr_log, true:
        "The histograms of waits as an HdrHistogram log, one tagged line per row";
    "prometheus" "prom" prometheus, false:
        "Metrics in Prometheus' text format 0.0.4, for node_exporter's textfile collector";
    "cyclictest" "txt" waits::cyclictest, true:
        "Waits as cyclictest's lines (T: P: I: C: Min: Act: Avg: Max: in us) and histogram";
    "cyclictest-json" "json" waits::cyclictest_json, true:
        "Waits in the JSON of cyclictest --json, file version 1, one thread per row, in us";
}

pub fn find(id: &str) -> Option<&'static Format> {
    ALL.iter().find(|format| format.id.eq_ignore_ascii_case(id)).copied()
}

/// The formats that a file's name tells apart: `.txt` may be anything.
pub fn by_extension() -> impl Iterator<Item = &'static Format> {
    let first = |format: &&Format| {
        let same = ALL.iter().find(|other| other.extension == format.extension);
        same.is_some_and(|same| same.id == format.id) && format.extension != "txt"
    };
    ALL.iter().copied().filter(first)
}

/// Writes one page for people, with the report in it.
fn html(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    page::write(&[Input { name: "", report }], out)
}

/// Writes the metrics of this one run, for node_exporter's textfile collector: counters and
/// histograms do not go on from the run before.
fn prometheus(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let metrics = Metrics::of(report);
    // A report from a file may have no time in it.
    if let Ok(finished) = report.run.finished.parse::<jiff::Timestamp>() {
        let measurement = report.run.screen.as_deref().unwrap_or("summary");
        metrics.last(measurement, finished.as_duration().as_secs_f64());
    }
    out.write_all(metrics.text().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_is_in_the_list_and_named_after_its_format() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/format");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder of this very file")
            .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
            .filter(|name| !["mod", "waits"].contains(&&**name))
            .collect();
        let ids: BTreeSet<String> = ALL.iter().map(|format| format.id.to_owned()).collect();
        let missing: Vec<&String> = files.difference(&ids).collect();
        assert!(missing.is_empty(), "src/format/mod.rs does not list {missing:?}");
        assert_eq!(ids.len(), ALL.len());
        assert!(find("JSON").is_some() && find("yaml").is_none());
        let extensions: Vec<&str> = by_extension().map(|format| format.extension).collect();
        assert_eq!(extensions, ["json", "ndjson", "csv", "md", "html", "hlog", "prom"]);
    }
}
