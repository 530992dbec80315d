//! The waits of other libraries, for comparison.

use super::entry::{Entry, Kind, RUST};

pub(super) const WAITS: &[Entry] = &[Entry {
    id: "spin_sleep",
    call: "spin_sleep::sleep(duration)",
    kind: Kind::Hybrid,
    home: "builds with the feature `peers`",
    about: "The best-known library of this kind. It sleeps until a fixed margin before the \
            deadline (125 us on Unix), then calls sched_yield until the deadline.",
    references: &["docs.rs/spin_sleep"],
    opener: on!(feature = "peers" or crate::left_out::peers, |_| {
        super::open::ByDuration(|ns| {
            spin_sleep::sleep(std::time::Duration::from_nanos(ns));
            Ok(())
        })
    }),
    ..RUST
}];
