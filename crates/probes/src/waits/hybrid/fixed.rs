use crate::waits::entry::{Code, DURATION};
use crate::waits::spin::spin_elapsed;
use crate::waits::then_spin::MARGIN;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable};
use chronoscope_model::snippet;
use std::time::{Duration, Instant};

/// Sleep, then spin, with a fixed margin
pub(crate) const ENTRY: Entry = Entry {
    id: "hybrid/fixed",
    call: "std::thread::sleep(duration.saturating_sub(margin)); \
           while start.elapsed() < duration { std::hint::spin_loop() }",
    language: Language::Rust,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: true,
    home: "every system",
    about: "Sleeps until 125 us before the deadline (1 ms on Windows) and spins for the rest. Most \
            waits of this kind have such a margin, which is fixed in advance and right for no \
            machine in particular. A shorter wait only spins.",
    references: &["spin_sleep, the defaults of SpinSleeper"],
    code: Code::Before(|wait| {
        format!(
            "let margin = std::time::Duration::from_nanos({MARGIN});\n{}",
            snippet::rust_start(wait.ns)
        )
    }),
    opener: on!(all(), open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(Fixed)
}

struct Fixed;

impl Method for Fixed {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        let start = Instant::now();
        std::thread::sleep(Duration::from_nanos(ns.saturating_sub(MARGIN)));
        spin_elapsed(start, ns, std::hint::spin_loop)
    }
}
