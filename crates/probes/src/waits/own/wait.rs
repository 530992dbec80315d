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
    about: "This project's library: sleeps until shortly before the deadline and spins for the \
            rest, the margin being learned from how late this thread was woken before. It sets the \
            timer slack itself.",
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

/// A wait of that effort, with a memory of its own.
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
