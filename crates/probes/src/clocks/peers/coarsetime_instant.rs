use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Kind, Language};

/// `coarsetime::Instant::now`
pub(crate) const ENTRY: Entry = Entry {
    id: "coarsetime/instant",
    call: "coarsetime::Instant::now()",
    language: Language::Rust,
    kind: Kind::Monotonic,
    facts: STORED,
    alternative_to: Some("linux/monotonic-coarse"),
    home: "every system",
    about: "CLOCK_MONOTONIC_COARSE on Linux, kept in units of 2^-32 s. Each read is also stored \
            for recent(). It is cheap, and no finer than the kernel's tick.",
    references: &["the coarsetime crate, version 0.1.38"],
    // The linker keeps one of these two, which are the same code.
    expect: &["Instant::now()|Default::default()"],
    opener: peer!(coarsetime::Instant, now, None, Ok(())),
};
