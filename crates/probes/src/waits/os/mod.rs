//! What the measurement of a wait needs from the system: the clock that its timers run on, and what
//! it knows about a thread.

// The platform is chosen here only. Each file has the same functions, and `elsewhere` compiles
// anywhere.
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", windows)), path = "elsewhere.rs")]
mod imp;

use super::Unavailable;

/// The name of the clock behind [`monotonic`].
pub const CLOCK: &str = imp::CLOCK;
/// The name of the clock behind [`reference`](fn@reference).
pub const REFERENCE: &str = imp::REFERENCE;

/// Whether a thread may be given SCHED_FIFO here.
pub const HAS_FIFO: bool = imp::HAS_FIFO;

/// The clock that the system's timers run on, in nanoseconds.
#[inline]
pub fn monotonic() -> u64 {
    imp::monotonic()
}

/// The interval between two successive values of [`monotonic`], in nanoseconds.
pub fn step() -> u64 {
    imp::step()
}

/// A clock that nothing slews, in nanoseconds, if the system has one; otherwise that of
/// [`monotonic`].
#[inline]
pub fn reference() -> u64 {
    imp::reference()
}

/// The wall clock, in nanoseconds since 1970.
pub fn wall() -> u64 {
    let now = std::time::SystemTime::now();
    let since = now.duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// How long the machine has been suspended since it was started, in nanoseconds.
pub fn suspended() -> Option<u64> {
    imp::suspended()
}

/// CPU time of the calling thread, in nanoseconds.
pub fn thread_cpu() -> Option<u64> {
    imp::thread_cpu()
}

/// Context switches of the calling thread: the voluntary ones, by blocking, and the involuntary
/// ones.
pub fn switches() -> Option<(u64, u64)> {
    imp::switches()
}

/// The calling thread's id, as other tools show it.
pub fn thread_id() -> Option<u64> {
    imp::thread_id()
}

/// How late the system may by design be with the calling thread's timers, in nanoseconds: the
/// thread's timer slack on Linux, the period of the clock interrupt on Windows.
pub fn slack() -> Option<u64> {
    imp::slack()
}

/// Sets the timer slack of the calling thread; 0 restores the slack that it was started with
/// (prctl(2), PR_SET_TIMERSLACK). On Windows the whole process has one slack, and this sets
/// [`period_ms`].
pub fn set_slack(ns: u64) -> Result<(), Unavailable> {
    imp::set_slack(ns)
}

/// The timer period, in milliseconds, that stands for a slack on a system whose processes ask for a
/// period instead: Windows' `timeBeginPeriod`.
pub fn period_ms(slack_ns: u64) -> Option<u32> {
    imp::period_ms(slack_ns)
}

/// The slice of the calling thread, in nanoseconds: for how long the scheduler lets it run at a
/// time, if others want its CPU. `None` if the system does not report one.
pub fn slice() -> Option<u64> {
    imp::slice()
}

/// Asks the scheduler for a slice of that many nanoseconds for the calling thread (sched_setattr(2)
/// with SCHED_OTHER, since Linux 6.12). A thread that asks for a shorter slice gets its CPU sooner
/// after it wakes, and no larger share of it. The kernel keeps it between 100 us and 100 ms
/// (kernel/sched/syscalls.c, `__setparam_fair`).
///
/// # Errors
/// The system has no such setting, or the thread is not scheduled by SCHED_OTHER.
pub fn set_slice(ns: u64) -> Result<(), Unavailable> {
    imp::set_slice(ns)
}

/// Schedules the calling thread with SCHED_FIFO at that priority, until it ends.
pub fn set_fifo(priority: u32) -> Result<(), Unavailable> {
    imp::set_fifo(priority)
}

/// Limits the CPU time, in microseconds, that a real-time thread of this process may take without
/// blocking; the kernel terminates a process that exceeds it (getrlimit(2), RLIMIT_RTTIME). This
/// guards against a runaway thread. Returns the previous limit.
pub fn limit_realtime(us: u64) -> Result<u64, Unavailable> {
    imp::limit_realtime(us)
}

/// Blocks the signals that other threads and processes send to the calling thread, so that none
/// cuts a wait short; the other threads receive them.
pub fn block_signals() {
    imp::block_signals();
}

/// Blocks SIGCONT on the calling thread and on the threads it starts from now on, so that the
/// signal stays pending when the process is continued, and [`continued`] can see it.
pub fn hold_signals() {
    imp::hold_signals();
}

/// Whether the process was stopped and continued since [`forget_continue`]; known only if
/// [`hold_signals`] was called on every thread.
pub fn continued() -> bool {
    imp::continued()
}

/// Forgets that the process was stopped and continued.
pub fn forget_continue() {
    imp::forget_continue();
}
