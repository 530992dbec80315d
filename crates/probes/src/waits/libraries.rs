//! The waits of libraries for Rust: this project's, and others for comparison.

use super::entry::{Code, Entry, Kind, RUST};
use super::{Method, os};
use chronoscope::wait::{Effort, Waiter};
use std::time::Duration;

const OWN: Entry = Entry {
    kind: Kind::Hybrid,
    slack: false,
    references: &["the chronoscope crate, chronoscope::wait"],
    ..RUST
};

pub(super) const WAITS: &[Entry] = &[
    Entry {
        id: "chronoscope/wait",
        call: "chronoscope::wait::sleep(duration)",
        opener: on!(all(), |_| with(Effort::Balanced)),
        ..OWN
    },
    Entry {
        id: "chronoscope/wait-economy",
        call: "waiter.sleep(duration)",
        code: Code::Before(|wait| lines("Economy", wait.ns)),
        opener: on!(all(), |_| with(Effort::Economy)),
        ..OWN
    },
    Entry {
        id: "chronoscope/wait-precise",
        call: "waiter.sleep(duration)",
        code: Code::Before(|wait| lines("Precise", wait.ns)),
        opener: on!(all(), |_| with(Effort::Precise)),
        ..OWN
    },
    Entry {
        id: "spin_sleep",
        call: "spin_sleep::sleep(duration)",
        kind: Kind::Hybrid,
        home: "builds with the feature `peers`",
        opener: on!(feature = "peers" or crate::catalogue::left_out::peers, |_| {
            super::entry::ByDuration(|ns| {
                spin_sleep::sleep(Duration::from_nanos(ns));
                Ok(())
            })
        }),
        ..RUST
    },
];

fn lines(effort: &str, ns: u64) -> String {
    format!(
        "use chronoscope::wait::{{Effort, Waiter}};\n\
         let mut waiter = Waiter::new(Effort::{effort});\n\
         let duration = std::time::Duration::from_nanos({ns});"
    )
}

/// A wait with the given effort, which learns on its own.
fn with(effort: Effort) -> impl Method {
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
            // If that is refused, the row is measured with the slice alone.
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
