use crate::waits::busy::spin::spin_until;
use crate::waits::{Entry, Kind, Language, Method, Setting, Unavailable, os};
use std::time::Duration;

/// Sleep, then spin, with a fixed margin
pub(crate) const ENTRY: Entry = Entry {
    id: "hybrid/fixed",
    call: "std::thread::sleep(duration - margin); while Instant::now() < deadline { std::hint::spin_loop() }",
    language: Language::Rust,
    kind: Kind::Hybrid,
    slack: true,
    home: "every system",
    about: "Sleeps until 125 us before the deadline (1 ms on Windows) and spins for the rest: the margin of most such \
            waits, known beforehand and right for no machine in particular. Shorter waits are spun for altogether.",
    references: &["spin_sleep, the defaults of SpinSleeper"],
    open: on!(all(), "every system", open),
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
