use crate::clocks::entry::{COUNTER, Opened, VDSO};
use crate::clocks::rust_loop::{self, Read, sink};
use crate::clocks::{Entry, Kind, Language, Range, Unavailable, Unit, permission};
use chronoscope::{Clock, Instant, Source};

/// `chronoscope::Instant::now()`
pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/instant",
    call: "chronoscope::Instant::now()",
    language: Language::Rust,
    kind: Kind::Counter,
    facts: COUNTER,
    alternative_to: None,
    home: "every system",
    about: "This project's library: the bare counter, with the conversion left to the difference; where the counter \
            cannot be trusted, the system's monotonic clock. The first use in a process chooses, in less than a \
            millisecond, which comes before what is timed here.",
    references: &["the chronoscope crate"],
    expect: if cfg!(target_arch = "x86_64") {
        &["rdtsc"]
    } else if cfg!(target_arch = "aarch64") {
        &["cntvct_el0"]
    } else {
        &["now"]
    },
    opener: on!(all(), |_| opened(Own)),
};

/// The library's clock as it is on this machine, choosing its source if there is none yet: the
/// counter in its ticks, or the system's clock in nanoseconds. If that took over from a counter
/// that failed later, it continues in the counter's units.
pub(crate) fn opened(clock: impl Read) -> Result<Opened, Unavailable> {
    // The source stands once it is chosen, and a ban may have come since: then even the question
    // which one it is would read the counter.
    permission::counter()?;
    let (instead, unit) = match Clock::global().describe().source {
        Source::Counter | Source::OsInstead => (None, Unit::Counter),
        Source::Os => (Some((Kind::Monotonic, VDSO)), Unit::Hz(1e9)),
    };
    Ok(Opened {
        instead,
        ..rust_loop::opened(clock, unit, None, Range::bits(64))
    })
}

struct Own;

impl Read for Own {
    #[inline(always)]
    fn read(&mut self) {
        sink(self.value());
    }

    #[inline(always)]
    fn value(&mut self) -> u64 {
        Instant::now().ticks()
    }
}
