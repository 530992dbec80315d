//! The clocks of libraries for Rust: this project's, and others for comparison. Only builds with
//! the feature `peers` have those, so that a plain build depends on none of them.

use super::entry::{
    self, COUNTER, Entry, FENCED_COUNTER, Facts, Kind, ORDERED_COUNTER, Opened, RUST, STORED,
    Unavailable, Unit, VDSO,
};
use super::rust_loop::{self, Read};
use chronoscope::{Clock, Instant, Source};
use chronoscope_model::clock::Reads;

table! {
    OWN: &[Entry];
    like RUST;
    "chronoscope/instant" => "chronoscope::Instant::now()",
        kind: Kind::Counter,
        facts: COUNTER,
        expect: if cfg!(target_arch = "x86_64") {
            &["rdtsc"]
        } else if cfg!(target_arch = "aarch64") {
            &["mrs cntvct_el0"]
        } else {
            &["Instant::now()|Timespec::now()"]
        },
        opener: Some(|_, _| opened(Own));
    "chronoscope/ordered" => "chronoscope::Instant::now_ordered()",
        kind: Kind::Counter,
        facts: if cfg!(target_arch = "x86_64") { FENCED_COUNTER } else { ORDERED_COUNTER },
        expect: if cfg!(target_arch = "x86_64") {
            &["lfence", "rdtsc"]
        } else if cfg!(target_arch = "aarch64") {
            &["isb", "mrs cntvct_el0"]
        } else {
            &["Instant::now()|Timespec::now()"]
        },
        opener: Some(|_, _| opened(Ordered));
}

/// The library's clock as it is on this machine: the counter in ticks, or the system's clock in
/// nanoseconds. It chooses its source if it has none yet. A system clock that took over from a
/// counter that failed later continues in the counter's units.
fn opened(clock: impl Read) -> Result<Opened, Unavailable> {
    // The source is fixed once it is chosen, but reading the counter may have been forbidden since.
    // Then even asking for the source would read the counter.
    entry::may_read_counter()?;
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

/// The opener of a peer: `peer!(type, function that reads, nominal resolution, prepare)`; the last
/// one, a `Result<(), Unavailable>`, is evaluated when the clock is opened.
///
/// Every peer's instant is a struct around a `u64`. The sink takes that number in a register, so
/// that a peer's loop contains no store that the loop of this project's own clock does not need.
macro_rules! peer {
    ($instant:ty, $now:ident, $nominal:expr, $prepare:expr) => {{
        #[cfg(feature = "peers")]
        const OPENER: entry::Opener = |_, _| {
            struct Peer;

            impl Read for Peer {
                #[inline(always)]
                fn read(&mut self) {
                    // SAFETY: the compiler rejects types of other sizes, and every bit pattern is a
                    // valid `u64`.
                    rust_loop::sink(unsafe {
                        std::mem::transmute::<$instant, u64>(<$instant>::$now())
                    });
                }

                /// Nanoseconds since one hour before the first read, because the types do not
                /// expose a value of their own.
                #[inline(always)]
                fn value(&mut self) -> u64 {
                    static ORIGIN: std::sync::OnceLock<$instant> = std::sync::OnceLock::new();
                    const HEAD_START: u64 = 3_600_000_000_000;
                    let origin = *ORIGIN.get_or_init(<$instant>::$now);
                    HEAD_START + <$instant>::$now().duration_since(origin).as_nanos() as u64
                }

                #[inline(always)]
                fn around(&mut self, work: impl FnOnce()) {
                    let start = <$instant>::$now();
                    work();
                    std::hint::black_box(<$instant>::$now().duration_since(start));
                }
            }

            entry::may_read_counter()?;
            entry::may_call_vdso()?;
            let ready: Result<(), Unavailable> = $prepare;
            ready?;
            Ok(rust_loop::opened(Peer, Unit::Hz(1e9), $nominal))
        };
        #[cfg(not(feature = "peers"))]
        const OPENER: entry::Opener = |_, _| Err(crate::catalogue::left_out::peers());
        Some(OPENER)
    }};
}

table! {
    PEERS: &[Entry];
    like RUST;
    "quanta/instant" => "quanta::Instant::now()",
        facts: COUNTER,
        expect: &["Instant::now()"],
        opener: peer!(quanta::Instant, now, None, Ok(()));
    "quanta/recent" => "quanta::Instant::recent()",
        facts: Facts { reads: Reads::Memory, ..STORED },
        references: &["the quanta crate, version 0.13, Upkeep"],
        expect: &["Instant::recent()"],
        opener: peer!(quanta::Instant, recent, recent::resolution(), recent::keep_fresh());
    "minstant/instant" => "minstant::Instant::now()",
        facts: COUNTER,
        // The loop also has the call that it makes if the counter cannot be trusted.
        expect: &["rdtsc"],
        opener: peer!(minstant::Instant, now, None, Ok(()));
    "fastant/instant" => "fastant::Instant::now()",
        facts: COUNTER,
        // The loop also has the call that it makes if the counter cannot be trusted.
        expect: &["rdtsc"],
        opener: peer!(fastant::Instant, now, None, Ok(()));
    "coarsetime/instant" => "coarsetime::Instant::now()",
        facts: STORED,
        alternative_to: Some("linux/monotonic-coarse"),
        // The linker keeps one of these two, which are the same code.
        expect: &["Instant::now()|Default::default()"],
        opener: peer!(coarsetime::Instant, now, None, Ok(()));
    "coarsetime/recent" => "coarsetime::Instant::recent()",
        facts: Facts { reads: Reads::Memory, ..STORED },
        references: &["the coarsetime crate, version 0.1.38"],
        expect: &["Instant::recent()"],
        opener: peer!(coarsetime::Instant, recent, recent::resolution(), recent::keep_fresh());
}

/// The thread that keeps the `recent` clocks up to date.
#[cfg(feature = "peers")]
mod recent {
    use std::sync::OnceLock;
    use std::time::Duration;

    /// How often the clocks are set: rarely enough not to disturb the measurement, and about as
    /// often as the kernel updates its own coarse clocks.
    const PERIOD: Duration = Duration::from_millis(10);

    /// The period as the clocks' resolution, in nanoseconds.
    #[expect(clippy::unnecessary_wraps, reason = "the type that readers take")]
    pub(super) fn resolution() -> Option<f64> {
        Some(PERIOD.as_secs_f64() * 1e9)
    }

    /// Starts the thread that sets the clocks, unless it already runs. The thread ends with the
    /// process.
    pub(super) fn keep_fresh() -> Result<(), crate::clocks::Unavailable> {
        static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
        let started = STARTED.get_or_init(|| {
            set();
            let thread = std::thread::Builder::new().name("recent clocks".into());
            let spawned = thread.spawn(|| {
                loop {
                    std::thread::sleep(PERIOD);
                    set();
                }
            });
            spawned.map(drop).map_err(|error| error.to_string())
        });
        started.clone().map_err(|error| {
            crate::clocks::Unavailable(format!(
                "cannot start the thread that keeps it up to date: {error}"
            ))
        })
    }

    fn set() {
        quanta::set_recent(quanta::Instant::now());
        coarsetime::Instant::update();
    }
}
