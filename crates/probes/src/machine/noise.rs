//! Cheap signs that a measurement was disturbed, to be read before and after it; `None` on systems
//! that do not report them.
//!
//! - `thread_switches`: how often this thread was taken off its CPU involuntarily.
//! - `steal_ns`: the time, in nanoseconds, that the hypervisor gave to others while this machine's
//!   CPUs were ready to run: for one CPU, or for all together. It advances in ticks, mostly of
//!   10 ms.
//! - `run_queue_ns`: how long this thread has been ready to run while something else had its CPU,
//!   in nanoseconds.
//! - `current_cpu`: the CPU that this thread currently runs on.

pub use super::os::{current_cpu, run_queue_ns, steal_ns, thread_switches};

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn counts_never_fall() {
        let before = (thread_switches(), steal_ns(None));
        std::thread::yield_now();
        assert!(thread_switches() >= before.0 && before.0.is_some());
        assert!(steal_ns(None) >= before.1);
        // A kernel without scheduler statistics has none.
        let waited = run_queue_ns();
        assert!(run_queue_ns() >= waited);
        let own = current_cpu();
        // A container may number the CPUs differently from the kernel.
        assert!(own.is_some() && steal_ns(own) <= steal_ns(None));
        assert_eq!(steal_ns(Some(usize::MAX)), None);
    }
}
