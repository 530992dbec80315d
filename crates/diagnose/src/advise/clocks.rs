//! The purposes for which a clock of the system is chosen, one after the other, and those for which
//! a bare counter may be chosen: the shortest intervals, and traces.

use super::pick::{
    cheapest, chosen, figures, figures_over, first_by, first_of, merged, precise, rejected,
    shortest, slow_because,
};
use super::{How, Purpose, Text};
use crate::clocks::COARSE_NS;
use crate::reading::{
    available, cost, counter_may_jump, not_compared, tsc_objection, unordered, usable,
};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Advice, Estimate, Report, Shortest};

/// A duration within one process.
pub(super) const INTERVAL: Purpose =
    Purpose { id: "interval", short: "Measure a duration", how: How::Clock(interval_clock) };

/// The system's monotonic clock: one that resolves a microsecond if there is one.
pub(crate) fn system_clock(report: &Report) -> Option<&Clock> {
    finest(report, &INTERVAL.text().clocks, Kind::Monotonic, |ns| ns < COARSE_NS)
}

/// The first of these clocks that is of this kind, and fine enough if one is.
fn finest<'a>(
    report: &'a Report,
    ids: &[&str],
    kind: Kind,
    is_fine: fn(f64) -> bool,
) -> Option<&'a Clock> {
    let of_kind = |clock: &Clock| clock.kind == kind;
    let fine = |clock: &Clock| of_kind(clock) && clock.step_ns().is_none_or(is_fine);
    first_of(report, ids, fine).or_else(|| first_of(report, ids, of_kind))
}

/// The advice to use this clock, for the reason of the purpose and what else is known.
fn because(report: &Report, text: &'static Text, clock: &Clock, figures: &str) -> Advice {
    let why = format!("{figures}; {}.{}", text.why, slow_because(report, clock));
    chosen(report, clock, why, &text.not)
}

fn interval_clock(report: &Report, text: &'static Text) -> Option<Advice> {
    let clock = system_clock(report)?;
    Some(because(report, text, clock, &figures_over(report, clock)))
}

/// The time of a log line or an event, in universal time.
pub(super) const TIMESTAMP: Purpose =
    Purpose { id: "timestamp", short: "Timestamp events", how: How::Clock(timestamp_clock) };

/// The longest tick that distinguishes the events of a log, in nanoseconds.
const FINE_NS: f64 = 2000.0;

fn timestamp_clock(report: &Report, text: &'static Text) -> Option<Advice> {
    let clock = finest(report, &text.clocks, Kind::Wall, |ns| ns <= FINE_NS)?;
    Some(because(report, text, clock, &figures(clock)))
}

/// A cheap read of the time when milliseconds are enough.
pub(super) const COARSE: Purpose =
    Purpose { id: "coarse", short: "", how: How::Clock(coarse_clock) };

/// The longest tick that still counts as milliseconds, in nanoseconds: 15.625 ms is the longest
/// timer tick of any system.
const LONGEST_NS: f64 = 20e6;

/// A coarse clock is worth its long tick if its read costs no more than this share of a read of the
/// system's own clock.
const WORTH: f64 = 0.8;

fn coarse_clock(report: &Report, text: &'static Text) -> Option<Advice> {
    let fits = |c: &Clock| {
        c.kind == Kind::Monotonic
            && !unordered(c, &report.environment)
            && text.clocks.contains(&c.id.as_str())
            && c.step_ns().is_none_or(|t| t <= LONGEST_NS)
    };
    let system = system_clock(report);
    let Some(least) = cheapest(report, fits) else {
        let clock = system.filter(|c| usable(c))?;
        let why = format!("{}; nothing cheaper was measured.", figures(clock));
        return Some(chosen(report, clock, why, &[]));
    };
    let clock = match (system, least.read_ns(), system.and_then(Clock::read_ns)) {
        (Some(system), Some(a), Some(b)) if a > b * WORTH => system,
        _ => least,
    };
    let saved = match (system.filter(|s| s.id != clock.id), clock.read_ns()) {
        (Some(system), Some(own)) => system.read_ns().map_or(String::new(), |other| {
            let (times, cost) = (times(other / own), cost(system).unwrap_or_default());
            format!("; {times} times cheaper than {} ({cost})", system.id)
        }),
        _ => "; no coarse clock is a fifth cheaper".into(),
    };
    let why = format!("{}{saved}.{}", figures(clock), slow_because(report, clock));
    Some(chosen(report, clock, why, &text.not))
}

/// A ratio with few digits: `3.4`, `151`.
fn times(ratio: f64) -> String {
    format!("{ratio:.*}", usize::from(ratio < 10.0))
}

/// CPU time used.
pub(super) const CPU: Purpose =
    Purpose { id: "cpu", short: "Measure CPU time", how: How::Clock(cpu_clock) };

fn cpu_clock(report: &Report, text: &'static Text) -> Option<Advice> {
    let is_fine = |ns: f64| ns <= 1e6;
    let first = |c: &Clock| c.kind == Kind::Cpu && c.step_ns().is_none_or(is_fine);
    let clock = first_of(report, &text.clocks[..1], first)
        .or_else(|| finest(report, &text.clocks, Kind::Cpu, is_fine))?;
    let whose = match clock.id.as_str() {
        "posix/thread-cputime" | "windows/querythreadcycletime" => {
            "only the calling thread, and stops while it sleeps"
        }
        _ => "all threads of the process, and stops while they sleep",
    };
    let why = format!("{}; it counts {whose}.", figures(clock));
    Some(chosen(report, clock, why, &text.not))
}

/// Times compared between processes, threads and CPUs of one machine.
pub(super) const CROSS_PROCESS: Purpose =
    Purpose { id: "cross-process", short: "", how: How::Clock(cross_process_clock) };

fn cross_process_clock(report: &Report, text: &'static Text) -> Option<Advice> {
    let clock = system_clock(report)?;
    let env = &report.environment;
    let raw = tsc_objection(env).or_else(|| counter_may_jump(env));
    let raw = raw.unwrap_or_else(|| {
        "no system guarantees that counters agree across CPUs, and ticks mean nothing to other \
         programs"
            .into()
    });
    let (merged, slow) = (merged(clock), slow_because(report, clock));
    let why = format!("{}; {}.{merged}{slow}", figures(clock), text.why);
    let not = [&[("x86/rdtsc-intrinsic", raw.as_str())], &text.not[..]].concat();
    Some(chosen(report, clock, why, &not))
}

/// Elapsed time that includes suspend.
pub(super) const BOOT: Purpose = Purpose { id: "boot", short: "", how: How::Clock(boot_clock) };

fn boot_clock(report: &Report, text: &'static Text) -> Option<Advice> {
    let clock = first_of(report, &text.clocks[..2], |c| c.kind == Kind::Monotonic)
        .or_else(|| first_of(report, &text.clocks, |c| c.kind == Kind::Monotonic))?;
    Some(because(report, text, clock, &figures(clock)))
}

/// A microbenchmark: the shortest intervals, for which a read must not be taken early.
pub(super) const MICRO: Purpose =
    Purpose { id: "micro", short: "Microbenchmark", how: How::Clock(micro_clock) };

fn micro_clock(report: &Report, text: &'static Text) -> Option<Advice> {
    let objection = tsc_objection(&report.environment);
    let system = system_clock(report);
    let counter = match objection {
        // By the cost of a read that is ordered after the one before.
        None => first_by(report, &text.clocks, |_| true, Clock::ordered_ns),
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
            "{cost} per ordered read{against}; earlier instructions cannot move past it.{}{}",
            precise("The code", &by_pair(report)),
            jumps(report)
        );
        let not = [&text.not[..], &[("x86/mfence-rdtsc", mfence(report))]].concat();
        return Some(Advice {
            cost_ns: read.known_ns(),
            // A table of clocks has another for reads back to back.
            figure: format!("{cost} ordered"),
            shortest: by_pair(report),
            ..chosen(report, clock, why, &not)
        });
    }
    let clock = system?;
    // The timed code can run during any part of the two halves of a read that lie within it.
    let shortest = shortest(clock.step_ns(), clock.ordered_ns());
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
    Some(Advice { shortest, ..chosen(report, clock, why, &[]) })
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

/// Tracing at the lowest cost.
pub(super) const TRACE: Purpose =
    Purpose { id: "trace", short: "Trace", how: How::Clock(trace_clock) };

fn trace_clock(report: &Report, text: &'static Text) -> Option<Advice> {
    let env = &report.environment;
    // Records from several CPUs are merged by their timestamps, so the counter must be one that the
    // kernel itself keeps time with.
    let objection =
        tsc_objection(env).or_else(|| counter_may_jump(env)).or_else(|| not_compared(env));
    let system = system_clock(report);
    let counter = match objection {
        None => first_of(report, &text.clocks, |_| true),
        Some(_) => None,
    };
    let system_read = system.and_then(Clock::read);
    let cheaper = |clock: &&Clock| {
        system_read.is_none_or(|other| clock.read().is_some_and(|read| read.is_below(other)))
    };
    if let Some(clock) = counter.filter(cheaper) {
        let against =
            system.and_then(|s| Some(format!(" ({}: {})", s.id, cost(s)?))).unwrap_or_default();
        let (cost, merged) = (cost(clock).unwrap_or_default(), merged(clock));
        let why = format!(
            "{cost} per read{against}; store the ticks and convert them afterwards.{merged}"
        );
        return Some(chosen(report, clock, why, &text.not));
    }
    let clock = system?;
    let against = objection
        .map_or(String::new(), |reason| format!(" The counter itself is ruled out: {reason}."));
    let why = format!(
        "{}; the cheapest whose timestamps can be merged across CPUs.{}{}{against}",
        figures(clock),
        merged(clock),
        slow_because(report, clock)
    );
    Some(chosen(report, clock, why, &[]))
}
