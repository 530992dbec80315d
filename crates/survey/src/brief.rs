//! What a bug report needs, in two seconds: the processor's counter, the system's clock, and how
//! late sleeps end.

use crate::waits;
use chronoscope_measure::clocks;
use chronoscope_measure::engine::schedule::{BRIEF, BRIEF_WAITS};
use chronoscope_measure::run::measurement::{Error, Measurement, Progress, Setting};
use chronoscope_model::Report;
use chronoscope_model::clock::{BuiltOn, Orders, Reads};
use chronoscope_probes::clocks::{ALL, Entry, Kind, Language, Opening};
use std::time::Duration;

/// The duration of a wait: long enough for the CPU to become idle.
const WAIT: Duration = Duration::from_millis(1);

/// A request for what a bug report needs, in 2 s: the processor's counter, the system's clock, and
/// a few hundred sleeps.
pub struct Request {
    /// Whether sleeps are measured too.
    pub waits: bool,
}

impl Measurement for Request {
    fn measure(self: Box<Self>, setting: &mut Setting, report: &mut Report) -> Result<(), Error> {
        let budget = setting.budget.unwrap_or(BRIEF.time);
        (setting.progress)(Progress::Time(budget));
        let for_waits = if self.waits { BRIEF_WAITS.of(budget) } else { Duration::ZERO };
        let counter = first(Kind::Counter, Reads::Counter, BuiltOn::Counter);
        let system = first(Kind::Monotonic, Reads::Vdso, BuiltOn::ClockSource);
        let entries = [counter, system].into_iter().flatten().collect();
        let clocks = clocks::Request { entries, ..clocks::Request::default() };
        clocks.within(budget.saturating_sub(for_waits), setting, report)?;
        if self.waits {
            waits::after_clocks(waits::sleeps(WAIT), for_waits, setting, report);
        }
        Ok(())
    }
}

/// The first such clock that can be read: through C, which is what other languages call, or
/// otherwise through Rust. A counter is read without any wait for earlier instructions.
fn first(kind: Kind, reads: Reads, built_on: BuiltOn) -> Option<&'static Entry> {
    let of = |language: Language| {
        let wanted = |entry: &&&Entry| {
            let facts = entry.facts;
            entry.language == language
                && entry.kind == kind
                && (facts.reads, facts.built_on) == (reads, built_on)
                && (kind != Kind::Counter || facts.orders == Orders::Nothing)
                && entry.open(Opening::Checked).is_ok()
        };
        ALL.iter().find(wanted).copied()
    };
    of(Language::C).or_else(|| of(Language::Rust))
}
