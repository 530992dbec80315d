//! Waits in the JSON that `cyclictest --json` writes, for tools that read it.

use super::Format;
use super::cyclictest::microseconds;
use super::json::io_error;
use crate::section::{Distribution, distributions};
use chronoscope_model::Report;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub const FORMAT: Format = Format {
    id: "cyclictest-json",
    extension: "json",
    about: "waits in the JSON of cyclictest --json, file version 1, one thread per row, in us",
    distributions_only: true,
    write,
};

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
    label: &'a str,
    interval: f64,
    missed: u64,
}

/// Writes the file.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let rows = distributions(report);
    let thread: BTreeMap<usize, Thread> = rows.iter().map(thread).enumerate().collect();
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
    serde_json::to_writer_pretty(&mut *out, &file).map_err(io_error)?;
    writeln!(out)
}

fn thread<'a>(row: &'a Distribution<'a>) -> Thread<'a> {
    let wait = row.wait;
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
        label: &row.label,
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
