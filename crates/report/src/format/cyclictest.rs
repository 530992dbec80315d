//! Waits as cyclictest prints them, for tools and eyes that know its lines.

use super::Format;
use crate::clean::clean;
use crate::section::distributions;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::{Report, Wait};
use std::collections::BTreeMap;
use std::io::{self, Write};

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
    let waits: Vec<&Wait> = rows.iter().map(|row| row.wait).collect();
    for (nth, wait) in waits.iter().enumerate() {
        writeln!(
            out,
            "T:{nth:2} ({nth:5}) P:{:2} I:{} C:{:7} Min:{:7} Act:{:5} Avg:{:5} Max:{:8}",
            priority(wait),
            wait.requested_ns.unwrap_or(0) / 1000,
            wait.samples,
            wait.min_ns / 1000,
            last_ns(wait) / 1000,
            (wait.mean_ns / 1000.0) as i64,
            wait.max_ns / 1000
        )?;
    }
    histogram(&waits, out)
}

/// The real-time priority of the thread; 0: it had none.
fn priority(wait: &Wait) -> u32 {
    let priority = wait.scheduling.strip_prefix("fifo:");
    priority.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// The last overshoot, or what stands for it if the report does not hold it.
fn last_ns(wait: &Wait) -> i64 {
    let last = wait.moment.as_ref().and_then(|moment| moment.last_ns.last().copied());
    let median = wait.percentile(Percentile::P50).map(|ns| i64::try_from(ns).unwrap_or(i64::MAX));
    last.or(median).unwrap_or(wait.mean_ns as i64)
}

/// The overshoots of a row in whole microseconds, as cyclictest counts them; none if the histogram
/// cannot be read.
pub(super) fn microseconds(wait: &Wait) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    let decoded = wait.overshoot.decode();
    for bucket in decoded.iter().flat_map(|hdr| hdr.iter_recorded()) {
        *counts.entry(bucket.value_iterated_to() / 1000).or_insert(0) += bucket.count_at_value();
    }
    counts
}

fn histogram(waits: &[&Wait], out: &mut dyn Write) -> io::Result<()> {
    let mut counts = vec![vec![0u64; waits.len()]; HIGHEST];
    let mut overflows = vec![0u64; waits.len()];
    for (nth, wait) in waits.iter().enumerate() {
        for (us, count) in microseconds(wait) {
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
    writeln!(out, "# Histogram")?;
    for (at, line) in counts.iter().enumerate() {
        writeln!(out, "{at:06} {}", columns(line, 6))?;
    }
    type Figure = fn(&Wait) -> u64;
    let figures: [(&str, usize, Figure); 4] = [
        ("Total", 9, |wait| wait.samples),
        ("Min Latencies", 5, |wait| wait.min_ns.max(0) as u64 / 1000),
        ("Avg Latencies", 5, |wait| (wait.mean_ns.max(0.0) / 1000.0) as u64),
        ("Max Latencies", 5, |wait| wait.max_ns.max(0) as u64 / 1000),
    ];
    for (name, width, figure) in figures {
        let figures: Vec<u64> = waits.iter().map(|wait| figure(wait)).collect();
        writeln!(out, "# {name}: {}", columns(&figures, width))?;
    }
    writeln!(out, "# Histogram Overflows: {}", columns(&overflows, 5))
}

#[cfg(test)]
mod tests {
    use super::*;
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
