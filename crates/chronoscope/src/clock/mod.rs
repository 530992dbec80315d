//! A counter with its calibration, or the operating system's clock in its place.
//!
//! What a header in another language needs to read the clock by itself.
//!
//! A thread that maintains the calibration.

mod check;
mod first;
mod known;
mod state;

use crate::choose::Source;
use crate::convert::Scale;
use crate::machine::{Machine, Native, Wanted};
use crate::publish::Published;
use crate::sync::AtomicU64;
use crate::sys::process;
pub use check::Synced;
pub use known::Description;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

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
/// let elapsed = chronoscope::Instant::now_ordered().elapsed_bounded();
/// println!("{} ± {} ns of {}", elapsed.ns, elapsed.bound_ns, elapsed.clock);
/// if elapsed.disturbed {
///     println!("the counter jumped or changed its rate meanwhile, so the bound does not hold");
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Bounded {
    /// The time, in nanoseconds.
    pub ns: u64,
    /// The error is at most this many nanoseconds, relative to [`Bounded::clock`]. It includes one
    /// event between every two checks that they cannot notice: a jump, or a change of the rate,
    /// that moves the counter by less than the uncertainty of both. If that is 0.1 us, a change of
    /// 1 ppm cannot be noticed until 0.1 s after it, and one of 10 ppm until 10 ms after it.
    pub bound_ns: u64,
    /// Whether something was noticed since the earlier moment that no rate explains: a jump, a
    /// change of the rate, a drift. The bound then does not hold.
    pub disturbed: bool,
    /// For how long before the later moment there was no check, in nanoseconds by this clock; zero
    /// if there was one after it. The bound does not cover what happened after that check, such as
    /// a counter that was set back, which makes this too short; nor a change of the rate shortly
    /// before it that the check could not notice yet.
    pub unchecked_ns: u64,
    /// The clock that the bound refers to.
    pub clock: &'static str,
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
        write!(f, "the clock has already been read, and its source is {:?}", self.0)
    }
}

impl std::error::Error for AlreadyChosen {}

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
#[repr(align(64))]
pub struct Clock<M: Machine = Native> {
    // These are read on every path and written a few times in the life of a process; the alignment
    // keeps them off cache lines that others write.
    mode: AtomicU8,
    multiplier: AtomicU64,
    /// Shorter spans, in ticks, are converted without a look at anything else; zero until a source
    /// is chosen.
    limit: AtomicU64,
    /// The counter at the last check.
    checked: AtomicU64,
    /// The step in which the source advances, in ticks.
    step: AtomicU64,
    /// A [`state::Choice`]; everything above follows from it and from the state.
    choice: AtomicU64,
    machine: M,
    state: Published<{ state::WORDS }, SLOTS>,
}

/// One fewer threads than this can publish a calibration at the same moment; that of others is
/// dropped, because the ones published are as good.
const SLOTS: usize = 8;

/// The longest span that is converted without a check: in ticks, so that its nanoseconds always fit
/// into 64 bits.
const NO_LIMIT: u64 = 1 << crate::convert::SHIFT;

impl<M: Machine + std::fmt::Debug> std::fmt::Debug for Clock<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clock")
            .field("machine", &self.machine)
            .field("mode", &self.mode)
            .field("multiplier", &self.multiplier)
            .finish_non_exhaustive()
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
    #[must_use]
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
            multiplier: AtomicU64::new(0),
            limit: AtomicU64::new(0),
            checked: AtomicU64::new(0),
            step: AtomicU64::new(1),
            choice: AtomicU64::new(0),
            machine,
            state: Published::zero(),
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
    #[must_use]
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// Reads the clock, not ordered with the surrounding instructions, at the cost of the one that
    /// reads the counter: the two loads and the branch before it overlap with it.
    ///
    /// A read can therefore be earlier than a value that another thread published before it: in
    /// runs of 10^8 hand-overs, in 3 to 1,048,171 of them on AMD EPYCs, by up to 380 ns, and in 0
    /// to 3 of them on Intel Xeons. [`Clock::now_ordered`] does not have this effect.
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

    /// What a read of the counter returns, if it may be made in the way of this bit. A library for
    /// C must not be cancelled in what it calls otherwise.
    #[doc(hidden)]
    #[inline(always)]
    pub fn if_counted<T>(&self, way: u8, read: impl FnOnce(&M) -> T) -> Option<T> {
        let counted = self.mode.load(Ordering::Acquire) & way != 0;
        counted.then(|| read(&self.machine))
    }

    /// Whether the counter is read.
    #[inline]
    pub(crate) fn is_counted(&self) -> bool {
        self.mode.load(Ordering::Acquire) & COUNTER != 0
    }

    /// Reads the clock after all earlier instructions of this thread. A value that another thread
    /// has handed over is then never larger, as long as the counters of the two CPUs differ by less
    /// than the hand-over takes.
    ///
    /// 0 of 2·10^9 hand-overs went back, but in one run of twelve on a virtual AMD EPYC (family
    /// 26), 71 of 188,998 did, by 0.8 ns: there, the counters of two CPUs can be a part of a step
    /// of 10 ns apart, and not always by the same. `chronoscope trust` shows whether a machine does
    /// it.
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
                let known = self.known();
                let (ticks, ns) = known.takeover;
                let since = self.machine.reference().saturating_sub(ns);
                let since = known.scale.ticks(since).unwrap_or(u64::MAX);
                Ticks(ticks.saturating_add(since))
            }
        }
    }

    /// The mode, after making the choice if there was none yet.
    fn chosen_mode(&self) -> u8 {
        match self.mode.load(Ordering::Acquire) {
            UNSET => {
                first::choose(self, None);
                self.mode.load(Ordering::Acquire)
            }
            mode => mode,
        }
    }

    /// Chooses the source now, as the caller wishes rather than as
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
        if first::choose(self, Some(wanted)) {
            Ok(())
        } else {
            Err(AlreadyChosen(self.known().source))
        }
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
    /// Before a long span is converted, the clock is checked as by [`Clock::sync`] unless that was
    /// done recently: a span is long if it is longer than the rate has been observed, or a second.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let (start, stop) = (clock.start(), clock.stop());
    /// println!("{} ns", clock.ns_between(start, stop));
    /// assert_eq!(clock.ns_between(stop, stop), 0);
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn ns_between(&self, earlier: Ticks, later: Ticks) -> u64 {
        // The rare cases are moments in the wrong order, long spans, and a clock without a source.
        // A single test cannot cover all of them, because a moment near the last possible one would
        // wrap to a short span.
        match self.ns_at_once(earlier, later) {
            Some(ns) => ns,
            None => self.ns_rare(earlier, later),
        }
    }

    /// What [`Clock::ns_between`] returns if that takes no call; for `chronoscope-capi`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn ns_at_once(&self, earlier: Ticks, later: Ticks) -> Option<u64> {
        let ticks = later.0.checked_sub(earlier.0)?;
        (ticks < self.limit.load(Ordering::Relaxed)).then(|| self.rate().ns_short(ticks))
    }

    #[cold]
    #[inline(never)]
    fn ns_rare(&self, earlier: Ticks, later: Ticks) -> u64 {
        self.check_if_due();
        self.rate().ns(later.0.saturating_sub(earlier.0))
    }

    /// Returns the nanoseconds since a read; zero if that is in the future.
    ///
    /// If the present is earlier than the read, the system's clock decides whether the counter went
    /// back; if so, it takes the counter's place.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.now();
    /// println!("{} ns", clock.ns_since(start));
    /// ```
    #[inline(always)]
    pub fn ns_since(&self, earlier: Ticks) -> u64 {
        // Everything rare is one call, after which there is nothing to do: a caller that inlines
        // this has nothing to save for it.
        if self.mode.load(Ordering::Acquire) & COUNTER != 0 {
            match self.machine.ticks().checked_sub(earlier.0) {
                Some(ticks) if ticks < self.limit.load(Ordering::Relaxed) => {
                    return self.rate().ns_short(ticks);
                }
                _ => {}
            }
        }
        self.since_rare(earlier)
    }

    #[cold]
    #[inline(never)]
    fn since_rare(&self, earlier: Ticks) -> u64 {
        self.check_if_due();
        // Read again: if the counter is broken, another clock is read by now.
        let now = self.now_ordered();
        self.rate().ns(now.0.saturating_sub(earlier.0))
    }

    /// Returns the time from one read to a later one; zero if it is not later.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let (start, stop) = (clock.start(), clock.stop());
    /// println!("{:?}", clock.between(start, stop));
    /// assert!(clock.between(stop, stop).is_zero());
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn between(&self, earlier: Ticks, later: Ticks) -> Duration {
        duration(self.ns_between(earlier, later))
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
    #[must_use]
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
    #[must_use]
    pub fn before(&self, ticks: Ticks, time: Duration) -> Option<Ticks> {
        ticks.0.checked_sub(self.ticks_in(time)?).map(Ticks)
    }

    fn ticks_in(&self, time: Duration) -> Option<u64> {
        let ticks = self.scale().ticks(u64::try_from(time.as_nanos()).ok()?)?;
        if ticks < self.limit.load(Ordering::Relaxed) {
            return Some(ticks);
        }
        self.check_if_due();
        self.rate().ticks(time.as_nanos() as u64)
    }
}

/// A duration of `ns` nanoseconds. Most are below a second, and so avoid the division.
#[inline(always)]
pub(crate) fn duration(ns: u64) -> Duration {
    if ns < 1_000_000_000 { Duration::new(0, ns as u32) } else { Duration::from_nanos(ns) }
}

impl Clock {
    /// The bit of [`Clock::mode_byte`] that allows reading the counter.
    #[doc(hidden)]
    pub const READS_COUNTER: u8 = COUNTER;

    /// The bit that allows reading it with the instruction for the end of a region.
    #[doc(hidden)]
    pub const READS_STOP: u8 = STOP;

    /// What decides how each read is done. It is for `chronoscope-capi`, whose inline reads check
    /// the same byte as the library's own, so that they never disagree about the source.
    #[doc(hidden)]
    pub fn mode_byte(&self) -> &AtomicU8 {
        &self.mode
    }
}

/// The shortest period of a keeper. A bound shrinks with the time it spans, not with the number of
/// checks, and a thousand checks per second take a thousandth of a CPU.
const SHORTEST_PERIOD: Duration = Duration::from_millis(1);

impl Clock {
    /// Starts a thread that calls [`Clock::sync`] every `period` until the keeper is dropped.
    ///
    /// A period below a millisecond is raised to one: the bound shrinks with the time observed, not
    /// with the number of checks. The thread first calls [`Clock::calibrate`].
    ///
    /// A forked child does not have the thread. Its copy of the keeper does nothing when dropped,
    /// and [`Keeper::is_alone`] returns `true`.
    ///
    /// # Errors
    /// The thread could not be started.
    ///
    /// ```
    /// use std::time::Duration;
    /// let keeper = chronoscope::Clock::global().keep(Duration::from_secs(1))?;
    /// drop(keeper);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn keep(&'static self, period: Duration) -> std::io::Result<Keeper> {
        let period = period.max(SHORTEST_PERIOD);
        let (stop, stopped) = mpsc::sync_channel(0);
        let thread = std::thread::Builder::new().name("chronoscope".into()).spawn(move || {
            self.calibrate();
            // Without a counter there is nothing to check, and where it is forbidden a wait with a
            // limit would read it.
            while self.is_counted() {
                if stopped.recv_timeout(period) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                self.sync();
            }
            // It ends without a message.
            let _ = stopped.recv();
        })?;
        Ok(Keeper { process: process::number(), running: Some((stop, thread)) })
    }
}

/// A background calibration, which ends when this is dropped.
///
/// ```
/// use chronoscope::{Clock, Keeper};
/// use std::time::Duration;
/// struct Server {
///     _keeper: Keeper,
/// }
/// let keeper = Clock::global().keep(Duration::from_secs(10))?;
/// let server = Server { _keeper: keeper };
/// // The clock is kept calibrated as long as the server lives.
/// drop(server);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "the calibration ends as soon as the keeper is dropped"]
pub struct Keeper {
    /// The process that has the thread.
    process: u64,
    running: Option<(SyncSender<()>, JoinHandle<()>)>,
}

impl Keeper {
    /// Whether this is the copy of a keeper in a forked child, which does not have its thread.
    ///
    /// ```
    /// use std::time::Duration;
    /// let keeper = chronoscope::Clock::global().keep(Duration::from_secs(1))?;
    /// assert!(!keeper.is_alone());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn is_alone(&self) -> bool {
        self.process != process::number()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let running = self.running.take();
        // In a forked child there is no thread to end, and what it held must not be touched: it may
        // have been in the middle of something when the process was forked.
        if self.is_alone() {
            std::mem::forget(running);
            return;
        }
        if let Some((stop, thread)) = running {
            // Without a sender, the thread's wait ends at once.
            drop(stop);
            // A panic in that thread does not matter here: the calibration is as it was.
            let _ = thread.join();
        }
    }
}
