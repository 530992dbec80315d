use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Facts, Kind, Language};
use chronoscope_model::snippet;

/// `nanosleep` of mingw-w64
pub(crate) const ENTRY: Entry = Entry {
    id: "mingw/nanosleep",
    call: "nanosleep(&duration, NULL)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: Facts { early_by_design_ns: 1_000_000, ..DURATION },
    slack: true,
    home: "Windows with MinGW",
    about: "The Unix call as winpthreads implements it: a wait with a timeout in whole \
            milliseconds, with the rest cut off. So it is early by up to 1 ms, and a wait of less \
            than that is no wait at all. MinGW's C++ sleep_for and sleep_until are built on it.",
    references: &["mingw-w64 winpthreads/src/nanosleep.c"],
    code: Code::Before(|wait| snippet::timespec("duration", wait.ns)),
    opener: on!(all(windows, target_env = "gnu"), imp::open),
};

#[cfg(all(windows, target_env = "gnu"))]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};

    /// `struct timespec` of mingw-w64 for 64 bits.
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i32,
    }

    // Part of winpthreads, which build.rs links.
    unsafe extern "C" {
        fn nanosleep(request: *const Timespec, rest: *mut Timespec) -> i32;
    }

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Nanosleep)
    }

    struct Nanosleep;

    impl Method for Nanosleep {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            let request = Timespec {
                seconds: i64::try_from(ns / 1_000_000_000).unwrap_or(i64::MAX),
                nanoseconds: (ns % 1_000_000_000) as i32,
            };
            // SAFETY: the request outlives the call; a null pointer asks for no remaining time.
            match unsafe { nanosleep(&raw const request, std::ptr::null_mut()) } {
                0 => Ok(()),
                error => Err(error),
            }
        }
    }
}
