//! The choice at the first read: the known facts, a short trial, a verdict.

use std::sync::atomic::Ordering;

use super::state::{Choice, State};
use super::{COUNTER, Clock, NO_LIMIT};
use crate::calibrate::{
    Estimator, Rate, SAME_CLOCK_WANDER, Sample, Steps, Verdict, WANDER, narrowest,
};
use crate::choose::{self, Reason, Source, Trial};
use crate::convert::Scale;
use crate::machine::{Facts, Hint, Kernel, Machine, Name, Wanted};
use crate::publish::set_first;

/// How many brackets are tried; the narrowest counts.
pub(super) const TRIES: u32 = 16;

/// How long the counter is tried, in nanoseconds: long enough to refute a rate that is off by more
/// than a few hundred parts per million, and short enough for the first read.
const TRIAL_NS: u64 = 200_000;

/// The number of reads after which a trial ends even if its time has not passed: a clock that
/// stands still must not hang its caller.
const TRIAL_READS: u32 = 50_000;

/// Reads in a batch whose cost is compared, and the number of batches, of which the cheapest
/// counts.
const BATCH: u64 = 16;
const BATCHES: u32 = 4;

/// Chooses the source unless that was done before, as the caller wishes if it does; returns whether
/// this call chose it.
///
/// Everything is found out on the stack and published with one compare-exchange, so threads and
/// signal handlers that are at it at the same time do not wait for each other: the fastest one
/// decides.
pub(super) fn choose<M: Machine>(clock: &Clock<M>, wanted: Option<Wanted>) -> bool {
    let made = clock.choice();
    if made.is_made() {
        adopt(clock, made);
        return false;
    }
    let mut facts = clock.machine.facts();
    facts.wanted = wanted.unwrap_or(facts.wanted);
    let mut state = State { kernel: facts.kernel, ignored: facts.not_understood, ..State::NEW };
    let verdict = match choose::forbids(&facts) {
        Some(reason) => Err(reason),
        None => try_counter(&clock.machine, &facts, &mut state),
    };
    let rate = state.estimator.rate();
    let (source, reason, choice) = match (verdict, Scale::from_ns_per_tick(rate.best)) {
        (Ok(reason), Some(scale)) => {
            let choice = Choice::counter(reason, scale, rate.bound(), facts.has_stop);
            (Source::Counter, reason, choice)
        }
        (Ok(_), None) => (Source::Os, Reason::NoRate, Choice::os(Reason::NoRate)),
        (Err(reason), _) => (Source::Os, reason, Choice::os(reason)),
    };
    state.source = source;
    state.reason = reason;
    if source == Source::Os {
        state.estimator = Estimator::EMPTY;
    }
    let published = clock.choice.compare_exchange(
        Choice::NONE.word(),
        choice.word(),
        Ordering::AcqRel,
        Ordering::Acquire,
    );
    match published {
        Ok(_) => {
            adopt(clock, choice);
            // Refines what follows from the choice. If another thread has already done that, what
            // it published is as good.
            let (stamp, _) = clock.state();
            if stamp.is_first() {
                clock.commit(stamp, &state);
            }
            true
        }
        Err(other) => {
            adopt(clock, Choice::from_word(other));
            false
        }
    }
}

/// Sets what follows from a choice and has not been set yet.
fn adopt<M: Machine>(clock: &Clock<M>, choice: Choice) {
    let (step, limit) = if choice.mode() & COUNTER != 0 {
        let limit = choice.scale().ticks(TRIAL_NS).unwrap_or(1);
        (clock.machine.ticks_step(), limit)
    } else {
        (clock.machine.monotonic_step(), NO_LIMIT)
    };
    clock.step.store(step, Ordering::Relaxed);
    let places = [(&clock.multiplier, choice.scale().multiplier()), (&clock.limit, limit)];
    set_first(places, (&clock.mode, choice.mode()));
}

/// Reads the counter for the first time, and records the results in the state.
fn try_counter(machine: &impl Machine, facts: &Facts, state: &mut State) -> Result<Reason, Reason> {
    let mut trial = Trial::default();
    match first_rate(machine, facts) {
        Ok((estimator, hint)) => {
            state.estimator = estimator;
            state.hint = hint;
            let last = estimator.last();
            state.add_slack(last.width().saturating_mul(2), last.ticks);
            trial.cost = cheapest(machine, || machine.ticks());
            trial.os_cost = cheapest(machine, || machine.monotonic());
            let short = |ns| u32::try_from(ns).unwrap_or(u32::MAX);
            state.costs = (short(trial.cost), short(trial.os_cost));
            if choose::needs_comparison(facts) {
                trial.in_step = compare(machine, &mut state.estimator);
            }
        }
        Err(failed) => trial.failed = Some(failed),
    }
    choose::decide(facts, &trial)
}

/// The first rate: a stated rate if it passes the trial, otherwise the rate of the trial.
fn first_rate(machine: &impl Machine, facts: &Facts) -> Result<(Estimator, Option<Name>), Reason> {
    let (first, last) = stretch(machine)?;
    let seen = Rate::between(&first, &last).ok_or(Reason::CounterStands)?;
    Scale::from_ns_per_tick(seen.best).ok_or(Reason::NoRate)?;
    let told = facts.hints.iter().flatten().find_map(|hint| {
        let rate = stated(hint)?;
        seen.intersect(&rate)?;
        Some((rate, Name::from(hint.from)))
    });
    let (rate, hint) = match told {
        Some((rate, from)) => (rate, Some(from)),
        None => (seen, None),
    };
    let mut estimator = Estimator::new(first, rate, wander(&facts.kernel));
    estimator.accept(last);
    Ok((estimator, hint))
}

/// The rate of a hint, if a counter can have it.
pub(super) fn stated(hint: &Hint) -> Option<Rate> {
    let rate = Rate::from_hint(hint.hz, hint.bound_ppm);
    Scale::from_ns_per_tick(rate.best)?;
    Some(rate)
}

/// How far the reference may wander against the counter.
pub(super) fn wander(kernel: &Kernel) -> f64 {
    match kernel {
        Kernel::Uses(_) => SAME_CLOCK_WANDER,
        _ => WANDER,
    }
}

/// Takes two brackets some time apart, if nothing goes backwards in between.
pub(super) fn stretch(machine: &impl Machine) -> Result<(Sample, Sample), Reason> {
    let take = || bracket(machine, TRIES).ok_or(Reason::ReferenceBack);
    let first = take()?;
    let mut before = first.ticks;
    for _ in 0..TRIAL_READS {
        let ticks = machine.ticks_start();
        if ticks < before {
            return Err(Reason::CounterBack);
        }
        before = ticks;
        if machine.reference() >= first.high.saturating_add(TRIAL_NS) {
            let last = take()?;
            if last.ticks < before {
                return Err(Reason::CounterBack);
            }
            return Ok((first, last));
        }
    }
    Err(Reason::ReferenceStands)
}

/// The counter between two reads of the reference, the narrowest of all tries.
pub(super) fn bracket(machine: &impl Machine, tries: u32) -> Option<Sample> {
    bracket_within(machine, tries, 0)
}

/// As [`bracket`], ending with the first that is at most `enough` nanoseconds wide.
pub(super) fn bracket_within(machine: &impl Machine, tries: u32, enough: u64) -> Option<Sample> {
    narrowest(
        || machine.reference(),
        || machine.ticks_start(),
        Steps { clock: machine.reference_step(), counter: machine.ticks_step() },
        tries,
        enough,
    )
}

/// Nanoseconds per read in the cheapest of several batches, rounded down.
fn cheapest(machine: &impl Machine, read: impl Fn() -> u64) -> u64 {
    let batch = |_| {
        let start = machine.reference();
        for _ in 0..BATCH {
            std::hint::black_box(read());
        }
        machine.reference().saturating_sub(start) / BATCH
    };
    (0..BATCHES).map(batch).min().unwrap_or(0)
}

/// Whether the counter of every CPU continues that of the CPU before.
fn compare(machine: &impl Machine, estimator: &mut Estimator) -> Option<bool> {
    // Two CPUs are compared through the reference, which they share. If one is out of step by more
    // than both brackets, it fits no rate that was possible until then.
    let began = machine.reference();
    let mut agree = true;
    let went = machine.on_each_cpu(&mut |_| {
        let Some(sample) = bracket(machine, TRIES) else {
            return true;
        };
        agree = estimator.judge(&sample) == Verdict::Agrees;
        if agree {
            estimator.accept(sample);
        }
        // On machines with many CPUs, those reached within half a millisecond represent all.
        agree && sample.high.saturating_sub(began) < 500_000
    });
    if !agree { Some(false) } else { went.then_some(true) }
}
