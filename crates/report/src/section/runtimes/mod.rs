//! The clocks of language runtimes, next to C.

mod terms;

use super::clocks::terms::RESOLUTION;
use super::columns::{Of, Rows, column};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Fact, Text, Tone, Value};
use crate::number::{count, plural, short};
use crate::term::Term;
use chronoscope_model::runtimes::{Called, Ratio, Runtime, RuntimeClock, RuntimeSleep};
use chronoscope_model::{Estimate, Report};
use std::collections::BTreeSet;

/// The section.
pub const SECTION: Section = Section {
    id: "runtimes",
    records: &[("runtimes", "runtime")],
    measured: true,
    terms: terms::ALL,
    view,
    table: Some(|report| {
        let rows: Vec<OneClock> = clocks(&report.runtimes).collect();
        Rows::data(columns()).of_all(&rows)
    }),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return Vec::new();
    }
    if report.runtimes.is_empty() {
        return vec![Block::paragraph("No runtime was measured.")];
    }
    let all = detail == Detail::Everything;
    let measured: Vec<&Runtime> = report.runtimes.iter().filter(|r| !r.clocks.is_empty()).collect();
    let mut blocks = Vec::new();
    let mut table = Rows::shown(columns(), detail, &[]);
    let mut left_out = 0;
    for runtime in &measured {
        let several =
            measured.iter().filter(|other| other.family() == runtime.family()).count() > 2;
        let most = if several && !all { 1 } else { usize::MAX };
        table.group(&runtime.id, remark(runtime));
        for clock in runtime.clocks.iter().take(most) {
            table.row(&(*runtime, clock));
        }
        left_out += runtime.clocks.len().saturating_sub(most);
    }
    if !measured.is_empty() {
        blocks.push(Block::heading("Clocks of runtimes"));
        blocks.push(Block::Table(table.table()));
    }
    if left_out > 0 {
        let clocks = plural(left_out as u64, "clock of builds", "clocks of builds");
        blocks.push(Block::Legend(
            format!("-v shows {clocks} that differ in compiler or level.").into(),
        ));
    }
    blocks.extend(legend(&measured));
    blocks.extend(sleeps(&measured, detail));
    blocks.extend(matrix(&measured, detail));
    if all {
        blocks.extend(details(&measured));
    }
    blocks.extend(unavailable(&report.runtimes));
    blocks
}

fn remark(runtime: &Runtime) -> String {
    let version = runtime.version.as_deref().unwrap_or_default();
    format!("{} {version}", runtime.name).trim().to_owned()
}

fn legend(measured: &[&Runtime]) -> Option<Block> {
    let call = measured.iter().find_map(|runtime| runtime.relative_to.as_deref())?;
    let text = format!(
        "× C: the cost as a multiple of {call} in C, measured in the same rounds. ±: half the \
         95 % interval."
    );
    Some(Block::Legend(text.into()))
}

/// A clock with its runtime.
type OneClock<'a> = (&'a Runtime, &'a RuntimeClock);

fn clocks(runtimes: &[Runtime]) -> impl Iterator<Item = OneClock<'_>> {
    let all = runtimes.iter();
    all.flat_map(|runtime| runtime.clocks.iter().map(move |clock| (runtime, clock)))
}

fn columns<'a>() -> Vec<Of<OneClock<'a>>> {
    vec![
        column("runtime", &terms::RUNTIME, |(r, _): &OneClock| Cell::code(&r.id)),
        column("language", &terms::RUNTIME, |(r, _): &OneClock| Cell::text(&r.language)),
        column("version", &terms::RUNTIME, |(r, _): &OneClock| {
            Cell::some(r.version.clone(), Value::Text)
        }),
        column("clock", &terms::CLOCK, |(_, c): &OneClock| Cell::code(&c.id)),
        column("call", &terms::CLOCK, |(_, c): &OneClock| Cell::code(&c.call)).full(0).name(16),
        column("claimed_ns", &terms::CLAIMED, |(_, c): &OneClock| Cell::ns(c.claimed_ns))
            .full(0)
            .right()
            .spare(),
        column("tick_ns", &terms::TICK, |(_, c): &OneClock| Cell::ns(c.tick_ns)).full(0).right(),
        column("resolution_ns", &RESOLUTION, |(_, c): &OneClock| Cell::ns(c.resolution_ns)),
        column("throughput", &terms::COST, |(_, c): &OneClock| {
            Cell::estimate(c.throughput.as_ref())
        })
        .full(0)
        .unit("ns")
        .decimal()
        .spread()
        .statistics(),
        column("", &terms::TIMES_C, |(_, c): &OneClock| times_c(c.relative))
            .full(0)
            .decimal()
            .spread(),
        column("times_c", &terms::TIMES_C, |(_, c): &OneClock| {
            Cell::number(c.relative.map(|ratio| ratio.value))
        }),
        column("times_c_low", &terms::TIMES_C, |(_, c): &OneClock| {
            Cell::number(c.relative.map(|ratio| ratio.low))
        }),
        column("times_c_high", &terms::TIMES_C, |(_, c): &OneClock| {
            Cell::number(c.relative.map(|ratio| ratio.high))
        }),
        column("latency", &terms::LATENCY, |(_, c): &OneClock| Cell::estimate(c.latency.as_ref()))
            .full(0)
            .unit("ns")
            .decimal()
            .more(),
        column("bytes_per_read", &terms::ALLOCATES, |(_, c): &OneClock| {
            Cell::number(c.allocates.and_then(|per_read| per_read.bytes))
        }),
        column("objects_per_read", &terms::ALLOCATES, |(_, c): &OneClock| {
            Cell::number(c.allocates.and_then(|per_read| per_read.objects))
        }),
        column("", &terms::ALLOCATES, |(_, c): &OneClock| allocates(c)).full(0).right().more(),
        column("calls", &terms::OS_CALLS, |(_, c): &OneClock| {
            Cell::some(c.calls.as_deref().map(calls), Value::Text)
        }),
        column("counted_by", &terms::OS_CALLS, |(_, c): &OneClock| Cell::text(&c.counted_by)),
        column("longest_ns", &terms::LONGEST, |(_, c): &OneClock| {
            Cell::ns(c.watched.map(|watched| watched.longest_ns))
        }),
        column("backwards", &terms::BACKWARDS, |(_, c): &OneClock| {
            Cell::count(c.watched.map(|watched| watched.backwards))
        }),
        column("processor", &terms::SYSTEM, |(r, _): &OneClock| Cell::text(&r.processor)),
        column("system", &terms::SYSTEM, |(r, _): &OneClock| Cell::text(&r.system)),
        column("hardware_timer", &terms::TIMER, |(r, _): &OneClock| Cell::text(&r.hardware_timer)),
    ]
}

fn times_c(ratio: Option<Ratio>) -> Cell {
    Cell::some(ratio, |ratio| {
        Value::Estimate(Box::new(Estimate {
            value_ns: ratio.value,
            low_ns: ratio.low,
            high_ns: ratio.high,
            ..Estimate::default()
        }))
    })
}

fn allocates(clock: &RuntimeClock) -> Cell {
    let Some(per_read) = clock.allocates else {
        return Cell::default();
    };
    let words = match (per_read.bytes, per_read.objects) {
        (Some(bytes), _) if bytes < 0.5 => "nothing".into(),
        (Some(bytes), _) => format!("{bytes:.0} B"),
        (None, Some(objects)) if objects < 0.05 => "nothing".into(),
        (None, Some(objects)) => plural(objects.round() as u64, "object", "objects"),
        (None, None) => String::new(),
    };
    Cell::text(words)
}

/// The calls of the system, with how often each is made if that is not once per read.
fn calls(calls: &[Called]) -> String {
    let all = calls.iter().map(|called| {
        let once = (called.per_read - 1.0).abs() < 0.02;
        match once {
            true => called.call.clone(),
            false => format!("{} × {:.2}", called.call, called.per_read),
        }
    });
    all.collect::<Vec<_>>().join(", ")
}

/// A sleep with its runtime.
type OneSleep<'a> = (&'a Runtime, &'a RuntimeSleep);

/// Sleeps of the builds of one compiled language hardly differ, so the first stands for them.
fn sleeps(measured: &[&Runtime], detail: Detail) -> Vec<Block> {
    let mut families = BTreeSet::new();
    let mut table = Rows::shown(sleep_columns(), detail, &[]);
    let mut any = false;
    for runtime in measured {
        let all = detail == Detail::Everything || runtime.sleeps.is_empty();
        let first = all || families.insert(runtime.family());
        for sleep in runtime.sleeps.iter().filter(|_| first) {
            table.row(&(*runtime, sleep));
            any = true;
        }
    }
    match any {
        true => vec![Block::heading("Sleeps"), Block::Table(table.table())],
        false => Vec::new(),
    }
}

fn sleep_columns<'a>() -> Vec<Of<OneSleep<'a>>> {
    vec![
        column("", &terms::RUNTIME, |(r, _): &OneSleep| Cell::code(&r.id)).full(0).name(8),
        column("", &terms::CLOCK, |(_, s): &OneSleep| Cell::code(&s.call)).full(0).name(12),
        column("", &terms::ASKED, |(_, s): &OneSleep| Cell::ns(Some(s.asked_ns)))
            .full(0)
            .right()
            .also_name(),
        column("", &terms::EARLY, |(_, s): &OneSleep| early(s)).full(0).right(),
        column("", &terms::MEDIAN, |(_, s): &OneSleep| Cell::ns(Some(s.median_ns))).full(0).right(),
        column("", &terms::P90, |(_, s): &OneSleep| Cell::ns(Some(s.p90_ns)))
            .full(0)
            .right()
            .spare(),
        column("", &terms::MAX, |(_, s): &OneSleep| Cell::ns(Some(s.max_ns)))
            .full(0)
            .right()
            .spare(),
    ]
}

fn early(sleep: &RuntimeSleep) -> Cell {
    match sleep.early {
        0 => Cell::text("none"),
        some => {
            let by = short(sleep.earliest_ns);
            let text = format!("{some} of {}, by {by}", count(sleep.count));
            Cell::text(text).toned(Tone::Warn)
        }
    }
}

/// The best monotonic clock of each runtime by system and hardware timer, as comparisons of
/// runtimes give it. Builds that differ only in level are left out.
fn matrix(measured: &[&Runtime], detail: Detail) -> Vec<Block> {
    let mut families = BTreeSet::new();
    let mut table = Rows::shown(matrix_columns(), Detail::Full, &[]);
    let mut any = false;
    for runtime in measured {
        let key = (runtime.family(), &runtime.system, &runtime.hardware_timer, &runtime.processor);
        let best = runtime.clocks.iter().find(|clock| clock.tick_ns.is_some());
        let all = detail == Detail::Everything || best.is_none();
        let first = all || families.insert(key);
        if let (true, Some(clock)) = (first, best) {
            table.row(&(*runtime, clock));
            any = true;
        }
    }
    match any {
        true => vec![Block::heading("Runtime, system, timer"), Block::Table(table.table())],
        false => Vec::new(),
    }
}

/// What runtimes showed under each clock source, for a run that tried several.
pub(super) fn under_sources(report: &Report, detail: Detail) -> Vec<Block> {
    let measured: Vec<&Runtime> = report.runtimes.iter().filter(|r| !r.clocks.is_empty()).collect();
    let mut blocks = matrix(&measured, detail);
    // A reason is the same under each source.
    let mut told = BTreeSet::new();
    let mut missing = report.runtimes.clone();
    missing.retain(|r| r.reason.is_some() && told.insert((r.id.clone(), r.reason.clone())));
    blocks.extend(unavailable(&missing));
    blocks
}

fn matrix_columns<'a>() -> Vec<Of<OneClock<'a>>> {
    vec![
        column("", &terms::RUNTIME, |(r, _): &OneClock| Cell::code(&r.id)).full(0).name(10),
        column("", &terms::SYSTEM, |(r, _): &OneClock| Cell::text(&r.system)).full(0).gives_way(12),
        column("", &terms::TIMER, |(r, _): &OneClock| Cell::text(&r.hardware_timer)).full(0),
        column("", &terms::TICK, |(_, c): &OneClock| Cell::ns(c.tick_ns)).full(0).right(),
        column("", &terms::COST, |(_, c): &OneClock| Cell::ns(c.read_ns()))
            .full(0)
            .head("latency")
            .right(),
        column("", &RESOLUTION, |(_, c): &OneClock| match c.is_limited_by_read() {
            true => Cell::text("≈ latency"),
            false => Cell::ns(c.resolution_ns),
        })
        .full(0)
        .right(),
    ]
}

/// What is known of each runtime apart from its figures.
fn details(measured: &[&Runtime]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut families = BTreeSet::new();
    for runtime in measured {
        let mut facts = Vec::new();
        let mut fact = |term: &'static Term, text: String| facts.push(Fact::new(term, text));
        if let Some(build) = &runtime.build {
            fact(&terms::BUILD, build.clone());
        }
        if let Some(program) = &runtime.program {
            fact(&terms::PROGRAM, program.clone());
        }
        if let Some(stopwatch) = &runtime.stopwatch {
            let off = stopwatch.fast_ppm.map(|ppm| format!(", {ppm:+.0} ppm by the ruler"));
            fact(&terms::STOPWATCH, format!("{}{}", stopwatch.call, off.unwrap_or_default()));
        }
        if let Some(warm_up) = runtime.warm_up {
            let settled = if warm_up.settled { "" } else { ", not settled by then" };
            let batches = plural(warm_up.batches, "batch", "batches");
            let seconds = short(warm_up.seconds * 1e9);
            let faster = format!("up to {:.1} times as fast", warm_up.speed_up);
            fact(&terms::WARM_UP, format!("{seconds}, {batches} of each cost, {faster}{settled}"));
        }
        for clock in &runtime.clocks {
            let counted = clock.calls.as_deref().map(calls).filter(|text| !text.is_empty());
            let text = counted.unwrap_or_else(|| clock.counted_by.clone());
            if !text.is_empty() {
                facts.push(Fact::new(&terms::OS_CALLS, format!("{}: {text}", clock.id)));
            }
        }
        if families.insert(runtime.family()) {
            for setting in &runtime.settings {
                facts.push(Fact::new(
                    &terms::SETTING,
                    format!("{}: {}", setting.name, setting.effect),
                ));
            }
        }
        if !facts.is_empty() {
            blocks.push(Block::remarked(&runtime.id, Text::toned(Tone::Dim, remark(runtime))));
            blocks.push(Block::Facts(facts));
        }
    }
    blocks
}

/// The runtimes that were not measured, or not to the end, with the reasons.
fn unavailable(runtimes: &[Runtime]) -> Vec<Block> {
    let with_reason = runtimes.iter().filter_map(|r| Some((r, r.reason.as_deref()?)));
    let rows: Vec<(&Runtime, &str)> = with_reason.collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let columns: Vec<Of<(&Runtime, &str)>> = vec![
        column("", &terms::RUNTIME, |(r, _): &(&Runtime, &str)| Cell::code(&r.id)).full(0).name(8),
        column("", &terms::REASON, |(_, why): &(&Runtime, &str)| Cell::text(*why))
            .full(0)
            .gives_way(20),
    ];
    let table = Rows::shown(columns, Detail::Full, &[]).of_all(&rows);
    vec![Block::heading("Not measured"), Block::Table(table)]
}
