//! What else is known of clocks: tick and latency side by side, batches, costs under loads, the
//! order of reads, and many calls that were really made.

use super::table::{smallest, tick};
use crate::block::{Block, Cell, Tone, Value};
use crate::number::{plural, short, three};
use crate::section::{Detail, Spec, columns, load_conditions, load_name, shown, times_undisturbed};
use chronoscope_model::clock::{BuiltOn, Bulk, Clock, Kind, Scope, Speed};
use chronoscope_model::estimate::SampledTo;
use chronoscope_model::ordering::{Handed, Ordering, Work};
use chronoscope_model::units::percent;
use chronoscope_model::{Environment, Estimate, Report};

/// A clock and the name of the system's clock source.
type Timer<'a> = (&'a Clock, &'a str);

/// The table; nothing if no clock was watched until it changed.
pub(super) fn tick_and_latency(report: &Report) -> Vec<Block> {
    let source = report.environment.clocksource.as_ref();
    let source = source.map_or("the system's", |source| source.current.trim());
    let watched = report.clocks.iter().filter(|clock| clock.resolution.is_some());
    let timers: Vec<Timer> = watched.map(|clock| (clock, source)).collect();
    if timers.iter().all(|(clock, _)| clock.until_change.is_none()) {
        return Vec::new();
    }
    let remark = "until change: reads until the value is another";
    vec![
        Block::noted("Tick, latency and resolution", remark),
        shown(timer_columns(), Detail::Full, timers),
    ]
}

fn timer_columns<'a>() -> Vec<Spec<Timer<'a>>> {
    columns! { (clock, source) in Timer;
        "" "clock" [full name(12)] Cell::code(&clock.id);
        "" "timer" [full] Cell::text(built_on(clock, source));
        "" "tick" [full right] tick(clock);
        "" "latency" [full right] Cell::human_cost(clock.cost.latency.as_ref());
        "" "measured" [full right] smallest(clock);
        "" "until\nchange" [full right]
            Cell::ns(clock.until_change.as_ref().map(|change| change.median_ns));
        "" "its\nSD" [full right]
            Cell::ns(clock.until_change.as_ref().map(|change| change.sd_ns)).toned(Tone::Dim);
    }
}

fn built_on<'a>(clock: &Clock, source: &'a str) -> &'a str {
    match clock.facts.map_or(BuiltOn::Unknown, |facts| facts.built_on) {
        BuiltOn::Counter => "counter",
        BuiltOn::Cycles => "cycles",
        BuiltOn::ClockSource => source,
        BuiltOn::Tick => "timer tick",
        BuiltOn::CpuTime => "scheduler",
        BuiltOn::Device => "device",
        BuiltOn::Unknown => "-",
    }
}

// The batches behind an estimate, for those who ask for everything.

type Series<'a> = (&'a Clock, &'a Estimate);

pub(super) fn batches(report: &Report) -> Vec<Block> {
    type Part = fn(&Clock) -> Option<&Estimate>;
    let parts: [(&str, Part); 2] = [
        ("Batches, back to back", |c| c.cost.throughput.as_ref()),
        ("Batches, ordered", |c| c.cost.latency.as_ref()),
    ];
    let mut blocks = Vec::new();
    for (title, estimate) in parts {
        let available = report.clocks.iter().filter(|clock| clock.available);
        let series: Vec<Series> =
            available.filter_map(|clock| Some((clock, estimate(clock)?))).collect();
        if !series.is_empty() {
            let remark = "per read, with the empty loop still in it";
            blocks.push(Block::noted(title, remark));
            blocks.push(shown(batch_columns(), Detail::Everything, series));
        }
    }
    blocks
}

fn batch_columns<'a>() -> Vec<Spec<Series<'a>>> {
    columns! { (clock, e) in Series;
        "" "clock" [full name(12)] Cell::code(&clock.id);
        "" "raw" [full unit("ns") decimal] Cell::number(e.raw_ns);
        "" "min" [full unit("ns") decimal] Cell::number(e.min_ns);
        "" "median" [full unit("ns") decimal] Cell::number(e.median_ns);
        "" "MAD" [full unit("ns") decimal] Cell::number(e.mad_ns);
        "" "SD" [full unit("ns") decimal] Cell::number(e.sd_ns);
        "" "p99" [full unit("ns") decimal] Cell::number(e.p99_ns);
        "" "max" [full unit("ns") decimal] Cell::number(e.max_ns);
        "" "batches" [full right] Cell::count(e.batches);
        "" "reads" [full right] Cell::count(e.reads_per_batch);
        "" "disturbed" [full right] Cell::count(e.disturbed);
        "" "stopped" [full] Cell::text(match e.stopped_by {
            SampledTo::Precision => "precise",
            SampledTo::Budget => "time",
        });
        "" "processes" [full right] Cell::count(e.processes.map(u64::from));
        "" "apart" [full right] Cell::words(e.apart().map(|[least, most]| {
            format!("{} to {}", three(least), three(most))
        }));
        "" "shared" [full unit("ns") decimal] Cell::number(e.shared_ns);
        "" "second" [full right] Cell::words(e.second.map(|second| {
            format!("{} ({})", three(second.value_ns), percent(second.share))
        }));
    }
}

// What reads cost under loads, next to what they cost without one.

/// A clock without a load, and the same clock without or with one.
type Pair<'a> = (&'a Clock, &'a Clock);

/// The figures of each clock under each load; nothing if there was no load.
pub(super) fn under_loads(report: &Report) -> Vec<Block> {
    let mut rows: Vec<Pair> = Vec::new();
    for clock in &report.clocks {
        let under = report.clocks_under_load.iter().filter(|other| other.id == clock.id);
        let mut under = under.peekable();
        if under.peek().is_some() {
            rows.push((clock, clock));
            rows.extend(under.map(|other| (clock, other)));
        }
    }
    let mut blocks = Vec::new();
    if !rows.is_empty() {
        let calls = report.clocks_under_load.iter().any(|clock| clock.bulk.is_some());
        let remark = "cost of a read, without interrupted batches";
        blocks.push(Block::noted("Under load", remark));
        blocks.push(shown(load_columns(calls), Detail::Full, rows));
    }
    blocks.extend(load_conditions(report));
    blocks
}

fn load_columns<'a>(calls: bool) -> Vec<Spec<Pair<'a>>> {
    columns! { (none, clock) in Pair;
        "" "clock" [full name(12)]
            if clock.load.is_none() { Cell::code(&clock.id) } else { Cell::text("") };
        "" "load" [full also_name] Cell::text(load_name(clock.load));
        "" "read" [full unit("ns") decimal spread] Cell::cost(clock.cost.throughput.as_ref());
        "" "× none" [full narrow("×\nnone") decimal close]
            times_none(&clock.cost.throughput, &none.cost.throughput);
        "" "ordered" [full unit("ns") decimal] Cell::cost(clock.cost.latency.as_ref());
        "" "× none" [full narrow("×\nnone") decimal close]
            times_none(&clock.cost.latency, &none.cost.latency);
        "" "left out" [full narrow("left\nout") right]
            Cell::some(clock.cost.throughput.as_ref(), |cost| Value::Share(left_out(cost)));
        "" "time" [full_if(calls) unit("ms") decimal]
            Cell::number(clock.bulk.as_ref().map(|bulk| bulk.ms));
        "" "× none" [full_if(calls) narrow("×\nnone") decimal close] times_undisturbed(
            clock.bulk.as_ref().map(|bulk| bulk.ms),
            none.bulk.as_ref().map(|bulk| bulk.ms),
        );
    }
}

fn times_none(cost: &Option<Estimate>, none: &Option<Estimate>) -> Cell {
    let known = |cost: &Option<Estimate>| cost.as_ref()?.known_ns();
    times_undisturbed(known(cost), known(none))
}

/// The share of batches that were disturbed, 0 to 1.
fn left_out(cost: &Estimate) -> f64 {
    cost.disturbed as f64 / (cost.disturbed + cost.batches).max(1) as f64
}

// Whether reads stay in their place: how early each was taken after work that it could overtake,
// and what two threads saw when they handed their values to each other.

type Tested<'a> = (&'a Clock, &'a Ordering);

/// The tests of every clock; nothing if none was tested.
pub(super) fn order_of_reads(report: &Report) -> Vec<Block> {
    let clocks = report.clocks.iter();
    let tested: Vec<Tested> =
        clocks.filter_map(|clock| Some((clock, clock.ordering.as_ref()?))).collect();
    let Some((_, first)) = tested.first() else {
        return Vec::new();
    };
    let remark = "how early a read was taken, in ns";
    let mut blocks = vec![Block::noted("Order of reads", remark)];
    blocks.push(shown(order_columns(), Detail::Full, &tested));
    let hand_overs = match (&first.handed, &first.not_handed) {
        (Some(Handed { cpus: [a, b], .. }), _) => format!(" hand-overs: between CPUs {a} and {b}."),
        (None, Some(why)) => format!(" No hand-overs: {why}."),
        (None, None) => String::new(),
    };
    let lfence = match report.environment.cpu.lfence_serialises {
        Some(true) => " LFENCE always serialises here (CPUID 0x80000021 EAX[2] is 1).",
        Some(false) => {
            " CPUID 0x80000021 EAX[2] is 0: LFENCE serialises only if the kernel says so."
        }
        None => "",
    };
    let legend = format!(
        "after load: after a load that misses the cache, compared with a fenced read. after \
         branch: with a branch on that load. after chain: after a short arithmetic chain.\
         {hand_overs}{lfence}"
    );
    blocks.push(Block::legend(legend));
    blocks
}

fn order_columns<'a>() -> Vec<Spec<Tested<'a>>> {
    columns! { (clock, seen) in Tested;
        "" "clock" [full name(12)] Cell::code(&clock.id);
        "" "after\nload" [full right] after(seen, Work::Load);
        "" "after\nbranch" [full right close] after(seen, Work::LoadAndBranch);
        "" "after\nchain" [full right close] after(seen, Work::Chain);
        "" "hand-overs" [full narrow("hand\novers") right close]
            Cell::count(seen.handed.as_ref().map(|handed| handed.turns));
        "" "order" [full gives_way(20)] {
            let disorder = seen.early().is_some() || seen.backwards().is_some();
            Cell::text(&seen.text).toned_if(disorder, Tone::Warn)
        };
    }
}

/// How early the read was after this work: 0 if no more than fences and scatter explain.
fn after(seen: &Ordering, work: Work) -> Cell {
    let mut after = seen.after.iter();
    match after.find(|after| after.work == work) {
        Some(after) if after.tests() => {
            let early = after.early();
            let cell = Cell::number(Some(early.unwrap_or(0.0)));
            cell.shown(early.map_or("0".into(), |ns| format!("{ns:.0}")))
        }
        _ => Cell::default(),
    }
}

// Many calls of each clock, really made (`--calls`), in the two tables of the comparison that the
// project grew out of: difference over 100 ms, time and example; then speed, kind of time, home.
// Both have a row for each call that this platform lacks.

/// A clock and its calls; none if the platform lacks it.
type Made<'a> = (&'a Clock, Option<&'a Bulk>);

/// Both tables; nothing if no calls were made.
pub(super) fn really_made_calls(report: &Report) -> Vec<Block> {
    let clocks = || report.clocks.iter();
    let Some(first) = clocks().find_map(|clock| clock.bulk.as_ref()) else {
        return Vec::new();
    };
    let made = clocks().filter(|clock| clock.bulk.is_some());
    let lacking = clocks().filter(|clock| !clock.available);
    let rows = made.chain(lacking).map(|clock| (clock, clock.bulk.as_ref()));
    let rows: Vec<Made> = rows.collect();
    let title = plural(first.calls, "call", "calls");
    let remark = "really made, one after the other";
    let mut blocks = vec![Block::noted(title, remark)];
    blocks.extend(counter_rate(&report.environment).map(Block::paragraph));
    for columns in [call_times(), call_speeds()] {
        blocks.push(shown(columns, Detail::Full, &rows));
    }
    let legend = "fast: less than 100 ns per call. ok: less than 1 us. slow: more. not here: this \
                  platform lacks the call.";
    blocks.push(Block::legend(legend));
    blocks.extend(periods(&rows).map(Block::legend));
    blocks
}

/// What the counts of C++ are in, if they are shown without a cast.
fn periods(rows: &[Made]) -> Option<String> {
    let periods = rows.iter().filter(|(_, bulk)| bulk.is_some()).filter_map(|(clock, _)| {
        let ns = clock.period?.ns();
        let counted = clock.resolution.as_ref()?.nominal_ns == Some(ns);
        counted.then(|| format!("{}: {}", clock.id, short(ns)))
    });
    let periods: Vec<String> = periods.collect();
    (!periods.is_empty()).then(|| {
        let periods = periods.join(", ");
        format!(
            "Without a cast, a count of C++ is in the clock's period ({periods} in this build). \
             The standard leaves that to the library, so the same code may be wrong elsewhere: \
             system_clock has 1 ns in libstdc++, 1 us in libc++ and 100 ns in MSVC's library."
        )
    })
}

/// The measured rate of the counter, by its name; none if no counter was measured. That of a TSC is
/// about the frequency that the processor is sold with; Arm's generic timer has its own.
fn counter_rate(env: &Environment) -> Option<String> {
    let khz = env.measured_hz()? / 1e3;
    if env.tsc.is_some() {
        return Some(format!("CPU frequency: {khz:.0} kHz (the TSC's measured rate)"));
    }
    let name = if env.arch == "aarch64" { "cntvct_el0" } else { "CNTVCT" };
    Some(format!("Counter: {khz:.0} kHz (the measured rate of {name}, the generic timer)"))
}

fn call_times<'a>() -> Vec<Spec<Made<'a>>> {
    columns! { (clock, bulk) in Made;
        "" "Function" [full name(16)] Cell::code(&clock.call);
        "" "Difference\n(100 ms)" [full right] {
            let found = clock.difference_100ms.as_ref();
            let off = found.is_some_and(|it| !it.agrees);
            whole(found.map(|it| it.clock_ms)).toned_if(off, Tone::Warn)
        };
        "" "Time\n(ms)" [full right] match bulk {
            Some(bulk) => Cell::number(bulk.ms),
            None => Cell::default().shown("not here").toned(Tone::Dim),
        };
        "" "Example\n(ms)" [full right] whole(clock.example_ms).toned(Tone::Dim);
    }
}

/// A figure without decimals.
fn whole(ms: Option<f64>) -> Cell {
    let ms = ms.filter(|ms| ms.is_finite());
    Cell::number(ms).said(ms.map(|ms| format!("{ms:.0}")))
}

fn call_speeds<'a>() -> Vec<Spec<Made<'a>>> {
    columns! { (clock, bulk) in Made;
        "" "Function" [full name(16)] Cell::code(&clock.call);
        "" "Speed" [full] match bulk.and_then(|bulk| bulk.speed) {
            Some(Speed::Fast) => Cell::text("fast").toned(Tone::Good),
            Some(Speed::Ok) => Cell::text("ok"),
            Some(Speed::Slow) => Cell::text("slow").toned(Tone::Warn),
            None => Cell::default(),
        };
        "" "ns per call" [full right] Cell::number(bulk.map(|bulk| bulk.ns_per_call()));
        "" "Gives time" [full] Cell::text(gives(clock));
        "" "Compatible" [full gives_way(14)] Cell::text(&clock.home);
    }
}

fn gives(clock: &Clock) -> &'static str {
    match (clock.kind, clock.scope) {
        (Kind::Counter, _) => "tick",
        (_, Scope::Local) => "Local",
        (_, Scope::Universal) => "Universal",
        (_, Scope::Cpu) => "CPU time",
    }
}
