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
/// The end of a region may be read with an instruction of its own.
const STOP: u8 = 2;
/// The system's clock is read, and a tick is a nanosecond.
const OS: u8 = 4;
/// The system's clock is read, in the units of the counter and from the value at which it was given
/// up.
const OS_INSTEAD: u8 = 8;

/// A value read by [`Clock::now`]: ticks of that clock, comparable only with ticks of the same
/// clock.
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
    /// The error is at most this many nanoseconds, relative to the system's clock.
    pub bound_ns: u64,
}

/// The error if the clock has already been read, so that its source is fixed.
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
    /// The source that was chosen.
    pub Source,
);

impl std::fmt::Display for AlreadyChosen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the clock has already been read, and its source is {:?}",
            self.0
        )
    }
}

impl std::error::Error for AlreadyChosen {}

/// State that only the calibration needs, behind a lock that no read of the clock takes.
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
    /// What the last check could not decide.
    doubt: Option<keep::Doubt>,
}

/// A source of time, which is chosen at the first read.
///
/// Most programs want [`Instant`](crate::Instant), which reads [`Clock::global`]. A clock of your
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
    // keeps them off cache lines that others write.
    mode: AtomicU8,
    multiplier: AtomicU64,
    /// The step in which the source advances, in ticks.
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
    /// Makes a clock of this machine.
    ///
    /// ```
    /// use chronoscope::Clock;
    /// static CLOCK: Clock = Clock::new();
    /// println!("{}", CLOCK.describe());
    /// ```
    pub const fn new() -> Self {
        Self::on(Native)
    }

    /// Returns the clock behind [`Instant`](crate::Instant).
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
    /// Makes a clock on a machine of your own.
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

    /// Returns the machine that this clock reads.
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

    /// Reads the clock at the cost of one instruction, not ordered with the surrounding ones.
    ///
    /// A read can therefore be earlier than a value that another thread published before it; see
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

    /// Reads the clock at the start of a timed region: no instruction of the region begins before
    /// it.
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

    /// Reads the clock at the end of a timed region: the whole region has completed before it.
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

    /// The first read, and every read of the system's clock.
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

    /// The mode, after making the choice if there was none yet.
    fn chosen_mode(&self) -> u8 {
        match self.mode.load(Ordering::Acquire) {
            UNSET => first::choose(self, &mut self.locked()),
            mode => mode,
        }
    }

    /// Takes the lock. A thread that panicked while it held the lock left numbers that are each
    /// valid.
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Chooses the source now, in under a millisecond, as the caller wishes rather than as
    /// `CHRONOSCOPE_SOURCE` does.
    ///
    /// [`Wanted::Counter`] has no effect if reading the counter would end the process or the
    /// counter does not count; [`Clock::describe`] shows this.
    ///
    /// # Errors
    /// [`AlreadyChosen`] if the clock has been read before.
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

    /// Returns the length of a tick as known now, choosing a source if there is none yet.
    ///
    /// ```
    /// let scale = chronoscope::Clock::global().scale();
    /// println!("a tick lasts {} ns", scale.ns_per_tick());
    /// ```
    pub fn scale(&self) -> Scale {
        self.chosen_mode();
        self.rate()
    }

    /// As [`Clock::scale`], for callers that already have ticks.
    #[inline(always)]
    fn rate(&self) -> Scale {
        Scale::from_atomic(self.multiplier.load(Ordering::Relaxed))
    }

    /// Returns the nanoseconds from one read to a later one; zero if it is not later.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let (start, stop) = (clock.start(), clock.stop());
    /// println!("{} ns", clock.ns_between(start, stop));
    /// assert_eq!(clock.ns_between(stop, stop), 0);
    /// ```
    #[inline(always)]
    pub fn ns_between(&self, earlier: Ticks, later: Ticks) -> u64 {
        // The rare cases are moments in the wrong order, and spans whose nanoseconds might not fit.
        // A single test cannot cover both, because a moment near the last possible one would wrap
        // to a short span.
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

    /// Returns the time from one read to a later one; zero if it is not later.
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

    /// Returns the time from one read to a later one, with a bound on its error.
    ///
    /// The bound holds as long as nothing has happened between the two reads that
    /// [`Clock::undisturbed_since`] reports.
    ///
    /// ```
    /// use std::time::Duration;
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.now();
    /// let later = clock.after(start, Duration::from_secs(1)).unwrap();
    /// let elapsed = clock.between_bounded(start, later);
    /// assert!(elapsed.ns.abs_diff(1_000_000_000) <= elapsed.bound_ns);
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

    /// The length of a tick and its relative error. They are read together, because the bound of a
    /// later rate, which a calibration has narrowed, does not apply to an earlier rate.
    pub(crate) fn known(&self) -> (Scale, f64) {
        let [multiplier, relative] = self.shared.0.read_first();
        (Scale::from_atomic(multiplier), f64::from_bits(relative))
    }

    /// The step in which the source advances, in ticks.
    pub(crate) fn step(&self) -> u64 {
        self.step.load(Ordering::Relaxed)
    }

    /// How far a difference of two reads can be off because ticks are whole, in nanoseconds.
    ///
    /// A read of tick k happened at any time from k to before the next step, so a difference is off
    /// by less than a step to either side, plus one for the nanosecond that the conversion
    /// truncates.
    pub(crate) fn rounding(&self, scale: Scale) -> u64 {
        scale.ns(self.step()).saturating_add(2)
    }

    /// For how long the rate has been observed; infinite if that is not needed.
    pub(crate) fn observed(&self) -> Duration {
        let state = self.locked();
        match state.source {
            Source::Counter => Duration::from_nanos(state.estimator.span()),
            Source::Os | Source::OsInstead => Duration::MAX,
        }
    }

    /// Returns the moment `time` after another; `None` if the ticks do not reach that far.
    ///
    /// Rounded up to a tick, so the time has always passed at the moment returned.
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

    /// Returns the moment `time` before another; `None` if that is before the first tick.
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

/// A duration of `ns` nanoseconds. Most are below a second, and so avoid the division.
#[inline(always)]
pub(crate) fn duration(ns: u64) -> Duration {
    if ns < 1_000_000_000 {
        Duration::new(0, ns as u32)
    } else {
        Duration::from_nanos(ns)
    }
}
