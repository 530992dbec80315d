//! The scheduling policy of a thread or process on Linux, and the slice of an ordinary thread.

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
    let done =
        unsafe { libc::syscall(libc::SYS_sched_setscheduler, pid, policy, &raw const priority) };
    outcome(done)
}

/// The kernel's `struct sched_attr` in its first version, which every kernel since 3.14 takes
/// (include/uapi/linux/sched/types.h, SCHED_ATTR_SIZE_VER0).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    size: u32,
    pub(crate) policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    /// For an ordinary thread: the slice that it asks for, in nanoseconds, since Linux 6.12 (commit
    /// 857b158dc5e8); 0 before that.
    pub(crate) runtime: u64,
    deadline: u64,
    period: u64,
}

/// The attributes of the calling thread (sched_getattr(2)).
///
/// # Errors
/// The system's error number.
pub(crate) fn attributes() -> Result<Attributes, c_int> {
    let mut attributes = Attributes::default();
    // SAFETY: the kernel writes at most the stated size to this place, which is as large.
    let done = unsafe {
        libc::syscall(
            libc::SYS_sched_getattr,
            0,
            &raw mut attributes,
            size_of::<Attributes>() as libc::c_uint,
            0,
        )
    };
    outcome(done).map(|()| attributes)
}

/// Asks the scheduler for a slice of `ns` nanoseconds for the calling thread, and changes nothing
/// else about it. `before` holds its present attributes.
///
/// # Errors
/// The system's error number.
pub(crate) fn set_slice(before: Attributes, ns: u64) -> Result<(), c_int> {
    let attributes = Attributes {
        size: size_of::<Attributes>() as u32,
        // Only this flag outlives the call (sched_setattr(2)).
        flags: before.flags & RESET_ON_FORK,
        runtime: ns,
        ..before
    };
    // SAFETY: the kernel reads the stated size from this place, which outlives the call.
    outcome(unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) })
}

/// Schedules the calling thread with SCHED_DEADLINE: for `runtime` in each `period`, in
/// nanoseconds, by the end of it.
///
/// # Errors
/// The system's error number.
pub(crate) fn set_deadline(runtime: u64, period: u64) -> Result<(), c_int> {
    let attributes = Attributes {
        size: size_of::<Attributes>() as u32,
        policy: libc::SCHED_DEADLINE as u32,
        flags: RESET_ON_FORK,
        runtime,
        deadline: period,
        period,
        ..Attributes::default()
    };
    // SAFETY: the kernel reads the stated size from this place, which outlives the call.
    outcome(unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) })
}

/// SCHED_FLAG_RESET_ON_FORK.
const RESET_ON_FORK: u64 = 1;

fn outcome(done: libc::c_long) -> Result<(), c_int> {
    match done {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)),
    }
}
