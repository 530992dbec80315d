//! Waits in the JSON that `cyclictest --json` writes, for tools that read it.

use super::Format;
use super::cyclictest::microseconds;
use chronoscope_model::Report;
use chronoscope_model::waits::Wait;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    id: "cyclictest-json",
    extension: "json",
    about: "the waits in the JSON of cyclictest --json, file version 1, a thread for each row; in us",
    waits_alone: true,
    write,
};

/// What `rt_write_json` of rt-tests' rt-utils.c and `write_stats` of its cyclictest.c write, with
/// their keys, two of which end in a colon. Figures are whole microseconds, as `resolution_in_ns`
/// 0 says. Besides, each thread has the `method`, the `load`, the `interval` in microseconds, and
/// the `missed` deadlines of its row, which cyclictest has no keys for.
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

/// Of uname(2) what a report tells: it holds no host's name and no kernel's build.
#[derive(Serialize)]
struct SysInfo<'a> {
    sysname: &'a str,
    nodename: &'a str,
    release: &'a str,
    version: &'a str,
    machine: &'a str,
    /// Whether the kernel's release names it a real-time one.
    realtime: u32,
}

#[derive(Serialize)]
struct Thread<'a> {
    histogram: BTreeMap<u64, u64>,
    cycles: u64,
    min: i64,
    max: i64,
    avg: f64,
    /// -1 where the thread was not pinned.
    cpu: i64,
    /// -1, as where cyclictest is built without libnuma.
    node: i64,
    method: &'a str,
    load: &'a str,
    interval: f64,
    missed: u64,
}

/// Writes the file.
///
/// # Errors
/// What the writer reports.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let rows = report.waits.iter().filter(|w| w.samples > 0);
    let thread: BTreeMap<usize, Thread> = rows.map(thread).enumerate().collect();
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
    serde_json::to_writer_pretty(&mut *out, &file)?;
    writeln!(out)
}

fn thread(wait: &Wait) -> Thread<'_> {
    Thread {
        histogram: microseconds(wait),
        cycles: wait.samples,
        min: wait.min_ns / 1000,
        max: wait.max_ns / 1000,
        avg: (wait.mean_ns / 10.0).round() / 100.0,
        cpu: wait
            .cpu
            .and_then(|cpu| i64::try_from(cpu).ok())
            .unwrap_or(-1),
        node: -1,
        method: &wait.id,
        load: wait.load.name(),
        interval: wait.requested_ns.unwrap_or(0) as f64 / 1000.0,
        missed: wait.grid.as_ref().map_or(0, |grid| grid.missed),
    }
}

/// What uname(2) would call the system of that description.
fn sysname(os: &str, kernel: &str) -> &'static str {
    match os {
        os if os.contains("Windows") => "Windows",
        os if os.contains("macOS") => "Darwin",
        _ if kernel.is_empty() => "",
        _ => "Linux",
    }
}

/// A moment as `strftime` of `%a, %d %b %Y %H:%M:%S %z`; one that is none stays as it is.
fn time(rfc3339: &str) -> String {
    match rfc3339.parse::<jiff::Timestamp>() {
        Ok(moment) => moment.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string(),
        Err(_) => rfc3339.to_owned(),
    }
}
