//! Histograms for HdrHistogram's own tools.

use super::Format;
use crate::text::clean;
use chronoscope_model::Report;
use chronoscope_model::waits::Wait;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "hdr",
    extension: "hlog",
    about: "the waits' histograms as an HdrHistogram log, one tagged line for each row",
    waits_alone: true,
    write,
};

/// Writes an interval log of version 1.3, which HistogramLogReader and HistogramLogAnalyzer read:
/// tag, start, length, maximum in milliseconds, and the histogram in base64 (HdrHistogram,
/// HistogramLogWriter.java). Values are nanoseconds.
///
/// # Errors
/// What the writer reports.
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
    for wait in report.waits.iter().filter(|w| w.samples > 0) {
        let mut line = |tag: &str, max: u64, hdr: &str| {
            writeln!(
                out,
                "Tag={tag},0.000,{:.3},{:.6},{hdr}",
                wait.seconds,
                max as f64 / 1e6
            )
        };
        line(&tag(wait), wait.overshoot.max_ns, &wait.overshoot.hdr)?;
        if let Some(grid) = &wait.grid {
            line(
                &format!("{}:corrected", tag(wait)),
                grid.corrected.max_ns,
                &grid.corrected.hdr,
            )?;
        }
    }
    Ok(())
}

/// What tells one row from another. A tag holds no comma and no space.
fn tag(wait: &Wait) -> String {
    let mut tag = format!(
        "{}:{}ns:{}",
        wait.id,
        wait.requested_ns.unwrap_or(0),
        wait.load.name()
    );
    if let Some(slack) = wait.slack_ns {
        tag += &format!(":slack{slack}");
    }
    if let Some(ms) = wait.timer_period_ms {
        tag += &format!(":period{ms}");
    }
    if let Some(cpu) = wait.cpu {
        tag += &format!(":cpu{cpu}");
    }
    tag.retain(|c| !c.is_control() && !c.is_whitespace() && c != ',');
    tag
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::histogram::{self, Histogram};

    #[test]
    fn its_lines_hold_what_hdrhistogram_reads() {
        let mut hdr = histogram::empty();
        hdr.record(55_000).expect("in range");
        let wait = Wait {
            id: "evil, id\n".into(),
            samples: 1,
            seconds: 1.5,
            overshoot: Histogram::of(&hdr),
            ..Wait::default()
        };
        let report = Report {
            waits: vec![wait],
            ..Report::default()
        };
        let mut out = Vec::new();
        write(&report, &mut out).expect("a vector");
        let text = String::from_utf8(out).expect("text");
        let line = text
            .lines()
            .find(|l| l.starts_with("Tag="))
            .expect("a line");
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[..3], ["Tag=evilid:0ns:none", "0.000", "1.500"]);
        let read = Histogram {
            count: 1,
            hdr: fields[4].into(),
            ..Histogram::default()
        };
        assert!(read.decode().expect("its own") == hdr);
    }
}
