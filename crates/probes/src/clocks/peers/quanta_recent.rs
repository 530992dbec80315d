use crate::clocks::{Entry, Kind, Language};

/// `quanta::Instant::recent`
pub(crate) const ENTRY: Entry = Entry {
    id: "quanta/recent",
    call: "quanta::Instant::recent()",
    language: Language::Rust,
    kind: Kind::Monotonic,
    home: "builds with the feature peers",
    about: "The value that a thread of the program last stored, every 10 ms here: a load and no clock read. As \
            cheap as a read can be, and as old as that thread lets it become.",
    references: &["the quanta crate, version 0.13, Upkeep"],
    expect: &["quanta"],
    open: peer!(
        quanta::Instant,
        recent,
        super::recent::resolution(),
        super::recent::keep_fresh()
    ),
};
