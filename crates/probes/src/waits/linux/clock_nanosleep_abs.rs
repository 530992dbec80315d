use crate::waits::entry::{Code, DEADLINE};
use crate::waits::{Entry, Kind, Language};
use chronoscope_model::snippet;

/// `clock_nanosleep` until a deadline
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/clock_nanosleep-abs",
    call: "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: DEADLINE,
    slack: true,
    home: "Linux",
    about: "Sleeps until a deadline instead of for a duration, so a delay before the call does not \
            add to the wait, and after a signal the call only has to be repeated. cyclictest uses \
            it.",
    references: &["clock_nanosleep(2)", "Linux kernel/time/posix-timers.c, common_nsleep"],
    code: Code::Before(|wait| snippet::deadline(wait.ns)),
    opener: on!(target_os = "linux", imp::open),
};

#[cfg(target_os = "linux")]
pub(crate) mod imp {
    use crate::waits::linux::time::timespec;
    use crate::waits::os::monotonic;
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Absolute)
    }

    struct Absolute;

    impl Method for Absolute {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            self.until(monotonic().saturating_add(ns))
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            sleep_until(deadline)
        }
    }

    /// Sleeps until the deadline, however many signals arrive.
    #[inline]
    pub(crate) fn sleep_until(deadline: u64) -> Result<(), i32> {
        let time = timespec(deadline);
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
}
