//! The two clocks that a wait is measured by.

use crate::engine::Ruler;
use crate::engine::ruler::RulerKind;
use chronoscope::counter;
use chronoscope_probes::waits::os;
use std::time::Duration;

/// Reading and conversion, small enough to be copied into every thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    kind: RulerKind,
    /// Nanoseconds per tick, times 2^32: a multiplication and a shift cost a third of a way through
    /// floating point and back, and this is off by less than one part in 10^9.
    scale: i64,
    /// Share by which a wait may seem short by the ruler without being so.
    tolerance: f64,
    /// Ticks after which the pair of readings before is too old to start from.
    fresh: u64,
    /// [`READING`], and a step of the system's clock at either end.
    reading: i64,
}

/// Both clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    ticks: u64,
    clock: u64,
}

/// What cannot be told from the reading itself, in nanoseconds: two reads of the system's clock
/// and one of the ruler lie between the ends of a wait by the two clocks.
const READING: i64 = 100;

/// How long a pair may be gone on from: the ruler carries it over the time that it takes to record
/// a sample, and not over an interruption.
const FRESH_NS: f64 = 200.0;

impl Clocks {
    /// `slew` is the relative rate of the system's clock against the ruler's reference.
    pub(super) fn new(ruler: &Ruler, slew: f64) -> Self {
        let ns_per_tick = 1e9 / ruler.hz();
        Self {
            kind: ruler.kind(),
            scale: (ns_per_tick * (1u64 << 32) as f64) as i64,
            tolerance: ruler.error_ppm() * 1e-6 + slew.abs(),
            fresh: (FRESH_NS / ns_per_tick) as u64,
            reading: READING + 2 * os::step() as i64,
        }
    }

    /// How much shorter than asked for a wait may seem by the system's clock without being early.
    #[inline]
    pub(super) fn reading(&self) -> i64 {
        self.reading
    }

    /// The ruler at the end of a wait, when all that came before has been done.
    #[inline]
    fn after(&self) -> u64 {
        match self.kind {
            RulerKind::System => self.kind.stop(),
            RulerKind::Counter | RulerKind::CounterStartOnly => counter::now_ordered(),
        }
    }

    /// The ruler at the start of a wait. It is not fenced, for the fence would make every sample
    /// dearer by half a read: the processor may read it while it still keeps the books of the
    /// sample before, some 10 ns early, and so a wait may look that much longer, never shorter.
    #[inline]
    fn before(&self) -> u64 {
        match self.kind {
            RulerKind::System => self.kind.start(),
            RulerKind::Counter | RulerKind::CounterStartOnly => counter::now(),
        }
    }

    #[inline]
    pub(super) fn ns(&self, ticks: u64) -> i64 {
        // Signed, so that a counter that went back shows as an early wake and not as centuries.
        ((i128::from(ticks as i64) * i128::from(self.scale)) >> 32) as i64
    }

    /// Both clocks now, within the tighter of two tries.
    pub(super) fn pair(&self) -> Pair {
        let read = || {
            let before = self.kind.start();
            let clock = os::monotonic();
            let width = self.kind.stop().wrapping_sub(before);
            let ticks = before.wrapping_add(width / 2);
            (width, Pair { ticks, clock })
        };
        let (first, second) = (read(), read());
        if first.0 < second.0 {
            first.1
        } else {
            second.1
        }
    }

    /// Both clocks at the end of a wait.
    #[inline]
    pub(super) fn end(&self) -> Pair {
        let ticks = self.after();
        Pair {
            ticks,
            clock: os::monotonic(),
        }
    }

    /// Both clocks at the start of a wait. The system's clock is not read: it is carried on from
    /// the end of the wait before, a few tens of nanoseconds ago, by the ruler.
    #[inline]
    pub(super) fn begin(&self, last: Pair) -> Pair {
        let ticks = self.before();
        let since = ticks.wrapping_sub(last.ticks);
        if since <= self.fresh {
            return Pair {
                ticks,
                clock: last.clock.wrapping_add(self.ns(since) as u64),
            };
        }
        let pair = self.pair();
        let ticks = self.before();
        let since = ticks.wrapping_sub(pair.ticks);
        Pair {
            ticks,
            clock: pair.clock.wrapping_add(self.ns(since) as u64),
        }
    }

    /// Whether two figures of one wait by the two clocks are so far apart that something came
    /// between the readings at its end.
    #[inline]
    pub(super) fn torn(ruler: i64, clock: i64) -> bool {
        (clock - ruler).unsigned_abs() > FRESH_NS as u64
    }

    /// From one moment to another, in nanoseconds by the ruler and by the system's clock.
    #[inline]
    pub(super) fn between(&self, from: Pair, to: Pair) -> (i64, i64) {
        (
            self.ns(to.ticks.wrapping_sub(from.ticks)),
            to.clock.wrapping_sub(from.clock) as i64,
        )
    }

    /// How much shorter than `ns` a wait may seem by the ruler without being early.
    pub(super) fn tolerance_ns(&self, ns: u64) -> i64 {
        self.reading + (self.tolerance * ns as f64).ceil() as i64
    }
}

impl Pair {
    /// The system's clock.
    #[inline]
    pub(super) fn clock(self) -> u64 {
        self.clock
    }
}

/// A ruler, and how fast the system's clock runs against its reference: an NTP client may slew
/// CLOCK_MONOTONIC by up to 500 ppm (adjtimex(2)) and never CLOCK_MONOTONIC_RAW.
pub(super) fn calibrate(distrust: Option<String>, span: Duration) -> (Ruler, f64) {
    let pair = || {
        let before = os::reference();
        let clock = os::monotonic();
        let after = os::reference();
        (after - before, before + (after - before) / 2, clock)
    };
    let tightest = || (0..100).map(|_| pair()).min().unwrap_or_default();
    let first = tightest();
    let ruler = Ruler::new(distrust, span);
    let last = tightest();
    let reference = last.1.saturating_sub(first.1) as f64;
    let clock = last.2.saturating_sub(first.2) as f64;
    if reference <= 0.0 {
        return (ruler, 0.0);
    }
    // What the brackets leave open counts as slew: a bound, not an estimate.
    let open = (first.0 + last.0) as f64 / 2.0 / reference;
    (ruler, (clock / reference - 1.0).abs() + open)
}
