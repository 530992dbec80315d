use super::sleeps;
use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};

/// `std::this_thread::sleep_for`
pub(crate) const ENTRY: Entry = Entry {
    id: "cxx/sleep_for",
    call: "std::this_thread::sleep_for(duration)",
    language: Language::Cxx,
    kind: Kind::Sleep,
    facts: sleeps(DURATION),
    slack: true,
    home: "builds with a C++ compiler",
    about: "The standard library's sleep for a duration; libstdc++ implements it with nanosleep.",
    references: &["ISO C++ [thread.thread.this]", "libstdc++ bits/this_thread_sleep.h"],
    code: Code::Before(|wait| format!("auto duration = std::chrono::nanoseconds({});", wait.ns)),
    opener: on!(compiled native_cxx, imp::open),
};

#[cfg(native_cxx)]
mod imp {
    use crate::waits::{Method, Setting, Unavailable};

    // SAFETY: `cs_sleep_for` of native/waits.cpp, which takes a number and throws nothing.
    unsafe extern "C" {
        safe fn cs_sleep_for(ns: u64);
    }

    pub(super) fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
        Ok(SleepFor)
    }

    struct SleepFor;

    impl Method for SleepFor {
        fn wait(&mut self, ns: u64) -> Result<(), i32> {
            cs_sleep_for(ns);
            Ok(())
        }
    }
}
