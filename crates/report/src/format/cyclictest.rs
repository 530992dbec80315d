//! Waits as cyclictest tells them, for tools and eyes that know its lines.

use super::Format;
use chronoscope_model::Report;
use chronoscope_model::waits::Wait;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "cyclictest",
    extension: "txt",
    about: "the waits as cyclictest's lines (T: P: I: C: Min: Act: Avg: Max: in us) and its histogram",
    waits_alone: true,
    write,
};

/// The highest latency of the histogram, in microseconds; what is above is counted as overflow, as
/// with `cyclictest -h 1000`.
const HIGHEST: usize = 1000;

/// Writes a line for each row, then one histogram with a column for each row (cyclictest(8), -h).
/// Act is the last wait where it is known, and the median else: a report keeps no last wait.
///
/// # Errors
/// What the writer reports.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<&Wait> = report.waits.iter().filter(|w| w.samples > 0).collect();
    for (nth, wait) in rows.iter().enumerate() {
        writeln!(
            out,
            "# T{nth} is {} load {}",
            crate::text::clean(&wait.id),
            wait.load.name()
        )?;
    }
    for (nth, wait) in rows.iter().enumerate() {
        let last = wait.moment.as_ref().and_then(|m| m.last_ns.last().copied());
        let act = last.unwrap_or_else(|| i64::try_from(wait.percentile(wait.overshoot.p50_ns)).unwrap_or(i64::MAX));
        writeln!(
            out,
            "T:{nth:2} ({nth:5}) P:{:2} I:{} C:{:7} Min:{:7} Act:{:5} Avg:{:5} Max:{:8}",
            priority(wait),
            wait.requested_ns.unwrap_or(0) / 1000,
            wait.samples,
            wait.min_ns / 1000,
            act / 1000,
            (wait.mean_ns / 1000.0) as i64,
            wait.max_ns / 1000
        )?;
    }
    histogram(&rows, out)
}

/// The overshoots of a row by whole microseconds, as cyclictest counts them. A histogram that
/// cannot be read gives none; the row's other figures stand.
pub(super) fn microseconds(wait: &Wait) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for bucket in wait
        .overshoot
        .decode()
        .iter()
        .flat_map(|hdr| hdr.iter_recorded())
    {
        *counts.entry(bucket.value_iterated_to() / 1000).or_insert(0) += bucket.count_at_value();
    }
    counts
}

fn priority(wait: &Wait) -> u32 {
    wait.scheduling
        .strip_prefix("fifo:")
        .and_then(|priority| priority.parse().ok())
        .unwrap_or(0)
}

fn histogram(rows: &[&Wait], out: &mut dyn Write) -> io::Result<()> {
    let mut counts = vec![vec![0u64; rows.len()]; HIGHEST];
    let mut overflows = vec![0u64; rows.len()];
    for (nth, wait) in rows.iter().enumerate() {
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
    let of = |value: fn(&Wait) -> u64| rows.iter().map(|w| value(w)).collect::<Vec<_>>();
    writeln!(out, "# Histogram")?;
    for (at, line) in counts.iter().enumerate() {
        writeln!(out, "{at:06} {}", columns(line, 6))?;
    }
    writeln!(out, "# Total: {}", columns(&of(|w| w.samples), 9))?;
    writeln!(
        out,
        "# Min Latencies: {}",
        columns(&of(|w| w.min_ns.max(0) as u64 / 1000), 5)
    )?;
    writeln!(
        out,
        "# Avg Latencies: {}",
        columns(&of(|w| (w.mean_ns.max(0.0) / 1000.0) as u64), 5)
    )?;
    writeln!(
        out,
        "# Max Latencies: {}",
        columns(&of(|w| w.max_ns.max(0) as u64 / 1000), 5)
    )?;
    writeln!(out, "# Histogram Overflows: {}", columns(&overflows, 5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::histogram::{self, Histogram};

    #[test]
    fn its_line_is_cyclictests() {
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
        let report = Report {
            waits: vec![wait],
            ..Report::default()
        };
        let mut out = Vec::new();
        write(&report, &mut out).expect("a vector");
        let text = String::from_utf8(out).expect("text");
        let line =
            "T: 0 (    0) P:40 I:1000 C:      3 Min:     55 Act:   57 Avg:  704 Max:    2000";
        assert!(text.contains(line), "{text}");
        assert!(
            text.contains("\n000055 000001\n") && text.contains("Overflows: 00001"),
            "{text}"
        );
    }
}
