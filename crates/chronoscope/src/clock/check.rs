//! Checks of the counter against the system's clock: each improves the calibration, and reacts if
//! something happened.
//!
//! A check makes a new state from the published one and publishes it, unless another thread was
//! faster. It takes no lock, so it may be made by a signal handler or in a forked child whatever
//! other threads were doing.

use std::sync::atomic::Ordering;

use super::first::{self, TRIES, bracket, bracket_within, stretch};
use super::state::{Doubt, Moved, State};
use super::{COUNTER, Clock, OS, Ticks, UNSET};
use crate::calibrate::{Estimator, Rate, Sample, Verdict};
use crate::choose::{Reason, Source};
use crate::convert::Scale;
use crate::machine::{Kernel, Machine};

/// How many brackets verify the end of a span at most; the first that is not wide counts.
pub(super) const VERIFY: u32 = 4;

/// Up to this relative difference, two oscillators are taken to drift rather than to jump; it is
/// more than ten times the difference of a quartz between a cold and a warm room.
const DRIFT: f64 = 1e-6;

/// What is left of the width that a drift has required, after each sample that agrees: what looked
/// like a drift may have been an event.
const CALM: f64 = 0.8;

/// A counter that the kernel does not use itself is given up after this many jumps.
const JUMPS: u64 = 3;

/// If so many looks in a row show the reference behind where it was, and agree with each other, it
/// has moved for good: a machine was restored from a snapshot, or a process entered another
/// namespace of time. Looks within [`MOVED_APART_NS`] of each other count as one, because a
/// reference may be wrong for a moment.
const MOVED_LOOKS: u32 = 3;

/// In nanoseconds by the counter.
const MOVED_APART_NS: u64 = 1_000_000;

/// The result of a check against the reference.
///
/// ```
/// use chronoscope::{Clock, Synced};
/// match Clock::global().sync() {
///     Synced::Agrees(ppm) => println!("within {ppm} ppm"),
///     Synced::Jumped(ns) => println!("asleep for {ns} ns?"),
///     other => println!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Synced {
    /// The system's clock is read, so there is nothing to calibrate.
    NotNeeded,
    /// Nothing has changed; the bound is now this many parts per million.
    Agrees(f64),
    /// What was observed was impossible but did not persist; nothing was changed.
    Rejected,
    /// The two clocks drift apart by at most a millionth; the bound, now this many parts per
    /// million, covers it.
    Drifted(f64),
    /// The counter jumped ahead by this many nanoseconds (a suspend, a pause, a migration).
    Jumped(u64),
    /// The counter runs at another rate than before; this is the change in parts per million.
    RateChanged(f64),
    /// The reference has gone back by this many nanoseconds and has stayed there for three looks,
    /// at least a millisecond apart. It counts again from the first of them on.
    ReferenceMoved(u64),
    /// The hypervisor reports that it has disrupted the clock, by a migration for example, and
    /// nothing else shows it. What was timed across it is not vouched for, and the rate is
    /// determined anew. If the counter also jumped or changed its rate, that is reported, and
    /// [`Description::disruptions`](super::Description::disruptions) counts both.
    Disrupted,
    /// The counter jumped slightly or its rate changed slightly, and the next check will show
    /// which. Until then the bound, this many parts per million, covers both.
    Unsure(f64),
    /// The counter went back or stands still; the system's clock is read from now on.
    GivenUp,
    /// Another thread published the result of its own check at the same moment, so this one was
    /// dropped.
    Busy,
}

impl<M: Machine> Clock<M> {
    /// Checks the clock against the reference, and improves the
    /// calibration: the longer since the first read, the smaller the bound. A time between two
    /// checks is bounded by what was confirmed before it, so checks soon after the first read pay.
    ///
    /// Whatever it finds, [`Clock::now`] never goes backwards. If the source is the system's clock,
    /// there is nothing to do. The first call also asks the kernel what it does with the counter,
    /// which takes files; see [`Machine::inquire`].
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// println!("{:?}", clock.sync());
    /// ```
    pub fn sync(&self) -> Synced {
        self.inquire(false);
        self.check(TRIES)
    }

    /// Checks the clock as [`Clock::sync`] does, after asking the kernel for the rate at which it
    /// counts, which makes the rate accurate to a fraction of a part per million at once
    /// (`perf_event_open(2)` on Linux; nothing elsewhere).
    ///
    /// The system call is made only if no filter of system calls is active; see
    /// [`assume_that_nothing_kills`](crate::machine::assume_that_nothing_kills). It takes up to
    /// some milliseconds, so call this when the program starts. [`Clock::keep`] calls it.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// clock.calibrate();
    /// println!("within {} ppm", clock.describe().bound_ppm);
    /// ```
    pub fn calibrate(&self) -> Synced {
        self.inquire(true);
        self.check(TRIES)
    }

    /// Asks the kernel what it does with the counter, once, and for its rate if `deeply`.
    fn inquire(&self, deeply: bool) {
        if self.chosen_mode() & COUNTER == 0 {
            return;
        }
        let (stamp, mut state) = self.state();
        if state.asked && !deeply || stamp.is_first() {
            return;
        }
        let found = self.machine.inquire(deeply);
        state.asked = true;
        self.learn(&mut state, found.kernel);
        let stated = found.hint.and_then(|hint| Some((first::stated(&hint)?, hint)));
        if let Some((rate, hint)) = stated {
            if state.estimator.believe(&rate) {
                state.hint = Some(hint.from.into());
            }
        }
        self.commit(stamp, &state);
    }

    /// Takes in what the kernel does with the counter, if it says so. Returns whether that has
    /// changed.
    fn learn(&self, state: &mut State, kernel: Kernel) -> bool {
        if matches!(kernel, Kernel::Unasked | Kernel::Silent) || state.kernel == kernel {
            return false;
        }
        let known = !matches!(state.kernel, Kernel::Unasked | Kernel::Silent);
        state.kernel = kernel;
        let requested = state.reason == Reason::Requested;
        if matches!(kernel, Kernel::Dropped(_)) && !requested && state.source == Source::Counter {
            self.give_up(state, Reason::KernelDropped);
        } else {
            state.estimator.set_wander(first::wander(&kernel));
        }
        known
    }

    /// Checks the clock if the last check is old, or if the counter is behind it.
    pub(crate) fn check_if_due(&self) {
        match self.mode.load(Ordering::Acquire) {
            UNSET => {
                self.chosen_mode();
            }
            mode if mode & COUNTER != 0 => {
                let checked = self.checked.load(Ordering::Acquire);
                // Wraps if the counter is behind.
                let since = self.machine.ticks_start().wrapping_sub(checked);
                if since >= self.limit.load(Ordering::Relaxed) {
                    self.check(TRIES);
                }
            }
            _ => {}
        }
    }

    /// Checks the clock, whenever that was done last.
    pub(crate) fn check_now(&self) {
        self.check(TRIES);
    }

    /// Returns whether nothing that a rate does not explain has been noticed since then. A
    /// difference across a jump contains the jump.
    ///
    /// ```
    /// let clock = chronoscope::Clock::global();
    /// let start = clock.now();
    /// clock.sync();
    /// if !clock.undisturbed_since(start) {
    ///     println!("what was timed since then contains a jump");
    /// }
    /// ```
    pub fn undisturbed_since(&self, ticks: Ticks) -> bool {
        !self.known().is_disturbed_since(ticks)
    }

    /// As [`Clock::sync`], with one bracket, or some more if that is wide.
    pub(super) fn verify(&self) -> Synced {
        self.check(VERIFY)
    }

    /// As [`Clock::sync`], with this many brackets.
    fn check(&self, tries: u32) -> Synced {
        if self.chosen_mode() & OS != 0 {
            return Synced::NotNeeded;
        }
        let (stamp, mut state) = self.state();
        if state.source != Source::Counter {
            return Synced::NotNeeded;
        }
        if stamp.is_first() {
            match self.estimate_anew(first::wander(&state.kernel)) {
                Some(estimator) => state.estimator = estimator,
                None => return Synced::Rejected,
            }
        }
        let synced = self.examine(&mut state, tries);
        if self.commit(stamp, &state) { synced } else { Synced::Busy }
    }

    /// Takes a sample and makes the next state.
    fn examine(&self, state: &mut State, tries: u32) -> Synced {
        let enough = if tries == VERIFY { state.estimator.usual_width() } else { 0 };
        let Some(sample) = bracket_within(&self.machine, tries, enough) else {
            return reject(state);
        };
        let verdict = state.estimator.judge(&sample);
        let marker = self.machine.disruption();
        let disrupted = marker.is_some() && state.marker.is_some() && marker != state.marker;
        if verdict == Verdict::Agrees && disrupted {
            return self.disrupted(state, marker);
        }
        let synced = self.react(state, sample, verdict);
        // After a sample that was rejected, the next one shows what happened.
        if synced != Synced::Rejected {
            state.disruptions += u32::from(disrupted);
            state.marker = marker.or(state.marker);
        }
        synced
    }

    /// What a sample with this verdict changes.
    fn react(&self, state: &mut State, sample: Sample, verdict: Verdict) -> Synced {
        match verdict {
            Verdict::Agrees => {
                if state.moved.looks > 0 {
                    // What was read while the reference was behind belongs to neither side.
                    state.disturb(sample.ticks);
                    state.moved = Moved::NO;
                }
                state.add_slack(state.estimator.unnoticed(&sample), sample.ticks);
                let floor = first::wander(&state.kernel);
                let wander = state.estimator.wander();
                state.estimator.set_wander((wander * CALM).max(floor));
                state.estimator.accept(sample);
                if let Some(synced) = self.settle(state) {
                    return synced;
                }
                Synced::Agrees(state.estimator.bound() * 1e6)
            }
            Verdict::ReferenceBack => self.went_back(state, sample),
            // A single impossible sample is a glitch of one read; what persists is a fact.
            _ if !self.lasts(state, verdict) => reject(state),
            Verdict::CounterBack => self.give_up(state, Reason::CounterBack),
            Verdict::CounterStands => self.give_up(state, Reason::CounterStands),
            Verdict::Disagrees => self.explain(state),
        }
    }

    /// The hypervisor has disrupted the clock, and the sample looks as if it had not: the counter
    /// may have jumped by less than a check can see, and may count at another rate.
    fn disrupted(&self, state: &mut State, marker: Option<u64>) -> Synced {
        let (first, last, now) = match self.measured(state) {
            Ok(measured) => measured,
            Err(synced) => return synced,
        };
        let wander = first::wander(&state.kernel);
        state.disturb(last.ticks.max(self.due(state).0));
        state.estimator = Estimator::new(first, now, wander);
        state.add_slack(state.estimator.unnoticed(&last), last.ticks);
        state.estimator.accept(last);
        state.doubt = None;
        state.moved = Moved::NO;
        state.hint = None;
        state.marker = marker;
        state.disruptions += 1;
        Synced::Disrupted
    }

    /// The reference is behind: for a moment, or for good?
    fn went_back(&self, state: &mut State, sample: Sample) -> Synced {
        let rate = state.estimator.rate();
        let moved = state.moved;
        let seen = Rate::between(&moved.first, &sample)
            .filter(|seen| moved.looks > 0 && seen.intersect(&rate).is_some());
        let Some(seen) = seen else {
            state.moved = Moved { first: sample, last: sample.ticks, looks: 1 };
            return reject(state);
        };
        let apart = Scale::from_ns_per_tick(rate.best).and_then(|it| it.ticks(MOVED_APART_NS));
        if sample.ticks.saturating_sub(moved.last) < apart.unwrap_or(u64::MAX) {
            return reject(state);
        }
        if moved.looks + 1 < MOVED_LOOKS {
            state.moved = Moved { last: sample.ticks, looks: moved.looks + 1, ..moved };
            return reject(state);
        }
        let last = state.estimator.last();
        let passed = sample.ticks.saturating_sub(last.ticks) as f64 * rate.best;
        let back = last.middle().saturating_add(passed as u64).saturating_sub(sample.middle());
        // As after a jump, no more is known of the rate than these looks show.
        state.disturb(sample.ticks);
        let rate = Rate { best: rate.best.clamp(seen.low, seen.high), ..seen };
        let wander = first::wander(&state.kernel);
        state.estimator = Estimator::new(moved.first, rate, wander);
        state.add_slack(state.estimator.unnoticed(&sample), sample.ticks);
        state.estimator.accept(sample);
        state.doubt = None;
        state.moved = Moved::NO;
        state.moves += 1;
        Synced::ReferenceMoved(back)
    }

    fn lasts(&self, state: &State, verdict: Verdict) -> bool {
        (0..3).all(|_| {
            bracket(&self.machine, TRIES / 4)
                .is_some_and(|sample| state.estimator.judge(&sample) == verdict)
        })
    }

    /// The rate that a short stretch shows, with its samples. If it shows none, that is the result
    /// of the check.
    fn measured(&self, state: &mut State) -> Result<(Sample, Sample, Rate), Synced> {
        let (first, last) = stretch(&self.machine).map_err(|why| self.give_up(state, why))?;
        let Some(now) = Rate::between(&first, &last) else {
            return Err(self.give_up(state, Reason::CounterStands));
        };
        if Scale::from_ns_per_tick(now.best).is_none() {
            return Err(self.give_up(state, Reason::RateGone));
        }
        // A single stretch shows no rate if something happened in it.
        let again = stretch(&self.machine).ok().and_then(|(from, to)| Rate::between(&from, &to));
        if again.is_none_or(|again| again.intersect(&now).is_none()) {
            return Err(reject(state));
        }
        Ok((first, last, now))
    }

    /// Determines what made a sample impossible: another clock source of the kernel, a drift, a
    /// jump, or another rate.
    fn explain(&self, state: &mut State) -> Synced {
        let (first, last, now) = match self.measured(state) {
            Ok(measured) => measured,
            Err(synced) => return synced,
        };
        let old = state.estimator.rate();
        let Some(since) = Rate::between(&state.estimator.last(), &first) else {
            return self.give_up(state, Reason::CounterBack);
        };
        let switched = self.learn(state, self.machine.inquire(false).kernel);
        if state.source != Source::Counter {
            return Synced::GivenUp;
        }
        let wander = first::wander(&state.kernel);
        // Whatever it is, no rate that was possible until now explains it. If the counter was set
        // back, it has been read where it should be now.
        state.disturb(last.ticks.max(self.due(state).0));
        let begin = |state: &mut State, rate, wander| {
            state.estimator = Estimator::new(first, rate, wander);
            let unnoticed = state.estimator.unnoticed(&last);
            state.add_slack(unnoticed, last.ticks);
            state.estimator.accept(last);
        };
        if switched || now.intersect(&old).is_none() {
            state.rate_changes += 1;
            state.doubt = None;
            begin(state, now, wander);
            state.hint = None;
            let new = if switched { since } else { now };
            return Synced::RateChanged((old.best / new.best - 1.0) * 1e6);
        }
        let drift = (since.best / old.best - 1.0).abs();
        // A clock that is derived from the counter cannot drift from it.
        if drift < DRIFT && !matches!(state.kernel, Kernel::Uses(_)) {
            let (low, high) = (old.low.min(since.low), old.high.max(since.high));
            let rate = Rate { low, best: since.best, high };
            state.doubt = None;
            // Two clocks that have drifted apart may continue to do so: for a while, no bound is
            // narrower than that.
            begin(state, rate, wander.max(2.0 * drift));
            return Synced::Drifted(state.estimator.bound() * 1e6);
        }
        let ticks = first.ticks.saturating_sub(state.estimator.last().ticks) as f64;
        let ahead_ns = ticks * (old.best - since.best);
        // From now on, only what the stretch allows is known of the rate, because a machine that
        // was moved to another host jumps and has another rate. The next check narrows it.
        let from_here = |state: &mut State, best: f64| {
            let best = best.clamp(now.low, now.high);
            state.estimator = Estimator::new(last, Rate { best, ..now }, wander);
            state.add_slack(last.width(), last.ticks);
        };
        if now.intersect(&since).is_none() {
            // No rate that the counter can have explains this.
            if ahead_ns < 0.0 {
                return self.give_up(state, Reason::FellBehind);
            }
            state.doubt = None;
            from_here(state, old.best);
            return self.jumped(state, ahead_ns);
        }
        if state.doubt.is_some() {
            // It fits neither of the cases that the last check left open.
            state.jumps += 1;
            if state.jumps >= JUMPS && !used(state) {
                return self.give_up(state, Reason::KeepsJumping);
            }
        }
        state.doubt = Some(Doubt { before: old, since, ahead_ns, due: self.due(state).0 });
        state.hint = None;
        from_here(state, since.best);
        Synced::Unsure(state.estimator.bound() * 1e6)
    }

    /// What a check that agrees shows about an earlier one that left a doubt, if anything.
    fn settle(&self, state: &mut State) -> Option<Synced> {
        let doubt = state.doubt?;
        let rate = state.estimator.rate();
        let jumped = rate.intersect(&doubt.before).is_some();
        if jumped && rate.intersect(&doubt.since).is_some() {
            return None;
        }
        if jumped && doubt.ahead_ns < 0.0 {
            return Some(self.give_up(state, Reason::FellBehind));
        }
        state.doubt = None;
        if jumped {
            return Some(self.jumped(state, doubt.ahead_ns));
        }
        state.rate_changes += 1;
        Some(Synced::RateChanged((doubt.before.best / rate.best - 1.0) * 1e6))
    }

    /// The counter jumped ahead, which a clock may do occasionally.
    fn jumped(&self, state: &mut State, ahead_ns: f64) -> Synced {
        state.jumps += 1;
        if state.jumps >= JUMPS && !used(state) {
            return self.give_up(state, Reason::KeepsJumping);
        }
        Synced::Jumped(ahead_ns as u64)
    }

    /// Puts the system's clock in the counter's place, starting where the counter should be by now.
    /// Values keep their unit, and continue from the highest that can have been read.
    fn give_up(&self, state: &mut State, why: Reason) -> Synced {
        let (due, reference) = self.due(state);
        let seen = state.doubt.map_or(0, |doubt| doubt.due);
        let base = due.max(seen).max(self.machine.ticks_start());
        state.source = Source::OsInstead;
        state.given_up = why;
        // What was read after a jump ahead that no check has noticed is later than it seems.
        let ahead = state.horizon.saturating_sub(state.estimator.last().ticks);
        state.disturb(base.saturating_add(ahead));
        state.takeover = (base, reference);
        Synced::GivenUp
    }

    /// Where the counter should be, and the time of that by the reference.
    fn due(&self, state: &State) -> (u64, u64) {
        let last = state.estimator.last();
        let reference = self.machine.reference();
        let passed = self.rate().ticks(reference.saturating_sub(last.low));
        (last.ticks.saturating_add(passed.unwrap_or(0)), reference)
    }
}

/// Whether the kernel keeps its own time with the counter, so that a jump need not be the
/// counter's fault.
fn used(state: &State) -> bool {
    matches!(state.kernel, Kernel::Uses(_)) || state.reason == Reason::ReadsDirectly
}

fn reject(state: &mut State) -> Synced {
    state.rejected += 1;
    Synced::Rejected
}
