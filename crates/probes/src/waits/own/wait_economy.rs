use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};
use crate::waits::{Method, Setting, Unavailable};
use chronoscope::wait::Effort;

/// `Waiter::new(Effort::Economy).sleep`
pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/wait-economy",
    call: "waiter.sleep(duration)",
    language: Language::Rust,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: false,
    home: "every system",
    about: "The library's wait with the least CPU time: half of the waits end on time, the others \
            as late as the system wakes them.",
    references: &["the chronoscope crate, chronoscope::wait"],
    code: Code::Before(|wait| {
        format!(
            "use chronoscope::wait::{{Effort, Waiter}};\n\
             let mut waiter = Waiter::new(Effort::Economy);\n\
             let duration = std::time::Duration::from_nanos({});",
            wait.ns
        )
    }),
    opener: on!(all(), open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(super::wait::with(Effort::Economy))
}
