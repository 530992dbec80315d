//! Differences with a bound, what a clock knows about itself, and its description.

use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::check::{Synced, VERIFY};
use super::state::{Choice, KNOWN, Known, Slack, State, error};
use super::{Bounded, COUNTER, Clock, NO_LIMIT, Ticks};
use crate::calibrate::{Estimator, Rate};
use crate::choose::{Source, ignored};
use crate::convert::Scale;
use crate::machine::{Machine, Name};
use crate::publish::Stamp;

impl<M: Machine> Clock<M> {
    /// Returns the time from one read to a later one, with a bound on its error.
    ///
    /// This only converts: it makes no new check, so what happened after the last one is not known.
    /// [`Clock::bounded_since`] checks first. For reads of several threads, the bound holds if both
    /// were ordered (all but [`Clock::now`]).
    ///
    /// ```
    /// use std::time::Duration;
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.now();
    /// let later = clock.after(start, Duration::from_secs(1)).unwrap();
    /// let elapsed = clock.between_bounded(start, later);
    /// assert!(elapsed.ns.abs_diff(1_000_000_000) <= elapsed.bound_ns);
    /// ```
    #[inline(always)]
    pub fn between_bounded(&self, earlier: Ticks, later: Ticks) -> Bounded {
        let known = self.known();
        let ns = known.scale.ns(later.0.saturating_sub(earlier.0));
        let (clock, unchecked) = match known.source {
            Source::Os => (crate::sys::os::MONOTONIC, 0),
            Source::OsInstead => (crate::sys::os::REFERENCE, 0),
            Source::Counter => (crate::sys::os::REFERENCE, later.0.saturating_sub(known.checked)),
        };
        // One more for the nanosecond by which the error of the rate is truncated. None of this
        // depends on the later read, so nothing waits for it.
        let others = (self.rounding(known.scale).saturating_add(1))
            .saturating_add(known.slack.since(earlier.0));
        Bounded {
            ns,
            bound_ns: known.error.ns(ns).saturating_add(others),
            disturbed: later < earlier || known.is_disturbed_since(earlier),
            unchecked_ns: known.scale.ns(unchecked),
            clock,
        }
    }

    /// Returns the time since a read, with a bound on its error, after a check of the counter
    /// against the system's clock, in about a third of a microsecond.
    ///
    /// The present is read in order. The bound holds unless the result is `disturbed`, provided
    /// that the read was made by this thread, or in order (all but [`Clock::now`]), and that no
    /// event hides another before the next check: a jump can cancel what a change of the rate has
    /// gained.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.start();
    /// let elapsed = clock.bounded_since(start);
    /// println!("{} ± {} ns", elapsed.ns, elapsed.bound_ns);
    /// ```
    #[inline(never)]
    pub fn bounded_since(&self, earlier: Ticks) -> Bounded {
        let now = self.now_ordered();
        // A check of another thread may be older than `now`, and a rejected one shows nothing.
        for _ in 0..3 {
            match self.verify() {
                Synced::Busy | Synced::Rejected => {}
                // A counter may have been given up after it was read, at a value from before.
                Synced::NotNeeded | Synced::GivenUp => {
                    return self.between_bounded(earlier, now.max(self.now_ordered()));
                }
                _ => {
                    let found = self.between_bounded(earlier, now);
                    if found.unchecked_ns == 0 {
                        return found;
                    }
                    // The counter went back between the read and the check.
                }
            }
        }
        Bounded { disturbed: true, ..self.between_bounded(earlier, now) }
    }

    /// As [`Clock::bounded_since`], but without a check if the last one is at most `age` old: it
    /// then costs an ordered read and some ten nanoseconds. [`Bounded::unchecked_ns`] is the
    /// age of the last check, and what it says about the bound applies.
    ///
    /// ```
    /// use std::time::Duration;
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.start();
    /// let elapsed = clock.bounded_since_within(start, Duration::from_millis(10));
    /// println!("{} ± {} ns if nothing has happened", elapsed.ns, elapsed.bound_ns);
    /// ```
    #[inline]
    pub fn bounded_since_within(&self, earlier: Ticks, age: Duration) -> Bounded {
        // A check that is known before the present is read in order was made before it. If the
        // counter says otherwise, it was set back.
        let checked = self.checked.load(Ordering::Acquire);
        let now = self.now_ordered();
        let found = self.between_bounded(earlier, now);
        if now.0 >= checked && u128::from(found.unchecked_ns) <= age.as_nanos() {
            found
        } else {
            self.bounded_since(earlier)
        }
    }

    /// What is known, from one publication: the bound of a later rate, which a calibration has
    /// narrowed, does not apply to an earlier rate. Chooses a source if there is none yet.
    #[inline(always)]
    pub(crate) fn known(&self) -> Known {
        let (stamp, words) = self.state.read_first::<KNOWN>();
        if stamp.is_first() { self.known_at_first() } else { Known::from_words(words) }
    }

    /// What the choice alone says, as long as the thread that made it has not published more.
    #[cold]
    #[inline(never)]
    fn known_at_first(&self) -> Known {
        self.chosen_mode();
        let (stamp, words) = self.state.read_first::<KNOWN>();
        if !stamp.is_first() {
            return Known::from_words(words);
        }
        let choice = self.choice();
        Known {
            scale: choice.scale(),
            error: error(choice.bound()),
            takeover: (0, 0),
            limit: self.limit.load(Ordering::Relaxed),
            checked: 0,
            source: source(choice),
            disturbed: None,
            slack: Slack::default(),
        }
    }

    pub(super) fn choice(&self) -> Choice {
        Choice::from_word(self.choice.load(Ordering::Acquire))
    }

    /// The whole state, from which the next one is made.
    pub(super) fn state(&self) -> (Stamp, State) {
        let (stamp, words) = self.state.read();
        if !stamp.is_first() {
            return (stamp, State::from_words(&words));
        }
        let choice = self.choice();
        let state = State { source: source(choice), reason: choice.reason(), ..State::NEW };
        (stamp, state)
    }

    /// An estimate that begins now, from the rate of the choice alone.
    pub(super) fn estimate_anew(&self, wander: f64) -> Option<Estimator> {
        let choice = self.choice();
        let best = choice.scale().ns_per_tick();
        let off = best * choice.bound();
        let rate = Rate { low: best - off, best, high: best + off };
        let first = super::first::bracket(&self.machine, VERIFY)?;
        Some(Estimator::new(first, rate, wander))
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
        let (_, state) = self.state();
        match state.source {
            Source::Counter => Duration::from_nanos(state.estimator.span()),
            Source::Os | Source::OsInstead => Duration::MAX,
        }
    }

    /// Publishes a state, unless another thread was faster. Returns whether it did.
    pub(super) fn commit(&self, stamp: Stamp, state: &State) -> bool {
        // Every caller has checked the range; if that were ever wrong, the old rate stays.
        let scale = match state.source {
            Source::Os => Scale::NANOSECOND,
            _ => Scale::from_ns_per_tick(state.estimator.rate().best).unwrap_or(self.rate()),
        };
        let words = state.to_words(scale, limit(state, scale));
        let done = self.state.replace(stamp, &words, super::process::number());
        // Even if not: the thread that was faster may not have come to this yet.
        self.follow();
        done
    }

    /// Sets what the fast paths read to what was published last.
    fn follow(&self) {
        self.state.follow::<KNOWN>(|words| {
            let known = Known::from_words(words);
            self.multiplier.store(known.scale.multiplier(), Ordering::Relaxed);
            self.limit.store(known.limit, Ordering::Relaxed);
            self.checked.store(known.checked, Ordering::Relaxed);
            if known.source == Source::OsInstead {
                // A time may begin with a read of the one and end with a read of the other, which
                // is rounded up to a tick.
                let step = known.scale.ticks(self.machine.reference_step()).unwrap_or(1);
                let both = step.saturating_add(self.machine.ticks_step()).saturating_add(1);
                self.step.fetch_max(both, Ordering::Relaxed);
                self.mode.store(super::OS_INSTEAD, Ordering::Release);
            }
        });
    }
}

fn source(choice: Choice) -> Source {
    if choice.mode() & COUNTER != 0 { Source::Counter } else { Source::Os }
}

/// Spans are long if they are longer than the rate has been observed, within these limits.
const LONG: (u64, u64) = (1_000_000, 1_000_000_000);

/// The span that is long, in ticks.
fn limit(state: &State, scale: Scale) -> u64 {
    match state.source {
        Source::Counter => {
            let ns = state.estimator.span().clamp(LONG.0, LONG.1);
            scale.ticks(ns).unwrap_or(NO_LIMIT).min(NO_LIMIT)
        }
        Source::Os | Source::OsInstead => NO_LIMIT,
    }
}

/// What a clock reads and why, how fast it runs, and how accurate that is.
///
/// ```
/// let it = chronoscope::Clock::global().describe();
/// println!("{} at {:.0} Hz ± {} ppm because {}", it.name, it.hz, it.bound_ppm, it.reason);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Description {
    /// Where the ticks come from.
    pub source: Source,
    /// The name of the instruction or the clock.
    pub name: &'static str,
    /// Why this source was chosen.
    pub reason: String,
    /// Ticks per second.
    pub hz: f64,
    /// How far the rate can be off, in parts per million of the reference clock. If the system's
    /// clock has taken the counter's place, this refers to the counter's last rate, which converts
    /// earlier moments; later moments are the reference's own.
    pub bound_ppm: f64,
    /// The lowest and the highest rate that is consistent with everything observed, in ticks per
    /// second of the reference clock.
    pub hz_range: (f64, f64),
    /// What stated the rate; `None` if it was measured.
    pub rate_told_by: Option<Name>,
    /// For how long the rate has been observed.
    pub observed: Duration,
    /// The time since the last calibration; `None` if there is none.
    pub calibrated: Option<Duration>,
    /// The moment of the last calibration; `None` if there is none. It means nothing outside of the
    /// process, so it is not stored.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub calibrated_at: Option<Ticks>,
    /// How many samples the rate is based on.
    pub samples: u32,
    /// How many samples were rejected as impossible.
    pub rejected: u64,
    /// How many jumps of the counter were noticed.
    pub jumps: u64,
    /// How many changes of the rate were noticed.
    pub rate_changes: u64,
    /// How often the reference went back for good; see
    /// [`Synced::ReferenceMoved`](super::Synced::ReferenceMoved).
    pub reference_moves: u32,
    /// How often the hypervisor reported that it had disrupted the clock; see
    /// [`Synced::Disrupted`](super::Synced::Disrupted).
    pub disruptions: u32,
}

impl<M: Machine> Clock<M> {
    /// Describes what this clock reads and how accurately, choosing a source if there is none yet.
    ///
    /// ```
    /// use chronoscope::{Clock, Source};
    /// let description = Clock::global().describe();
    /// if description.source != Source::Counter {
    ///     println!("the counter is not used because {}", description.reason);
    /// }
    /// ```
    #[must_use]
    pub fn describe(&self) -> Description {
        let known = self.known();
        let (_, state) = self.state();
        let counted = state.source == Source::Counter;
        let last = state.estimator.last();
        let mut reason = state.reason.told(&state.kernel, state.costs);
        if state.source == Source::OsInstead {
            let why = state.given_up.told(&state.kernel, state.costs);
            reason = format!("{why}, after it had been chosen because {reason}");
        }
        if let Some(text) = state.ignored {
            reason += &ignored(text);
        }
        Description {
            source: state.source,
            name: match state.source {
                Source::Counter => crate::counter::name(),
                Source::Os => "the system's monotonic clock",
                Source::OsInstead => crate::sys::os::REFERENCE,
            },
            reason,
            hz: known.scale.hz(),
            bound_ppm: known.bound() * 1e6,
            hz_range: hz_range(known.scale, known.bound()),
            rate_told_by: state.hint.filter(|_| counted),
            observed: Duration::from_nanos(state.estimator.span()),
            calibrated: counted
                .then(|| Duration::from_nanos(self.machine.reference().saturating_sub(last.high))),
            calibrated_at: counted.then_some(Ticks(last.ticks)),
            samples: state.estimator.samples(),
            rejected: state.rejected,
            jumps: state.jumps,
            rate_changes: state.rate_changes,
            reference_moves: state.moves,
            disruptions: state.disruptions,
        }
    }
}

/// The rates within a relative bound of a scale.
fn hz_range(scale: Scale, bound: f64) -> (f64, f64) {
    let hz = scale.hz();
    (hz / (1.0 + bound), hz / (1.0 - bound.min(0.5)))
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "source      {} ({:?})", self.name, self.source)?;
        writeln!(f, "because     {}", self.reason)?;
        writeln!(f, "rate        {:.3} MHz", self.hz / 1e6)?;
        match (self.source, self.calibrated) {
            (Source::OsInstead, _) => write!(
                f,
                "error       at most {:.4} ppm from before the counter was abandoned",
                self.bound_ppm
            ),
            (_, None) => write!(f, "error       that of the system's clock itself"),
            (_, Some(ago)) => {
                let from =
                    self.rate_told_by.map_or(String::new(), |who| format!(", stated by {who}"));
                writeln!(f, "error       at most {:.4} ppm{from}", self.bound_ppm)?;
                writeln!(
                    f,
                    "observed    {:.3} s in {} samples, the last {:.3} s ago",
                    self.observed.as_secs_f64(),
                    self.samples,
                    ago.as_secs_f64()
                )?;
                let count = |count: u64, of: &str, what: &str| {
                    let plural = if count == 1 { "" } else { "s" };
                    format!("{count} {of}{plural}{what}")
                };
                write!(
                    f,
                    "disturbed   {}, {}, {}",
                    count(self.jumps, "jump", ""),
                    count(self.rate_changes, "change", " of rate"),
                    count(self.rejected, "sample", " rejected")
                )?;
                for (times, of, what) in [
                    (self.reference_moves, "move", " of the reference"),
                    (self.disruptions, "disruption", " by the hypervisor"),
                ] {
                    if times > 0 {
                        write!(f, ", {}", count(times.into(), of, what))?;
                    }
                }
                Ok(())
            }
        }
    }
}
