//! Linux.

use super::Scheduling;
use crate::scheduler;
use crate::waits::Unavailable;
use chronoscope_model::waits::{Class, Policy};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::mem::MaybeUninit;

pub use super::lacking::*;

/// The name of the clock behind [`monotonic`].
pub const CLOCK: &str = "CLOCK_MONOTONIC";
/// The name of the clock behind [`reference`](fn@reference).
pub const REFERENCE: &str = "CLOCK_MONOTONIC_RAW";

#[inline]
fn clock(id: libc::clockid_t) -> Option<u64> {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the place is valid for a timespec, and is read only where the call filled it.
    let time = unsafe {
        if libc::clock_gettime(id, time.as_mut_ptr()) != 0 {
            return None;
        }
        time.assume_init()
    };
    // A library in place of the C library's may return anything.
    let ns = (time.tv_sec as u64).wrapping_mul(1_000_000_000);
    Some(ns.wrapping_add(time.tv_nsec as u64))
}

/// The clock that the system's timers run on, in nanoseconds.
#[inline]
pub fn monotonic() -> u64 {
    // Every Linux has this clock; a failure would be a broken C library.
    clock(libc::CLOCK_MONOTONIC).unwrap_or(0)
}

/// The interval between two successive values of [`monotonic`], in nanoseconds.
///
/// The kernel counts nanoseconds, whatever its hardware counts.
pub fn step() -> u64 {
    1
}

/// A clock that nothing slews, in nanoseconds, if the system has one; otherwise that of
/// [`monotonic`].
#[inline]
pub fn reference() -> u64 {
    clock(libc::CLOCK_MONOTONIC_RAW).unwrap_or_else(monotonic)
}

/// How long the machine has been suspended since it was started, in nanoseconds.
///
/// CLOCK_BOOTTIME counts suspend and CLOCK_MONOTONIC does not (clock_gettime(2)). The one that does
/// not is read last, so that what passes between two reads makes the difference smaller and never
/// a suspend; the largest of a few tries is the one in which the least passed.
pub fn suspended() -> Option<u64> {
    let look = || {
        let boot = clock(libc::CLOCK_BOOTTIME)?;
        Some(boot.saturating_sub(monotonic()))
    };
    (0..4).filter_map(|_| look()).max()
}

/// CPU time of the calling thread, in nanoseconds.
pub fn thread_cpu() -> Option<u64> {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of all threads of the process, also of those that have ended, in nanoseconds.
pub fn process_cpu() -> Option<u64> {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of all threads of another process, in nanoseconds, if it may be read.
pub fn cpu_of(process: u32) -> Option<u64> {
    /// The clock of a process that counts what the scheduler accounts (clock_getcpuclockid(3),
    /// Linux include/linux/posix-timers.h, `CPUCLOCK_SCHED`).
    const SCHED: libc::clockid_t = 2;
    let process = libc::clockid_t::try_from(process).ok()?;
    clock((!process << 3) | SCHED)
}

/// Context switches of the calling thread: the voluntary ones, by blocking, and the involuntary
/// ones.
pub fn switches() -> Option<(u64, u64)> {
    let usage = rusage(libc::RUSAGE_THREAD)?;
    let count = |n: libc::c_long| u64::try_from(n).ok();
    Some((count(usage.ru_nvcsw)?, count(usage.ru_nivcsw)?))
}

/// What getrusage(2) returns for these threads or processes.
pub(crate) fn rusage(whose: libc::c_int) -> Option<libc::rusage> {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the place is valid for a rusage, and is read only where the call filled it.
    unsafe { (libc::getrusage(whose, usage.as_mut_ptr()) == 0).then(|| usage.assume_init()) }
}

/// The calling thread's id, as other tools show it.
pub fn thread_id() -> Option<u64> {
    u64::try_from(rustix::thread::gettid().as_raw_pid()).ok()
}

/// How late the system may by design be with the calling thread's timers, in nanoseconds: the
/// thread's timer slack on Linux, the period of the clock interrupt on Windows.
pub fn slack() -> Option<u64> {
    // The C library's prctl returns the lower 32 bits.
    // SAFETY: PR_GET_TIMERSLACK takes no further argument and stores nothing.
    let slack = unsafe { libc::syscall(libc::SYS_prctl, libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) };
    u64::try_from(slack).ok()
}

/// Sets the timer slack of the calling thread; 0 restores the slack that it was started with
/// (prctl(2), PR_SET_TIMERSLACK). On Windows the whole process has one slack, and this sets
/// [`period_ms`] or [`resolution_ns`].
pub fn set_slack(ns: u64) -> Result<(), Unavailable> {
    let ns = libc::c_ulong::try_from(ns).unwrap_or(libc::c_ulong::MAX);
    // SAFETY: PR_SET_TIMERSLACK takes a number and stores nothing.
    match unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, ns, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(last("prctl(PR_SET_TIMERSLACK)")),
    }
}

/// The ticks at which the system may end waits, in nanoseconds: that of the kernel, which is also
/// the step of its coarse clocks (kernel/time/posix-timers.c, `posix_get_coarse_res`). On Windows,
/// the current and the longest period of the clock interrupt.
pub fn ticks() -> Vec<u64> {
    let mut step = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `step` is a valid place for the result.
    let done = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &raw mut step) };
    let ns = u64::try_from(step.tv_nsec).ok().filter(|ns| done == 0 && *ns > 0);
    ns.into_iter().collect()
}

/// Sets the priority class of the process, and returns the one that it had.
pub fn set_class(_: Class) -> Result<u32, Unavailable> {
    Err(Unavailable(
        "priority classes exist on Windows only; here, 1 to 49 asks for SCHED_FIFO, and nice(1) \
         may start the tool at another nice value"
            .into(),
    ))
}

/// The slice of the calling thread, in nanoseconds: for how long the scheduler lets it run at a
/// time, if others want its CPU. `None` if the system does not report one.
pub fn slice() -> Option<u64> {
    let attributes = scheduler::attributes().ok()?;
    // Kernels before 6.12 report 0.
    let ordinary = i32::try_from(attributes.policy) == Ok(libc::SCHED_OTHER);
    Some(attributes.runtime).filter(|ns| ordinary && *ns > 0)
}

/// Asks the scheduler for a slice of `ns` nanoseconds for the calling thread (sched_setattr(2) with
/// SCHED_OTHER, since Linux 6.12). A thread that asks for a shorter slice gets its CPU sooner after
/// it wakes, and no larger share of it. The kernel keeps it between 100 us and 100 ms
/// (kernel/sched/syscalls.c, `__setparam_fair`).
///
/// # Errors
/// The system has no such setting, or the thread is not scheduled by SCHED_OTHER.
pub fn set_slice(ns: u64) -> Result<(), Unavailable> {
    let failed = |call: &str, errno| {
        let error = io::Error::from_raw_os_error(errno);
        Unavailable(format!("a slice cannot be set: {call}: {error}"))
    };
    let before = scheduler::attributes().map_err(|errno| failed("sched_getattr", errno))?;
    if i32::try_from(before.policy) != Ok(libc::SCHED_OTHER) {
        return Err(Unavailable(
            "a slice cannot be set: the thread is not scheduled by SCHED_OTHER; start the tool \
             without chrt"
                .into(),
        ));
    }
    // An earlier kernel ignores the request, and reports no slice before or after it.
    scheduler::set_slice(before, ns).map_err(|errno| failed("sched_setattr", errno))?;
    match slice() {
        Some(_) => Ok(()),
        None => Err(Unavailable(
            "a slice cannot be set: the kernel ignores it; Linux 6.12 and later take one".into(),
        )),
    }
}

/// Schedules the calling thread with SCHED_FIFO at that priority, until it ends.
pub fn set_fifo(priority: u32) -> Result<(), Unavailable> {
    set_policy(Scheduling { policy: Policy::Fifo, priority, ..Scheduling::default() })
}

/// Schedules the calling thread as asked, until it ends or [`end_fifo`] is called.
pub fn set_policy(asked: Scheduling) -> Result<(), Unavailable> {
    set_policy_of(0, asked)
}

/// Schedules a thread with this id, in any process, or the calling one, which is 0, as asked. Only
/// the calling thread can have a deadline.
pub fn set_policy_of(thread: u32, asked: Scheduling) -> Result<(), Unavailable> {
    /// The policy of a scheduler in BPF (include/uapi/linux/sched.h).
    const SCHED_EXT: libc::c_int = 7;
    let Scheduling { policy, priority, .. } = asked;
    let real_time =
        format!("it needs CAP_SYS_NICE or an rtprio limit (ulimit -r) of at least {priority}");
    let (number, priority, needs) = match policy {
        Policy::Other => (libc::SCHED_OTHER, 0, "it needs CAP_SYS_NICE"),
        Policy::Batch => (libc::SCHED_BATCH, 0, "the kernel lacks it"),
        Policy::Idle => (libc::SCHED_IDLE, 0, "the kernel lacks it"),
        Policy::Rr => (libc::SCHED_RR, priority, real_time.as_str()),
        Policy::Fifo => (libc::SCHED_FIFO, priority, real_time.as_str()),
        Policy::Ext => (SCHED_EXT, 0, "the kernel lacks it"),
        Policy::Deadline => {
            let (runtime, period) = asked.budget();
            return scheduler::set_deadline(runtime, period).map_err(|errno| {
                Unavailable(format!(
                    "SCHED_DEADLINE: {}; it needs CAP_SYS_NICE, a thread that may use every CPU, \
                     and {:.0} % of one that other deadlines leave",
                    io::Error::from_raw_os_error(errno),
                    runtime as f64 / period as f64 * 100.0
                ))
            });
        }
    };
    let Ok(sched_priority) = libc::c_int::try_from(priority) else {
        return Err(Unavailable(format!("{priority} is not a real-time priority")));
    };
    // SCHED_RESET_ON_FORK, so that nothing started from this thread inherits it.
    let policy_of = number | libc::SCHED_RESET_ON_FORK;
    scheduler::set(thread.cast_signed(), policy_of, sched_priority).map_err(|errno| {
        let name = policy.name().to_uppercase();
        let priority =
            if sched_priority > 0 { format!(" {sched_priority}") } else { String::new() };
        let error = io::Error::from_raw_os_error(errno);
        Unavailable(format!("SCHED_{name}{priority}: {error}; {needs}"))
    })
}

/// Schedules the calling thread as an ordinary one again.
pub fn end_fifo() {
    // A thread that may not raise its priority must keep this flag (sched_setscheduler(2)); of an
    // ordinary thread, it only resets a negative nice value in what the thread starts. The call
    // cannot fail: it asks for less than the thread has.
    let _ = scheduler::set(0, libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK, 0);
}

/// Limits the CPU time, in microseconds, that a real-time thread of this process may take without
/// blocking; the kernel terminates a process that exceeds it (getrlimit(2), RLIMIT_RTTIME). This
/// guards against a runaway thread. Returns the previous limit.
pub fn limit_realtime(us: u64) -> Result<u64, Unavailable> {
    let before = getrlimit(Resource::Rttime);
    // No limit is the highest one.
    let us = before.maximum.unwrap_or(u64::MAX).min(us);
    let limit = Rlimit { current: Some(us).filter(|us| *us < u64::MAX), ..before };
    let set = setrlimit(Resource::Rttime, limit);
    set.map_err(|errno| Unavailable::os("setrlimit(RLIMIT_RTTIME)", errno.raw_os_error()))?;
    Ok(before.current.unwrap_or(u64::MAX))
}

/// The signals that an instruction of the thread itself raises. Blocking them would only keep them
/// from their handlers: the kernel then ends the process (kernel/signal.c,
/// `force_sig_info_to_task`).
const OWN: [libc::c_int; 5] =
    [libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV, libc::SIGTRAP];

/// Blocks the signals that other threads and processes send to the calling thread, so that none
/// cuts a wait short; the other threads receive them.
pub fn block_signals() {
    // SAFETY: the set is filled by sigfillset before it is read; a null pointer asks for no old
    // mask. None can fail with these arguments (pthread_sigmask(3)).
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigfillset(&raw mut set);
        for signal in OWN {
            libc::sigdelset(&raw mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// The set of these signals.
pub(crate) fn signals(all: &[libc::c_int]) -> libc::sigset_t {
    // SAFETY: the set is made valid by sigemptyset; what is no signal is not added.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in all {
            libc::sigaddset(&raw mut set, *signal);
        }
        set
    }
}

/// Blocks SIGCONT on the calling thread and on the threads it starts from now on, so that the
/// signal stays pending when the process is continued, and [`continued`] can see it.
///
/// A blocked signal is kept pending even where it would be ignored (kernel/signal.c,
/// `sig_ignored`: "Blocked signals are never ignored"), and SIGCONT continues the process all the
/// same. SIGXFSZ would end the process where a file reaches RLIMIT_FSIZE; while it is blocked the
/// write fails instead (setrlimit(2)), as it does on a full disk.
pub fn hold_signals() {
    let set = signals(&[libc::SIGCONT, libc::SIGXFSZ]);
    // SAFETY: the set is valid and outlives the call; a null pointer asks for no old mask.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
}

/// Whether the process was stopped and continued since [`forget_continue`]; known only if
/// [`hold_signals`] was called on every thread.
pub fn continued() -> bool {
    // SAFETY: sigpending fills the set; zero is a valid content before.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigpending(&raw mut set) == 0 && libc::sigismember(&raw const set, libc::SIGCONT) == 1
    }
}

/// Forgets that the process was stopped and continued.
pub fn forget_continue() {
    let set = signals(&[libc::SIGCONT]);
    let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: set and time outlive the call; a null pointer asks for no details.
    while unsafe { libc::sigtimedwait(&raw const set, std::ptr::null_mut(), &raw const at_once) }
        > 0
    {}
}

fn last(what: &str) -> Unavailable {
    let error = io::Error::last_os_error();
    Unavailable::os(what, error.raw_os_error().unwrap_or(libc::EINVAL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slack_belongs_to_the_thread_and_comes_back() {
        std::thread::spawn(|| {
            let before = slack().expect("a slack");
            set_slack(1).expect("allowed");
            assert_eq!(slack(), Some(1));
            set_slack(0).expect("allowed");
            assert_eq!(slack(), Some(before));
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn a_slice_is_taken_and_restored_or_refused_with_the_reason() {
        std::thread::spawn(|| {
            let before = scheduler::attributes().expect("every Linux has it");
            match set_slice(150_000) {
                Ok(()) => {
                    assert_eq!(slice(), Some(150_000));
                    set_slice(before.runtime).expect("allowed");
                    assert_eq!(scheduler::attributes(), Ok(before));
                }
                Err(why) => assert!(why.0.contains("6.12") || why.0.contains("chrt"), "{why}"),
            }
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn an_instruction_may_still_trap_where_signals_are_blocked() {
        let blocked = |signal| {
            // SAFETY: without a new set, the call only stores the mask.
            unsafe {
                let mut set = std::mem::zeroed();
                libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut set);
                libc::sigismember(&raw const set, signal) == 1
            }
        };
        std::thread::spawn(move || {
            block_signals();
            assert!(blocked(libc::SIGTERM) && blocked(libc::SIGALRM));
            assert!(!OWN.into_iter().any(blocked));
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn a_continue_is_seen_by_every_thread_until_it_is_forgotten() {
        // A process of its own: other tests' threads would take the signal.
        // SAFETY: the child calls nothing but system calls and ends by _exit.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            hold_signals();
            let before = continued();
            // SAFETY: a signal to this very process that never ends it.
            unsafe { libc::kill(libc::getpid(), libc::SIGCONT) };
            let seen = continued() && continued();
            forget_continue();
            let fine = !before && seen && !continued();
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(i32::from(!fine)) };
        }
        let mut status = -1;
        // SAFETY: `status` is a valid place, and the child is ours.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
    }

    #[test]
    fn clocks_advance() {
        let (a, b) = (monotonic(), reference());
        assert!(a > 0 && b > 0 && monotonic() >= a && reference() >= b);
        assert!(thread_cpu().is_some() && switches().is_some() && thread_id().is_some());
    }
}
