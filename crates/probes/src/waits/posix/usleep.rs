use crate::waits::entry::{Code, DURATION, LINUX};
use crate::waits::{Entry, Facts};

pub(crate) const ENTRY: Entry = Entry {
    id: "posix/usleep",
    call: "usleep(microseconds)",
    facts: Facts { unit_ns: 1_000, ..DURATION },
    about: "A sleep in microseconds, removed from POSIX in 2008 and still everywhere. glibc \
            implements it with clock_nanosleep. A fraction of a microsecond is rounded up here, so \
            that the wait is not early.",
    references: &["usleep(3)", "glibc sysdeps/posix/usleep.c"],
    code: Code::Before(|wait| format!("useconds_t microseconds = {};", wait.ns.div_ceil(1000))),
    opener: on!(target_os = "linux", |_| crate::waits::open::ByDuration(usleep)),
    ..LINUX
};

#[cfg(target_os = "linux")]
fn usleep(ns: u64) -> Result<(), i32> {
    use crate::waits::linux::time::{Outcome, repeat};
    /// The longest wait of one call: POSIX allowed systems to refuse a million microseconds or
    /// more.
    const MOST: u64 = 999_999;
    let mut left = ns.div_ceil(1000);
    while left > 0 {
        let part = left.min(MOST);
        repeat(part * 1000, |ns| {
            // SAFETY: usleep takes a number.
            Outcome::of(unsafe { libc::usleep(ns.div_ceil(1000).min(MOST) as u32) } == 0)
        })?;
        left -= part;
    }
    Ok(())
}
