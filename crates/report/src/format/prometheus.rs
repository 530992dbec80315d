//! The metrics of a run, for node_exporter's textfile collector.

use super::Format;
use crate::metrics::Metrics;
use chronoscope_model::Report;
use std::io::{self, Write};

pub const FORMAT: Format = Format {
    id: "prometheus",
    extension: "prom",
    about: "metrics in Prometheus' text format 0.0.4, for node_exporter's textfile collector",
    distributions_only: false,
    write,
};

/// Writes the metrics of this one run: counters and histograms do not go on from the run before.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let metrics = Metrics::of(report);
    // A report from a file may have no time in it.
    if let Ok(finished) = report.run.finished.parse::<jiff::Timestamp>() {
        let measurement = report.run.screen.as_deref().unwrap_or("summary");
        metrics.last(measurement, finished.as_duration().as_secs_f64());
    }
    out.write_all(metrics.text().as_bytes())
}
