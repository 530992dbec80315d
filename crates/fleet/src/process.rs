//! What this process takes, by Linux's account of it (proc_pid_stat(5)). Other systems have none.

use chronoscope_probes::waits::os;
use chronoscope_report::metrics::Process;
use std::collections::HashMap;
use std::fs;
use std::sync::OnceLock;

/// The ticks per second of times in `/proc`: USER_HZ, which is 100 on every architecture that Rust
/// supports (Linux include/asm-generic/param.h).
const USER_HZ: f64 = 100.0;
/// The fields of `/proc/self/stat` after the name in parentheses, counted from 0.
const THREADS: usize = 17;
const START: usize = 19;

/// What the process has taken until now; `None` if the system does not say.
pub fn process() -> Option<Process> {
    let read = |path| fs::read_to_string(path).ok();
    let status = read("/proc/self/status")?;
    let stat = read("/proc/self/stat")?;
    // The descriptor of the folder itself is one of them.
    let open_fds = fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1) as u64;
    let cpu_s = os::process_cpu()? as f64 / 1e9;
    parse(&stat, &status, boot()?, cpu_s, open_fds)
}

/// The line of `/proc/stat` that states when the machine was booted. It is read once: the kernel
/// adds up every interrupt of every CPU for the rest of the file, and a step of the wall clock must
/// not look like a restart of this process.
fn boot() -> Option<&'static str> {
    static LINE: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let machine = fs::read_to_string("/proc/stat").ok()?;
        machine.lines().find(|line| line.starts_with("btime ")).map(str::to_owned)
    };
    LINE.get_or_init(read).as_deref()
}

fn parse(stat: &str, status: &str, machine: &str, cpu_s: f64, open_fds: u64) -> Option<Process> {
    // The name may hold anything, parentheses too.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let field = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let line = |text: &str, key: &str| -> Option<u64> {
        let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
        rest.split_ascii_whitespace().next()?.parse().ok()
    };
    let boot_s = line(machine, "btime ")? as f64;
    Some(Process {
        cpu_s,
        resident_bytes: line(status, "VmRSS:")?.checked_mul(1024)?,
        start_unix_s: boot_s + field(START)? as f64 / USER_HZ,
        open_fds,
        threads: field(THREADS)?,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "4321 (a) b (c) S 1 4321 4321 0 -1 4194560 100 0 0 0 10 5 0 0 20 0 3 0 \
                        12345 23842816 1046 18446744073709551615 1 1 0 0 0 0 0 4096 16640 0 0 0 17";
    const STATUS: &str = "Name:\ta) b (c\nVmHWM:\t    9999 kB\nVmRSS:\t    4184 kB\n";
    const MACHINE: &str = "cpu  1 2 3\nbtime 1700000000\nprocesses 5\n";

    #[test]
    fn the_files_of_linux_are_read() {
        let found = parse(STAT, STATUS, MACHINE, 0.5, 7).expect("all figures");
        assert_eq!((found.resident_bytes, found.threads, found.open_fds), (4184 * 1024, 3, 7));
        assert_eq!((found.start_unix_s, found.cpu_s), (1_700_000_123.45, 0.5));
    }

    #[test]
    fn what_is_missing_or_wrong_is_absent() {
        let huge = "VmRSS: 18446744073709551615 kB\n";
        for (stat, status, machine) in [
            ("", STATUS, MACHINE),
            ("1 (x) S 1", STATUS, MACHINE),
            (STAT, "", MACHINE),
            (STAT, huge, MACHINE),
            (STAT, STATUS, "btime x\n"),
        ] {
            assert!(parse(stat, status, machine, 0.0, 0).is_none(), "{stat} {status} {machine}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_known() {
        let found = process().expect("Linux says all of it");
        assert!(found.resident_bytes > 0 && found.threads > 0 && found.open_fds > 2);
        let before = threads();
        let own = os::thread_id().expect("an id");
        // A kernel without statistics of its scheduler has no such file.
        assert!(before.is_empty() || threads().get(&own) >= before.get(&own));
    }
}
