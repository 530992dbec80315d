use crate::clocks::entry::COUNTER;
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
    about: "The counter if the kernel trusts it, otherwise the system's clock. Each read scales \
            the value to nanoseconds, which makes the read more expensive and the difference \
            cheap. At first use it calibrates itself for up to 200 ms.",
    references: &["the quanta crate, version 0.13"],
    expect: &["Instant::now()"],
    opener: peer!(quanta::Instant, now, None, Ok(())),
};
