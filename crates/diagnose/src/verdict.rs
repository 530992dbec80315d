//! The verdict on one clock, in a few words.

use crate::ordering::early;
use crate::reading::{
    Word, counts_counter, counts_source, in_step, orders_memory, out_of_step, promised, short,
    slow_source, source, unordered, unproven, word,
};
use crate::system::System;
use chronoscope_model::clock::{Clock, Counts, Grade, Kind, Limit, Reads, Verdict};
use chronoscope_model::clock_source::SLOW_NS;
use chronoscope_model::environment::{Environment, TscKind};

/// A tick of this or more, in nanoseconds, is coarse: an interval of a microsecond cannot be seen.
pub const COARSE_NS: f64 = 1000.0;

/// A clock that returns to zero within an hour cannot time an hour.
pub const SHORT_WRAP_S: f64 = 3600.0;

/// The verdict on a clock; `None` if it is not available, or too little of it was measured.
///
/// The first of these that holds is given: it went backwards; it stood still; it does not follow an
/// interval of 100 ms; its counter cannot be trusted; what that would depend on is unknown; it
/// counts something other than elapsed time; it is coarse; it was not watched for long enough to
/// change; it is slow; it wraps early; it ran backwards between CPUs although its reads are
/// ordered; it is not ordered; it is stepped with the wall clock. The text has 20 columns at most,
/// so that a table of 80 can hold it.
pub fn verdict(clock: &Clock, env: &Environment) -> Option<Verdict> {
    if !clock.available || (clock.read_ns().is_none() && clock.resolution.is_none()) {
        return None;
    }
    let (grade, text) = seen_wrong(clock)
        .or_else(|| counter(clock, env))
        .or_else(|| unknown(clock, env))
        .or_else(|| other_than_time(clock))
        .or_else(|| coarse(clock))
        .or_else(|| unseen(clock))
        .or_else(|| slow(clock, env))
        .or_else(|| limits(clock, env))
        .or_else(|| good(clock))?;
    Some(Verdict { grade, text })
}

type Judged = Option<(Grade, String)>;

/// Only a clock that was timed can be good: a run that was stopped early has no cost for it.
fn good(clock: &Clock) -> Judged {
    clock.read_ns().map(|_| (Grade::Good, "good".into()))
}

fn seen_wrong(clock: &Clock) -> Judged {
    if clock.backwards.as_ref().is_some_and(|b| b.violations > 0) {
        return Some((Grade::Avoid, "goes backwards".into()));
    }
    let still = clock.resolution.as_ref().is_some_and(|r| r.stood_still());
    if still && clock.kind != Kind::Cpu {
        return Some((Grade::Avoid, "stood still".into()));
    }
    // A clock that is read between its steps can be off by at most two of them.
    let steps_ms = 2.0 * clock.step_ns().unwrap_or(0.0) / 1e6;
    let follows = clock.difference_100ms.as_ref().is_none_or(|d| {
        d.agrees || (d.clock_ms - d.reference_ms).abs() <= d.tolerance_ms + steps_ms
    });
    // A sleep costs no CPU time, so such a clock rightly does not follow it.
    (!follows && clock.kind != Kind::Cpu).then(|| (Grade::Avoid, "off over 100 ms".into()))
}

fn counter(clock: &Clock, env: &Environment) -> Judged {
    let cycles = clock.facts.is_some_and(|facts| facts.counts == Counts::Cycles);
    if clock.kind == Kind::Counter && cycles {
        return Some((Grade::Limited, "cycles, not time".into()));
    }
    if !counts_counter(clock) {
        return None;
    }
    if out_of_step(env).is_some() {
        return Some((Grade::Avoid, "CPUs not in step".into()));
    }
    let tsc = env.tsc.as_ref()?;
    match tsc.kind {
        TscKind::None => None,
        TscKind::Variant => Some((Grade::Avoid, "rate varies".into())),
        TscKind::Constant => Some((Grade::Limited, "may stop in idle".into())),
        TscKind::Invariant if word(env) == Word::Against => {
            Some((Grade::Avoid, "kernel left TSC".into()))
        }
        TscKind::Invariant => None,
    }
}

/// What a judgement needs and the report lacks. A missing fact does not count as good.
fn unknown(clock: &Clock, env: &Environment) -> Judged {
    let unknown = |text: &str| Some((Grade::Unknown, text.to_owned()));
    if counts_counter(clock) {
        // The counter of Arm's generic timer is one for the whole system by architecture (Arm ARM
        // D12); that of x86 is one for each CPU.
        let arm = env.counter.is_some() || matches!(env.arch.as_str(), "aarch64" | "arm");
        let lfence = clock.facts.is_some_and(|facts| facts.by_lfence);
        let tested = clock.ordering.as_ref().is_some_and(|ordering| ordering.was_tested());
        return match &env.tsc {
            None if arm => None,
            None => unknown("no facts on counter"),
            Some(_) if unproven(env).is_some() => unknown("no proof across CPUs"),
            Some(_) if lfence && promised(clock, env) == Some(false) && !tested => {
                unknown("LFENCE not promised")
            }
            Some(_) => None,
        };
    }
    if !counts_source(clock) || System::of(env) != System::Linux {
        return None;
    }
    let variant = env.tsc.as_ref().is_some_and(|tsc| tsc.kind != TscKind::Invariant);
    match (source(env), word(env)) {
        (None | Some(""), _) => unknown("clock source unknown"),
        (Some("tsc"), Word::Unchecked(_)) if variant || in_step(env) != Some(true) => {
            unknown("TSC is not checked")
        }
        _ => None,
    }
}

fn other_than_time(clock: &Clock) -> Judged {
    if clock.kind != Kind::Cpu {
        return None;
    }
    let text = match clock.step_ns() {
        Some(tick) if tick >= COARSE_NS => {
            format!("CPU, {} tick", short(tick))
        }
        _ => "CPU time only".into(),
    };
    Some((Grade::Limited, text))
}

fn coarse(clock: &Clock) -> Judged {
    let tick = clock.step_ns().filter(|&ns| ns >= COARSE_NS)?;
    Some((Grade::Limited, format!("coarse: {}", short(tick))))
}

fn unseen(clock: &Clock) -> Judged {
    let resolution = clock.resolution.as_ref()?;
    (resolution.verdict == Limit::NotSeen).then(|| (Grade::Limited, "no change seen".into()))
}

fn slow(clock: &Clock, env: &Environment) -> Judged {
    let ns = clock.read_ns().filter(|&ns| ns > SLOW_NS)?;
    let exits = clock.facts.as_ref().is_some_and(|facts| facts.exits_guest);
    let text = match slow_source(env) {
        _ if clock.reads(Reads::SystemCall) => "slow: syscall".into(),
        _ if exits && env.hypervisor.is_some() => "slow: exits VM".into(),
        // A name that fits the column.
        Some(source) if clock.kind != Kind::Counter && source.name.len() <= 8 => {
            format!("slow: reads {}", source.name)
        }
        _ => format!("slow: {}", short(ns)),
    };
    Some((Grade::Limited, text))
}

fn limits(clock: &Clock, env: &Environment) -> Judged {
    if let Some(s) = clock.wraps_after_s
        && s > 0.0
        && s < SHORT_WRAP_S
    {
        return Some((Grade::Limited, format!("wraps after {}", short(s * 1e9))));
    }
    let ordering = clock.ordering.as_ref();
    let promised = promised(clock, env) == Some(true);
    if promised && ordering.is_some_and(|seen| seen.backwards().is_some()) {
        return Some((Grade::Limited, "backwards on 2 CPUs".into()));
    }
    if let Some(ns) = early(clock) {
        return Some((Grade::Limited, format!("{} early", short(ns))));
    }
    if unordered(clock, env) {
        let text = if orders_memory(clock) { "memory order only" } else { "may be read early" };
        return Some((Grade::Limited, text.into()));
    }
    (clock.kind == Kind::Wall).then(|| (Grade::Limited, "may be stepped".into()))
}
