//! What the calls of Unix have in common: how they are given a time, how they fail, and what to do
//! when a signal cut one short.

#[cfg(target_os = "linux")]
use super::os;

/// Nanoseconds as a `timespec`; what does not fit becomes the longest that does.
#[cfg_attr(target_env = "musl", allow(deprecated, reason = "libc means its 32-bit targets"))]
pub(crate) fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: libc::time_t::try_from(ns / 1_000_000_000).unwrap_or(libc::time_t::MAX),
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    }
}

pub(crate) fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)
}

/// Sleeps for a duration, however many signals arrive.
pub(crate) fn nanosleep(ns: u64) -> Result<(), i32> {
    let mut left = timespec(ns);
    loop {
        let wanted = left;
        // SAFETY: both times outlive the call.
        if unsafe { libc::nanosleep(&raw const wanted, &raw mut left) } == 0 {
            return Ok(());
        }
        match errno() {
            libc::EINTR => {}
            other => return Err(other),
        }
    }
}

/// What a call that waits for a duration did.
#[cfg(target_os = "linux")]
pub(crate) enum Outcome {
    /// The time was over.
    Over,
    /// A signal came first.
    Interrupted,
    Failed(i32),
}

#[cfg(target_os = "linux")]
impl Outcome {
    /// `over` is what the call returns when the time is over.
    pub(crate) fn of(over: bool) -> Self {
        if over {
            return Self::Over;
        }
        match errno() {
            libc::EINTR => Self::Interrupted,
            other => Self::Failed(other),
        }
    }
}

/// Waits by a call that takes a duration. The clock is read only if a signal has cut the call
/// short: a read before every wait would be part of what is measured.
#[cfg(target_os = "linux")]
#[inline]
pub(crate) fn repeat(ns: u64, mut call: impl FnMut(u64) -> Outcome) -> Result<(), i32> {
    match call(ns) {
        Outcome::Over => return Ok(()),
        Outcome::Failed(errno) => return Err(errno),
        Outcome::Interrupted => {}
    }
    // It is not known how much of the time is over, so the whole wait is repeated, which is late
    // but never early. Signals are blocked where waits are measured, and only a stop gets here.
    let deadline = os::monotonic().saturating_add(ns);
    loop {
        let left = deadline.saturating_sub(os::monotonic());
        if left == 0 {
            return Ok(());
        }
        match call(left) {
            Outcome::Over => return Ok(()),
            Outcome::Failed(errno) => return Err(errno),
            Outcome::Interrupted => {}
        }
    }
}
