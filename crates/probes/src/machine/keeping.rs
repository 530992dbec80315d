//! How the system keeps time, beyond its clock source: the kernel's own account, high-resolution
//! timers, the time namespace, limits of real-time threads, and the programs that correct the
//! clock.

use chronoscope_model::Environment;
use chronoscope_model::timekeeping::{PROGRAMS, Timekeeping};

use super::root::Root;
use crate::waits::os as system;

/// The largest number of processes that are examined, at some 10 us each. A large machine has tens
/// of thousands.
const PROCESSES: usize = 4096;
/// After this CPU time, in nanoseconds, no more of them are examined in a hurry.
const PATIENCE_NS: u64 = 4_000_000;

pub fn fill(root: &Root, env: &mut Environment) {
    state(root, env);
    if !root.is_linux() {
        return;
    }
    let signed = |path: &str| root.text(path).ok()?.parse::<i64>().ok();
    // The kernel looks up the name of a function for every timer in it, at some 10 us each.
    let list = (!root.is_hurried()).then(|| root.long_text("/proc/timer_list"));
    let found = Timekeeping {
        high_resolution: list.and_then(|list| timer_list(&list.ok()?)),
        time_namespace: root.text("/proc/self/timens_offsets").ok().map(|text| shifted(&text)),
        rt_runtime_us: signed("/proc/sys/kernel/sched_rt_runtime_us"),
        rt_period_us: signed("/proc/sys/kernel/sched_rt_period_us"),
        programs: programs(root, env),
        ..env.keeping.take().unwrap_or_default()
    };
    env.keeping = Some(found);
}

/// Fills in what can change at any time and costs little to ask.
pub fn state(root: &Root, env: &mut Environment) {
    let process = root.process();
    if !root.is_linux() {
        return;
    }
    let mut found = Timekeeping {
        timer_resolution_ns: process.timer_resolution_ns,
        time64: process.time64.clone(),
        distances: process.distances,
        library_clock: process.library_clock.clone(),
        sleep_refused: process.sleep_refused.clone(),
        ..Timekeeping::default()
    };
    match &process.adjtimex {
        Some(Ok(answer)) => {
            env.discipline = Some(answer.discipline());
            found.adjtimex = Some(*answer);
        }
        Some(Err(why)) => {
            env.not_known("discipline", format!("adjtimex: {why}"));
            found.adjtimex_refused = Some(why.clone());
        }
        None => {}
    }
    env.keeping = Some(found);
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
    let mut found: Vec<&str> = Vec::new();
    let mut any = false;
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
        let Ok(name) = root.text(&format!("/proc/{pid}/comm")) else {
            continue;
        };
        any = true;
        if let Some((known, _)) = PROGRAMS.iter().find(|(known, _)| *known == name)
            && !found.contains(known)
        {
            found.push(known);
        }
    }
    found.sort_by_key(|name| PROGRAMS.iter().position(|(known, _)| known == name));
    any.then(|| found.into_iter().map(ToString::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
