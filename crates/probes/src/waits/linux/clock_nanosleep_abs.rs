use crate::waits::Entry;
use crate::waits::entry::{Code, DEADLINE, LINUX};
use chronoscope_model::snippet;

pub(crate) const ENTRY: Entry = Entry {
    id: "linux/clock_nanosleep-abs",
    call: "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL)",
    facts: DEADLINE,
    about: "Sleeps until a deadline instead of for a duration, so a delay before the call does not \
            add to the wait, and after a signal the call only has to be repeated. cyclictest uses \
            it.",
    references: &["clock_nanosleep(2)", "Linux kernel/time/posix-timers.c, common_nsleep"],
    code: Code::Before(|wait| snippet::deadline(wait.ns)),
    opener: on!(target_os = "linux", |_| crate::waits::open::ByDeadline(sleep_until)),
    ..LINUX
};

/// Sleeps until the deadline, however many signals arrive.
#[cfg(target_os = "linux")]
fn sleep_until(deadline: u64) -> Result<(), i32> {
    let time = crate::waits::unix::timespec(deadline);
    loop {
        // SAFETY: `time` outlives the call; a null pointer asks for no remaining time.
        let error = unsafe {
            libc::clock_nanosleep(
                libc::CLOCK_MONOTONIC,
                libc::TIMER_ABSTIME,
                &raw const time,
                std::ptr::null_mut(),
            )
        };
        match error {
            0 => return Ok(()),
            libc::EINTR => {}
            other => return Err(other),
        }
    }
}
