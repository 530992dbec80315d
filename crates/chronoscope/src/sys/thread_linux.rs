//! Linux: what the scheduler counts for this thread, the slice that it gives it, and a timer.

use core::ffi::{c_int, c_long};
use std::io::{Error, ErrorKind};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::NoSlice;
use super::os::{nanoseconds, nothing_kills, read_file, time};

/// For how long this thread was ready to run and waited for a CPU, in nanoseconds. Opens a file,
/// unless a filter of system calls is active, which might end the process.
pub fn queued() -> Option<u64> {
    if !nothing_kills() {
        return None;
    }
    let mut buffer = [0; 96];
    run_delay(read_file(c"/proc/thread-self/schedstat", &mut buffer)?)
}

/// "time on a CPU, time ready to run, number of slices"; zeros if the kernel does not count
/// (`Documentation/scheduler/sched-stats.rst`).
fn run_delay(text: &str) -> Option<u64> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    match (numbers.next()?, numbers.next()?) {
        (Ok(1..), Ok(delay)) => Some(delay),
        _ => None,
    }
}

/// The first version of the kernel's `struct sched_attr` (`include/uapi/linux/sched/types.h`),
/// which later kernels accept.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

const SIZE: u32 = size_of::<Attributes>() as u32;

impl Attributes {
    /// Those of this thread, if it is scheduled as ordinary threads are.
    fn ordinary() -> Result<Self, NoSlice> {
        let mut found = Self::default();
        // SAFETY: a valid place of the size given; 0 is this thread.
        let failed = unsafe {
            libc::syscall(
                libc::SYS_sched_getattr,
                0 as c_int,
                &raw mut found,
                SIZE as c_long,
                0 as c_long,
            )
        };
        if failed != 0 {
            return Err(refused());
        }
        match found.policy as c_int {
            libc::SCHED_OTHER => Ok(found),
            _ => Err(NoSlice::OtherPolicy),
        }
    }

    /// Gives this thread the same attributes, with this slice; 0 is the kernel's own.
    fn with_slice(self, ns: u64) -> Result<(), NoSlice> {
        let wanted = Self { size: SIZE, runtime: ns, ..self };
        // SAFETY: a valid struct of the size that it states; 0 is this thread.
        let failed = unsafe {
            libc::syscall(libc::SYS_sched_setattr, 0 as c_int, &raw const wanted, 0 as c_long)
        };
        if failed != 0 { Err(refused()) } else { Ok(()) }
    }
}

fn refused() -> NoSlice {
    match Error::last_os_error().raw_os_error() {
        Some(libc::ENOSYS) | None => NoSlice::Unsupported,
        Some(code) => NoSlice::Refused(code),
    }
}

/// Shortens this thread's slice to `ns` nanoseconds, and returns what restores it: `None` if it was
/// as short already.
///
/// A kernel from 6.12 on reports the slice of an ordinary thread as its runtime
/// (commit 857b158dc5e8); before that, it is zero, and is ignored if set.
pub fn shorten_slice(ns: u64) -> Result<Option<u64>, NoSlice> {
    if !nothing_kills() {
        return Err(NoSlice::Filtered);
    }
    let before = Attributes::ordinary()?;
    if before.runtime == 0 {
        return Err(NoSlice::Unsupported);
    }
    if before.runtime <= ns {
        return Ok(None);
    }
    // A slice that was set and the kernel's own look alike, but only the latter follows the
    // kernel's settings.
    before.with_slice(0)?;
    let own = Attributes::ordinary()?.runtime;
    let restores = if own == before.runtime { 0 } else { before.runtime };
    let set = before.with_slice(ns).and_then(|()| match Attributes::ordinary()?.runtime {
        found if found == ns => Ok(Some(restores)),
        _ => Err(NoSlice::Unsupported),
    });
    if set.is_err() {
        // Nothing more can be done if this fails too.
        let _ = before.with_slice(restores);
    }
    set
}

/// Restores what [`shorten_slice`] has replaced, unless the thread has another slice than `ns` or
/// another policy by now. Returns whether it did.
pub fn restore_slice(ns: u64, restores: u64) -> bool {
    nothing_kills()
        && Attributes::ordinary()
            .is_ok_and(|now| now.runtime == ns && now.with_slice(restores).is_ok())
}

/// A timer that interrupts its CPU and wakes no thread: a timerfd that nobody reads. A copy in a
/// forked child is the same timer.
#[derive(Debug)]
pub struct Alarm(OwnedFd);

impl Alarm {
    pub fn new() -> Result<Self, Error> {
        if !nothing_kills() {
            return Err(ErrorKind::PermissionDenied.into());
        }
        let flags = libc::TFD_CLOEXEC | libc::TFD_NONBLOCK;
        // SAFETY: takes only numbers.
        let file = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) };
        if file < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: the descriptor was opened above, and nothing else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(file) }))
    }

    /// Makes it go off once, when the system's monotonic clock is at `moment`.
    pub fn set(&self, moment: u64) {
        if !nothing_kills() {
            return;
        }
        let once = libc::itimerspec { it_interval: time(0), it_value: time(moment) };
        let (file, flags) = (self.0.as_raw_fd(), libc::TFD_TIMER_ABSTIME);
        // SAFETY: the descriptor is open as long as `self` exists, and `once` is valid. No place is
        // given for the setting before.
        unsafe { libc::timerfd_settime(file, flags, &raw const once, core::ptr::null_mut()) };
    }
}

/// The CPU time that this thread has used, in nanoseconds. It leaves out what a hypervisor took, if
/// the kernel knows (`update_rq_clock_task` in `kernel/sched/core.c`). The vDSO has no such clock,
/// so this is a system call of those that a filter may allow ([`super::os::monotonic`]).
pub fn cpu_time() -> Option<u64> {
    let mut time = time(0);
    // SAFETY: a valid place for the time.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    (failed == 0).then(|| nanoseconds(time))
}

#[cfg(test)]
mod tests {
    use super::super::os::monotonic;
    use super::*;

    #[test]
    fn counts_are_read_only_if_the_kernel_counts() {
        assert_eq!(run_delay("18952519 38741617 6\n"), Some(38_741_617));
        assert_eq!(run_delay("0 0 0\n"), None);
        for text in ["", "1", "1 x 2", "-1 5 6", "99999999999999999999 1 1"] {
            assert_eq!(run_delay(text), None, "{text}");
        }
    }

    #[test]
    fn an_alarm_goes_off_once() {
        let Ok(alarm) = Alarm::new() else { return };
        let gone_off = || {
            let mut count = 0u64;
            let (file, size) = (alarm.0.as_raw_fd(), size_of::<u64>());
            // SAFETY: an open descriptor, and a valid place of the size given.
            let read = unsafe { libc::read(file, (&raw mut count).cast(), size) };
            (read == size as isize).then_some(count)
        };
        let moment = monotonic() + 1_000_000;
        alarm.set(moment);
        let mut found = None;
        while found.is_none() && monotonic() < moment + 10_000_000_000 {
            std::thread::yield_now();
            found = gone_off();
        }
        assert!(monotonic() >= moment);
        assert_eq!((found, gone_off()), (Some(1), None));
    }

    /// The slice of this thread; `None` if this kernel has none that can be set, or if a filter may
    /// be active, as on emulators.
    fn slice() -> Option<u64> {
        if !nothing_kills() {
            return None;
        }
        let found = Attributes::ordinary().ok()?.runtime;
        (found > 0).then_some(found)
    }

    fn in_thread(test: impl FnOnce() + Send) {
        std::thread::scope(|scope| scope.spawn(test).join().unwrap());
    }

    #[test]
    fn a_slice_is_restored() {
        in_thread(|| {
            let Some(before) = slice() else { return };
            assert_eq!(shorten_slice(100_000), Ok(Some(0)));
            assert_eq!(slice(), Some(100_000));
            assert!(restore_slice(100_000, 0));
            assert_eq!(slice(), Some(before));
        });
    }

    #[test]
    fn the_programs_own_slice_and_nice_value_are_kept() {
        in_thread(|| {
            if slice().is_none() {
                return;
            }
            let mut own = Attributes::ordinary().unwrap();
            own.nice = 7;
            own.with_slice(500_000).unwrap();
            let restores = shorten_slice(100_000).unwrap();
            assert_eq!(restores, Some(500_000));
            assert_eq!(Attributes::ordinary().unwrap().nice, 7);
            restore_slice(100_000, 500_000);
            let after = Attributes::ordinary().unwrap();
            assert_eq!((after.nice, after.runtime), (7, 500_000));
            // What the program sets in the meantime is not touched.
            shorten_slice(100_000).unwrap();
            own.with_slice(300_000).unwrap();
            restore_slice(100_000, 500_000);
            assert_eq!(slice(), Some(300_000));
            // And a slice that is as short already stays the program's.
            own.with_slice(100_000).unwrap();
            assert_eq!(shorten_slice(100_000), Ok(None));
        });
    }

    #[test]
    fn another_policy_is_left_alone() {
        in_thread(|| {
            // SAFETY: sched_param is made of numbers, for which zero is valid.
            let batch: libc::sched_param = unsafe { core::mem::zeroed() };
            // SAFETY: a valid parameter; 0 is this thread, which ends with this test.
            if unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const batch) } != 0 {
                return;
            }
            let expected = if nothing_kills() { NoSlice::OtherPolicy } else { NoSlice::Filtered };
            assert_eq!(shorten_slice(100_000), Err(expected));
        });
    }
}
