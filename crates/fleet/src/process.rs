//! What this process takes: by Linux's account of it (proc_pid_stat(5)), which other systems do not
//! have, and the CPU time that measuring takes, without that of the thread that answers.

use chronoscope_probes::waits::os;
use chronoscope_report::metrics::{
    Family, PROCESS_CPU, PROCESS_FDS, PROCESS_RESIDENT, PROCESS_START, PROCESS_THREADS,
};
use std::collections::HashMap;
use std::fs;
use std::sync::OnceLock;
use std::time::Instant;

/// The ticks per second of times in `/proc`: USER_HZ, which is 100 on every architecture that Rust
/// supports (Linux include/asm-generic/param.h).
const USER_HZ: f64 = 100.0;
/// The fields of `/proc/self/stat` after the name in parentheses, counted from 0.
const THREADS: usize = 17;
const START: usize = 19;

/// Metrics with their values.
type Process = [(&'static Family, f64); 5];

/// What the process has taken until now; `None` if the system does not say.
pub fn process() -> Option<Process> {
    let read = |path| fs::read_to_string(path).ok();
    let status = read("/proc/self/status")?;
    let stat = read("/proc/self/stat")?;
    // The descriptor of the folder itself is one of them.
    let open_fds = fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1) as u64;
    let cpu_s = os::process_cpu()? as f64 / 1e9;
    parse(&stat, &status, boot_s()?, cpu_s, open_fds)
}

/// When the machine was booted, by `/proc/stat`, in seconds since 1970. It is read once: the kernel
/// adds up every interrupt of every CPU for the rest of the file, and a step of the wall clock must
/// not look like a restart of this process.
fn boot_s() -> Option<u64> {
    static BOOT_S: OnceLock<Option<u64>> = OnceLock::new();
    *BOOT_S.get_or_init(|| after(&fs::read_to_string("/proc/stat").ok()?, "btime "))
}

/// The number after the key that a line begins with.
fn after(text: &str, key: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

fn parse(stat: &str, status: &str, boot_s: u64, cpu_s: f64, open_fds: u64) -> Option<Process> {
    // The name may hold anything, parentheses too.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let field = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some([
        (&PROCESS_CPU, cpu_s),
        (&PROCESS_RESIDENT, after(status, "VmRSS:")?.checked_mul(1024)? as f64),
        (&PROCESS_START, boot_s as f64 + field(START)? as f64 / USER_HZ),
        (&PROCESS_FDS, open_fds as f64),
        (&PROCESS_THREADS, field(THREADS)? as f64),
    ])
}

/// The CPU time of each thread of this process, by its id, in nanoseconds (proc_pid_schedstat in
/// Linux Documentation/scheduler/sched-stats.rst); empty if the system does not say.
pub fn threads() -> HashMap<u64, u64> {
    let Ok(folder) = fs::read_dir("/proc/self/task") else {
        return HashMap::new();
    };
    let each = folder.flatten().filter_map(|thread| {
        let id = thread.file_name().to_str()?.parse().ok()?;
        let counts = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        Some((id, counts.split_ascii_whitespace().next()?.parse().ok()?))
    });
    each.collect()
}

/// Counts the CPU time of the calling thread, and of the threads that it starts for a round.
#[derive(Debug)]
pub struct Meter {
    /// CPU time of this thread up to here is counted, in nanoseconds.
    counted: Option<u64>,
    /// What was counted since the start, in seconds.
    pub all_s: f64,
}

impl Meter {
    /// Begins with what this thread has taken since it was started.
    pub fn start() -> Self {
        Self { counted: Some(0), all_s: 0.0 }
    }

    /// Counts and returns what this thread took since it was last counted, in seconds. A system
    /// that does not count the time of threads has none: all is counted with the rounds.
    pub fn thread(&mut self) -> f64 {
        let now = os::thread_cpu();
        let ns = now.zip(self.counted).map_or(0, |(now, counted)| now.saturating_sub(counted));
        self.counted = now;
        self.add(ns as f64 / 1e9)
    }

    /// Counts a round with all threads that it starts: what the process takes meanwhile, without
    /// the threads that run before and after it, as far as the system counts these. Returns its
    /// result and its CPU time in seconds; where the system counts none, the time that it took.
    pub fn round<T>(&mut self, make: impl FnOnce() -> T) -> (T, f64) {
        let (began, others) = (Instant::now(), others());
        let before = os::process_cpu();
        let made = make();
        let all = os::process_cpu().zip(before).map(|(after, before)| after.saturating_sub(before));
        let s = all.map_or_else(
            || began.elapsed().as_secs_f64(),
            |all| {
                let after = threads();
                let grew = |(id, ns): (&u64, &u64)| Some(after.get(id)?.saturating_sub(*ns));
                all.saturating_sub(others.iter().filter_map(grew).sum()) as f64 / 1e9
            },
        );
        self.counted = os::thread_cpu();
        (made, self.add(s))
    }

    fn add(&mut self, s: f64) -> f64 {
        self.all_s += s;
        s
    }
}

/// The CPU time of the other threads of this process.
fn others() -> HashMap<u64, u64> {
    let mut all = threads();
    if let Some(own) = os::thread_id() {
        all.remove(&own);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "4321 (a) b (c) S 1 4321 4321 0 -1 4194560 100 0 0 0 10 5 0 0 20 0 3 0 \
                        12345 23842816 1046 18446744073709551615 1 1 0 0 0 0 0 4096 16640 0 0 0 17";
    const STATUS: &str = "Name:\ta) b (c\nVmHWM:\t    9999 kB\nVmRSS:\t    4184 kB\n";
    const MACHINE: &str = "cpu  1 2 3\nbtime 1700000000\nprocesses 5\n";
    const BOOT_S: u64 = 1_700_000_000;

    #[test]
    fn the_files_of_linux_are_read() {
        assert_eq!((after(MACHINE, "btime "), after("btime x\n", "btime ")), (Some(BOOT_S), None));
        let found = parse(STAT, STATUS, BOOT_S, 0.5, 7).expect("all figures");
        let resident = f64::from(4184 * 1024);
        assert_eq!(found.map(|it| it.1), [0.5, resident, 1_700_000_123.45, 7.0, 3.0]);
    }

    #[test]
    fn what_is_missing_or_wrong_is_absent() {
        let huge = "VmRSS: 18446744073709551615 kB\n";
        for (stat, status) in [("", STATUS), ("1 (x) S 1", STATUS), (STAT, ""), (STAT, huge)] {
            assert!(parse(stat, status, BOOT_S, 0.0, 0).is_none(), "{stat} {status}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_known() {
        let found = process().expect("Linux says all of it");
        let [.., (_, open), (_, threads_now)] = found;
        assert!(found.iter().all(|(_, value)| *value > 0.0) && open > 2.0 && threads_now >= 1.0);
        let before = threads();
        let own = os::thread_id().expect("an id");
        // A kernel without statistics of its scheduler has no such file.
        assert!(before.is_empty() || threads().get(&own) >= before.get(&own));
    }
}
