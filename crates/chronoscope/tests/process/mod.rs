//! Child processes, signals and filters for tests that run alone: all of their unsafe code.
#![allow(dead_code, reason = "each test binary uses some of it")]

use std::time::{Duration, Instant};

/// Whether the tests run at their full length, which takes minutes (`CHRONOSCOPE_STRESS=full`).
pub fn full() -> bool {
    std::env::var_os("CHRONOSCOPE_STRESS").is_some_and(|value| value == "full")
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exited(i32),
    Killed(i32),
}

/// A child that is waited for.
#[must_use]
pub struct Child(libc::pid_t);

/// Forks, and runs `work` in the child, which ends with the number that it returns, and at the
/// latest after `seconds`.
pub fn fork(seconds: u32, work: impl FnOnce() -> i32) -> Child {
    // SAFETY: the child runs `work` and ends without unwinding into the parent's frames. What it
    // may do despite the parent's other threads is what the tests are about; the allocator of the C
    // library can be used after a fork.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed");
    if pid > 0 {
        return Child(pid);
    }
    // SAFETY: without a handler, the alarm ends this process if it hangs.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(seconds);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(101);
    exit(code)
}

/// Ends this process at once.
pub fn exit(code: i32) -> ! {
    // SAFETY: ends the process without running anything else in it.
    unsafe { libc::_exit(code) }
}

impl Child {
    /// Waits for its end.
    pub fn end(self) -> End {
        let mut status = 0;
        loop {
            // SAFETY: a child of this process that has not been waited for, and a valid place.
            let done = unsafe { libc::waitpid(self.0, &mut status, 0) };
            if done == self.0 {
                break;
            }
        }
        if libc::WIFEXITED(status) {
            End::Exited(libc::WEXITSTATUS(status))
        } else {
            End::Killed(libc::WTERMSIG(status))
        }
    }
}

/// Calls `handler` for SIGALRM, every `period` from now on.
pub fn every(period: Duration, handler: extern "C" fn(libc::c_int)) {
    let interval = libc::timeval { tv_sec: 0, tv_usec: period.as_micros() as _ };
    let timer = libc::itimerval { it_interval: interval, it_value: interval };
    // SAFETY: a handler with the signature of a plain one; an all-zero action has no flags and an
    // empty mask.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_RESTART;
        assert_eq!(libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut()), 0);
        assert_eq!(libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut()), 0);
    }
}

/// Makes this thread's reads of the counter raise a signal; `false` if the processor cannot.
pub fn forbid_counter() -> bool {
    // SAFETY: affects only reads of the counter by this thread and its children.
    unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV) == 0 }
}

/// What a filter does with the system calls that it does not allow.
#[derive(Clone, Copy)]
pub enum Denied {
    Kill,
    Refuse,
}

/// Allows only these system calls (or all but these) from now on; `false` if the kernel has no
/// filters.
pub fn filter(calls: &[libc::c_long], listed: bool, denied: Denied) -> bool {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let ret = libc::BPF_RET | libc::BPF_K;
    let deny = match denied {
        Denied::Kill => libc::SECCOMP_RET_KILL_PROCESS,
        Denied::Refuse => libc::SECCOMP_RET_ERRNO | libc::EPERM as u32,
    };
    let (found, otherwise) = match listed {
        true => (libc::SECCOMP_RET_ALLOW, deny),
        false => (deny, libc::SECCOMP_RET_ALLOW),
    };
    // The number of the call is the first word of struct seccomp_data.
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for call in calls {
        program.push(libc::sock_filter {
            code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
            jt: 0,
            jf: 1,
            k: *call as u32,
        });
        program.push(statement(ret, found));
    }
    program.push(statement(ret, otherwise));
    // Never freed: that may take a system call.
    let program = program.leak();
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: a valid program that outlives the call; it affects only this process.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    }
}

/// Nanoseconds since 1970 by the system.
pub fn realtime() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}

/// Spins for a while without a system call.
pub fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}
