use crate::waits::entry::{Code, DURATION};
use crate::waits::spin::spin_elapsed;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;
use std::time::Instant;

/// Spinning on `std::time::Instant`
pub(crate) const ENTRY: Entry = Entry {
    id: "busy/instant",
    call: "while start.elapsed() < duration { std::hint::spin_loop() }",
    language: Language::Rust,
    kind: Kind::Busy,
    facts: DURATION,
    slack: false,
    home: "every system",
    about: "What a Rust programmer would write: a loop that reads the system's monotonic clock \
            through the standard library until the duration is over.",
    references: &["std::time::Instant::elapsed", "std::hint::spin_loop"],
    code: Code::Before(|wait| snippet::rust_start(wait.ns)),
    opener: on!(all(), open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Std)
}

struct Std;

impl Method for Std {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        spin_elapsed(Instant::now(), ns, std::hint::spin_loop)
    }
}
