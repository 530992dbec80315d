//! Waits as cyclictest prints them, for tools and eyes that know its lines.

use super::Format;
use crate::clean::clean;
use crate::section::{Distribution, distributions};
use chronoscope_model::Report;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "cyclictest",
    extension: "txt",
    about: "waits as cyclictest's lines (T: P: I: C: Min: Act: Avg: Max: in us) and histogram",
    distributions_only: true,
    write,
};

/// The highest latency of the histogram, in microseconds; higher ones count as overflows, as with
/// `cyclictest -h 1000`.
const HIGHEST: usize = 1000;

/// Writes a line for each row, then one histogram with a column for each row (cyclictest(8), -h).
/// Act is the last wait if the report holds it, and otherwise the median, or the mean if there are
/// too few waits for a median.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let rows = distributions(report);
    for (nth, row) in rows.iter().enumerate() {
        writeln!(out, "# T{nth} is {}", clean(&row.label))?;
    }
    for (nth, row) in rows.iter().enumerate() {
        writeln!(
            out,
            "T:{nth:2} ({nth:5}) P:{:2} I:{} C:{:7} Min:{:7} Act:{:5} Avg:{:5} Max:{:8}",
            row.priority,
            row.interval_ns / 1000,
            row.count,
            row.min_ns / 1000,
            row.last_ns / 1000,
            (row.mean_ns / 1000.0) as i64,
            row.max_ns / 1000
        )?;
    }
    histogram(&rows, out)
}

/// The values of a row in whole microseconds, as cyclictest counts them; none if its histogram
/// cannot be read.
pub(super) fn microseconds(row: &Distribution) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    let decoded = row.histogram.decode();
    for bucket in decoded.iter().flat_map(|hdr| hdr.iter_recorded()) {
        *counts.entry(bucket.value_iterated_to() / 1000).or_insert(0) += bucket.count_at_value();
    }
    counts
}

fn histogram(rows: &[Distribution], out: &mut dyn Write) -> io::Result<()> {
    let mut counts = vec![vec![0u64; rows.len()]; HIGHEST];
    let mut overflows = vec![0u64; rows.len()];
    for (nth, row) in rows.iter().enumerate() {
        for (us, count) in microseconds(row) {
            match usize::try_from(us).ok().and_then(|us| counts.get_mut(us)) {
                Some(line) => line[nth] += count,
                None => overflows[nth] += count,
            }
        }
    }
    let columns = |counts: &[u64], width: usize| {
        let texts: Vec<String> = counts.iter().map(|n| format!("{n:0width$}")).collect();
        texts.join("\t")
    };
    let of = |value: fn(&Distribution) -> u64| rows.iter().map(value).collect::<Vec<_>>();
    writeln!(out, "# Histogram")?;
    for (at, line) in counts.iter().enumerate() {
        writeln!(out, "{at:06} {}", columns(line, 6))?;
    }
    writeln!(out, "# Total: {}", columns(&of(|row| row.count), 9))?;
    writeln!(out, "# Min Latencies: {}", columns(&of(|row| row.min_ns.max(0) as u64 / 1000), 5))?;
    writeln!(
        out,
        "# Avg Latencies: {}",
        columns(&of(|row| (row.mean_ns.max(0.0) / 1000.0) as u64), 5)
    )?;
    writeln!(out, "# Max Latencies: {}", columns(&of(|row| row.max_ns.max(0) as u64 / 1000), 5))?;
    writeln!(out, "# Histogram Overflows: {}", columns(&overflows, 5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::Wait;
    use chronoscope_model::histogram::{self, Histogram};

    #[test]
    fn its_lines_are_those_of_cyclictest() {
        let mut hdr = histogram::empty();
        for ns in [55_000, 57_000, 2_000_000] {
            hdr.record(ns).expect("in range");
        }
        let wait = Wait {
            id: "linux/clock_nanosleep-abs".into(),
            requested_ns: Some(1_000_000),
            scheduling: "fifo:40".into(),
            samples: 3,
            min_ns: 55_000,
            mean_ns: 704_000.0,
            max_ns: 2_000_000,
            overshoot: Histogram::of(&hdr),
            ..Wait::default()
        };
        let report = Report { waits: vec![wait], ..Report::default() };
        let mut out = Vec::new();
        write(&report, &mut out).expect("a vector");
        let text = String::from_utf8(out).expect("text");
        let line =
            "T: 0 (    0) P:40 I:1000 C:      3 Min:     55 Act:  704 Avg:  704 Max:    2000";
        assert!(text.contains(line), "{text}");
        let label = "# T0 is linux/clock_nanosleep-abs load none wait 1 ms\n";
        assert!(text.contains(label), "{text}");
        assert!(text.contains("\n000055 000001\n") && text.contains("Overflows: 00001"), "{text}");
    }
}
