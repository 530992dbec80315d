use crate::waits::entry::{Code, DURATION};
use crate::waits::spin::spin_until;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable, os};
use std::time::Duration;

/// Sleep, then spin, with a fixed margin
pub(crate) const ENTRY: Entry = Entry {
    id: "hybrid/fixed",
    call: "std::thread::sleep(duration - margin); while Instant::now() < deadline \
           { std::hint::spin_loop() }",
    language: Language::Rust,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: true,
    home: "every system",
    about: "Sleeps until 125 us before the deadline (1 ms on Windows) and spins for the rest. Most \
            waits of this kind have such a margin, which is fixed in advance and right for no \
            machine in particular. A shorter wait only spins.",
    references: &["spin_sleep, the defaults of SpinSleeper"],
    code: Code::Lines(|wait| {
        format!(
            "let end = std::time::Instant::now()\n    \
             + std::time::Duration::from_nanos({});\n\
             let margin = std::time::Duration::from_micros(125);\n\
             std::thread::sleep(end.duration_since(\n    \
             std::time::Instant::now() + margin));\n\
             while std::time::Instant::now() < end {{\n    \
             std::hint::spin_loop()\n}}",
            wait.ns
        )
    }),
    opener: on!(all(), open),
};

/// How long before the deadline the sleep ends, in nanoseconds.
const MARGIN: u64 = if cfg!(windows) { 1_000_000 } else { 125_000 };

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Fixed)
}

struct Fixed;

impl Method for Fixed {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        self.until(os::monotonic().saturating_add(ns))
    }

    fn until(&mut self, deadline: u64) -> Result<(), i32> {
        let left = deadline.saturating_sub(os::monotonic());
        if left > MARGIN {
            std::thread::sleep(Duration::from_nanos(left - MARGIN));
        }
        spin_until(deadline, std::hint::spin_loop)
    }
}
