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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticks(pub u64);

/// An elapsed time and how far it can be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The time, in nanoseconds.
    pub ns: u64,
    /// The error is at most this many nanoseconds, held against the system's clock.
    pub bound_ns: u64,
}

/// Somebody has read the clock already, so its source stands.
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
    pub const fn on(machine: M) -> Self {
        Self {
            mode: AtomicU8::new(UNSET),
            multiplier: AtomicU64::new(Scale::NANOSECOND.multiplier()),
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
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// Reads the clock at the cost of one instruction, unordered with those around it.
    ///
    /// A read can so be earlier than a value that another thread published before; see
    /// [`Clock::now_ordered`].
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        if self.mode.load(Ordering::Acquire) & COUNTER != 0 {
            Ticks(self.machine.ticks())
        } else {
            self.now_otherwise()
        }
    }

    /// Reads the clock after all earlier instructions of this thread.
    #[inline(always)]
    pub fn now_ordered(&self) -> Ticks {
        if self.mode.load(Ordering::Acquire) & COUNTER != 0 {
            Ticks(self.machine.ticks_ordered())
        } else {
            self.now_otherwise()
        }
    }

    /// Reads the clock at the start of a timed region: nothing of the region begins before it.
    #[inline(always)]
    pub fn start(&self) -> Ticks {
        if self.mode.load(Ordering::Acquire) & COUNTER != 0 {
            Ticks(self.machine.ticks_start())
        } else {
            self.now_otherwise()
        }
    }

    /// Reads the clock at the end of a timed region: all of the region is done before it.
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
    #[inline(always)]
    pub fn ns_between(&self, earlier: Ticks, later: Ticks) -> u64 {
        let ticks = later.0.wrapping_sub(earlier.0);
        // One test for all that is rare: moments in the wrong order, which wrap, and spans whose
        // nanoseconds might not fit.
        if ticks >> SHIFT == 0 {
            self.rate().ns_short(ticks)
        } else {
            self.ns_rare(earlier, later)
        }
    }

    #[cold]
    #[inline(never)]
    fn ns_rare(&self, earlier: Ticks, later: Ticks) -> u64 {
        self.rate().ns(later.0.saturating_sub(earlier.0))
    }

    /// The time from one read to a later one; zero if it is not later.
    #[inline(always)]
    pub fn between(&self, earlier: Ticks, later: Ticks) -> Duration {
        duration(self.ns_between(earlier, later))
    }

    /// The time from one read to a later one, with a bound of its error.
    ///
    /// The bound holds as long as nothing has happened between the two that
    /// [`Clock::undisturbed_since`] tells.
    pub fn between_bounded(&self, earlier: Ticks, later: Ticks) -> Bounded {
        let [multiplier, relative, ..] = self.shared.0.read();
        let scale = Scale::from_atomic(multiplier);
        let ns = scale.ns(later.0.saturating_sub(earlier.0));
        // A read at tick k happened anywhere up to k + 1; both ends round; one more for the
        // nanosecond that the conversion cuts off.
        let rounding = scale.ns_per_tick().ceil() + 1.0;
        let bound_ns = (ns as f64 * f64::from_bits(relative) + rounding).ceil() as u64;
        Bounded { ns, bound_ns }
    }

    /// How far the rate can be off, relative to it.
    pub(crate) fn rate_bound(&self) -> f64 {
        let [_, relative] = self.shared.0.read_first();
        f64::from_bits(relative)
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
    pub fn after(&self, ticks: Ticks, time: Duration) -> Option<Ticks> {
        ticks.0.checked_add(self.ticks_in(time)?).map(Ticks)
    }

    /// The moment `time` before another; `None` if that is before the first tick.
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
