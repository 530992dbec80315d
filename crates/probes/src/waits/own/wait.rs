use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};
use crate::waits::{Method, Setting, Unavailable};
use chronoscope::wait::{Effort, Waiter};
use std::time::Duration;

/// `chronoscope::wait::sleep`
pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/wait",
    call: "chronoscope::wait::sleep(duration)",
    language: Language::Rust,
    kind: Kind::Hybrid,
    facts: DURATION,
    slack: false,
    home: "every system",
    about: "The wait of this project's library. It sleeps until shortly before the deadline and \
            spins for the rest. It learns the margin from how late this thread was woken before, \
            and sets the timer slack itself.",
    references: &["the chronoscope crate, chronoscope::wait"],
    code: Code::Before(|wait| {
        format!(
            "let duration = std::time::Duration::from_nanos({});",
            wait.ns
        )
    }),
    opener: on!(all(), open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(with(Effort::Balanced))
}

/// A wait of the given effort, which learns on its own.
pub(super) fn with(effort: Effort) -> impl Method {
    Own(Waiter::new(effort))
}

struct Own(Waiter<'static>);

impl Method for Own {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        self.0.sleep(Duration::from_nanos(ns));
        Ok(())
    }
}
