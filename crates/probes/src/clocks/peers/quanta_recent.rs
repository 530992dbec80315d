use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Facts, Kind, Language};
use chronoscope_model::clock::Reads;

/// `quanta::Instant::recent`
pub(crate) const ENTRY: Entry = Entry {
    id: "quanta/recent",
    call: "quanta::Instant::recent()",
    language: Language::Rust,
    kind: Kind::Monotonic,
    facts: Facts { reads: Reads::Memory, ..STORED },
    alternative_to: None,
    home: "every system",
    about: "The value that a thread of the program stored last, here every 10 ms: a load from \
            memory, not a clock read. It is as cheap as a read can be, and as old as that thread \
            lets it become.",
    references: &["the quanta crate, version 0.13, Upkeep"],
    expect: &["Instant::recent()"],
    opener: peer!(
        quanta::Instant,
        recent,
        super::recent::resolution(),
        super::recent::keep_fresh()
    ),
};
