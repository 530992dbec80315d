use crate::clocks::entry::STORED;
use crate::clocks::{Entry, Facts, Kind, Language};
use chronoscope_model::clock::Reads;

/// `coarsetime::Instant::recent`
pub(crate) const ENTRY: Entry = Entry {
    id: "coarsetime/recent",
    call: "coarsetime::Instant::recent()",
    language: Language::Rust,
    kind: Kind::Monotonic,
    facts: Facts { reads: Reads::Memory, ..STORED },
    alternative_to: None,
    home: "every system",
    about: "The value that a thread of the program stored last, here every 10 ms: a load from \
            memory, not a clock read. It is as cheap as a read can be, and as old as that thread \
            lets it become.",
    references: &["the coarsetime crate, version 0.1.38"],
    expect: &["Instant::recent()"],
    opener: peer!(
        coarsetime::Instant,
        recent,
        super::recent::resolution(),
        super::recent::keep_fresh()
    ),
};
