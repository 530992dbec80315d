use crate::waits::{Entry, Kind, Language, Unavailable};

/// `chronoscope::wait::sleep`
pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/wait",
    call: "chronoscope::wait::sleep(duration)",
    language: Language::Rust,
    kind: Kind::Hybrid,
    slack: false,
    home: "every system",
    about: "This project's library: sleeps until shortly before the deadline and spins for the rest, the margin being \
            learned from how late this thread was woken before. It sets the timer slack itself.",
    references: &["the chronoscope crate"],
    open: |_| {
        Err(Unavailable(
            "this build's chronoscope library has no wait yet".into(),
        ))
    },
};
