use crate::clocks::entry::{COUNTER};
use crate::clocks::{Entry, Kind, Language};

/// `quanta::Instant::now`
pub(crate) const ENTRY: Entry = Entry {
    id: "quanta/instant",
    call: "quanta::Instant::now()",
    language: Language::Rust,
    kind: Kind::Monotonic,
    facts: COUNTER,
    alternative_to: None,
    home: "every system",
    about: "The counter where the kernel trusts it, else the system's clock; scaled to nanoseconds at each read, \
            which makes the read dearer and the difference cheap. It calibrates itself for up to 200 ms at first \
            use.",
    references: &["the quanta crate, version 0.13"],
    expect: &["quanta", "rdtsc"],
    opener: peer!(quanta::Instant, now, None, Ok(())),
};
