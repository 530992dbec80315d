//! The purposes for which a bare counter may be chosen: the shortest intervals, and traces.

use super::clocks::{SYSTEM, system_clock};
use super::pick::{
    chosen, figures, first_of, first_ordered, merged, none, precise, rejected, shortest,
    slow_because,
};
use super::{How, Purpose};
use crate::reading::{available, cost, counter_may_jump, not_compared, tsc_objection, unordered};
use chronoscope_model::clock::Clock;
use chronoscope_model::{Advice, Estimate, Report, Shortest};

/// A microbenchmark: the shortest intervals.
pub(super) const MICRO: Purpose = Purpose {
    id: "micro",
    short: "Microbenchmark",
    how: How::Clock {
        choose: micro_clock,
        // The other reads do more than one of these, and so cost more.
        needs: &[SYSTEM, &["x86/lfence-rdtsc", "x86/rdtscp", "arm/isb-cntvct"]],
    },
};

/// Counters whose reads cannot be taken early.
pub(super) const ORDERED: &[&str] = &[
    "x86/lfence-rdtsc",
    "x86/rdtscp",
    "x86/lfence-rdtsc-lfence",
    "x86/serialize-rdtsc",
    "arm/isb-cntvct",
    "arm/cntvctss",
];

fn micro_clock(report: &Report) -> Advice {
    let objection = tsc_objection(&report.environment);
    let system = system_clock(report);
    let counter = match objection {
        None => first_ordered(report, ORDERED),
        Some(_) => None,
    };
    // An ordered counter is worth the trouble only if it is cheaper than the system's clock.
    let system_read = system.and_then(Clock::ordered);
    let cheaper = |read: &&Estimate| system_read.is_none_or(|other| read.is_below(other));
    if let Some((clock, read)) =
        counter.and_then(|clock| Some((clock, clock.ordered().filter(cheaper)?)))
    {
        let cost = read.human().unwrap_or_default();
        let against = system
            .and_then(|s| Some(format!(" ({}: {})", s.id, s.ordered()?.human()?)))
            .unwrap_or_default();
        let why = format!(
            "{cost} per ordered read{against}; earlier instructions cannot move past it.{}{}{}",
            precise("The code", &by_pair(report)),
            jumps(report),
            rejected(
                report,
                &[
                    (
                        "x86/rdtsc-intrinsic",
                        "the processor may read it early, by more than such an interval lasts"
                    ),
                    ("x86/cpuid-rdtsc", "CPUID takes longer than the code to be timed"),
                    ("x86/mfence-rdtsc", mfence(report)),
                ],
            )
        );
        return Advice {
            cost_ns: read.known_ns(),
            figure: cost,
            shortest: by_pair(report),
            ..chosen(clock, why)
        };
    }
    let Some(clock) = system else {
        return none(report, ORDERED);
    };
    let shortest = by_system(clock);
    let against = match (&objection, counter) {
        (Some(reason), _) => format!(" The counter itself is ruled out: {reason}."),
        (None, Some(c)) => rejected(report, &[(&c.id, "not cheaper, and in ticks")]),
        (None, None) => String::new(),
    };
    let why = format!(
        "{}, and ordered.{}{}{against}",
        figures(clock),
        precise("It", &shortest),
        slow_because(report, clock)
    );
    Advice { shortest, ..chosen(clock, why) }
}

/// Why a read after MFENCE is rejected: its order if MFENCE orders only memory, otherwise its cost.
fn mfence(report: &Report) -> &'static str {
    let clock = available(report, "x86/mfence-rdtsc");
    if clock.is_some_and(|clock| unordered(clock, &report.environment)) {
        "MFENCE orders memory, not the read"
    } else {
        "equally ordered, but slower"
    }
}

/// What it means for short intervals that the kernel does not keep time with the counter, as a
/// sentence that follows others; a trace must not be merged by such a counter.
fn jumps(report: &Report) -> String {
    counter_may_jump(&report.environment).map_or(String::new(), |why| {
        format!(
            " Use it for short intervals only: {why}, which spoils one interval here, but every \
             later timestamp of a trace."
        )
    })
}

/// The shortest intervals with the pair of reads in the code for a counter. They are known if the
/// ruler is that pair, which leaves nothing of the timed code outside.
fn by_pair(report: &Report) -> Vec<Shortest> {
    let ruler = report.ruler.as_ref().filter(|ruler| ruler.is_counter);
    ruler.map_or(Vec::new(), |ruler| shortest(Some(ruler.tick_ns), ruler.empty_spread_ns))
}

/// The shortest intervals with the system's clock: the timed code can run during any part of the
/// two halves of a read that lie within the interval.
fn by_system(clock: &Clock) -> Vec<Shortest> {
    shortest(clock.step_ns(), clock.ordered_ns())
}

/// Tracing at the lowest cost.
pub(super) const TRACE: Purpose = Purpose {
    id: "trace",
    short: "Trace",
    how: How::Clock {
        choose: trace_clock,
        // The other names are those of the same instruction.
        needs: &[SYSTEM, &["x86/rdtsc-intrinsic", "arm/cntvct"]],
    },
};

pub(super) const COUNTERS: &[&str] =
    &["x86/rdtsc-intrinsic", "x86/rdtsc-builtin", "x86/rdtsc-asm", "arm/cntvct"];

fn trace_clock(report: &Report) -> Advice {
    let env = &report.environment;
    // Records from several CPUs are merged by their timestamps, so the counter must be one that the
    // kernel itself keeps time with.
    let objection =
        tsc_objection(env).or_else(|| counter_may_jump(env)).or_else(|| not_compared(env));
    let system = system_clock(report);
    let counter = match objection {
        None => first_of(report, COUNTERS, |_| true),
        Some(_) => None,
    };
    let system_read = system.and_then(Clock::read);
    let cheaper = |clock: &&Clock| {
        system_read.is_none_or(|other| clock.read().is_some_and(|read| read.is_below(other)))
    };
    if let Some(clock) = counter.filter(cheaper) {
        let against =
            system.and_then(|s| Some(format!(" ({}: {})", s.id, cost(s)?))).unwrap_or_default();
        let why = format!(
            "{} per read{against}; store the ticks and convert them afterwards.{}{}",
            cost(clock).unwrap_or_default(),
            merged(clock),
            rejected(
                report,
                &[
                    ("x86/rdtscp", "waits for earlier instructions, which a trace does not need"),
                    ("linux/monotonic-coarse", "gives many records the same timestamp"),
                ],
            )
        );
        return chosen(clock, why);
    }
    let Some(clock) = system else {
        return none(report, COUNTERS);
    };
    let against = objection
        .map_or(String::new(), |reason| format!(" The counter itself is ruled out: {reason}."));
    let why = format!(
        "{}; the cheapest whose timestamps can be merged across CPUs.{}{}{against}",
        figures(clock),
        merged(clock),
        slow_because(report, clock)
    );
    chosen(clock, why)
}
