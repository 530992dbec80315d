//! Wall time at the speed of the counter, with a bound.
//!
//! This follows TrueTime (Corbett et al., "Spanner", OSDI 2012, section 3): what a clock can
//! truthfully report is an interval that contains the time.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::bracket::{Sample, Steps, narrowest};
use crate::calibrate::Rate;
use crate::clock::{Clock, Ticks};
use crate::convert::Scale;
use crate::machine::Machine;
use crate::seqlock::SeqLock;

/// Steps and slews of the system's clock are followed within this time. The first read after it
/// checks the system's clock, which takes about a microsecond.
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

/// An interval that contains the time, in nanoseconds since 1970-01-01 00:00 UTC.
///
/// ```
/// let wall = chronoscope::Wall::now_bounded();
/// println!("{} ns ± {}", wall.now, (wall.latest - wall.earliest) / 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallInterval {
    /// The time is not earlier than this.
    pub earliest: u64,
    /// The best guess, as [`Wall::now`] returns it.
    pub now: u64,
    /// The time is not later than this.
    pub latest: u64,
    /// The part of the error that is due to this library: how far `now` can be from the system's
    /// clock.
    pub tracking: u64,
    /// The part that the kernel states for its own clock. `None` if it states none; the interval
    /// then contains the time of the system's clock rather than the true time.
    pub kernel: Option<u64>,
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
    #[inline(always)]
    pub fn now() -> u64 {
        GLOBAL.now(Clock::global())
    }

    /// Returns the time as the standard library's type.
    ///
    /// ```
    /// assert!(chronoscope::Wall::system_time() > std::time::UNIX_EPOCH);
    /// ```
    pub fn system_time() -> SystemTime {
        UNIX_EPOCH + Duration::from_nanos(Self::now())
    }

    /// Returns the interval that contains the time. It is made of how tightly the system's clock
    /// was bracketed, how far it can have drifted since, and the error that the kernel states.
    ///
    /// A step of the system's clock is noticed by the next check of it, and not covered before.
    ///
    /// ```
    /// let wall = chronoscope::Wall::now_bounded();
    /// assert!((wall.earliest..=wall.latest).contains(&wall.now));
    /// ```
    pub fn now_bounded() -> WallInterval {
        GLOBAL.now_bounded(Clock::global())
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

/// Where the wall clock was at some ticks and how fast it runs: ticks, nanoseconds, multiplier, and
/// the number of ticks for which that is valid; then half of the bracket, the kernel's error, and
/// how far the counter's rate could be off when the multiplier was made from it (bits of an f64,
/// relative).
const WORDS: usize = 7;

/// The kernel's error if it states none.
const NONE: u64 = u64::MAX;

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
    line: SeqLock<WORDS>,
    base: Mutex<Option<Base>>,
}

/// What a check takes over from those before it.
#[derive(Clone, Copy)]
struct Base {
    /// A sample some time ago, from which the rate is determined.
    from: Sample,
    /// The last sample, which a step shows against: spread over the whole time since `from`, a
    /// small step would look like a slew.
    last: Sample,
    /// How much faster than the counter the wall clock is; a ratio, because the counter's rate
    /// becomes more accurate over time.
    ratio: f64,
}

impl std::fmt::Debug for WallClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("WallClock").field(&self.line.read()).finish()
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
        Self {
            line: SeqLock::new(AtomicU64::new(0), [const { AtomicU64::new(0) }; WORDS]),
            base: Mutex::new(None),
        }
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
        let [ticks, ns, multiplier, good_for] = self.line.read_first();
        // Wraps if another thread has checked in the meantime; that is too many ticks as well.
        let since = clock.now().0.wrapping_sub(ticks);
        if since < good_for {
            ns.wrapping_add(Scale::from_atomic(multiplier).ns_short(since))
        } else {
            self.look_and_read(clock)
        }
    }

    #[cold]
    #[inline(never)]
    fn look_and_read<M: Machine>(&self, clock: &Clock<M>) -> u64 {
        self.follow(clock);
        self.at(clock.now()).0
    }

    /// Returns the line at some ticks, and how many nanoseconds from its beginning that is.
    fn at(&self, now: Ticks) -> (u64, u64) {
        let [ticks, ns, multiplier, _] = self.line.read_first();
        let scale = Scale::from_atomic(multiplier);
        if now.0 >= ticks {
            let since = scale.ns(now.0 - ticks);
            (ns.saturating_add(since), since)
        } else {
            let until = scale.ns(ticks - now.0);
            (ns.saturating_sub(until), until)
        }
    }

    /// Returns the interval as [`Wall::now_bounded`] does.
    ///
    /// ```
    /// use chronoscope::{Clock, wall::WallClock};
    /// let wall = WallClock::new().now_bounded(&Clock::new());
    /// assert!((wall.earliest..=wall.latest).contains(&wall.now));
    /// ```
    pub fn now_bounded<M: Machine>(&self, clock: &Clock<M>) -> WallInterval {
        self.now(clock);
        let [ticks, ns, multiplier, _, half, kernel, bound] = self.line.read();
        let now = clock.now().0;
        let scale = Scale::from_atomic(multiplier);
        let since = scale.ns(now.saturating_sub(ticks));
        let now = ns.saturating_add(since);
        // One more for the nanosecond by which the middle of the bracket is truncated.
        let whole = clock.rounding(scale) + 1;
        let astray = since as f64 * (SLEW + f64::from_bits(bound));
        let tracking = half + astray.ceil() as u64 + whole;
        let kernel = (kernel != NONE)
            .then(|| kernel.saturating_add((since as f64 * MAXERROR_GROWTH).ceil() as u64));
        let error = tracking.saturating_add(kernel.unwrap_or(0));
        WallInterval {
            earliest: now.saturating_sub(error),
            now,
            latest: now.saturating_add(error),
            tracking,
            kernel,
        }
    }

    /// Checks the system's clock now.
    ///
    /// ```
    /// use chronoscope::{Clock, wall::WallClock};
    /// let (clock, wall) = (Clock::new(), WallClock::new());
    /// wall.sync(&clock);
    /// println!("{} ns from the system's", wall.now_bounded(&clock).tracking);
    /// ```
    pub fn sync<M: Machine>(&self, clock: &Clock<M>) {
        let mut base = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        self.look(clock, &mut base);
    }

    /// Checks unless another thread is doing so: its line will soon be ready, and the old one is
    /// still good.
    fn follow<M: Machine>(&self, clock: &Clock<M>) {
        // The very first line has to be waited for.
        if self.line.read_first::<1>() == [0] {
            return self.sync(clock);
        }
        if let Ok(mut base) = self.base.try_lock() {
            self.look(clock, &mut base);
        }
    }

    fn look<M: Machine>(&self, clock: &Clock<M>, base: &mut Option<Base>) {
        let machine = clock.machine();
        // Chooses a source if there is none yet: if the counter is forbidden, the system's clocks
        // are read in another way, and only the choice determines which.
        clock.scale();
        // The clock itself is also updated, because its rate is used at first.
        clock.sync_if_older(SOONEST);
        let (plain, bound) = clock.known();
        let wall = || machine.wall();
        let steps = Steps {
            clock: machine.wall_step(),
            counter: clock.step(),
        };
        let Some(sample) = narrowest(wall, || clock.start().0, steps, TRIES) else {
            return;
        };
        let (from, ratio) = match *base {
            None => (sample, 1.0),
            Some(Base { from, last, ratio }) => {
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
        *base = Some(Base {
            from,
            last: sample,
            ratio,
        });
        let scale = Scale::from_ns_per_tick(plain.ns_per_tick() * ratio).unwrap_or(plain);
        // A rate that was observed for a millisecond is valid for another one, and so on.
        let good_for = clock.observed().clamp(SOONEST, FOLLOWS_WITHIN);
        let good_for = plain.ticks(good_for.as_nanos() as u64).unwrap_or(0);
        let half = sample.width().div_ceil(2);
        let kernel = machine.wall_error().unwrap_or(NONE);
        self.line.write([
            sample.ticks,
            sample.middle(),
            scale.multiplier(),
            good_for,
            half,
            kernel,
            bound.to_bits(),
        ]);
    }
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
