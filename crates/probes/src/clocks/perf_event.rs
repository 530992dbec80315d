//! Performance events of Linux, which `native/perf.c` opens: their pages, and their counts.

use super::native::State;
use super::{Unavailable, entry};
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::FromRawFd;

/// A mapped page; dropping it unmaps it.
struct Page(*const c_void);

// SAFETY: the page is memory of the process, not of a thread, and is only read.
unsafe impl Send for Page {}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the page came from `cs_perf_open`, and nothing reads it after the drop.
        unsafe { cs_perf_close(self.0) };
    }
}

unsafe extern "C" {
    /// Opens and maps an event of the calling thread and stores the page's address. Returns 0, an
    /// errno, or -1 if the page does not offer what it was opened for.
    fn cs_perf_open(what: i32, page: *mut *const c_void) -> i32;
    fn cs_perf_close(page: *const c_void);
    /// Opens a count of an event of this thread in user mode. Returns a file descriptor that
    /// nothing else owns, or a negative errno.
    safe fn cs_perf_count(kind: u32, event: u64) -> i32;
}

/// A file that counts an event of this thread, given by its type and number, in user mode.
pub(super) fn count((kind, number): (u32, u64)) -> Result<File, Unavailable> {
    match cs_perf_count(kind, number) {
        // SAFETY: the descriptor was opened for the caller, and nothing else closes it.
        fd @ 0.. => Ok(unsafe { File::from_raw_fd(fd) }),
        error => Err(explain(-error, "")),
    }
}

/// What an event is opened for: `enum cs_perf` in native/perf.c.
#[derive(Clone, Copy)]
#[repr(i32)]
enum For {
    /// The scale of the kernel's clock.
    Time = 0,
    /// The cycle counter.
    Cycles = 1,
}

/// Opens an event; the error is that of `cs_perf_open`.
fn open(what: For) -> Result<Page, i32> {
    let mut page = std::ptr::null();
    // SAFETY: `page` is a valid place for the address.
    match unsafe { cs_perf_open(what as i32, &raw mut page) } {
        0 => Ok(Page(page)),
        error => Err(error),
    }
}

/// The page whose fields scale the counter.
pub(crate) fn time() -> Result<State, Unavailable> {
    entry::may_read_counter()?;
    let page = open(For::Time).map_err(|error| {
        explain(
            error,
            "the kernel publishes no scale (cap_user_time_zero is 0): its scheduler clock is not \
             the counter itself, as under kvm-clock or with an unstable TSC",
        )
    })?;
    Ok(State::holding(page.0 as usize, page))
}

/// The number, for rdpmc, of a cycle counter that user code may read. The kernel permits the read
/// while the page is mapped.
#[cfg(target_arch = "x86_64")]
pub(crate) fn cycles() -> Result<State, Unavailable> {
    unsafe extern "C" {
        fn cs_perf_counter(page: *const c_void) -> u32;
    }
    let page = open(For::Cycles).map_err(|error| {
        explain(
            error,
            "the kernel does not let user code read the counter (cap_user_rdpmc is 0): write 1 to \
             /sys/bus/event_source/devices/cpu/rdpmc",
        )
    })?;
    // SAFETY: the page is mapped.
    let counter = unsafe { cs_perf_counter(page.0) };
    Ok(State::holding(counter as usize, page))
}

/// Asks the kernel to let this thread read PMCCNTR while the page is mapped. Only an attempt shows
/// whether the thread may: some kernels allow it to every program and have no such event.
#[cfg(target_arch = "aarch64")]
pub(crate) fn permit_cycles() -> State {
    match open(For::Cycles) {
        Ok(page) => State::holding(0, page),
        Err(_) => State::default(),
    }
}

fn explain(error: i32, lacking: &str) -> Unavailable {
    match error {
        -1 => Unavailable(lacking.into()),
        libc::EPERM | libc::EACCES => Unavailable(
            "perf_event_open is not permitted: lower /proc/sys/kernel/perf_event_paranoid to 2, or \
             give the process CAP_PERFMON; a container's seccomp profile may also forbid it"
                .into(),
        ),
        libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV => Unavailable(
            "there are no hardware performance counters; in a virtual machine, the host must pass \
             them on"
                .into(),
        ),
        libc::ENOSYS => Unavailable(
            "this kernel has no perf_event_open (CONFIG_PERF_EVENTS is off, or a sandbox hides it)"
                .into(),
        ),
        errno => Unavailable::os("perf_event_open", errno),
    }
}
