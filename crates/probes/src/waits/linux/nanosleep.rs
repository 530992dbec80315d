use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};
use chronoscope_model::snippet;

/// `nanosleep`
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/nanosleep",
    call: "nanosleep(&duration, NULL)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: DURATION,
    slack: true,
    home: "Linux",
    about: "The plain sleep for a duration. It runs on CLOCK_MONOTONIC, whatever POSIX says about \
            CLOCK_REALTIME, and may be late by the thread's timer slack on top of the wake-up \
            itself.",
    references: &["nanosleep(2)", "Linux kernel/time/hrtimer.c, hrtimer_nanosleep"],
    code: Code::Before(|wait| snippet::timespec("duration", wait.ns)),
    opener: on!(target_os = "linux", imp::open),
};

#[cfg(target_os = "linux")]
mod imp {
    use crate::waits::linux::time::errno;
    use crate::waits::linux::time::timespec;
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Nanosleep)
    }

    struct Nanosleep;

    impl Method for Nanosleep {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
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
    }
}
