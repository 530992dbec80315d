//! What the calls of Unix have in common: how they are given a time, and how they fail.

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
