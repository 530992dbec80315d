//! A counter with its calibration, or the operating system's clock in its place.

mod describe;
mod first;
mod foreign;
mod keep;

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use describe::Description;
pub use keep::{Keeper, Synced};

use crate::calibrate::Estimator;
use crate::choose::Source;
use crate::convert::{SHIFT, Scale};
use crate::machine::{Machine, Native, Wanted};
use crate::seqlock::SeqLock;

/// The source has not been chosen yet.
const UNSET: u8 = 0;
/// The counter may be read.
const COUNTER: u8 = 1;
/// It may be read at the end of a region by an instruction of its own.
const STOP: u8 = 2;
/// The system's clock is read, and a tick is a nanosecond.
const OS: u8 = 4;
/// The system's clock is read, in the units and from the value at which the counter was given up.
const OS_INSTEAD: u8 = 8;

/// What [`Clock::now`] reads: ticks of that clock, comparable only with ticks of the same clock.
///
/// ```
/// use chronoscope::{Clock, Ticks};
/// let clock = Clock::global();
/// let start = clock.now();
/// let later = Ticks(start.0 + 1000);
/// println!("1000 ticks are {} ns", clock.ns_between(start, later));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticks(pub u64);

/// An elapsed time and how far it can be off.
///
/// ```
/// let elapsed = chronoscope::Instant::now().elapsed_bounded();
/// println!("{} ± {} ns", elapsed.ns, elapsed.bound_ns);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The time, in nanoseconds.
    pub ns: u64,
    /// The error is at most this many nanoseconds, held against the system's clock.
    pub bound_ns: u64,
}

/// Somebody has read the clock already, so its source stands.
///
/// ```
/// use chronoscope::{AlreadyChosen, Clock, Wanted};
/// let clock = Clock::new();
/// clock.now();
/// let AlreadyChosen(source) = clock.choose(Wanted::Os).unwrap_err();
/// assert_eq!(source, clock.describe().source);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadyChosen(
    /// What it is.
    pub Source,
);

impl std::fmt::Display for AlreadyChosen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the clock has been read before, and its source is {:?}",
            self.0
        )
    }
}

impl std::error::Error for AlreadyChosen {}

/// What only the calibration needs, behind a lock that no read of the clock ever takes.
#[derive(Debug)]
struct State {
    estimator: Estimator,
    source: Source,
    reason: String,
    hint: Option<&'static str>,
    wanted: Option<Wanted>,
    kernel_uses_it: bool,
    rejected: u64,
    jumps: u64,
    rate_changes: u64,
    /// The counter when something last happened that no rate explains.
    disturbed: Option<Ticks>,
    /// What the last look could not tell.
    doubt: Option<keep::Doubt>,
}

/// A source of time: which one is chosen at the first read.
///
/// Most programs want [`Instant`](crate::Instant), which reads [`Clock::global`]. A clock of one's
/// own has its own calibration and can be forced to a source.
///
/// ```
/// use chronoscope::{Clock, Wanted};
/// let clock = Clock::new();
/// clock.choose(Wanted::Os)?;
/// let start = clock.now();
/// assert!(clock.ns_between(start, clock.now()) < 3_600_000_000_000);
/// # Ok::<(), chronoscope::AlreadyChosen>(())
/// ```
#[derive(Debug)]
#[repr(align(64))]
pub struct Clock<M: Machine = Native> {
    // Both are read on every path and written a few times in the life of a process; the alignment
    // keeps them off the lines that others write.
    mode: AtomicU8,
    multiplier: AtomicU64,
    /// By how many ticks what is read advances at once.
    step: AtomicU64,
    machine: M,
    shared: Published,
    state: Mutex<State>,
}

/// Multiplier, bound of the rate (bits of an f64, relative), and where the system's clock took
/// over: ticks, and nanoseconds of the reference.
struct Published(SeqLock<4>);

impl std::fmt::Debug for Published {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Published").field(&self.0.read()).finish()
    }
}

static GLOBAL: Clock = Clock::new();

impl Clock {
    /// A clock of this machine.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// static CLOCK: Clock = Clock::new();
    /// println!("{}", CLOCK.describe());
    /// ```
    pub const fn new() -> Self {
        Self::on(Native)
    }

    /// The clock behind [`Instant`](crate::Instant).
    ///
    /// ```
    /// println!("{}", chronoscope::Clock::global().describe());
    /// ```
    #[inline(always)]
    pub fn global() -> &'static Clock {
        &GLOBAL
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Machine> Clock<M> {
    /// A clock of a machine of the caller's making.
    ///
    /// ```
    /// use chronoscope::{Clock, machine::Native};
    /// let clock = Clock::on(Native);
    /// println!("{:?}", clock.now());
    /// ```
    pub const fn on(machine: M) -> Self {
        Self {
            mode: AtomicU8::new(UNSET),
            multiplier: AtomicU64::new(Scale::NANOSECOND.multiplier()),
            step: AtomicU64::new(1),
            machine,
            shared: Published(SeqLock::new(
                AtomicU64::new(0),
                [
                    AtomicU64::new(Scale::NANOSECOND.multiplier()),
                    AtomicU64::new(0),
                    AtomicU64::new(0),
                    AtomicU64::new(0),
                ],
            )),
            state: Mutex::new(State {
                estimator: Estimator::EMPTY,
                source: Source::Os,
                reason: String::new(),
                hint: None,
                wanted: None,
                kernel_uses_it: false,
                rejected: 0,
                jumps: 0,
                rate_changes: 0,
                disturbed: None,
                doubt: None,
            }),
        }
    }

    /// The machine this clock reads.
    ///
    /// ```
    /// use chronoscope::{Clock, machine::Machine};
    /// let clock = Clock::new();
    /// clock.now();
    /// println!("{} ns by the system's clock", clock.machine().monotonic());
    /// ```
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// Reads the clock at the cost of one instruction, unordered with those around it.
    ///
    /// A read can so be earlier than a value that another thread published before; see
    /// [`Clock::now_ordered`].
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.now();
    /// println!("{} ns", clock.ns_between(start, clock.now()));
    /// ```
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        if self.mode.load(Ordering::Acquire) & COUNTER != 0 {
            Ticks(self.machine.ticks())
        } else {
            self.now_otherwise()
        }
    }

    /// Reads the clock after all earlier instructions of this thread.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let before = clock.now_ordered();
    /// assert!(clock.now_ordered() >= before);
    /// ```
    #[inline(always)]
    pub fn now_ordered(&self) -> Ticks {
        if self.mode.load(Ordering::Acquire) & COUNTER != 0 {
            Ticks(self.machine.ticks_ordered())
        } else {
            self.now_otherwise()
        }
    }

    /// Reads the clock at the start of a timed region: nothing of the region begins before it.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.start();
    /// let sum: u64 = std::hint::black_box((0..100).sum());
    /// println!("{sum} took {} ns", clock.ns_between(start, clock.stop()));
    /// ```
    #[inline(always)]
    pub fn start(&self) -> Ticks {
        if self.mode.load(Ordering::Acquire) & COUNTER != 0 {
            Ticks(self.machine.ticks_start())
        } else {
            self.now_otherwise()
        }
    }

    /// Reads the clock at the end of a timed region: all of the region is done before it.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let (start, stop) = (clock.start(), clock.stop());
    /// assert!(stop >= start);
    /// ```
    #[inline(always)]
    pub fn stop(&self) -> Ticks {
        if self.mode.load(Ordering::Acquire) & STOP != 0 {
            Ticks(self.machine.ticks_stop())
        } else {
            self.stop_otherwise()
        }
    }

    #[cold]
    #[inline(never)]
    fn stop_otherwise(&self) -> Ticks {
        self.start()
    }

    /// The first read, and every read of a system's clock.
    #[cold]
    #[inline(never)]
    fn now_otherwise(&self) -> Ticks {
        match self.chosen_mode() {
            mode if mode & COUNTER != 0 => Ticks(self.machine.ticks_start()),
            mode if mode & OS != 0 => Ticks(self.machine.monotonic()),
            _ => {
                let [multiplier, _, ticks, ns] = self.shared.0.read();
                let since = self.machine.reference().saturating_sub(ns);
                let since = Scale::from_atomic(multiplier)
                    .ticks(since)
                    .unwrap_or(u64::MAX);
                Ticks(ticks.saturating_add(since))
            }
        }
    }

    /// The mode, after a choice if there was none yet.
    fn chosen_mode(&self) -> u8 {
        match self.mode.load(Ordering::Acquire) {
            UNSET => first::choose(self, &mut self.locked()),
            mode => mode,
        }
    }

    /// A thread that panicked with the lock left numbers that are true on their own.
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Chooses the source now, in under a millisecond, by the caller's wish instead of
    /// `CHRONOSCOPE_SOURCE`.
    ///
    /// [`Wanted::Counter`] is not obeyed where reading the counter would end the process or the
    /// counter does not count; [`Clock::describe`] tells.
    ///
    /// # Errors
    /// [`AlreadyChosen`] when the clock has been read before.
    ///
    /// ```
    /// use chronoscope::{Clock, Source, Wanted};
    /// let clock = Clock::new();
    /// clock.choose(Wanted::Os)?;
    /// assert_eq!(clock.describe().source, Source::Os);
    /// assert!(clock.choose(Wanted::Counter).is_err());
    /// # Ok::<(), chronoscope::AlreadyChosen>(())
    /// ```
    pub fn choose(&self, wanted: Wanted) -> Result<(), AlreadyChosen> {
        let mut state = self.locked();
        if self.mode.load(Ordering::Acquire) != UNSET {
            return Err(AlreadyChosen(state.source));
        }
        state.wanted = Some(wanted);
        first::choose(self, &mut state);
        Ok(())
    }

    /// How long a tick lasts, as known now, choosing a source if there is none yet.
    ///
    /// ```
    /// let scale = chronoscope::Clock::global().scale();
    /// println!("a tick lasts {} ns", scale.ns_per_tick());
    /// ```
    pub fn scale(&self) -> Scale {
        self.chosen_mode();
        self.rate()
    }

    /// As [`Clock::scale`], for whoever has ticks already.
    #[inline(always)]
    fn rate(&self) -> Scale {
        Scale::from_atomic(self.multiplier.load(Ordering::Relaxed))
    }

    /// Nanoseconds from one read to a later one; zero if it is not later.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let (start, stop) = (clock.start(), clock.stop());
    /// println!("{} ns", clock.ns_between(start, stop));
    /// assert_eq!(clock.ns_between(stop, stop), 0);
    /// ```
    #[inline(always)]
    pub fn ns_between(&self, earlier: Ticks, later: Ticks) -> u64 {
        // The rare: moments in the wrong order, and spans whose nanoseconds might not fit. Not one
        // test for both, as a moment near the last there is would wrap to a short span.
        match later.0.checked_sub(earlier.0) {
            Some(ticks) if ticks >> SHIFT == 0 => self.rate().ns_short(ticks),
            _ => self.ns_rare(earlier, later),
        }
    }

    #[cold]
    #[inline(never)]
    fn ns_rare(&self, earlier: Ticks, later: Ticks) -> u64 {
        self.rate().ns(later.0.saturating_sub(earlier.0))
    }

    /// The time from one read to a later one; zero if it is not later.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let (start, stop) = (clock.start(), clock.stop());
    /// println!("{:?}", clock.between(start, stop));
    /// assert!(clock.between(stop, stop).is_zero());
    /// ```
    #[inline(always)]
    pub fn between(&self, earlier: Ticks, later: Ticks) -> Duration {
        duration(self.ns_between(earlier, later))
    }

    /// The time from one read to a later one, with a bound of its error.
    ///
    /// The bound holds as long as nothing has happened between the two that
    /// [`Clock::undisturbed_since`] tells.
    ///
    /// ```
    /// use std::time::Duration;
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.now();
    /// let later = clock.after(start, Duration::from_secs(1)).unwrap();
    /// let told = clock.between_bounded(start, later);
    /// assert!(told.ns.abs_diff(1_000_000_000) <= told.bound_ns);
    /// ```
    pub fn between_bounded(&self, earlier: Ticks, later: Ticks) -> Bounded {
        let (scale, relative) = self.known();
        let ns = scale.ns(later.0.saturating_sub(earlier.0));
        let bound_ns = (ns as f64 * relative).ceil() as u64;
        Bounded {
            ns,
            bound_ns: bound_ns.saturating_add(self.rounding(scale)),
        }
    }

    /// How long a tick lasts and how far that can be off, relative to it. Read together: the bound of
    /// a later rate, which a calibration has made narrower, is none of an earlier.
    pub(crate) fn known(&self) -> (Scale, f64) {
        let [multiplier, relative] = self.shared.0.read_first();
        (Scale::from_atomic(multiplier), f64::from_bits(relative))
    }

    /// By how many ticks what is read advances at once.
    pub(crate) fn step(&self) -> u64 {
        self.step.load(Ordering::Relaxed)
    }

    /// How far a difference of two reads can be off because ticks are whole, in nanoseconds.
    ///
    /// A read at tick k happened anywhere from k to before the next step, so a difference is off by
    /// less than a step to either side; one more for the nanosecond that the conversion cuts off.
    pub(crate) fn rounding(&self, scale: Scale) -> u64 {
        scale.ns(self.step()).saturating_add(2)
    }

    /// How long the rate has been observed; for ever if it need not be.
    pub(crate) fn observed(&self) -> Duration {
        let state = self.locked();
        match state.source {
            Source::Counter => Duration::from_nanos(state.estimator.span()),
            Source::Os | Source::OsInstead => Duration::MAX,
        }
    }

    /// The moment `time` after another; `None` if the ticks do not reach that far.
    ///
    /// Rounded up to a tick, so that it is never before the time has passed.
    ///
    /// ```
    /// use std::time::Duration;
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.now();
    /// let later = clock.after(start, Duration::from_millis(5)).unwrap();
    /// assert!(later > start);
    /// assert_eq!(clock.after(start, Duration::MAX), None);
    /// ```
    pub fn after(&self, ticks: Ticks, time: Duration) -> Option<Ticks> {
        ticks.0.checked_add(self.ticks_in(time)?).map(Ticks)
    }

    /// The moment `time` before another; `None` if that is before the first tick.
    ///
    /// ```
    /// use chronoscope::{Clock, Ticks};
    /// use std::time::Duration;
    /// let clock = Clock::global();
    /// let start = clock.now();
    /// assert!(clock.before(start, Duration::from_nanos(50)).unwrap() < start);
    /// assert_eq!(clock.before(Ticks(0), Duration::from_nanos(50)), None);
    /// ```
    pub fn before(&self, ticks: Ticks, time: Duration) -> Option<Ticks> {
        ticks.0.checked_sub(self.ticks_in(time)?).map(Ticks)
    }

    fn ticks_in(&self, time: Duration) -> Option<u64> {
        self.scale().ticks(u64::try_from(time.as_nanos()).ok()?)
    }
}

/// A duration of so many nanoseconds. Most are below a second, and so spare the division.
#[inline(always)]
pub(crate) fn duration(ns: u64) -> Duration {
    if ns < 1_000_000_000 {
        Duration::new(0, ns as u32)
    } else {
        Duration::from_nanos(ns)
    }
}
