//! Causes of lateness that are planted, and that `chronoscope waits --why` must name.
//! `cargo research blame` plants more of them, a hundred times each.
//!
//! Another cause may be added at any time, above all on a virtual machine. So each cause is planted
//! up to five times, and must be named in three of them.

#![cfg(target_os = "linux")]

use crate::waiting::{json, signal, start};
use chronoscope_model::Report;
use chronoscope_model::why::{Cause, Part, Why};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const TIMES: usize = 9;
const WANTED: usize = 3;

/// A program that runs until this is dropped.
struct Next(Child);

impl Next {
    /// A busy loop on one CPU; `None` if processes cannot be pinned.
    fn hog(cpu: usize) -> Option<Self> {
        let mut command = Command::new("taskset");
        command.args(["-c", &cpu.to_string(), "sh", "-c", "while :; do :; done"]);
        command.stdin(Stdio::null()).spawn().ok().map(Self)
    }
}

impl Drop for Next {
    fn drop(&mut self) {
        // An error means that it has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The causes in the only row, whose parts add up; `None`, with the reason on stderr, if this
/// system records no context switches of a thread, as in many containers and under qemu-user.
fn why(report: &Report) -> Option<&Why> {
    let missing = report.notes.iter().find(|note| note.id == "why-switches");
    if let Some(note) = missing {
        eprintln!("not tested: {}", note.text);
        return None;
    }
    let why = report.waits[0].why.as_ref().expect("asked for");
    for later in &why.later {
        assert_eq!(sum(&later.parts), later.late_ns, "{later:?}");
    }
    for worst in &why.worst {
        assert_eq!(sum(&worst.parts), worst.late_ns, "{worst:?}");
    }
    Some(why)
}

fn sum(parts: &[Part]) -> u64 {
    parts.iter().map(|part| part.ns).sum()
}

fn largest(parts: &[Part]) -> Cause {
    let largest = parts.iter().max_by_key(|part| part.ns);
    largest.map_or(Cause::Unknown, |part| part.cause)
}

/// The largest part of the latest wake-ups, of which there are at least five.
fn of_the_latest(why: &Why) -> Cause {
    let latest = why.later.iter().rfind(|later| later.waits >= 5);
    latest.map_or(Cause::Unknown, |later| largest(&later.parts))
}

/// Plants a cause until it was named often enough.
fn plant(expected: &[Cause], mut named: impl FnMut() -> Option<(Cause, Why)>) {
    let (mut found, mut examined, mut apart) = (Vec::new(), 0, 0);
    let right = |found: &[Cause]| found.iter().filter(|it| expected.contains(it)).count();
    while found.len() < TIMES && right(&found) < WANTED {
        let Some((cause, why)) = named() else {
            return;
        };
        found.push(cause);
        examined += why.examined;
        apart += why.apart;
    }
    assert!(right(&found) >= WANTED, "{expected:?}: {found:?}");
    // The ruler and the system's clock are rarely read apart, even under load.
    assert!(apart * 4 <= examined, "{apart} of {examined}");
}

fn last_cpu() -> usize {
    let allowed = chronoscope_probes::machine::affinity::allowed();
    *allowed.last().expect("this one")
}

fn asked<'a>(args: &'a str, cpu: &'a str) -> Vec<&'a str> {
    let mut all: Vec<&str> = args.split(' ').collect();
    all.extend(["--why", "-q", "--cpu", cpu]);
    all
}

#[test]
fn busy_processes_of_the_same_priority() {
    let cpu = last_cpu();
    let Some(_hogs) = Next::hog(cpu).zip(Next::hog(cpu)) else {
        eprintln!("not tested: taskset of util-linux is not installed");
        return;
    };
    let cpu = cpu.to_string();
    let args = "linux/clock_nanosleep-abs --wait 2ms --count 60 --slack 1ns";
    plant(&[Cause::RunQueue, Cause::Preempted], || {
        let (report, _) = json(&asked(args, &cpu));
        let why = why(&report)?;
        Some((of_the_latest(why), why.clone()))
    });
}

#[test]
fn a_busy_process_and_slack_for_a_wait_of_python() {
    let cpu = last_cpu();
    let args = "python/sleep --wait 10ms --count 12 --slack 5ms";
    plant(&[Cause::TimerSlack], || {
        let (report, _) = json(&asked(args, &cpu.to_string()));
        if let Some(reason) = &report.waits[0].unavailable_reason {
            eprintln!("not tested: {reason}");
            return None;
        }
        let why = why(&report)?;
        Some((largest(&why.later.first()?.parts), why.clone()))
    });
    let Some(_hog) = Next::hog(cpu) else {
        eprintln!("not tested: taskset of util-linux is not installed");
        return;
    };
    let args = "python/sleep --wait 2ms --count 40 --slack 1ns";
    plant(&[Cause::RunQueue, Cause::Preempted], || {
        let (report, _) = json(&asked(args, &cpu.to_string()));
        if report.waits[0].unavailable_reason.is_some() {
            return None;
        }
        let why = why(&report)?;
        Some((of_the_latest(why), why.clone()))
    });
}

#[test]
fn five_milliseconds_of_slack() {
    let cpu = last_cpu().to_string();
    let args = "linux/clock_nanosleep-abs --wait 10ms --count 15 --slack 5ms";
    plant(&[Cause::TimerSlack], || {
        let (report, _) = json(&asked(args, &cpu));
        let why = why(&report)?;
        Some((largest(&why.later.first()?.parts), why.clone()))
    });
}

#[test]
fn a_stopped_process() {
    let cpu = last_cpu().to_string();
    let args = "linux/clock_nanosleep-abs --wait 10ms --duration 1s --slack 1ns --json";
    plant(&[Cause::Stopped], || {
        let child = start(&asked(args, &cpu));
        sleep(Duration::from_millis(700));
        signal(&child, "-STOP");
        sleep(Duration::from_millis(100));
        signal(&child, "-CONT");
        let output = child.wait_with_output().expect("its report");
        let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
        let why = why(&report)?;
        let stopped = |parts: &[Part]| largest(parts) == Cause::Stopped;
        let found = why.worst.iter().any(|worst| stopped(&worst.parts));
        let cause = if found { Cause::Stopped } else { Cause::Unknown };
        Some((cause, why.clone()))
    });
}

/// A control group with a tenth of a CPU, which its processes use up even on a busy machine.
struct Group(PathBuf);

impl Group {
    fn new() -> Option<Self> {
        let first = Path::new("/sys/fs/cgroup/cpu");
        let (root, name, quota) = match first.join("cpu.cfs_quota_us").exists() {
            true => (first, "cpu.cfs_quota_us", "10000"),
            false => (Path::new("/sys/fs/cgroup"), "cpu.max", "10000 100000"),
        };
        let folder = root.join(format!("chronoscope-test-{}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        let group = Self(folder);
        fs::write(group.0.join(name), quota).ok()?;
        Some(group)
    }

    /// Moves the process into the group. Returns whether that succeeded.
    fn take(&self, child: &Child) -> bool {
        fs::write(self.0.join("cgroup.procs"), child.id().to_string()).is_ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its processes have been waited for, but the kernel may still be removing them.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_cpu_quota() {
    let Some(group) = Group::new() else {
        eprintln!("not tested: this user cannot make a control group with a quota");
        return;
    };
    let cpu = last_cpu();
    let Some(hog) = Next::hog(cpu).filter(|hog| group.take(&hog.0)) else {
        eprintln!("not tested: processes cannot be pinned, or moved to a control group");
        return;
    };
    let cpu = cpu.to_string();
    let args = "linux/clock_nanosleep-abs --wait 5ms --count 20 --slack 1ns --json";
    plant(&[Cause::Throttled], || {
        let child = start(&asked(args, &cpu));
        assert!(group.take(&child), "a group that took another process");
        let output = child.wait_with_output().expect("its report");
        let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
        let why = why(&report)?;
        Some((of_the_latest(why), why.clone()))
    });
    drop(hog);
}
