use crate::clocks::entry::COUNTER;
use crate::clocks::{Entry, Kind, Language};

/// `minstant::Instant::now`
pub(crate) const ENTRY: Entry = Entry {
    id: "minstant/instant",
    call: "minstant::Instant::now()",
    language: Language::Rust,
    kind: Kind::Monotonic,
    facts: COUNTER,
    alternative_to: None,
    home: "every system",
    about: "The bare counter on x86 Linux, calibrated when the program starts, before main; the \
            system's coarse clock on other systems. The rate is determined once and never \
            corrected.",
    references: &["the minstant crate, version 0.1.7"],
    // The loop also has the call that it makes if the counter cannot be trusted.
    expect: &["rdtsc"],
    opener: peer!(minstant::Instant, now, None, Ok(())),
};
