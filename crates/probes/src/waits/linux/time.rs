//! What the calls of Linux have in common: how they are told a time, and what to do when a signal
//! cut one short.

use crate::waits::os;

/// Nanoseconds as a `timespec`; what does not fit becomes the longest that does.
#[cfg_attr(target_env = "musl", allow(deprecated, reason = "libc means its 32-bit targets"))]
pub(crate) fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: libc::time_t::try_from(ns / 1_000_000_000).unwrap_or(libc::time_t::MAX),
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    }
}

/// The number of the last error.
pub(crate) fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)
}

/// What a call that waits for a duration did.
pub(crate) enum Outcome {
    /// The time was over.
    Over,
    /// A signal came first.
    Interrupted,
    /// It failed.
    Failed(i32),
}

impl Outcome {
    /// Where `over` is what the call returns when the time is over.
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

/// Waits by a call that takes a duration. The clock is read only when a signal has cut it short:
/// a read before every wait would be part of what is measured.
#[inline]
pub(crate) fn repeat(ns: u64, mut call: impl FnMut(u64) -> Outcome) -> Result<(), i32> {
    match call(ns) {
        Outcome::Over => return Ok(()),
        Outcome::Failed(errno) => return Err(errno),
        Outcome::Interrupted => {}
    }
    // How much of it is over is not known; so the whole is waited for again, which is late and
    // never early. Signals are blocked where waits are measured, and only a stop gets here.
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
