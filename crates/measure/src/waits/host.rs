//! What a waiting thread needs from its machine. [`Thread`] is a thread of this machine; the thread
//! of the simulation runs in simulated time, so that the whole path from a wait to a row of the
//! report can be tested without waiting.
//!
//! [`Clocks`] reads both clocks around a wait: the ruler, and the clock that timers run on.

use super::meanwhile::Gaps;
use crate::engine::Ruler;
use crate::engine::machine::{Gauges, Look};
use crate::engine::ruler::{Bench, Bracket, RulerKind};
use crate::runtimes::waiting::{Key, Remote, Waiters};
use chronoscope::counter;
use chronoscope_model::waits::{Policy, Throttled};
use chronoscope_probes::machine::power::Meter;
use chronoscope_probes::machine::quota::Quota;
use chronoscope_probes::waits::{Entry, Method, Setting, Unavailable, os};
use std::sync::Arc;
use std::time::Duration;

/// An opened method.
pub(super) enum Opened {
    /// The calling thread waits.
    Here(Box<dyn Method>),
    /// The process of a runtime waits.
    There(Box<Remote>),
}

pub(super) trait Waiting {
    /// Prepares a method.
    ///
    /// # Errors
    /// The reason why the method cannot be used.
    fn open(&mut self, entry: &'static Entry) -> Result<Box<dyn Method>, Unavailable>;

    /// Starts the process of a runtime's method, which inherits what is set for this thread, but
    /// for a real-time policy: the thread that waits is then given that.
    ///
    /// # Errors
    /// The reason why the method cannot be used.
    fn open_there(
        &mut self,
        entry: &'static Entry,
        _policy: Option<Policy>,
        _real_time: Option<os::Scheduling>,
    ) -> Result<Remote, Unavailable> {
        Err(Unavailable(format!("no process waits for {}", entry.id)))
    }

    /// Reads the clock that timers run on, between two fenced readings of the ruler.
    fn bracket(&mut self) -> Bracket;

    /// Reads the ruler at the start of a wait. The read is not fenced, because a fence would make
    /// every sample slower by half a read. The processor may read the ruler while it is still
    /// recording the previous sample, some 10 ns early, so a wait may look that much longer, but
    /// never shorter.
    fn before(&mut self) -> u64;

    /// Reads the ruler at the end of a wait, after everything before it has completed.
    fn after(&mut self) -> u64;

    /// Reads the clock that timers run on, in nanoseconds.
    fn clock(&mut self) -> u64;

    /// The tick of the clock that timers run on, in nanoseconds.
    fn step(&self) -> u64;

    /// Returns why the process could not run at some time within the last `ns` nanoseconds, if so.
    fn gap(&mut self, _ns: i64) -> Option<&'static str> {
        None
    }

    /// Measures the time of an independent addition, as a share of a dependent one, which shows a
    /// neighbour on this core; `None` if unknown.
    fn width(&mut self) -> Option<f64> {
        None
    }

    /// The CPU that the thread runs on, if known.
    fn cpu(&mut self) -> Option<usize> {
        None
    }

    /// The CPU time of the thread, in nanoseconds, if known.
    fn cpu_time(&mut self) -> Option<u64>;

    /// Context switches of the thread, voluntary and involuntary, if known.
    fn switches(&mut self) -> Option<(u64, u64)>;

    /// The timer slack in effect, if the system has any.
    fn slack(&mut self) -> Option<u64>;

    /// Leaves the CPU alone for `ns` nanoseconds, so that it reaches the state that it has when
    /// idle.
    fn settle(&mut self, ns: u64);

    /// The time that a CPU quota has throttled so far, if there is a quota.
    fn throttled(&mut self) -> Option<Throttled> {
        None
    }

    /// The energy that the machine has used, in microjoules, if it counts that.
    fn energy_uj(&mut self) -> Option<f64> {
        None
    }

    /// Asks the scheduler for a slice of this many nanoseconds, or, with `None`, for the slice that
    /// the thread was started with. Returns the slice in effect, if the system reports it.
    ///
    /// # Errors
    /// The reason why the slice cannot be set.
    fn set_slice(&mut self, slice: Option<u64>) -> Result<Option<u64>, Unavailable>;

    /// Schedules the thread in another way, or with `None` as an ordinary one.
    ///
    /// # Errors
    /// The reason why it cannot be scheduled so.
    fn set_policy(&mut self, _asked: Option<os::Scheduling>) -> Result<(), Unavailable> {
        Ok(())
    }

    /// Sets the timer slack; 0 restores the slack that the thread was started with.
    ///
    /// # Errors
    /// The reason why the slack cannot be set.
    fn set_slack(&mut self, ns: u64) -> Result<(), Unavailable>;
}

/// Converts ticks of the ruler to nanoseconds, with the uncertainty of a reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Nanoseconds per tick, times 2^32. A multiplication and a shift take a third of the time of a
    /// conversion to floating point and back, with an error below one part in 10^9.
    factor: i64,
    /// The share by which a wait may seem short by the ruler without being short.
    tolerance: f64,
}

impl Scale {
    /// The scale of a calibrated ruler.
    pub(super) fn of(ruler: &Ruler) -> Self {
        Self::new(ruler.hz(), ruler.error_ppm * 1e-6 + ruler.slew)
    }

    pub(super) fn new(hz: f64, tolerance: f64) -> Self {
        Self { factor: (1e9 / hz * (1u64 << 32) as f64) as i64, tolerance }
    }

    /// Converts ticks to nanoseconds. The result is signed, so that a counter that went back shows
    /// as an early wake rather than as centuries.
    #[inline]
    pub(super) fn ns(self, ticks: u64) -> i64 {
        ((i128::from(ticks as i64) * i128::from(self.factor)) >> 32) as i64
    }

    /// How much shorter than `ns` a wait may seem by the ruler because of its rate, in nanoseconds.
    pub(super) fn tolerance_ns(self, ns: u64) -> i64 {
        (self.tolerance * ns as f64).ceil() as i64
    }
}

pub(super) struct Thread {
    ruler: RulerKind,
    setting: Setting,
    gaps: Arc<Gaps>,
    gauges: Option<(Gauges, Bench)>,
    quota: Option<Arc<Quota>>,
    meter: Option<Meter>,
    /// The thread's original slice, while another one is in effect.
    own_slice: Option<u64>,
    waiters: Arc<Waiters>,
    cpu: Option<usize>,
}

impl Thread {
    /// `gauged`: whether to check for a neighbour on the thread's core, which is that of `cpu`.
    pub(super) fn new(
        ruler: &Ruler,
        gaps: Arc<Gaps>,
        gauged: bool,
        (quota, meter): (Option<Arc<Quota>>, Option<Meter>),
        (waiters, cpu): (Arc<Waiters>, Option<usize>),
    ) -> Self {
        let gauges = Gauges::here().filter(|_| gauged);
        Self {
            gauges: gauges.map(|gauges| (gauges, Bench::new(ruler.kind()))),
            ruler: ruler.kind(),
            setting: Setting { counter_hz: ruler.hz() },
            gaps,
            quota,
            meter,
            own_slice: None,
            waiters,
            cpu,
        }
    }
}

impl Waiting for Thread {
    fn open(&mut self, entry: &'static Entry) -> Result<Box<dyn Method>, Unavailable> {
        entry.open(&self.setting)
    }

    fn open_there(
        &mut self,
        entry: &'static Entry,
        policy: Option<Policy>,
        real_time: Option<os::Scheduling>,
    ) -> Result<Remote, Unavailable> {
        let key = Key { policy, ..Key::of(entry, self.cpu, os::slack(), os::slice()) };
        self.waiters.open(entry, key, real_time).map_err(Unavailable)
    }

    #[inline]
    fn bracket(&mut self) -> Bracket {
        let (before, value) = (self.ruler.start(), os::monotonic());
        Bracket { before, value, after: self.ruler.stop() }
    }

    #[inline]
    fn before(&mut self) -> u64 {
        match self.ruler {
            RulerKind::System => self.ruler.start(),
            RulerKind::Counter | RulerKind::CounterStartOnly => counter::now(),
        }
    }

    #[inline]
    fn after(&mut self) -> u64 {
        match self.ruler {
            RulerKind::System => self.ruler.stop(),
            RulerKind::Counter | RulerKind::CounterStartOnly => counter::now_ordered(),
        }
    }

    #[inline]
    fn clock(&mut self) -> u64 {
        os::monotonic()
    }

    fn step(&self) -> u64 {
        os::step()
    }

    fn gap(&mut self, ns: i64) -> Option<&'static str> {
        self.gaps.since(ns)
    }

    fn width(&mut self) -> Option<f64> {
        let (gauges, bench) = self.gauges.as_mut()?;
        Look::now(|what| Some(gauges.time(bench, what)), 0.0).width
    }

    fn cpu(&mut self) -> Option<usize> {
        chronoscope_probes::machine::noise::current_cpu()
    }

    fn cpu_time(&mut self) -> Option<u64> {
        os::thread_cpu()
    }

    fn switches(&mut self) -> Option<(u64, u64)> {
        os::switches()
    }

    fn slack(&mut self) -> Option<u64> {
        os::slack()
    }

    fn settle(&mut self, ns: u64) {
        chronoscope_probes::time::sleep(Duration::from_nanos(ns));
    }

    fn throttled(&mut self) -> Option<Throttled> {
        self.quota.as_ref().map(|quota| quota.throttled())
    }

    fn energy_uj(&mut self) -> Option<f64> {
        self.meter.as_mut()?.total_uj()
    }

    fn set_slice(&mut self, slice: Option<u64>) -> Result<Option<u64>, Unavailable> {
        let own = self.own_slice.take();
        let Some(wanted) = slice.or(own) else {
            return Ok(None);
        };
        if slice.is_some() {
            self.own_slice = own.or_else(os::slice);
        }
        os::set_slice(wanted)?;
        Ok(os::slice())
    }

    fn set_policy(&mut self, asked: Option<os::Scheduling>) -> Result<(), Unavailable> {
        match asked {
            Some(asked) => os::set_policy(asked),
            None => {
                os::end_fifo();
                Ok(())
            }
        }
    }

    fn set_slack(&mut self, ns: u64) -> Result<(), Unavailable> {
        os::set_slack(ns)
    }
}

/// The values of both clocks at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    ticks: u64,
    pub(super) clock: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    scale: Scale,
    /// How much shorter than requested a wait may seem by the system's clock without being early:
    /// [`READING`], plus a tick of that clock at either end.
    pub(super) reading: i64,
}

/// The uncertainty of a reading itself, in nanoseconds: two reads of the system's clock and one of
/// the ruler lie between the ends of a wait by the two clocks.
const READING: i64 = 100;

/// How long the ruler may extrapolate a pair, in nanoseconds: for the time that recording a sample
/// takes, but not across an interruption.
const FRESH_NS: i64 = 200;

impl Clocks {
    /// `step` is the tick of the clock that timers run on.
    pub(super) fn new(scale: Scale, step: u64) -> Self {
        Self { scale, reading: READING + 2 * i64::try_from(step).unwrap_or(i64::MAX / 4) }
    }

    /// How much shorter than `ns` a wait may seem by the ruler without being early.
    pub(super) fn tolerance_ns(self, ns: u64) -> i64 {
        self.reading + self.scale.tolerance_ns(ns)
    }

    /// Reads both clocks now, and keeps the tighter of two tries.
    pub(super) fn pair(self, host: &mut impl Waiting) -> Pair {
        let (first, second) = (host.bracket(), host.bracket());
        let tighter = if first.width() < second.width() { first } else { second };
        Pair { ticks: tighter.middle(), clock: tighter.value }
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
