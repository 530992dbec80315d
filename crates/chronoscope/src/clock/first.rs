//! The choice at the first read: the known facts, a short trial, a verdict.

use std::sync::atomic::Ordering;

use super::{COUNTER, Clock, OS, STOP, State, UNSET};
use crate::bracket::{Sample, Steps, narrowest};
use crate::calibrate::{Estimator, Rate, SAME_CLOCK_WANDER, Verdict, WANDER};
use crate::choose::{self, Source, Trial};
use crate::convert::Scale;
use crate::machine::{Facts, Kernel, Machine};

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

/// Chooses the source unless that was done before, and returns the mode.
pub(super) fn choose<M: Machine>(clock: &Clock<M>, state: &mut State) -> u8 {
    let mode = clock.mode.load(Ordering::Acquire);
    if mode != UNSET {
        return mode;
    }
    let mut facts = clock.machine.facts();
    facts.wanted = state.wanted.unwrap_or(facts.wanted);
    state.kernel_uses_it = matches!(facts.kernel, Kernel::Uses(_));
    let verdict = match choose::forbids(&facts) {
        Some(reason) => Err(reason),
        None => try_counter(&clock.machine, &facts, state),
    };
    let mode = match verdict {
        Ok(reason) => {
            state.source = Source::Counter;
            state.reason = reason;
            let step = clock.machine.ticks_step();
            clock.step.store(step, Ordering::Relaxed);
            clock.publish(state, [0, 0]);
            COUNTER | if facts.has_stop { STOP } else { 0 }
        }
        Err(reason) => {
            state.source = Source::Os;
            state.reason = reason;
            state.estimator = Estimator::EMPTY;
            OS
        }
    };
    if let Some(text) = &facts.not_understood {
        state.reason +=
            &format!("; CHRONOSCOPE_SOURCE={text:?} is not valid (use auto, counter or os)");
    }
    clock.mode.store(mode, Ordering::Release);
    mode
}

/// Reads the counter for the first time, and records the results in the state.
fn try_counter(machine: &impl Machine, facts: &Facts, state: &mut State) -> Result<String, String> {
    let mut trial = Trial::default();
    match first_rate(machine, facts) {
        Ok((estimator, hint)) => {
            state.estimator = estimator;
            state.hint = hint;
            trial.cost = cheapest(machine, || machine.ticks());
            trial.os_cost = cheapest(machine, || machine.monotonic());
            if choose::needs_comparison(facts) {
                trial.in_step = compare(machine, &mut state.estimator);
            }
        }
        Err(failed) => trial.failed = Some(failed),
    }
    choose::decide(facts, &trial)
}

/// The first rate: a stated rate if it passes the trial, otherwise the rate of the trial.
fn first_rate(
    machine: &impl Machine,
    facts: &Facts,
) -> Result<(Estimator, Option<&'static str>), &'static str> {
    let (first, last) = stretch(machine)?;
    let seen = Rate::between(&first, &last).ok_or("the counter does not count")?;
    Scale::from_ns_per_tick(seen.best).ok_or("the counter has no rate of 1 MHz to 10 GHz")?;
    let wander = if matches!(facts.kernel, Kernel::Uses(_)) {
        SAME_CLOCK_WANDER
    } else {
        WANDER
    };
    let told = facts.hints.iter().find_map(|hint| {
        let rate = Rate::from_hint(hint.hz, hint.bound_ppm);
        Scale::from_ns_per_tick(rate.best)?;
        seen.intersect(&rate)?;
        Some((rate, hint.from))
    });
    let (rate, hint) = match told {
        Some((rate, from)) => (rate, Some(from)),
        None => (seen, None),
    };
    let mut estimator = Estimator::new(first, rate, wander);
    estimator.accept(last);
    Ok((estimator, hint))
}

/// Takes two brackets some time apart, if nothing goes backwards in between.
pub(super) fn stretch(machine: &impl Machine) -> Result<(Sample, Sample), &'static str> {
    const REFERENCE_BACK: &str = "the system's clock went backwards";
    let take = || bracket(machine, TRIES).ok_or(REFERENCE_BACK);
    let first = take()?;
    let mut before = first.ticks;
    for _ in 0..TRIAL_READS {
        let ticks = machine.ticks_start();
        if ticks < before {
            return Err("the counter went backwards");
        }
        before = ticks;
        if machine.reference() >= first.high.saturating_add(TRIAL_NS) {
            let last = take()?;
            if last.ticks < before {
                return Err("the counter went backwards");
            }
            return Ok((first, last));
        }
    }
    Err("the system's clock stands still or is too slow")
}

/// The counter between two reads of the reference.
pub(super) fn bracket(machine: &impl Machine, tries: u32) -> Option<Sample> {
    narrowest(
        || machine.reference(),
        || machine.ticks_start(),
        Steps {
            clock: machine.reference_step(),
            counter: machine.ticks_step(),
        },
        tries,
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
    if !agree {
        Some(false)
    } else {
        went.then_some(true)
    }
}
