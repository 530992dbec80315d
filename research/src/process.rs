//! What the kernel knows of a process (proc(5)).

use anyhow::{Context, Result};
use std::fs::read_to_string;

/// The CPU time of the first thread, in seconds (`schedstat`, in ns).
pub fn first_thread_s(pid: u32) -> Result<f64> {
    let text = read_to_string(format!("/proc/{pid}/task/{pid}/schedstat"))?;
    let ns: u64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(ns as f64 / 1e9)
}

/// The memory that it has, in KiB.
pub fn resident_kib(pid: u32) -> Result<u64> {
    let status = read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).context("no VmRSS")?;
    Ok(kib.parse()?)
}
