//! Differences with a bound, and what a clock knows about itself.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::check::{Synced, VERIFY};
use super::state::{Choice, KNOWN, Known, Slack, State, error};
use super::{Bounded, COUNTER, Clock, NO_LIMIT, Ticks};
use crate::calibrate::{Estimator, Rate};
use crate::choose::Source;
use crate::convert::Scale;
use crate::machine::Machine;
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
