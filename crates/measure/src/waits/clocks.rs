//! Both clocks around a wait: the ruler, and the clock that timers run on.

use super::host::{Scale, Waiting};

/// The values of both clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    ticks: u64,
    pub(super) clock: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    scale: Scale,
    /// [`READING`], plus a tick of the system's clock at either end.
    reading: i64,
}

/// The uncertainty of a reading itself, in nanoseconds: two reads of the system's clock and one of
/// the ruler lie between the ends of a wait by the two clocks.
const READING: i64 = 100;

/// How long the ruler may extrapolate a pair, in nanoseconds: for the time that recording a sample
/// takes, but not across an interruption.
const FRESH_NS: i64 = 200;

impl Clocks {
    pub(super) fn new(scale: Scale, host: &impl Waiting) -> Self {
        Self { scale, reading: READING + 2 * i64::try_from(host.step()).unwrap_or(i64::MAX / 4) }
    }

    /// How much shorter than requested a wait may seem by the system's clock without being early.
    #[inline]
    pub(super) fn reading(self) -> i64 {
        self.reading
    }

    /// How much shorter than `ns` a wait may seem by the ruler without being early.
    pub(super) fn tolerance_ns(self, ns: u64) -> i64 {
        self.reading + self.scale.tolerance_ns(ns)
    }

    /// Reads both clocks now, and keeps the tighter of two tries.
    pub(super) fn pair(self, host: &mut impl Waiting) -> Pair {
        let mut read = || {
            let (before, clock, after) = host.bracket();
            let width = after.wrapping_sub(before);
            let ticks = before.wrapping_add(width / 2);
            (width, Pair { ticks, clock })
        };
        let (first, second) = (read(), read());
        if first.0 < second.0 { first.1 } else { second.1 }
    }

    /// Reads both clocks at the end of a wait.
    #[inline]
    pub(super) fn end(self, host: &mut impl Waiting) -> Pair {
        let ticks = host.after();
        Pair { ticks, clock: host.clock() }
    }

    /// Returns both clocks at the start of a wait. The system's clock is not read: the ruler
    /// extrapolates it from the end of the previous wait, a few tens of nanoseconds ago.
    #[inline]
    pub(super) fn begin(self, host: &mut impl Waiting, last: Pair) -> Pair {
        let ticks = host.before();
        if (0..=FRESH_NS).contains(&self.scale.ns(ticks.wrapping_sub(last.ticks))) {
            return self.extrapolated(last, ticks);
        }
        let pair = self.pair(host);
        self.extrapolated(pair, host.before())
    }

    /// Returns both clocks at a tick of the ruler not long after they were read.
    #[inline]
    fn extrapolated(self, pair: Pair, ticks: u64) -> Pair {
        let since = self.scale.ns(ticks.wrapping_sub(pair.ticks));
        Pair { ticks, clock: pair.clock.wrapping_add(since as u64) }
    }

    /// Whether the durations of one wait by the two clocks differ so much that something happened
    /// between the readings at its end.
    #[inline]
    pub(super) fn torn(ruler: i64, clock: i64) -> bool {
        (clock - ruler).unsigned_abs() > FRESH_NS.unsigned_abs()
    }

    /// The time from one moment to another, in nanoseconds by the ruler.
    #[inline]
    pub(super) fn ruler_ns(self, from: Pair, to: Pair) -> i64 {
        self.scale.ns(to.ticks.wrapping_sub(from.ticks))
    }
}
