//! What disturbed this thread, at the cost of a system call.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// The involuntary context switches of this thread (getrusage(2), RUSAGE_THREAD).
pub fn thread_switches() -> Option<u64> {
    crate::waits::os::switches().map(|(_, involuntary)| involuntary)
}

/// The longest line of a CPU: its name and ten numbers of 64 bits (Linux fs/proc/stat.c,
/// show_stat).
const LINE: usize = 256;
/// The largest number of lines that is read; no Linux has more CPUs (Kconfig, NR_CPUS).
const LINES: usize = 8192;

/// The time stolen since boot from that CPU, or from all CPUs (proc(5), `/proc/stat`, field
/// `steal`), in nanoseconds. It advances in ticks of USER_HZ, mostly of 10 ms.
pub fn steal_ns(cpu: Option<usize>) -> Option<u64> {
    static STAT: OnceLock<Option<File>> = OnceLock::new();
    let file = STAT.get_or_init(|| File::open("/proc/stat").ok()).as_ref()?;
    // The line of all CPUs comes first, then one line per CPU in order.
    let lines = cpu.map_or(1, |cpu| cpu.saturating_add(2).min(LINES));
    let mut text = vec![0; lines * LINE];
    let length = file.read_at(&mut text, 0).ok()?;
    // SAFETY: sysconf takes any number and stores nothing.
    let hz = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok()?;
    let name = cpu.map_or_else(|| "cpu".to_owned(), |cpu| format!("cpu{cpu}"));
    steal(&String::from_utf8_lossy(&text[..length]), &name, hz)
}

/// The time that this thread was ready to run and waited for a CPU, in nanoseconds
/// (`/proc/thread-self/schedstat`: Linux Documentation/scheduler/sched-stats.rst). Any user may
/// read it. `None` if the kernel keeps no such statistics.
pub fn run_queue_ns() -> Option<u64> {
    let mut text = [0; 128];
    let file = File::open("/proc/thread-self/schedstat").ok()?;
    let length = file.read_at(&mut text, 0).ok()?;
    run_queue(&String::from_utf8_lossy(&text[..length]))
}

/// The second of `time on the CPU`, `time in the run queue` and `time slices`. If the thread has
/// not run either, the kernel does not count.
fn run_queue(schedstat: &str) -> Option<u64> {
    let mut numbers = schedstat.split_ascii_whitespace().map(str::parse::<u64>);
    let ran = numbers.next()?.ok()?;
    let waited = numbers.next()?.ok()?;
    (ran > 0).then_some(waited)
}

/// The CPU that this thread currently runs on (sched_getcpu(3)).
pub fn current_cpu() -> Option<usize> {
    // SAFETY: sched_getcpu takes no argument and stores nothing.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// The steal in the line `name` of `/proc/stat`:
/// `cpu user nice system idle iowait irq softirq steal …` in ticks of `hz` per second (proc(5)).
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
        assert_eq!(of_all("cpu  27232 0 4324 480830 1262 0 98 43 0 0\n", 100), Some(430_000_000));
        assert_eq!(of_all("cpu  1 2 3 4\n", 100), None);
        assert_eq!(of_all("cpu0 1 2 3 4 5 6 7 8\n", 100), None);
        assert_eq!(of_all("cpu 1 2 3 4 5 6 7 18446744073709551615\n", 100), None);
        assert_eq!(of_all("cpu 1 2 3 4 5 6 7 8\n", 0), None);
    }

    #[test]
    fn each_cpu_has_its_own_line() {
        let stat = "cpu 9 9 9 9 9 9 9 30 0 0\ncpu0 1 2 3 4 5 6 7 10 0 0\n\
                    cpu10 1 2 3 4 5 6 7 20 0 0\nintr 5\n";
        assert_eq!(steal(stat, "cpu0", 100), Some(100_000_000));
        assert_eq!(steal(stat, "cpu10", 100), Some(200_000_000));
        assert_eq!(steal(stat, "cpu1", 100), None);
    }

    #[test]
    fn the_time_in_the_run_queue_is_the_second_figure() {
        assert_eq!(run_queue("1500000 320000 7\n"), Some(320_000));
        assert_eq!(run_queue("1500000 0 7\n"), Some(0));
        for nothing in ["0 0 0\n", "", "12", "12 x", "-1 2 3", "99999999999999999999 1 1"] {
            assert_eq!(run_queue(nothing), None, "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn no_text_causes_a_panic(text in "(cpu)?.*", hz: u64) {
            let _ = steal(&text, "cpu", hz);
        }
    }
}
