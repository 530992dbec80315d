//! Cheap signs that a measurement was disturbed, for asking before and after it.

use super::os;

/// How often this thread was taken off its processor against its will.
pub fn thread_switches() -> Option<u64> {
    os::thread_switches()
}

/// Time that the hypervisor gave to others while this machine's processors wanted to run, in
/// nanoseconds, of all processors together. It moves in steps of a tick, mostly 10 ms.
pub fn steal_ns() -> Option<u64> {
    os::steal_ns()
}

/// The processor this thread runs on at the moment.
pub fn current_cpu() -> Option<usize> {
    os::current_cpu()
}

/// The steal of the first line of `/proc/stat`: `cpu user nice system idle iowait irq softirq
/// steal …` in ticks of `hz` per second (proc(5)).
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only Linux counts steal")
)]
pub(super) fn steal(stat: &str, hz: u64) -> Option<u64> {
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

    #[cfg(target_os = "linux")]
    #[test]
    fn counts_never_fall() {
        let before = (thread_switches(), steal_ns());
        std::thread::yield_now();
        assert!(thread_switches() >= before.0 && before.0.is_some());
        assert!(steal_ns() >= before.1);
    }
}
