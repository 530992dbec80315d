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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn counts_never_fall() {
        let before = (thread_switches(), steal_ns());
        std::thread::yield_now();
        assert!(thread_switches() >= before.0 && before.0.is_some());
        assert!(steal_ns() >= before.1);
    }
}
