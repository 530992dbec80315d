//! What disturbed this thread, at the price of a system call.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// Involuntary context switches of this thread (getrusage(2), RUSAGE_THREAD).
pub fn thread_switches() -> Option<u64> {
    // SAFETY: rusage is made of integers, for which zero is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place for what getrusage stores.
    let done = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    if done == 0 {
        u64::try_from(usage.ru_nivcsw).ok()
    } else {
        None
    }
}

/// Time stolen from all processors since boot (proc(5), `/proc/stat`, field `steal`), in
/// nanoseconds; it advances in ticks of USER_HZ, mostly of 10 ms.
pub fn steal_ns() -> Option<u64> {
    static STAT: OnceLock<Option<File>> = OnceLock::new();
    let file = STAT
        .get_or_init(|| File::open("/proc/stat").ok())
        .as_ref()?;
    let mut line = [0; 256];
    let length = file.read_at(&mut line, 0).ok()?;
    // SAFETY: sysconf takes any number and stores nothing.
    let hz = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok()?;
    steal(&String::from_utf8_lossy(&line[..length]), hz)
}

/// The processor that this thread runs on at the moment (sched_getcpu(3)).
pub fn current_cpu() -> Option<usize> {
    // SAFETY: sched_getcpu takes and stores nothing.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// The steal of the first line of `/proc/stat`: `cpu user nice system idle iowait irq softirq
/// steal …` in ticks of `hz` per second (proc(5)).
fn steal(stat: &str, hz: u64) -> Option<u64> {
    let mut words = stat.lines().next()?.split_ascii_whitespace();
    if words.next() != Some("cpu") {
        return None;
    }
    let ticks: u64 = words.nth(7)?.parse().ok()?;
    ticks.checked_mul(1_000_000_000)?.checked_div(hz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steal_is_the_eighth_figure() {
        assert_eq!(
            steal("cpu  27232 0 4324 480830 1262 0 98 43 0 0\n", 100),
            Some(430_000_000)
        );
        assert_eq!(steal("cpu  1 2 3 4\n", 100), None);
        assert_eq!(steal("cpu0 1 2 3 4 5 6 7 8\n", 100), None);
        assert_eq!(steal("cpu 1 2 3 4 5 6 7 18446744073709551615\n", 100), None);
        assert_eq!(steal("cpu 1 2 3 4 5 6 7 8\n", 0), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*", hz: u64) {
            let _ = steal(&text, hz);
        }
    }
}
