//! Wall time at the speed of the counter, with a bound.
//!
//! This follows TrueTime (Corbett et al., "Spanner", OSDI 2012, section 3): what a clock can
//! truthfully report is an interval that contains the time.

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::calibrate::Rate;
use crate::calibrate::{Sample, Steps, narrowest};
use crate::clock::{Clock, Ticks};
use crate::convert::Scale;
use crate::machine::Machine;
use crate::publish::Published;
use crate::stated::{Pages, Stated};
use crate::sys::process;

pub use crate::stated::{BoundBy, CLOCKBOUND};
#[doc(hidden)]
pub use crate::stated::{VmClock, clockbound, segment};
pub use crate::wall_interval::{WallInterval, WallState};

/// Steps and slews of the system's clock are followed within this time. The first read after it
/// checks the system's clock.
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

/// The kernel's error after 2048 s in which nothing has set it: more than the longest usual time
/// between two requests of an NTP client, 1024 s.
const FREE_NS: u64 = 1_024_000_000;

/// The shortest time over which the rate of the wall clock is determined. Over this time, the error
/// of two brackets of some 30 ns is a tenth of a part per million.
const RATE_SPAN_NS: u64 = 300_000_000;

/// The longest such time, so that an old slew does not distort a new one.
const RATE_SPAN_MOST_NS: u64 = 2_000_000_000;

const TRIES: u32 = 16;

/// The same for a single look, which ends with the first bracket that is at most so wide.
const LOOKS: u32 = 4;
const USUAL_NS: u64 = 200;

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

    /// Lets [`Wall::now_bounded`] and [`Wall::now_checked`] return what this states from now on,
    /// instead of the kernel's bound around the system's clock. Both are then the same, because the
    /// page is read each time. If its counter cannot be read here, the state is unknown.
    ///
    /// # Errors
    /// There is no such page (`NotFound`), a filter of system calls is active
    /// (`PermissionDenied`), or another one was asked for before (`AlreadyExists`).
    ///
    /// ```
    /// use chronoscope::{Wall, wall::BoundBy};
    /// let asked = Wall::bound_by(BoundBy::VmClock("/dev/vmclock0".as_ref()));
    /// println!("{asked:?}, {:?}", Wall::now_bounded());
    /// ```
    pub fn bound_by(by: BoundBy<'_>) -> io::Result<()> {
        GLOBAL.bound_by(by)
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
const WORDS: usize = 19;

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
    stated: OnceLock<Pages>,
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
    told: Told,
    /// The hypervisor's marker; [`NONE`] if it has none.
    marker: u64,
}

/// What the kernel's error can be relied on for. It only grows by itself, so one that has become
/// smaller was set since.
#[derive(Clone, Copy, Default)]
struct Told {
    /// The error when the kernel was last asked; [`NONE`] if it stated none.
    error: u64,
    /// [`HELD`] from a disruption until the error is set again; [`PENDING`] while the kernel has
    /// not been asked since.
    disrupted: u64,
    /// How far the system's clock can have been from where it was expected, in nanoseconds: all
    /// that was seen since the error was set, until the kernel was last asked. It may be a slew of
    /// whoever set the error, and as well a short pause or a small step.
    moved: u64,
    /// The same since then.
    since: u64,
    /// How long that is, in nanoseconds.
    span: u64,
}

const HELD: u64 = 1;
const PENDING: u64 = 2;

impl Told {
    /// Takes in what the kernel states now.
    fn hear(&mut self, error: u64) {
        let set = error < self.error;
        let span = std::mem::take(&mut self.span);
        if set {
            // A slew before it was set, for which the error has not grown since, may have hidden a
            // step after that: as much as the slew was, and as was expected.
            self.moved = (span as f64 * 2.0 * MAXERROR_GROWTH).ceil() as u64;
        }
        self.disrupted = match self.disrupted {
            // Whether it was set before or after the disruption is not known.
            PENDING => HELD,
            HELD if !set => HELD,
            _ => 0,
        };
        self.moved = self.moved.saturating_add(std::mem::take(&mut self.since));
        self.error = error;
    }

    fn state(&self, counted: bool) -> WallState {
        match self.error {
            NONE => WallState::Unknown,
            // Nothing would show a pause in which the system's clocks stood still.
            _ if !counted => WallState::Unknown,
            _ if self.disrupted != 0 => WallState::Disrupted,
            error if error >= FREE_NS => WallState::FreeRunning,
            _ => WallState::Synchronised,
        }
    }
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
            self.told.error,
            self.told.disrupted,
            self.told.moved,
            self.told.since,
            self.told.span,
            self.marker,
        ]
    }

    fn from_words(words: [u64; WORDS]) -> Self {
        let [ticks, _, multiplier, good_for, kernel, bound, ratio, rest @ ..] = words;
        let [from, from_low, from_high, low, high, ticks_step, rest @ ..] = rest;
        let [error, disrupted, moved, since, span, marker] = rest;
        let sample = |ticks, low, high| Sample { ticks, ticks_step, low, high };
        Self {
            scale: Scale::from_atomic(multiplier),
            good_for,
            kernel,
            bound: f64::from_bits(bound),
            ratio: f64::from_bits(ratio),
            from: sample(from, from_low, from_high),
            last: sample(ticks, low, high),
            told: Told { error, disrupted, moved, since, span },
            marker,
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
        Self { line: Published::zero(), stated: OnceLock::new() }
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
        let since = clock.if_counted(Clock::READS_COUNTER, M::ticks)?.wrapping_sub(ticks);
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
        if let Some(pages) = self.stated.get() {
            return self.stated(pages, clock);
        }
        /// A thread that was interrupted after the check is late once, hardly more often.
        const TRIES: u32 = 4;
        for _ in 0..TRIES {
            self.now(clock);
            let (stamp, words) = self.line.read();
            if stamp.is_first() {
                break;
            }
            let mut line = Line::from_words(words);
            if line.marker != marker(clock) {
                self.sync(clock);
                continue;
            }
            if line.kernel == UNASKED {
                line.kernel = clock.machine().wall_error().unwrap_or(NONE);
                line.told.hear(line.kernel);
                // If another thread was faster, the next caller asks again.
                self.line.replace(stamp, &line.to_words(), process::number());
            }
            let ticks = clock.now_ordered().0.saturating_sub(line.last.ticks);
            if ticks < line.good_for {
                return line.after(ticks, clock);
            }
        }
        WallInterval::unknown(clock.machine().wall())
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
        let mut before = self.now_bounded(clock);
        if self.stated.get().is_some() {
            return before;
        }
        let sample = meet(clock, LOOKS, USUAL_NS);
        let Some(mut sample) = sample else {
            return WallInterval::unknown(before.now);
        };
        // The bracket begins after that read, and may end some time later.
        let apart = |before: &WallInterval, sample: &Sample| before.now.abs_diff(sample.middle());
        if apart(&before, &sample) > before.tracking.saturating_add(sample.width()) {
            // A step, or an interruption between the two: the error that the kernel stated may be
            // another one.
            self.sync(clock);
            before = self.now_bounded(clock);
            sample = meet(clock, LOOKS, USUAL_NS).unwrap_or(sample);
        }
        let tracking = sample.width().div_ceil(2) + 1;
        // A step that is too small to be told from a slew.
        let hidden = Line::from_words(self.line.read().1).hidden(before.age);
        let small = apart(&before, &sample).saturating_add(hidden);
        let kernel = before.kernel.map(|ns| ns.saturating_add(small));
        WallInterval::around(sample.middle(), tracking, kernel, 0, before.state)
    }

    /// Lets another than the kernel state the bound, as [`Wall::bound_by`] does.
    ///
    /// # Errors
    /// As there.
    ///
    /// ```
    /// use chronoscope::wall::{BoundBy, WallClock};
    /// let wall = WallClock::new();
    /// assert!(wall.bound_by(BoundBy::ClockBound("/nonexistent".as_ref())).is_err());
    /// ```
    pub fn bound_by(&self, by: BoundBy<'_>) -> io::Result<()> {
        let before = "another one was asked for before";
        let before = |_| io::Error::new(io::ErrorKind::AlreadyExists, before);
        self.stated.set(Pages::open(by)?).map_err(before)
    }

    fn stated<M: Machine>(&self, pages: &Pages, clock: &Clock<M>) -> WallInterval {
        // The first read chooses whether the counter is read at all.
        clock.now();
        let ticks = clock.if_counted(Clock::READS_COUNTER, M::ticks_ordered);
        match ticks.and_then(|ticks| pages.at(ticks)) {
            Some(Stated { state: WallState::Unknown, now, .. }) => WallInterval::unknown(now),
            Some(Stated { now, error, state }) => {
                WallInterval::around(now, 0, Some(error), 0, state)
            }
            None => WallInterval::unknown(clock.machine().wall()),
        }
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

impl Line {
    /// The largest step after which the system's clock is where it was expected to be after so
    /// many nanoseconds, because the rate is off by as much. The kernel's error grows for a slew,
    /// and for no other error of the rate.
    fn hidden(&self, ns: u64) -> u64 {
        let astray = self.bound + ((self.ratio - 1.0).abs() - MAXERROR_GROWTH).max(0.0);
        (ns as f64 * astray).ceil() as u64
    }

    /// The interval so many ticks after the line began.
    fn after<M: Machine>(&self, ticks: u64, clock: &Clock<M>) -> WallInterval {
        let since = self.scale.ns(ticks);
        let now = self.last.middle().saturating_add(since);
        // One more for the nanosecond by which the middle of the bracket is truncated.
        let whole = clock.rounding(self.scale) + 1;
        let astray = since as f64 * (SLEW + self.bound);
        let half = self.last.width().div_ceil(2);
        let tracking = half + astray.ceil() as u64 + whole;
        let grown = (since as f64 * MAXERROR_GROWTH).ceil() as u64;
        let error = self.kernel.saturating_add(self.told.moved).saturating_add(grown);
        let kernel = (self.kernel != NONE).then_some(error);
        WallInterval::around(now, tracking, kernel, since, self.told.state(clock.is_counted()))
    }
}

/// The hypervisor's marker.
fn marker<M: Machine>(clock: &Clock<M>) -> u64 {
    clock.machine().disruption().unwrap_or(NONE)
}

/// Makes the line that begins now.
fn look<M: Machine>(clock: &Clock<M>, before: Option<Line>) -> Option<Line> {
    // The clock itself is also updated, because its rate is used at first. This also chooses a
    // source if there is none yet: if the counter is forbidden, the system's clocks are read in
    // another way, and only the choice determines which.
    clock.check_if_due();
    let known = clock.known();
    let plain = known.scale;
    let marker = marker(clock);
    let sample = meet(clock, TRIES, 0)?;
    let mut told = Told::default();
    let (from, ratio) = match before {
        None => (sample, 1.0),
        Some(line @ Line { from, last, ratio, scale, marker: marked, told: so_far, .. }) => {
            let passed = scale.ns(sample.ticks.saturating_sub(last.ticks));
            let expected = last.middle().saturating_add(passed);
            let moved = sample.middle().abs_diff(expected).saturating_add(line.hidden(passed));
            let span = so_far.span.saturating_add(passed);
            told = Told { since: so_far.since.saturating_add(moved), span, ..so_far };
            let moved_on = marked != NONE && marked != marker;
            if moved_on || !clock.undisturbed_since(Ticks(last.ticks)) {
                told.disrupted = PENDING;
            }
            let span = plain.ns(sample.ticks.saturating_sub(from.ticks));
            let smooth = slewed(&last, &sample, plain).is_some();
            match slewed(&from, &sample, plain).filter(|_| smooth) {
                // A step: the rate stays what it was, from the new time on.
                None => {
                    told.disrupted = PENDING;
                    (sample, ratio)
                }
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
        told,
        marker,
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
