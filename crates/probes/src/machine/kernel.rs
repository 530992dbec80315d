//! The system: its kernel and C library, the boot parameters that concern time, the clock source,
//! the load, and how the system keeps time beyond the clock source: the kernel's own account,
//! high-resolution timers, the time namespace, limits of real-time threads, and the programs that
//! correct the clock.

use super::kmsg::Log;
use super::root::{Root, printable, rows};
use crate::waits::os as system;
use chronoscope_model::Environment;
use chronoscope_model::clock_source::FOLDER as CLOCKSOURCE;
use chronoscope_model::environment::ClockSource;
use chronoscope_model::kernel_log::recognise;
use chronoscope_model::timekeeping::{PROGRAMS, Timekeeping};
use std::collections::BTreeSet;

/// Fills in the system, its kernel, and the boot parameters.
pub fn fill(root: &Root, env: &mut Environment) {
    let process = root.process();
    env.os = distribution(root)
        .or_else(|| process.sysname.clone())
        // The facts of another machine never come from this one.
        .or_else(|| root.is_host().then(|| std::env::consts::OS.to_owned()))
        .unwrap_or_default();
    env.kernel = process
        .release
        .clone()
        .or_else(|| root.text("/proc/sys/kernel/osrelease").ok().map(|text| printable(&text)));
    match root.text("/proc/cmdline") {
        Ok(line) => env.parameters = parameters(&line),
        Err(why) => env.not_known("boot parameters", format!("/proc/cmdline: {why}")),
    }
}

/// The distribution's own name (freedesktop.org, os-release(5)).
fn distribution(root: &Root) -> Option<String> {
    let text = root.text("/etc/os-release").or_else(|_| root.text("/usr/lib/os-release")).ok()?;
    let value = |key: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
        let value = printable(value.trim().trim_matches(['"', '\'']));
        (!value.is_empty()).then_some(value)
    };
    value("PRETTY_NAME").or_else(|| value("NAME"))
}

/// The words of a kernel command line that concern time. Those after `--` are for init.
pub(super) fn parameters(line: &str) -> Vec<String> {
    line.split_whitespace()
        .take_while(|word| *word != "--")
        .filter(|word| {
            let name = word.split('=').next().unwrap_or(word);
            rows("boot parameters").any(|known| known == name)
        })
        .map(|word| word.chars().filter(|c| !c.is_control()).take(120).collect())
        .collect()
}

/// Fills in the load averages (proc(5), `/proc/loadavg`).
pub fn fill_load(root: &Root, env: &mut Environment) {
    let Ok(text) = root.text("/proc/loadavg") else {
        return;
    };
    let averages = text.split_whitespace().take(3).map_while(|word| {
        word.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
    });
    env.load = averages.collect::<Vec<f64>>().try_into().ok();
}

/// Fills in the clock source in use and those that are available.
pub fn fill_clocksource(root: &Root, log: &Log, env: &mut Environment) {
    let available = root.text(&format!("{CLOCKSOURCE}/available_clocksource"));
    let available = available.map(|all| all.split_whitespace().take(32).map(printable).collect());
    match root.text(&format!("{CLOCKSOURCE}/current_clocksource")) {
        Ok(current) => {
            let available = available.unwrap_or_default();
            env.clocksource = Some(ClockSource { current: first_word(&current), available });
        }
        // Only Linux has this folder; on other systems its absence means nothing.
        Err(why) if root.is_linux() => {
            // The kernel logs each change.
            let words =
                ["Switched to clocksource", "Switching to clocksource", "clocksource has been"];
            let line = words.iter().find_map(|words| log.last(words)).filter(|_| !root.is_host());
            let name = line.and_then(|line| Some(recognise(line)?.get("clock")?.to_owned()));
            if let Some(current) = name {
                env.clocksource = Some(ClockSource { current, available: Vec::new() });
                return;
            }
            env.not_known("clock source", format!("{CLOCKSOURCE}/current_clocksource: {why}"));
            // Which ones there are says something even so.
            if let Ok(available) = available {
                env.clocksource = Some(ClockSource { current: String::new(), available });
            }
        }
        Err(_) => {}
    }
}

fn first_word(text: &str) -> String {
    printable(text.split_whitespace().next().unwrap_or_default())
}

/// What every system knows about a process of this program.
pub fn own_facts() -> Environment {
    let arch = std::env::consts::ARCH.to_owned();
    Environment { arch, c_library: c_library(), ..Environment::default() }
}

/// Whether it is part of the program: other programs of this machine then call another one, whose
/// clocks may cost more or less.
const LINKED: &str =
    if cfg!(all(target_os = "linux", target_feature = "crt-static")) { ", static" } else { "" };

/// Its name, its version if it tells one, and how it is linked: `glibc 2.36, static`. `None` if it
/// is not known.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn c_library() -> Option<String> {
    // SAFETY: gnu_get_libc_version(3) returns a static text that ends with 0.
    let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    Some(format!("glibc {}{LINKED}", version.to_string_lossy()))
}

/// Its name, and how it is linked; it tells no version. `None` if it is not known.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn c_library() -> Option<String> {
    let name = if cfg!(target_env = "musl") {
        "musl"
    } else if cfg!(target_vendor = "apple") {
        "libSystem"
    } else if cfg!(all(windows, target_env = "msvc")) {
        "UCRT"
    } else if cfg!(all(windows, target_env = "gnu")) {
        "msvcrt"
    } else {
        return None;
    };
    Some(format!("{name}{LINKED}"))
}

/// The largest number of processes that are examined, at some 10 us each. A large machine has tens
/// of thousands.
const PROCESSES: usize = 4096;

/// After this CPU time, in nanoseconds, no more of them are examined in a hurry.
const PATIENCE_NS: u64 = 4_000_000;

pub fn fill_keeping(root: &Root, env: &mut Environment) {
    fill_discipline(env);
    let Some(asked) = env.keeping.take() else { return };
    let signed = |path: &str| root.text(path).ok()?.parse::<i64>().ok();
    // The kernel looks up the name of a function for every timer in it, at some 10 us each.
    let list = (!root.is_hurried()).then(|| root.long_text("/proc/timer_list"));
    let found = Timekeeping {
        high_resolution: list.and_then(|list| timer_list(&list.ok()?)),
        time_namespace: root.text("/proc/self/timens_offsets").ok().map(|text| shifted(&text)),
        rt_runtime_us: signed("/proc/sys/kernel/sched_rt_runtime_us"),
        rt_period_us: signed("/proc/sys/kernel/sched_rt_period_us"),
        programs: programs(root, env),
        ..asked
    };
    env.keeping = Some(found);
}

/// Fills in whether the clock is kept synchronised.
pub fn fill_discipline(env: &mut Environment) {
    let found = env.keeping.as_ref();
    env.discipline = found.and_then(|found| Some(found.adjtimex?.discipline()));
    if let Some(why) = found.and_then(|found| found.adjtimex_refused.clone()) {
        env.not_known("discipline", format!("adjtimex: {why}"));
    }
}

/// Whether high-resolution timers are active on the first CPU that /proc/timer_list describes:
/// ` .hres_active    : 1` (kernel/time/timer_list.c).
fn timer_list(text: &str) -> Option<bool> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(".hres_active"))?;
    match line.trim_start().strip_prefix(':')?.trim() {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

/// More lines than the file has: it has two.
const LINES: usize = 8;

/// The offsets that are not zero: `monotonic  86400  0` (kernel, fs/proc/base.c,
/// `timens_offsets`; time_namespaces(7)).
fn shifted(text: &str) -> Vec<String> {
    let lines = text.lines().take(LINES).filter_map(|line| {
        let mut words = line.split_whitespace();
        let clock = words.next()?;
        let numbers: Vec<i64> = words.take(2).map_while(|word| word.parse().ok()).collect();
        let name = clock.chars().all(|c| c.is_ascii_alphanumeric()) && clock.len() <= 16;
        let shifted = numbers.len() == 2 && numbers.iter().any(|number| *number != 0);
        (name && shifted).then(|| format!("{clock} {} {}", numbers[0], numbers[1]))
    });
    lines.collect()
}

/// The known programs that run, in the order of the list; `None` if processes cannot be listed.
pub(super) fn programs(root: &Root, env: &mut Environment) -> Option<Vec<String>> {
    let mut running = BTreeSet::new();
    let names = root.names("/proc");
    let numbered = |name: &&String| name.bytes().all(|b| b.is_ascii_digit());
    let pids: Vec<&String> = names.iter().filter(numbered).collect();
    let spent = || system::thread_cpu().unwrap_or(0);
    let begin = spent();
    for (examined, pid) in pids.iter().enumerate() {
        let hurried = root.is_hurried() && spent().saturating_sub(begin) > PATIENCE_NS;
        if examined == PROCESSES || hurried {
            let all = pids.len();
            let why = format!("only the first {examined} of {all} processes were examined");
            env.not_known("programs", why);
            break;
        }
        // The process may have ended in the meantime.
        running.extend(root.text(&format!("/proc/{pid}/comm")));
    }
    let found = PROGRAMS.iter().filter(|(name, _)| running.contains(*name));
    (!running.is_empty()).then(|| found.map(|(name, _)| (*name).to_owned()).collect())
}

/// Whether SIGHUP is ignored, as nohup(1) arranges for the program that it starts.
#[cfg(unix)]
pub fn ignores_hangup() -> bool {
    // SAFETY: a null pointer asks for no change; zero is a valid content of the place that
    // sigaction(2) fills.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_parameters_that_concern_time_are_shown() {
        let line = "root=/dev/sda1 tsc=reliable password=x clocksource=hpet -- tsc=init";
        assert_eq!(parameters(line), ["tsc=reliable", "clocksource=hpet"]);
    }

    #[test]
    fn the_kernels_files_are_understood() {
        let list = "cpu: 0\n  .expires_next   : 48 nsecs\n  .hres_active    : 1\n";
        assert_eq!(timer_list(list), Some(true));
        assert_eq!(timer_list("  .hres_active    : 0\n"), Some(false));
        assert_eq!(timer_list("  .hres_active\n"), None);
        assert_eq!(timer_list(""), None);
        let zero = "monotonic           0         0\nboottime            0         0\n";
        assert_eq!(shifted(zero), Vec::<String>::new());
        let other = "monotonic      172800         0\nboottime      -604800         5\n";
        assert_eq!(shifted(other), ["monotonic 172800 0", "boottime -604800 5"]);
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "([a-z.: _]{0,12}[0-9-]{0,24}\\PC{0,4}\n?){0,12}") {
            let _ = timer_list(&text);
            prop_assert!(shifted(&text).len() <= LINES);
        }
    }
}
