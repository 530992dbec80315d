use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};
use chronoscope_model::snippet;

/// `nanosleep` of Darwin
pub(crate) const ENTRY: Entry = Entry {
    id: "darwin/nanosleep",
    call: "nanosleep(&duration, NULL)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: DURATION,
    slack: false,
    home: "macOS",
    about: "The plain sleep for a duration.",
    references: &["nanosleep(2) of macOS"],
    code: Code::Before(|wait| snippet::timespec("duration", wait.ns)),
    opener: on!(target_os = "macos", imp::open),
};

#[cfg(target_os = "macos")]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Nanosleep)
    }

    struct Nanosleep;

    impl Method for Nanosleep {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            let mut left = libc::timespec {
                tv_sec: libc::time_t::try_from(ns / 1_000_000_000).unwrap_or(libc::time_t::MAX),
                tv_nsec: (ns % 1_000_000_000) as libc::c_long,
            };
            loop {
                let wanted = left;
                // SAFETY: both times outlive the call.
                if unsafe { libc::nanosleep(&raw const wanted, &raw mut left) } == 0 {
                    return Ok(());
                }
                match std::io::Error::last_os_error().raw_os_error() {
                    Some(libc::EINTR) => {}
                    other => return Err(other.unwrap_or(libc::EIO)),
                }
            }
        }
    }
}
