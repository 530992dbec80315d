use crate::waits::entry::{Code, DURATION};
use crate::waits::{Entry, Kind, Language};
use crate::waits::{Method, Setting, Unavailable, os};
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
            and sets the timer slack itself. With --slice 100us it uses Waiter::shorten_slice.",
    references: &["the chronoscope crate, chronoscope::wait"],
    code: Code::Before(|wait| {
        format!("let duration = std::time::Duration::from_nanos({});", wait.ns)
    }),
    opener: on!(all(), open),
};

fn open(_: &Setting) -> Result<impl Method + use<>, Unavailable> {
    Ok(with(Effort::Balanced))
}

/// A wait of the given effort, which learns on its own.
pub(super) fn with(effort: Effort) -> impl Method {
    Own { waiter: Waiter::new(effort), has_begun: false }
}

/// The slice that the library asks for, in nanoseconds.
const SHORT_SLICE_NS: u64 = 100_000;

struct Own {
    waiter: Waiter<'static>,
    has_begun: bool,
}

impl Own {
    /// Tells the waiter of a short slice that the row gave its thread: it uses one better than a
    /// method that knows nothing of it.
    #[cold]
    fn begin(&mut self) {
        self.has_begun = true;
        if os::slice() == Some(SHORT_SLICE_NS) {
            // If it is refused, the row is measured with the slice alone.
            let _ = self.waiter.shorten_slice();
        }
    }
}

impl Method for Own {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        if !self.has_begun {
            self.begin();
        }
        self.waiter.sleep(Duration::from_nanos(ns));
        Ok(())
    }
}
