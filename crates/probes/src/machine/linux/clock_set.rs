//! Whether the wall clock was set: the kernel cancels a timer when that happens (timerfd_create(2),
//! TFD_TIMER_CANCEL_ON_SET). Nothing else is done with the timer, which would expire in years.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Watches for changes of the wall clock since it was opened. The kernel also reports the end of a
/// suspension.
#[derive(Debug)]
pub struct ClockSet(OwnedFd);

/// A moment that no run reaches, in seconds since 1970. The kernel reduces what is beyond its own
/// range to the end of that range (include/linux/ktime.h, ktime_set).
#[cfg_attr(target_env = "musl", allow(deprecated, reason = "libc means its 32-bit targets"))]
const NEVER: libc::time_t = libc::time_t::MAX;

impl ClockSet {
    /// Begins to watch.
    ///
    /// # Errors
    /// The kernel or a sandbox refuses such a timer.
    pub fn open() -> io::Result<Self> {
        let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
        // SAFETY: timerfd_create takes numbers and touches no memory.
        let fd = unsafe { libc::timerfd_create(libc::CLOCK_REALTIME, flags) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just created and belongs to nobody else.
        let watch = Self(unsafe { OwnedFd::from_raw_fd(fd) });
        watch.arm()?;
        Ok(watch)
    }

    /// Whether the clock was set since the last call.
    pub fn was_set(&mut self) -> bool {
        let mut expired = [0u8; 8];
        // SAFETY: the buffer is valid for its length.
        let read = unsafe { libc::read(self.0.as_raw_fd(), expired.as_mut_ptr().cast(), 8) };
        let error = io::Error::last_os_error().raw_os_error();
        let cancelled = read < 0 && error == Some(libc::ECANCELED);
        if cancelled {
            // The timer stays armed, but the next change is reported only to a timer that is set
            // again.
            let _ = self.arm();
        }
        cancelled
    }

    fn arm(&self) -> io::Result<()> {
        // SAFETY: itimerspec is made of numbers, for which zero is valid.
        let mut when: libc::itimerspec = unsafe { std::mem::zeroed() };
        when.it_value.tv_sec = NEVER;
        let flags = libc::TFD_TIMER_ABSTIME | libc::TFD_TIMER_CANCEL_ON_SET;
        // SAFETY: the descriptor is a timer's, and the structure outlives the call.
        let done = unsafe {
            libc::timerfd_settime(self.0.as_raw_fd(), flags, &raw const when, std::ptr::null_mut())
        };
        match done {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_nobody_sets_was_not_set() {
        let mut watch = ClockSet::open().expect("a timer");
        assert!((0..100).all(|_| !watch.was_set()));
    }
}
