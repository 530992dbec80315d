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

/// The longest line of a processor: its name and ten numbers of 64 bits (Linux fs/proc/stat.c,
/// show_stat).
const LINE: usize = 256;
/// The most of them that are read; no Linux has more processors (Kconfig, NR_CPUS).
const LINES: usize = 8192;

/// Time stolen since boot from that processor, or from all (proc(5), `/proc/stat`, field `steal`),
/// in nanoseconds; it advances in ticks of USER_HZ, mostly of 10 ms.
pub fn steal_ns(cpu: Option<usize>) -> Option<u64> {
    static STAT: OnceLock<Option<File>> = OnceLock::new();
    let file = STAT
        .get_or_init(|| File::open("/proc/stat").ok())
        .as_ref()?;
    // The processors before it stand before it, after the line of all.
    let lines = cpu.map_or(1, |cpu| cpu.saturating_add(2).min(LINES));
    let mut text = vec![0; lines * LINE];
    let length = file.read_at(&mut text, 0).ok()?;
    // SAFETY: sysconf takes any number and stores nothing.
    let hz = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok()?;
    let name = cpu.map_or_else(|| "cpu".to_owned(), |cpu| format!("cpu{cpu}"));
    steal(&String::from_utf8_lossy(&text[..length]), &name, hz)
}

/// The processor that this thread runs on at the moment (sched_getcpu(3)).
pub fn current_cpu() -> Option<usize> {
    // SAFETY: sched_getcpu takes and stores nothing.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// The steal of that line of `/proc/stat`: `cpu user nice system idle iowait irq softirq steal …`
/// in ticks of `hz` per second (proc(5)).
fn steal(stat: &str, name: &str, hz: u64) -> Option<u64> {
    let mut words = stat.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        (words.next() == Some(name)).then_some(words)
    })?;
    let ticks: u64 = words.nth(7)?.parse().ok()?;
    ticks.checked_mul(1_000_000_000)?.checked_div(hz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steal_is_the_eighth_figure() {
        let of_all = |stat, hz| steal(stat, "cpu", hz);
        assert_eq!(
            of_all("cpu  27232 0 4324 480830 1262 0 98 43 0 0\n", 100),
            Some(430_000_000)
        );
        assert_eq!(of_all("cpu  1 2 3 4\n", 100), None);
        assert_eq!(of_all("cpu0 1 2 3 4 5 6 7 8\n", 100), None);
        assert_eq!(
            of_all("cpu 1 2 3 4 5 6 7 18446744073709551615\n", 100),
            None
        );
        assert_eq!(of_all("cpu 1 2 3 4 5 6 7 8\n", 0), None);
    }

    #[test]
    fn each_processor_has_a_line_of_its_own() {
        let stat = "cpu 9 9 9 9 9 9 9 30 0 0\ncpu0 1 2 3 4 5 6 7 10 0 0\ncpu10 1 2 3 4 5 6 7 20 0 0\nintr 5\n";
        assert_eq!(steal(stat, "cpu0", 100), Some(100_000_000));
        assert_eq!(steal(stat, "cpu10", 100), Some(200_000_000));
        assert_eq!(steal(stat, "cpu1", 100), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(cpu)?.*", hz: u64) {
            let _ = steal(&text, "cpu", hz);
        }
    }
}
