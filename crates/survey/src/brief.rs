//! What a bug report needs, in two seconds: the processor's counter, the system's clock, and how
//! late sleeps end.

use crate::waits;
use chronoscope_measure::clocks;
use chronoscope_measure::measurement::{Error, Measurement, Setting};
use chronoscope_measure::schedule::{BRIEF, BRIEF_WAITS};
use chronoscope_model::Report;
use chronoscope_model::clock::{BuiltOn, Orders, Reads};
use chronoscope_probes::clocks::{ALL, Entry, Facts, Kind, Language, Opening};
use std::time::Duration;

/// The duration of a wait: long enough for the CPU to become idle.
const WAIT: Duration = Duration::from_millis(1);

/// A request for it.
pub(crate) struct Request {
    /// Whether waits are measured too.
    pub(crate) waits: bool,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let budget = setting.budget.unwrap_or(BRIEF.time);
        let for_waits = if self.waits { BRIEF_WAITS.of(budget) } else { Duration::ZERO };
        let clocks = clocks::Request {
            entries: [counter(), system()].into_iter().flatten().collect(),
            calls: None,
        };
        clocks.within(budget.saturating_sub(for_waits), setting, report)?;
        if self.waits {
            waits::after_clocks(waits::sleeps(WAIT), for_waits, setting, report);
        }
        Ok(())
    }
}

/// The processor's counter, read without any wait.
fn counter() -> Option<&'static Entry> {
    first(|kind, facts| {
        let plain = facts.reads == Reads::Counter && facts.built_on == BuiltOn::Counter;
        kind == Kind::Counter && plain && facts.orders == Orders::Nothing
    })
}

/// The system's clock for intervals.
fn system() -> Option<&'static Entry> {
    first(|kind, facts| {
        let plain = facts.reads == Reads::Vdso && facts.built_on == BuiltOn::ClockSource;
        kind == Kind::Monotonic && plain
    })
}

/// The first such clock that can be read: through C, which is what other languages call, or
/// otherwise through Rust.
fn first(is_it: impl Fn(Kind, Facts) -> bool) -> Option<&'static Entry> {
    let of = |language: Language| {
        let readable = |entry: &&&Entry| {
            entry.language == language
                && is_it(entry.kind, entry.facts)
                && entry.open(Opening::Checked).is_ok()
        };
        ALL.iter().find(readable).copied()
    };
    of(Language::C).or_else(|| of(Language::Rust))
}
