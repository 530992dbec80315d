use crate::clocks::entry::COUNTER;
use crate::clocks::{Entry, Kind, Language};

/// `fastant::Instant::now`
pub(crate) const ENTRY: Entry = Entry {
    id: "fastant/instant",
    call: "fastant::Instant::now()",
    language: Language::Rust,
    kind: Kind::Monotonic,
    facts: COUNTER,
    alternative_to: None,
    home: "every system",
    about: "The maintained descendant of minstant, with the same design: the bare counter on x86 \
            Linux, calibrated when the program starts, before main; the system's clock on other \
            systems.",
    references: &["the fastant crate, version 0.1.11"],
    // The loop also has the call that it makes if the counter cannot be trusted.
    expect: &["rdtsc"],
    opener: peer!(fastant::Instant, now, None, Ok(())),
};
