//! Wall time at the speed of the counter, with a bound.
//!
//! This follows TrueTime (Corbett et al., "Spanner", OSDI 2012, section 3): what a clock can
//! truthfully report is an interval that contains the time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::bracket::{Sample, Steps, narrowest};
use crate::calibrate::Rate;
use crate::clock::Clock;
use crate::convert::Scale;
use crate::machine::Machine;
use crate::publish::Published;
use crate::sys::process;

/// Steps and slews of the system's clock are followed within this time. The first read after it
/// checks the system's clock, which takes one or two microseconds.
///
/// Until then, the time is that of the clock before the step, and no interval contains the new one.
/// [`Wall::now_checked`] looks at the system's clock each time.
///
/// ```
/// use chronoscope::wall::FOLLOWS_WITHIN;
/// println!("a step of the system's clock is followed within {FOLLOWS_WITHIN:?}");
/// ```
pub const FOLLOWS_WITHIN: Duration = Duration::from_millis(100);

/// The shortest time between two checks, used at first while the counter's rate is only roughly
/// known.
const SOONEST: Duration = Duration::from_micros(200);

/// How much faster or slower a kernel may make its clock run (`adjtimex(2)`: 500 parts per
/// million). It counts twice: for the slew in progress, which may end, and for one that may begin.
const SLEW: f64 = 1000e-6;

/// How fast `maxerror` grows while nothing disciplines the clock (kernel/time/ntp.c, MAXFREQ).
const MAXERROR_GROWTH: f64 = 500e-6;

/// The shortest time over which the rate of the wall clock is determined. Over this time, the error
/// of two brackets of some 30 ns is a tenth of a part per million.
const RATE_SPAN_NS: u64 = 300_000_000;

/// The longest such time, so that an old slew does not distort a new one.
const RATE_SPAN_MOST_NS: u64 = 2_000_000_000;

const TRIES: u32 = 16;

/// The same for a single look, which ends with the first bracket that is at most so wide.
const LOOKS: u32 = 4;
const USUAL_NS: u64 = 200;

/// An interval that contains the time, in nanoseconds since 1970-01-01 00:00 UTC, unless the
/// system's clock was stepped within the last [`WallInterval::age`].
///
/// ```
/// let wall = chronoscope::Wall::now_bounded();
/// println!("{} ns ± {}", wall.now, (wall.latest - wall.earliest) / 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct WallInterval {
    /// The time is not earlier than this.
    pub earliest: u64,
    /// The best guess, as [`Wall::now`] returns it.
    pub now: u64,
    /// The time is not later than this.
    pub latest: u64,
    /// The part of the error that is due to this library, in nanoseconds: how far `now` can be from
    /// the system's clock.
    pub tracking: u64,
    /// The part that the kernel states for its own clock, in nanoseconds. `None` if it states none,
    /// if its clock is not synchronised, or if it is not asked because a filter of system calls is
    /// active ([`assume_that_nothing_kills`](crate::machine::assume_that_nothing_kills)). The
    /// interval then contains the time of the system's clock rather than the true time.
    pub kernel: Option<u64>,
    /// How long ago the system's clock was looked at, in nanoseconds: at most [`FOLLOWS_WITHIN`],
    /// and zero if it was looked at now. The interval does not contain a step since then.
    pub age: u64,
}

impl WallInterval {
    /// If the library cannot follow the system's clock at all.
    fn unknown(now: u64) -> Self {
        Self { earliest: 0, now, latest: u64::MAX, tracking: u64::MAX, kernel: None, age: 0 }
    }

    /// The interval around `now` that the two errors make.
    fn around(now: u64, tracking: u64, kernel: Option<u64>, age: u64) -> Self {
        let error = tracking.saturating_add(kernel.unwrap_or(0));
        let (earliest, latest) = (now.saturating_sub(error), now.saturating_add(error));
        Self { earliest, now, latest, tracking, kernel, age }
    }
}

/// The wall clock of the operating system, read at the cost of the counter.
///
/// It steps when the system's clock steps, and may go back by some nanoseconds when it is adjusted
/// to it. It is meant for timestamps; use [`Instant`](crate::Instant) for durations.
///
/// ```
/// use chronoscope::Wall;
/// let since_1970 = Wall::now();
/// let interval = Wall::now_bounded();
/// assert!(interval.earliest <= interval.now && interval.now <= interval.latest);
/// # let _ = since_1970;
/// ```
#[derive(Debug)]
pub struct Wall;

static GLOBAL: WallClock = WallClock::new();

impl Wall {
    /// Returns nanoseconds since 1970-01-01 00:00 UTC.
    ///
    /// ```
    /// let stamp = chronoscope::Wall::now();
    /// println!("{}.{:09}", stamp / 1_000_000_000, stamp % 1_000_000_000);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn now() -> u64 {
        GLOBAL.now(Clock::global())
    }

    /// What [`Wall::now`] returns if that takes no call; for `chronoscope-capi`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn now_at_once() -> Option<u64> {
        GLOBAL.now_at_once(Clock::global())
    }

    /// Returns the time as the standard library's type.
    ///
    /// ```
    /// assert!(chronoscope::Wall::system_time() > std::time::UNIX_EPOCH);
    /// ```
    #[must_use]
    pub fn system_time() -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(Self::now())
    }

    /// Returns the interval that contains the time, unless the system's clock was stepped since the
    /// last check, which is at most [`FOLLOWS_WITHIN`] ago. It is made of how tightly the system's
    /// clock was bracketed, how far it can have drifted since, and the error that the kernel
    /// states.
    ///
    /// Costs about as much as [`Wall::now`]; [`Wall::now_checked`] covers steps.
    ///
    /// ```
    /// let wall = chronoscope::Wall::now_bounded();
    /// assert!((wall.earliest..=wall.latest).contains(&wall.now));
    /// ```
    #[must_use]
    pub fn now_bounded() -> WallInterval {
        GLOBAL.now_bounded(Clock::global())
    }

    /// Returns the interval as [`Wall::now_bounded`] does, after a look at the system's clock: it
    /// contains the time even if that was stepped just before. Costs two reads of the system's
    /// clock, two of the counter, and a check after a step.
    ///
    /// ```
    /// let wall = chronoscope::Wall::now_checked();
    /// assert_eq!(wall.age, 0);
    /// assert!((wall.earliest..=wall.latest).contains(&wall.now));
    /// ```
    #[must_use]
    pub fn now_checked() -> WallInterval {
        GLOBAL.now_checked(Clock::global())
    }

    /// Checks the system's clock now.
    ///
    /// ```
    /// use chronoscope::Wall;
    /// Wall::sync();
    /// let tight = Wall::now_bounded();
    /// println!("within {} ns of the system's clock", tight.tracking);
    /// ```
    pub fn sync() {
        GLOBAL.sync(Clock::global());
    }
}

/// A [`Line`] as words.
const WORDS: usize = 14;

/// One fewer threads than this can publish a check at the same moment.
const SLOTS: usize = 8;

/// The kernel's error if it states none, and if it has not been asked.
const NONE: u64 = u64::MAX;
const UNASKED: u64 = u64::MAX - 1;

/// A wall clock over a clock of your own, which must always be the same one; [`Wall`] is the one
/// over the global clock.
///
/// ```
/// use chronoscope::{Clock, wall::WallClock};
/// static CLOCK: Clock = Clock::new();
/// static WALL: WallClock = WallClock::new();
/// WALL.sync(&CLOCK);
/// assert!(WALL.now_bounded(&CLOCK).now >= 1_600_000_000_000_000_000);
/// println!("{}", WALL.now(&CLOCK));
/// ```
pub struct WallClock {
    line: Published<WORDS, SLOTS>,
}

/// Where the wall clock was at some ticks and how fast it runs, and what a check takes over from
/// those before it.
#[derive(Clone, Copy)]
struct Line {
    /// Nanoseconds per tick.
    scale: Scale,
    /// The number of ticks for which that is valid.
    good_for: u64,
    /// The kernel's own error, [`NONE`] or [`UNASKED`].
    kernel: u64,
    /// How far the counter's rate could be off when the scale was made from it, relative.
    bound: f64,
    /// How much faster than the counter the wall clock is; a ratio, because the counter's rate
    /// becomes more accurate over time.
    ratio: f64,
    /// A sample some time ago, from which the rate is determined.
    from: Sample,
    /// The last sample, at which the line begins. A step shows against it: spread over the whole
    /// time since `from`, a small step would look like a slew.
    last: Sample,
}

impl Line {
    /// The first four are those that [`WallClock::now`] needs.
    fn to_words(self) -> [u64; WORDS] {
        [
            self.last.ticks,
            self.last.middle(),
            self.scale.multiplier(),
            self.good_for,
            self.kernel,
            self.bound.to_bits(),
            self.ratio.to_bits(),
            self.from.ticks,
            self.from.low,
            self.from.high,
            self.last.low,
            self.last.high,
            self.last.ticks_step,
            0,
        ]
    }

    fn from_words(words: [u64; WORDS]) -> Self {
        let [ticks, _, multiplier, good_for, kernel, bound, ratio, rest @ ..] = words;
        let [from, from_low, from_high, low, high, ticks_step, _] = rest;
        let sample = |ticks, low, high| Sample { ticks, ticks_step, low, high };
        Self {
            scale: Scale::from_atomic(multiplier),
            good_for,
            kernel,
            bound: f64::from_bits(bound),
            ratio: f64::from_bits(ratio),
            from: sample(from, from_low, from_high),
            last: sample(ticks, low, high),
        }
    }
}

impl std::fmt::Debug for WallClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("WallClock").field(&self.line.read().1).finish()
    }
}

impl Default for WallClock {
    fn default() -> Self {
        Self::new()
    }
}

impl WallClock {
    /// Makes a wall clock that has not checked the system's clock yet.
    ///
    /// ```
    /// use chronoscope::{Clock, wall::WallClock};
    /// static CLOCK: Clock = Clock::new();
    /// static WALL: WallClock = WallClock::new();
    /// println!("{} ns since 1970", WALL.now(&CLOCK));
    /// ```
    pub const fn new() -> Self {
        Self { line: Published::zero() }
    }

    /// Returns nanoseconds since 1970-01-01 00:00 UTC.
    ///
    /// ```
    /// use chronoscope::{Clock, wall::WallClock};
    /// let (clock, wall) = (Clock::new(), WallClock::new());
    /// println!("{} s since 1970", wall.now(&clock) / 1_000_000_000);
    /// ```
    #[inline(always)]
    pub fn now<M: Machine>(&self, clock: &Clock<M>) -> u64 {
        match self.now_at_once(clock) {
            Some(now) => now,
            None => self.now_otherwise(clock),
        }
    }

    #[inline(always)]
    fn now_at_once<M: Machine>(&self, clock: &Clock<M>) -> Option<u64> {
        let (_, [ticks, ns, multiplier, good_for]) = self.line.read_first();
        // Wraps if another thread has checked in the meantime; that is too many ticks as well.
        let since = clock.now_by_counter()?.wrapping_sub(ticks);
        let now = ns.wrapping_add(Scale::from_atomic(multiplier).ns_short(since));
        (since < good_for).then_some(now)
    }

    /// Reads the system's clock through another clock than the counter, or after a check.
    #[cold]
    #[inline(never)]
    fn now_otherwise<M: Machine>(&self, clock: &Clock<M>) -> u64 {
        let now = clock.now().0;
        let (_, [ticks, ns, multiplier, good_for]) = self.line.read_first();
        let since = now.wrapping_sub(ticks);
        if since < good_for {
            return ns.saturating_add(Scale::from_atomic(multiplier).ns(since));
        }
        self.sync(clock);
        let (stamp, [ticks, ns, multiplier]) = self.line.read_first();
        if stamp.is_first() {
            // The system's clock went backwards in every bracket, or no slot was free.
            return clock.machine().wall();
        }
        let (now, scale) = (clock.now().0, Scale::from_atomic(multiplier));
        if now >= ticks {
            ns.saturating_add(scale.ns(now - ticks))
        } else {
            ns.saturating_sub(scale.ns(ticks - now))
        }
    }

    /// Returns the interval as [`Wall::now_bounded`] does.
    ///
    /// ```
    /// use chronoscope::{Clock, wall::WallClock};
    /// let wall = WallClock::new().now_bounded(&Clock::new());
    /// assert!((wall.earliest..=wall.latest).contains(&wall.now));
    /// ```
    #[must_use]
    pub fn now_bounded<M: Machine>(&self, clock: &Clock<M>) -> WallInterval {
        self.now(clock);
        let (stamp, words) = self.line.read();
        if stamp.is_first() {
            return WallInterval::unknown(clock.machine().wall());
        }
        let mut line = Line::from_words(words);
        if line.kernel == UNASKED {
            line.kernel = clock.machine().wall_error().unwrap_or(NONE);
            // If another thread was faster, the next caller asks again.
            self.line.replace(stamp, &line.to_words(), process::number());
        }
        let now = clock.now_ordered().0;
        let since = line.scale.ns(now.saturating_sub(line.last.ticks));
        let now = line.last.middle().saturating_add(since);
        // One more for the nanosecond by which the middle of the bracket is truncated.
        let whole = clock.rounding(line.scale) + 1;
        let astray = since as f64 * (SLEW + line.bound);
        let half = line.last.width().div_ceil(2);
        let tracking = half + astray.ceil() as u64 + whole;
        let kernel = (line.kernel != NONE)
            .then(|| line.kernel.saturating_add((since as f64 * MAXERROR_GROWTH).ceil() as u64));
        WallInterval::around(now, tracking, kernel, since)
    }

    /// Returns the interval as [`Wall::now_checked`] does.
    ///
    /// ```
    /// use chronoscope::{Clock, wall::WallClock};
    /// let wall = WallClock::new().now_checked(&Clock::new());
    /// assert!((wall.earliest..=wall.latest).contains(&wall.now));
    /// ```
    #[must_use]
    pub fn now_checked<M: Machine>(&self, clock: &Clock<M>) -> WallInterval {
        let (mut before, sample) = (self.now_bounded(clock), meet(clock, LOOKS, USUAL_NS));
        let Some(sample) = sample else {
            return WallInterval::unknown(before.now);
        };
        // The bracket begins after that read, and may end some time later.
        let apart = before.now.abs_diff(sample.middle());
        if apart > before.tracking.saturating_add(sample.width()) {
            // A step, or an interruption between the two: the error that the kernel stated may be
            // another one.
            self.sync(clock);
            before = self.now_bounded(clock);
        }
        let tracking = sample.width().div_ceil(2) + 1;
        WallInterval::around(sample.middle(), tracking, before.kernel, 0)
    }

    /// Checks the system's clock now. If another thread does so at the same moment, one of the two
    /// checks counts.
    ///
    /// ```
    /// use chronoscope::{Clock, wall::WallClock};
    /// let (clock, wall) = (Clock::new(), WallClock::new());
    /// wall.sync(&clock);
    /// println!("{} ns from the system's", wall.now_bounded(&clock).tracking);
    /// ```
    pub fn sync<M: Machine>(&self, clock: &Clock<M>) {
        let (stamp, words) = self.line.read();
        let before = (!stamp.is_first()).then(|| Line::from_words(words));
        if let Some(line) = look(clock, before) {
            self.line.replace(stamp, &line.to_words(), process::number());
        }
    }
}

/// Makes the line that begins now.
fn look<M: Machine>(clock: &Clock<M>, before: Option<Line>) -> Option<Line> {
    // The clock itself is also updated, because its rate is used at first. This also chooses a
    // source if there is none yet: if the counter is forbidden, the system's clocks are read in
    // another way, and only the choice determines which.
    clock.check_if_due();
    let known = clock.known();
    let plain = known.scale;
    let sample = meet(clock, TRIES, 0)?;
    let (from, ratio) = match before {
        None => (sample, 1.0),
        Some(Line { from, last, ratio, .. }) => {
            let span = plain.ns(sample.ticks.saturating_sub(from.ticks));
            let smooth = slewed(&last, &sample, plain).is_some();
            match slewed(&from, &sample, plain).filter(|_| smooth) {
                // A step: the rate stays what it was, from the new time on.
                None => (sample, ratio),
                Some(_) if span < RATE_SPAN_NS => (from, ratio),
                Some(ratio) if span > RATE_SPAN_MOST_NS => (sample, ratio),
                Some(ratio) => (from, ratio),
            }
        }
    };
    // A rate that was observed for a millisecond is valid for another one, and so on.
    let good_for = clock.observed().clamp(SOONEST, FOLLOWS_WITHIN);
    Some(Line {
        scale: Scale::from_ns_per_tick(plain.ns_per_tick() * ratio).unwrap_or(plain),
        good_for: plain.ticks(good_for.as_nanos() as u64).unwrap_or(0),
        // Asked only by those who want to know: a sandbox may forbid the call.
        kernel: UNASKED,
        bound: known.bound(),
        ratio,
        from,
        last: sample,
    })
}

/// The counter between two reads of the wall clock: the narrowest of so many tries, or the first
/// that is at most `enough` nanoseconds wide.
fn meet<M: Machine>(clock: &Clock<M>, tries: u32, enough: u64) -> Option<Sample> {
    let machine = clock.machine();
    let steps = Steps { clock: machine.wall_step(), counter: clock.step() };
    narrowest(|| machine.wall(), || clock.start().0, steps, tries, enough)
}

/// How much faster than the counter the wall clock was between two samples, if the difference is a
/// slew rather than a step.
fn slewed(old: &Sample, new: &Sample, plain: Scale) -> Option<f64> {
    let rate = Rate::between(old, new)?;
    let (slowest, fastest) = (1.0 - SLEW, 1.0 + SLEW);
    let [low, best, high] = [rate.low, rate.best, rate.high].map(|ns| ns / plain.ns_per_tick());
    // Brackets over a short time allow any rate; only a rate that is certainly off is a step.
    (low <= fastest && high >= slowest).then(|| best.clamp(slowest, fastest))
}
