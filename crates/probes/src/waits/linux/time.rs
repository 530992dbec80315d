//! What to do when a signal cut a call of Linux short.

use crate::waits::os;
use crate::waits::unix::errno;

/// What a call that waits for a duration did.
pub(crate) enum Outcome {
    /// The time was over.
    Over,
    /// A signal came first.
    Interrupted,
    Failed(i32),
}

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
