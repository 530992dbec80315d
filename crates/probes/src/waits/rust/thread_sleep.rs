use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use std::time::Duration;

/// `std::thread::sleep`
pub(crate) const ENTRY: Entry = Entry {
    id: "rust/thread-sleep",
    call: "std::thread::sleep(duration)",
    language: Language::Rust,
    kind: Kind::Sleep,
    facts: DURATION,
    slack: true,
    home: "every system",
    about: "The standard library's sleep: nanosleep or clock_nanosleep on Unix, and since Rust \
            1.75 a high-resolution waitable timer on Windows.",
    references: &["std::thread::sleep", "Rust library/std/src/sys/thread"],
    code: Code::Before(|wait| {
        format!("let duration = std::time::Duration::from_nanos({});", wait.ns)
    }),
    opener: on!(all(), open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Std)
}

struct Std;

impl Method for Std {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        std::thread::sleep(Duration::from_nanos(ns));
        Ok(())
    }
}
