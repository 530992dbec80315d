//! Histograms for HdrHistogram's own tools.

use super::Format;
use crate::clean::clean;
use crate::section::distributions;
use chronoscope_model::Report;
use chronoscope_model::histogram::Histogram;
use std::io::{self, Write};

pub const FORMAT: Format = Format {
    id: "hdr",
    extension: "hlog",
    about: "the histograms of waits as an HdrHistogram log, one tagged line per row",
    distributions_only: true,
    write,
};

/// Writes an interval log of version 1.3, which HistogramLogReader and HistogramLogAnalyzer read:
/// tag, start, length, maximum in milliseconds, and the histogram in base64 (HdrHistogram,
/// HistogramLogWriter.java). Values are nanoseconds.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "#[Overshoot of waits in nanoseconds, by chronoscope {}]",
        clean(&report.run.tool_version)
    )?;
    writeln!(out, "#[Histogram log format version 1.3]")?;
    writeln!(
        out,
        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""
    )?;
    for found in distributions(report) {
        let mut line = |tag: &str, histogram: &Histogram| {
            let max_ms = histogram.max_ns as f64 / 1e6;
            let (seconds, hdr) = (found.wait.seconds, &histogram.hdr);
            writeln!(out, "Tag={tag},0.000,{seconds:.3},{max_ms:.6},{hdr}")
        };
        line(&found.tag, &found.wait.overshoot)?;
        if let Some(grid) = &found.wait.grid {
            line(&format!("{}:corrected", found.tag), &grid.corrected)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::Wait;
    use chronoscope_model::histogram;

    #[test]
    fn hdrhistogram_can_read_its_lines() {
        let mut hdr = histogram::empty();
        hdr.record(55_000).expect("in range");
        let wait = Wait {
            id: "evil, id\n".into(),
            samples: 1,
            seconds: 1.5,
            overshoot: Histogram::of(&hdr),
            ..Wait::default()
        };
        let report = Report { waits: vec![wait], ..Report::default() };
        let mut out = Vec::new();
        write(&report, &mut out).expect("a vector");
        let text = String::from_utf8(out).expect("text");
        let line = text.lines().find(|l| l.starts_with("Tag=")).expect("a line");
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[..3], ["Tag=evilid:0ns:none", "0.000", "1.500"]);
        let read = Histogram { count: 1, hdr: fields[4].into(), ..Histogram::default() };
        assert!(read.decode().expect("its own") == hdr);
    }
}
