//! The distributions of waits for the tools of others: cyclictest's lines and its JSON, and the
//! histograms of HdrHistogram.

use super::json::put;
use crate::clean::clean;
use crate::section::waits::{label, tag, waits_of};
use chronoscope_model::histogram::Histogram;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::{Report, Wait};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The highest latency of the histogram, in microseconds; higher ones count as overflows, as with
/// `cyclictest -h 1000`.
const HIGHEST: usize = 1000;

/// Writes a line for each row, then one histogram with a column for each row (cyclictest(8), -h).
/// Act is the last wait if the report holds it, and otherwise the median, or the mean if there are
/// too few waits for a median.
///
/// # Errors
/// Those of the writer.
pub(super) fn cyclictest(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let waits: Vec<&Wait> = waits_of(report).collect();
    for (nth, wait) in waits.iter().enumerate() {
        writeln!(out, "# T{nth} is {}", clean(&label(wait)))?;
    }
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
fn microseconds(wait: &Wait) -> BTreeMap<u64, u64> {
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

// Waits in the JSON that `cyclictest --json` writes, for tools that read it.

/// What `rt_write_json` in rt-tests' rt-utils.c and `write_stats` in its cyclictest.c write, with
/// their keys, two of which end in a colon. Figures are whole microseconds, as `resolution_in_ns` 0
/// states. Each thread also has the `method`, the `load`, the `label`, the `interval` in
/// microseconds and the `missed` deadlines of its row, for which cyclictest has no keys.
#[derive(Serialize)]
struct File<'a> {
    file_version: u32,
    #[serde(rename = "cmdline:")]
    cmdline: String,
    #[serde(rename = "rt_test_version:")]
    version: String,
    start_time: String,
    end_time: String,
    return_code: u32,
    sysinfo: SysInfo<'a>,
    num_threads: usize,
    resolution_in_ns: u32,
    thread: BTreeMap<usize, Thread<'a>>,
}

/// The fields of uname(2) that a report holds: neither the host's name nor the kernel's build.
#[derive(Serialize)]
struct SysInfo<'a> {
    sysname: &'a str,
    nodename: &'a str,
    release: &'a str,
    version: &'a str,
    machine: &'a str,
    /// Whether the kernel's release marks it as a real-time kernel.
    realtime: u32,
}

#[derive(Serialize)]
struct Thread<'a> {
    histogram: BTreeMap<u64, u64>,
    cycles: u64,
    min: i64,
    max: i64,
    avg: f64,
    /// -1 if the thread was not pinned.
    cpu: i64,
    /// -1, as with cyclictest built without libnuma.
    node: i64,
    method: &'a str,
    load: &'a str,
    label: String,
    interval: f64,
    missed: u64,
}

/// Writes the file.
///
/// # Errors
/// Those of the writer.
pub(super) fn cyclictest_json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let thread: BTreeMap<usize, Thread> = waits_of(report).map(thread).enumerate().collect();
    let kernel = report.environment.kernel.as_deref().unwrap_or_default();
    let file = File {
        file_version: 1,
        cmdline: report.run.argv.join(" "),
        version: format!("chronoscope {}", report.run.tool_version),
        start_time: time(&report.run.started),
        end_time: time(&report.run.finished),
        return_code: if report.run.complete { 0 } else { 130 },
        sysinfo: SysInfo {
            sysname: sysname(&report.environment.os, kernel),
            nodename: "",
            release: kernel,
            version: "",
            machine: &report.environment.arch,
            realtime: u32::from(kernel.contains("-rt")),
        },
        num_threads: thread.len(),
        resolution_in_ns: 0,
        thread,
    };
    put(serde_json::to_string_pretty(&file), out)
}

fn thread(wait: &Wait) -> Thread<'_> {
    Thread {
        histogram: microseconds(wait),
        cycles: wait.samples,
        min: wait.min_ns / 1000,
        max: wait.max_ns / 1000,
        avg: (wait.mean_ns / 10.0).round() / 100.0,
        cpu: wait.cpu.and_then(|cpu| i64::try_from(cpu).ok()).unwrap_or(-1),
        node: -1,
        method: &wait.id,
        load: wait.load.name(),
        label: label(wait),
        interval: wait.requested_ns.unwrap_or(0) as f64 / 1000.0,
        missed: wait.grid.as_ref().map_or(0, |grid| grid.missed),
    }
}

/// What uname(2) calls the system with that description.
fn sysname(os: &str, kernel: &str) -> &'static str {
    match os {
        os if os.contains("Windows") => "Windows",
        os if os.contains("macOS") => "Darwin",
        _ if kernel.is_empty() => "",
        _ => "Linux",
    }
}

/// A time in the form of `strftime` with `%a, %d %b %Y %H:%M:%S %z`; unchanged if it is not a time.
fn time(rfc3339: &str) -> String {
    match rfc3339.parse::<jiff::Timestamp>() {
        Ok(moment) => moment.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string(),
        Err(_) => rfc3339.to_owned(),
    }
}

// Histograms for HdrHistogram's own tools.

/// Writes an interval log of version 1.3, which HistogramLogReader and HistogramLogAnalyzer read:
/// tag, start, length, maximum in milliseconds, and the histogram in base64 (HdrHistogram,
/// HistogramLogWriter.java). Values are nanoseconds.
///
/// # Errors
/// Those of the writer.
pub(super) fn hdr_log(report: &Report, out: &mut dyn Write) -> io::Result<()> {
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
    for wait in waits_of(report) {
        let mut line = |tag: &str, histogram: &Histogram| {
            let max_ms = histogram.max_ns as f64 / 1e6;
            let (seconds, hdr) = (wait.seconds, &histogram.hdr);
            writeln!(out, "Tag={tag},0.000,{seconds:.3},{max_ms:.6},{hdr}")
        };
        let tag = tag(wait);
        line(&tag, &wait.overshoot)?;
        if let Some(grid) = &wait.grid {
            line(&format!("{tag}:corrected"), &grid.corrected)?;
        }
    }
    Ok(())
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
        cyclictest(&report, &mut out).expect("a vector");
        let text = String::from_utf8(out).expect("text");
        let line =
            "T: 0 (    0) P:40 I:1000 C:      3 Min:     55 Act:  704 Avg:  704 Max:    2000";
        assert!(text.contains(line), "{text}");
        let label = "# T0 is linux/clock_nanosleep-abs load none wait 1 ms\n";
        assert!(text.contains(label), "{text}");
        assert!(text.contains("\n000055 000001\n") && text.contains("Overflows: 00001"), "{text}");
    }

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
        hdr_log(&report, &mut out).expect("a vector");
        let text = String::from_utf8(out).expect("text");
        let line = text.lines().find(|l| l.starts_with("Tag=")).expect("a line");
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[..3], ["Tag=evilid:0ns:none", "0.000", "1.500"]);
        let read = Histogram { count: 1, hdr: fields[4].into(), ..Histogram::default() };
        assert!(read.decode().expect("its own") == hdr);
    }
}
