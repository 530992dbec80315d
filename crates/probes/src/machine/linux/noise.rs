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
    super::super::noise::steal(&String::from_utf8_lossy(&line[..length]), hz)
}

/// The processor that this thread runs on at the moment (sched_getcpu(3)).
pub fn current_cpu() -> Option<usize> {
    // SAFETY: sched_getcpu takes and stores nothing.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}
