use super::sleeps;
use crate::waits::entry::{Code, DEADLINE};
use crate::waits::{Entry, Kind, Language};

/// `std::this_thread::sleep_until`
pub(crate) const ENTRY: Entry = Entry {
    id: "cxx/sleep_until",
    call: "std::this_thread::sleep_until(std::chrono::steady_clock::now() + duration)",
    language: Language::Cxx,
    kind: Kind::Sleep,
    facts: sleeps(DEADLINE),
    slack: true,
    home: "builds with a C++ compiler",
    about: "The standard library's sleep until a time of steady_clock. libstdc++ reads the clock, \
            sleeps for the difference, and reads again until that time has passed, so it is not \
            early.",
    references: &["ISO C++ [thread.thread.this]", "libstdc++ bits/this_thread_sleep.h"],
    code: Code::Before(|wait| format!("auto duration = std::chrono::nanoseconds({});", wait.ns)),
    opener: on!(compiled native_cxx, imp::open),
};

#[cfg(native_cxx)]
mod imp {
    use crate::waits::{Method, Setting, Unavailable, os};

    // SAFETY: the functions of native/waits.cpp, which take numbers and throw nothing.
    unsafe extern "C" {
        safe fn cs_sleep_until_after(ns: u64);
        safe fn cs_sleep_until(steady_ns: u64);
    }

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(SleepUntil)
    }

    struct SleepUntil;

    impl Method for SleepUntil {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            cs_sleep_until_after(ns);
            Ok(())
        }

        fn until(&mut self, deadline: u64) -> Result<(), i32> {
            // steady_clock is CLOCK_MONOTONIC where that is what `os` reads; elsewhere the two
            // have different beginnings, and what is left is what can be asked for.
            if os::CLOCK == "CLOCK_MONOTONIC" {
                cs_sleep_until(deadline);
                return Ok(());
            }
            match deadline.checked_sub(os::monotonic()) {
                Some(left) if left > 0 => self.wait(left),
                _ => Ok(()),
            }
        }
    }
}
