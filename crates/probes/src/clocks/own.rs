//! The clock of this project's library.

use super::entry::{COUNTER, Entry, FENCED_COUNTER, Kind, ORDERED_COUNTER, Opened, RUST};
use super::entry::{Unavailable, Unit, VDSO};
use super::permission;
use super::rust_loop::{self, Read};
use chronoscope::{Clock, Instant, Source};

pub(super) const CLOCKS: &[Entry] = &[
    Entry {
        id: "chronoscope/instant",
        call: "chronoscope::Instant::now()",
        kind: Kind::Counter,
        facts: COUNTER,
        expect: if cfg!(target_arch = "x86_64") {
            &["rdtsc"]
        } else if cfg!(target_arch = "aarch64") {
            &["mrs cntvct_el0"]
        } else {
            &["Instant::now()|Timespec::now()"]
        },
        opener: Some(|_, _| opened(Own)),
        ..RUST
    },
    Entry {
        id: "chronoscope/ordered",
        call: "chronoscope::Instant::now_ordered()",
        kind: Kind::Counter,
        facts: if cfg!(target_arch = "x86_64") { FENCED_COUNTER } else { ORDERED_COUNTER },
        expect: if cfg!(target_arch = "x86_64") {
            &["lfence", "rdtsc"]
        } else if cfg!(target_arch = "aarch64") {
            &["isb", "mrs cntvct_el0"]
        } else {
            &["Instant::now()|Timespec::now()"]
        },
        opener: Some(|_, _| opened(Ordered)),
        ..RUST
    },
];

/// The library's clock as it is on this machine: the counter in ticks, or the system's clock in
/// nanoseconds. It chooses its source if it has none yet. A system clock that took over from a
/// counter that failed later continues in the counter's units.
fn opened(clock: impl Read) -> Result<Opened, Unavailable> {
    // The source is fixed once it is chosen, but reading the counter may have been forbidden since.
    // Then even asking for the source would read the counter.
    permission::counter()?;
    let (instead, unit) = match Clock::global().describe().source {
        Source::Os => (Some((Kind::Monotonic, VDSO)), Unit::Hz(1e9)),
        _ => (None, Unit::Counter),
    };
    Ok(Opened { instead, ..rust_loop::opened(clock, unit, None) })
}

struct Own;

impl Read for Own {
    #[inline(always)]
    fn value(&mut self) -> u64 {
        Instant::now().ticks()
    }
}

struct Ordered;

impl Read for Ordered {
    #[inline(always)]
    fn value(&mut self) -> u64 {
        Instant::now_ordered().ticks()
    }
}
