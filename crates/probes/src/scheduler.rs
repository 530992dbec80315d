//! The scheduling policy of a thread or process on Linux.

use libc::{c_int, pid_t};

/// Sets the policy with sched_setscheduler(2), but not through the C library: POSIX means a process
/// and Linux a thread, so musl's function only ever fails. The kernel's `struct sched_param` is one
/// `int` (include/uapi/linux/sched/types.h). Allocates nothing, so a child may call it after
/// fork(2).
///
/// # Errors
/// The system's error number.
pub(crate) fn set(pid: pid_t, policy: c_int, priority: c_int) -> Result<(), c_int> {
    // SAFETY: the kernel reads an `int` at this address, which outlives the call.
    let done = unsafe {
        libc::syscall(
            libc::SYS_sched_setscheduler,
            pid,
            policy,
            &raw const priority,
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)),
    }
}
