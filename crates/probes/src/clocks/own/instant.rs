use crate::clocks::rust_loop::{Read, reader, sink};
use crate::clocks::x86::tsc;
use crate::clocks::{Entry, Kind, Language, Range, Unavailable, Unit};
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
    open: on!(all(), "every system", {
        Ok(reader::<Own>(unit()?, None, Range::bits(64)))
    }),
};

/// What the library's clock counts in here, choosing its source if there is none yet: ticks of the
/// counter, or nanoseconds of the system's clock. Where that took over from a counter that failed
/// later, it goes on in the counter's units.
pub(crate) fn unit() -> Result<Unit, Unavailable> {
    // The source stands once it is chosen, and a ban may have come since: then even the question
    // which one it is would read the counter.
    tsc::readable()?;
    Ok(match Clock::global().describe().source {
        Source::Counter | Source::OsInstead => Unit::Counter,
        Source::Os => Unit::Hz(1e9),
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
