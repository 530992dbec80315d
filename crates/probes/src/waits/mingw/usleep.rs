use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Facts, Kind, Language};

/// `usleep` of mingw-w64
pub(crate) const ENTRY: Entry = Entry {
    id: "mingw/usleep",
    call: "usleep(microseconds)",
    language: Language::C,
    kind: Kind::Sleep,
    facts: Facts { unit_ns: 1_000, early_by_design_ns: 1_000_000, ..DURATION },
    slack: true,
    home: "Windows with MinGW",
    about: "The Unix call as mingw-w64's runtime implements it: Sleep, with the fraction of a \
            millisecond cut off. So it is early by up to 1 ms, and a wait of less than that is no \
            wait at all.",
    references: &["mingw-w64 crt/misc/usleep.c"],
    code: Code::Before(|wait| format!("useconds_t microseconds = {};", wait.ns.div_ceil(1000))),
    opener: on!(all(windows, target_env = "gnu"), imp::open),
};

#[cfg(all(windows, target_env = "gnu"))]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};

    unsafe extern "C" {
        fn usleep(us: u32) -> i32;
    }

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(Usleep)
    }

    struct Usleep;

    impl Method for Usleep {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            let us = u32::try_from(ns.div_ceil(1000)).unwrap_or(u32::MAX);
            // SAFETY: usleep takes a number.
            match unsafe { usleep(us) } {
                0 => Ok(()),
                error => Err(error),
            }
        }
    }
}
