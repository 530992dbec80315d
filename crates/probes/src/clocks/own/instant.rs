use crate::clocks::rust_loop::{Read, reader, sink};
use crate::clocks::x86::tsc;
use crate::clocks::{Entry, Kind, Language, Range, Reader, Unavailable, Unit};
use chronoscope::{Clock, Instant, Source};

/// `chronoscope::Instant::now()`
pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/instant",
    call: "chronoscope::Instant::now()",
    language: Language::Rust,
    kind: Kind::Counter,
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
    open: on!(all(), "every system", opened::<Own>()),
};

/// The library's clock as it is here, choosing its source if there is none yet: the counter in its
/// ticks, or the system's clock in nanoseconds. Where that took over from a counter that failed
/// later, it goes on in the counter's units.
pub(crate) fn opened<R: Read>() -> Result<Reader, Unavailable> {
    // The source stands once it is chosen, and a ban may have come since: then even the question
    // which one it is would read the counter.
    tsc::readable()?;
    let (kind, unit) = match Clock::global().describe().source {
        Source::Counter | Source::OsInstead => (None, Unit::Counter),
        Source::Os => (Some(Kind::Monotonic), Unit::Hz(1e9)),
    };
    Ok(Reader {
        kind,
        ..reader::<R>(unit, None, Range::bits(64))
    })
}

struct Own;

impl Read for Own {
    #[inline(always)]
    fn read() {
        sink(Self::value());
    }

    #[inline(always)]
    fn value() -> u64 {
        Instant::now().ticks()
    }
}
