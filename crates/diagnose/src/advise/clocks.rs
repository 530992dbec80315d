//! The purposes for which a clock of the system is chosen, one after the other, and those for which
//! a bare counter may be chosen: the shortest intervals, and traces.

use super::pick::{
    cheapest, chosen, figures, figures_over, first_by, first_of, merged, precise, rejected,
    shortest, slow_because,
};
use super::{How, Purpose};
use crate::clocks::COARSE_NS;
use crate::reading::{
    available, cost, counter_may_jump, not_compared, tsc_objection, unordered, usable,
};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Advice, Estimate, Report, Shortest};

/// A duration within one process.
pub(super) const INTERVAL: Purpose = Purpose {
    id: "interval",
    short: "Measure a duration",
    how: How::Clock { choose: interval_clock, of: INTERVAL_CLOCKS, needs: &[SYSTEM] },
};

/// The system's own monotonic clocks.
pub(super) const SYSTEM: &[&str] =
    &["posix/monotonic", "windows/qpc", "darwin/clock_gettime_nsec_np-uptime-raw"];

/// The system's own monotonic clocks, then the languages' wrappers of them.
pub(crate) const INTERVAL_CLOCKS: &[&str] = &[
    "posix/monotonic",
    "windows/qpc",
    "darwin/clock_gettime_nsec_np-uptime-raw",
    "mach/absolute_time",
    "rust/instant",
    "cxx/steady_clock-nocast",
];

/// The system's monotonic clock: one that resolves a microsecond if there is one.
pub(crate) fn system_clock(report: &Report) -> Option<&Clock> {
    let fine = |c: &Clock| c.kind == Kind::Monotonic && c.step_ns().is_none_or(|ns| ns < COARSE_NS);
    first_of(report, INTERVAL_CLOCKS, fine)
        .or_else(|| first_of(report, INTERVAL_CLOCKS, |c| c.kind == Kind::Monotonic))
}

fn interval_clock(report: &Report) -> Option<Advice> {
    let clock = system_clock(report)?;
    let (figures, slow) = (figures_over(report, clock), slow_because(report, clock));
    let why = format!("{figures}; it is never stepped and agrees on every CPU.{slow}");
    let not = [
        ("linux/monotonic-coarse", "its tick is too long"),
        ("posix/realtime", "it is stepped when the clock is set"),
        ("linux/monotonic-raw", "its rate is not disciplined, so its second may be off"),
        ("x86/rdtsc-intrinsic", "its rate must be calibrated first, and it may be read early"),
        ("linux/monotonic-syscall", "the same clock, read more slowly"),
    ];
    Some(chosen(report, clock, why, &not))
}

/// The time of a log line or an event, in universal time.
pub(super) const TIMESTAMP: Purpose = Purpose {
    id: "timestamp",
    short: "Timestamp events",
    how: How::Clock { choose: timestamp_clock, of: TIMESTAMP_CLOCKS, needs: &[TIMESTAMP_SYSTEM] },
};

const TIMESTAMP_SYSTEM: &[&str] = &["posix/realtime", "windows/getsystemtimepreciseasfiletime"];

/// The system's own wall clocks, then the languages' wrappers of them and older ones.
pub(super) const TIMESTAMP_CLOCKS: &[&str] = &[
    "posix/realtime",
    "windows/getsystemtimepreciseasfiletime",
    "c/timespec_get",
    "rust/system_time",
    "cxx/system_clock-nocast",
    "c/gettimeofday",
    "windows/getsystemtimeasfiletime",
    "mach/clock_get_time-calendar",
];

/// The longest tick that distinguishes the events of a log, in nanoseconds.
const FINE_NS: f64 = 2000.0;

fn timestamp_clock(report: &Report) -> Option<Advice> {
    let fine = |c: &Clock| c.kind == Kind::Wall && c.step_ns().is_none_or(|ns| ns <= FINE_NS);
    let clock = first_of(report, TIMESTAMP_CLOCKS, fine)
        .or_else(|| first_of(report, TIMESTAMP_CLOCKS, |c| c.kind == Kind::Wall))?;
    let why = format!(
        "{}; it follows UTC, so it can be stepped: do not measure by subtracting two of its \
         timestamps.{}",
        figures(clock),
        slow_because(report, clock)
    );
    let not = [
        ("linux/realtime-coarse", "events get the time of the last tick"),
        ("c/time", "whole seconds"),
        ("c/gettimeofday", "the same clock, truncated to microseconds"),
        ("linux/tai", "ahead of UTC by the leap seconds, and only if its offset is set"),
    ];
    Some(chosen(report, clock, why, &not))
}

/// A cheap read of the time when milliseconds are enough.
pub(super) const COARSE: Purpose = Purpose {
    id: "coarse",
    short: "",
    how: How::Clock { choose: coarse_clock, of: COARSE_CLOCKS, needs: &[SYSTEM, COARSE_FIRST] },
};

/// The longest tick that still counts as milliseconds, in nanoseconds: 15.625 ms is the longest
/// timer tick of any system.
const LONGEST_NS: f64 = 20e6;

/// A coarse clock is worth its long tick if its read costs no more than this share of a read of the
/// system's own clock.
const WORTH: f64 = 0.8;

/// The first four, which are the coarse ones.
const COARSE_FIRST: &[&str] = COARSE_CLOCKS.split_at(4).0;

pub(super) const COARSE_CLOCKS: &[&str] = &[
    "linux/monotonic-coarse",
    "windows/gettickcount64",
    "windows/queryinterrupttime",
    "mach/approximate_time",
    "posix/monotonic",
    "windows/qpc",
    "mach/absolute_time",
];

fn coarse_clock(report: &Report) -> Option<Advice> {
    let fits = |c: &Clock| {
        c.kind == Kind::Monotonic
            && !unordered(c, &report.environment)
            && COARSE_CLOCKS.contains(&c.id.as_str())
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
    let not = [
        ("linux/realtime-coarse", "as cheap, but stepped when the clock is set"),
        ("c/time", "whole seconds, and stepped"),
    ];
    Some(chosen(report, clock, why, &not))
}

/// A ratio with few digits: `3.4`, `151`.
fn times(ratio: f64) -> String {
    format!("{ratio:.*}", usize::from(ratio < 10.0))
}

/// CPU time used.
pub(super) const CPU: Purpose = Purpose {
    id: "cpu",
    short: "Measure CPU time",
    how: How::Clock { choose: cpu_clock, of: CPU_CLOCKS, needs: &[CPU_SYSTEM] },
};

const CPU_SYSTEM: &[&str] = &["posix/process-cputime", "windows/querythreadcycletime"];

pub(super) const CPU_CLOCKS: &[&str] = &[
    "posix/process-cputime",
    "posix/thread-cputime",
    "c/clock",
    "c/getrusage",
    "c/times",
    "windows/querythreadcycletime",
];

fn cpu_clock(report: &Report) -> Option<Advice> {
    let fine = |c: &Clock| c.kind == Kind::Cpu && c.step_ns().is_none_or(|ns| ns <= 1e6);
    let clock = first_of(report, &CPU_CLOCKS[..1], fine)
        .or_else(|| first_of(report, CPU_CLOCKS, fine))
        .or_else(|| first_of(report, CPU_CLOCKS, |c| c.kind == Kind::Cpu))?;
    let whose = match clock.id.as_str() {
        "posix/thread-cputime" | "windows/querythreadcycletime" => {
            "only the calling thread, and stops while it sleeps"
        }
        _ => "all threads of the process, and stops while they sleep",
    };
    let why = format!("{}; it counts {whose}.", figures(clock));
    let not = [
        ("posix/thread-cputime", "only the calling thread, which may be what you want"),
        ("c/clock", "the same, truncated to microseconds"),
        ("c/times", "in scheduler ticks"),
        ("c/getrusage", "user and system time separately, in microseconds"),
    ];
    Some(chosen(report, clock, why, &not))
}

/// Times compared between processes, threads and CPUs of one machine.
pub(super) const CROSS_PROCESS: Purpose = Purpose {
    id: "cross-process",
    short: "",
    how: How::Clock { choose: cross_process_clock, of: INTERVAL_CLOCKS, needs: &[SYSTEM] },
};

fn cross_process_clock(report: &Report) -> Option<Advice> {
    let clock = system_clock(report)?;
    let env = &report.environment;
    let raw = tsc_objection(env).or_else(|| counter_may_jump(env));
    let raw = raw.unwrap_or_else(|| {
        "no system guarantees that counters agree across CPUs, and ticks mean nothing to other \
         programs"
            .into()
    });
    let why = format!(
        "{}; one zero and one rate for all processes since the machine started.{}{}",
        figures(clock),
        merged(clock),
        slow_because(report, clock)
    );
    let not = [
        ("x86/rdtsc-intrinsic", raw.as_str()),
        ("posix/realtime", "a step between the two reads ruins the comparison"),
    ];
    Some(chosen(report, clock, why, &not))
}

/// Elapsed time that includes suspend.
pub(super) const BOOT: Purpose = Purpose {
    id: "boot",
    short: "",
    how: How::Clock { choose: boot_clock, of: BOOT_CLOCKS, needs: &[BOOT_CLOCKS] },
};

pub(super) const BOOT_CLOCKS: &[&str] = &[
    "linux/boottime",
    "windows/queryinterrupttimeprecise",
    "windows/queryinterrupttime",
    "windows/gettickcount64",
    "mach/continuous_time",
];

fn boot_clock(report: &Report) -> Option<Advice> {
    let clock = first_of(report, &BOOT_CLOCKS[..2], |c| c.kind == Kind::Monotonic)
        .or_else(|| first_of(report, BOOT_CLOCKS, |c| c.kind == Kind::Monotonic))?;
    let why = format!(
        "{}; it keeps running while the machine is suspended and is never stepped.{}",
        figures(clock),
        slow_because(report, clock)
    );
    let not = [
        ("posix/monotonic", "on Linux it stops while the machine is suspended"),
        ("posix/realtime", "it includes suspend, but is stepped when the clock is set"),
    ];
    Some(chosen(report, clock, why, &not))
}

/// A microbenchmark: the shortest intervals.
pub(super) const MICRO: Purpose = Purpose {
    id: "micro",
    short: "Microbenchmark",
    how: How::Clock {
        choose: micro_clock,
        of: ORDERED,
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

fn micro_clock(report: &Report) -> Option<Advice> {
    let objection = tsc_objection(&report.environment);
    let system = system_clock(report);
    let counter = match objection {
        // By the cost of a read that is ordered after the one before.
        None => first_by(report, ORDERED, |_| true, Clock::ordered_ns),
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
        let early = "the processor may read it early, by more than such an interval lasts";
        let not = [
            ("x86/rdtsc-intrinsic", early),
            ("x86/cpuid-rdtsc", "CPUID takes longer than the code to be timed"),
            ("x86/mfence-rdtsc", mfence(report)),
        ];
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
pub(super) const TRACE: Purpose = Purpose {
    id: "trace",
    short: "Trace",
    how: How::Clock {
        choose: trace_clock,
        of: COUNTERS,
        // The other names are those of the same instruction.
        needs: &[SYSTEM, &["x86/rdtsc-intrinsic", "arm/cntvct"]],
    },
};

pub(super) const COUNTERS: &[&str] =
    &["x86/rdtsc-intrinsic", "x86/rdtsc-builtin", "x86/rdtsc-asm", "arm/cntvct"];

fn trace_clock(report: &Report) -> Option<Advice> {
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
        let (cost, merged) = (cost(clock).unwrap_or_default(), merged(clock));
        let why = format!(
            "{cost} per read{against}; store the ticks and convert them afterwards.{merged}"
        );
        let not = [
            ("x86/rdtscp", "waits for earlier instructions, which a trace does not need"),
            ("linux/monotonic-coarse", "gives many records the same timestamp"),
        ];
        return Some(chosen(report, clock, why, &not));
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
