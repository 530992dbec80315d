use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};
use crate::waits::{Method, Setting, Unavailable};
use chronoscope::wait::Effort;

/// `Waiter::new(Effort::Precise).sleep`
pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/wait-precise",
    call: "waiter.sleep(duration)",
    language: Language::Rust,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: false,
    home: "every system",
    about: "The library's wait at its most accurate: on Linux it spins for up to 150 us of each \
            wait.",
    references: &["the chronoscope crate, chronoscope::wait"],
    code: Code::Before(|wait| {
        format!(
            "use chronoscope::wait::{{Effort, Waiter}};\n\
             let mut waiter = Waiter::new(Effort::Precise);\n\
             let duration = std::time::Duration::from_nanos({});",
            wait.ns
        )
    }),
    opener: on!(all(), open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(super::wait::with(Effort::Precise))
}
