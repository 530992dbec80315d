use crate::clocks::entry::{COUNTER, Opened, RUST, VDSO};
use crate::clocks::rust_loop::{self, Read};
use crate::clocks::{Entry, Kind, Unavailable, Unit, permission};
use chronoscope::{Clock, Instant, Source};

pub(crate) const ENTRY: Entry = Entry {
    id: "chronoscope/instant",
    call: "chronoscope::Instant::now()",
    kind: Kind::Counter,
    facts: COUNTER,
    about: "The clock of this project's library. It reads the bare counter and leaves the \
            conversion to the difference of two values; if the counter cannot be trusted, it reads \
            the system's monotonic clock. The first use in a process makes this choice, in less \
            than a millisecond and before anything is timed here.",
    references: &["the chronoscope crate"],
    expect: if cfg!(target_arch = "x86_64") {
        &["rdtsc"]
    } else if cfg!(target_arch = "aarch64") {
        &["mrs cntvct_el0"]
    } else {
        &["Instant::now()|Timespec::now()"]
    },
    opener: Some(|_, _| opened(Own)),
    ..RUST
};

/// The library's clock as it is on this machine: the counter in ticks, or the system's clock in
/// nanoseconds. It chooses its source if it has none yet. A system clock that took over from a
/// counter that failed later continues in the counter's units.
pub(crate) fn opened(clock: impl Read) -> Result<Opened, Unavailable> {
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
