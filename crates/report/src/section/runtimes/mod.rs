//! The clocks of language runtimes, next to C.

use super::columns::{Rows, Spec, columns};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Fact, Tone};
use crate::number::{count, plural, short};
use chronoscope_model::Report;
use chronoscope_model::runtimes::{Called, Runtime, RuntimeClock, RuntimeSleep};
use std::collections::BTreeSet;

pub const SECTION: Section = Section {
    id: "runtimes",
    records: &[("runtimes", "runtime")],
    measured: true,
    terms: include_str!("terms.md"),
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
    let mut table = Rows::shown(columns(), detail);
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
    Some(Block::legend(text))
}

type OneClock<'a> = (&'a Runtime, &'a RuntimeClock);

fn clocks(runtimes: &[Runtime]) -> impl Iterator<Item = OneClock<'_>> {
    let all = runtimes.iter();
    all.flat_map(|runtime| runtime.clocks.iter().map(move |clock| (runtime, clock)))
}

fn columns<'a>() -> Vec<Spec<OneClock<'a>>> {
    columns! { (r, c) in OneClock;
        "runtime" "runtime" [] Cell::code(&r.id);
        "language" "runtime" [] Cell::text(&r.language);
        "version" "runtime" [] Cell::words(r.version.clone());
        "clock" "call" [] Cell::code(&c.id);
        "call" "call" [full name(16)] Cell::code(&c.call);
        "claimed_ns" "claimed" [full right spare] Cell::ns(c.claimed_ns);
        "tick_ns" "tick" [full right] Cell::ns(c.tick_ns);
        "resolution_ns" "resolution" [] Cell::ns(c.resolution_ns);
        "throughput" "per read" [full unit("ns") decimal spread statistics]
            Cell::estimate(c.throughput.as_ref());
        "" "× C" [full decimal spread] c.relative
            .map_or(Cell::default(), |ratio| Cell::within(ratio.value, ratio.low, ratio.high));
        "times_c" "× C" [] Cell::number(c.relative.map(|ratio| ratio.value));
        "times_c_low" "× C" [] Cell::number(c.relative.map(|ratio| ratio.low));
        "times_c_high" "× C" [] Cell::number(c.relative.map(|ratio| ratio.high));
        "latency" "ordered" [full unit("ns") decimal more] Cell::estimate(c.latency.as_ref());
        "bytes_per_read" "allocates" []
            Cell::number(c.allocates.and_then(|per_read| per_read.bytes));
        "objects_per_read" "allocates" []
            Cell::number(c.allocates.and_then(|per_read| per_read.objects));
        "" "allocates" [full right more] allocates(c);
        "calls" "calls of the system" [] Cell::words(c.calls.as_deref().map(calls));
        "counted_by" "calls of the system" [] Cell::text(&c.counted_by);
        "longest_ns" "longest interval" [] Cell::ns(c.watched.map(|watched| watched.longest_ns));
        "backwards" "backwards" [] Cell::count(c.watched.map(|watched| watched.backwards));
        "processor" "system" [] Cell::text(&r.processor);
        "system" "system" [] Cell::text(&r.system);
        "hardware_timer" "hardware timer" [] Cell::text(&r.hardware_timer);
    }
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
        if once {
            called.call.clone()
        } else {
            format!("{} × {:.2}", called.call, called.per_read)
        }
    });
    all.collect::<Vec<_>>().join(", ")
}

type OneSleep<'a> = (&'a Runtime, &'a RuntimeSleep);

/// Sleeps of the builds of one compiled language hardly differ, so the first stands for them.
fn sleeps(measured: &[&Runtime], detail: Detail) -> Vec<Block> {
    let mut families = BTreeSet::new();
    let mut table = Rows::shown(sleep_columns(), detail);
    let mut any = false;
    for runtime in measured {
        let all = detail == Detail::Everything || runtime.sleeps.is_empty();
        let first = all || families.insert(runtime.family());
        for sleep in runtime.sleeps.iter().filter(|_| first) {
            table.row(&(*runtime, sleep));
            any = true;
        }
    }
    if any { vec![Block::heading("Sleeps"), Block::Table(table.table())] } else { Vec::new() }
}

fn sleep_columns<'a>() -> Vec<Spec<OneSleep<'a>>> {
    columns! { (r, s) in OneSleep;
        "" "runtime" [full name(8)] Cell::code(&r.id);
        "" "call" [full name(12)] Cell::code(&s.call);
        "" "asked" [full right also_name] Cell::ns(s.asked_ns);
        "" "early" [full right] early(s);
        "" "median late" [full right] Cell::ns(s.median_ns);
        "" "p90 late" [full right spare] Cell::ns(s.p90_ns);
        "" "max late" [full right spare] Cell::ns(s.max_ns);
    }
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
    let mut table = Rows::shown(matrix_columns(), Detail::Full);
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
    if any {
        vec![Block::heading("Runtime, system, timer"), Block::Table(table.table())]
    } else {
        Vec::new()
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

fn matrix_columns<'a>() -> Vec<Spec<OneClock<'a>>> {
    columns! { (r, c) in OneClock;
        "" "runtime" [full name(10)] Cell::code(&r.id);
        "" "system" [full gives_way(12)] Cell::text(&r.system);
        "" "hardware timer" [full] Cell::text(&r.hardware_timer);
        "" "tick" [full right] Cell::ns(c.tick_ns);
        "" "latency" [full right] Cell::ns(c.read_ns());
        "" "resolution" [full right] match c.is_limited_by_read() {
            true => Cell::text("≈ latency"),
            false => Cell::ns(c.resolution_ns),
        };
    }
}

/// What is known about each runtime apart from its figures.
fn details(measured: &[&Runtime]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut families = BTreeSet::new();
    for runtime in measured {
        let mut facts = Vec::new();
        let mut fact = |name: &'static str, text: String| facts.push(Fact::new(name, text));
        if let Some(build) = &runtime.build {
            fact("build", build.clone());
        }
        if let Some(program) = &runtime.program {
            fact("program", program.clone());
        }
        if let Some(stopwatch) = &runtime.stopwatch {
            let off = stopwatch.fast_ppm.map(|ppm| format!(", {ppm:+.0} ppm by the ruler"));
            fact("stopwatch", format!("{}{}", stopwatch.call, off.unwrap_or_default()));
        }
        if let Some(warm_up) = runtime.warm_up {
            let settled = if warm_up.settled { "" } else { ", not settled by then" };
            let batches = plural(warm_up.batches, "batch", "batches");
            let seconds = short(warm_up.seconds * 1e9);
            let faster = format!("up to {:.1} times as fast", warm_up.speed_up);
            fact("warm-up", format!("{seconds}, {batches} of each cost, {faster}{settled}"));
        }
        for clock in &runtime.clocks {
            let counted = clock.calls.as_deref().map(calls).filter(|text| !text.is_empty());
            let text = counted.unwrap_or_else(|| clock.counted_by.clone());
            if !text.is_empty() {
                fact("calls of the system", format!("{}: {text}", clock.id));
            }
        }
        if families.insert(runtime.family()) {
            for setting in &runtime.settings {
                fact("setting", format!("{}: {}", setting.name, setting.effect));
            }
        }
        if !facts.is_empty() {
            blocks.push(Block::noted(&runtime.id, remark(runtime)));
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
    let columns: Vec<Spec<(&Runtime, &str)>> = columns! { (r, why) in (&Runtime, &str);
        "" "runtime" [full name(8)] Cell::code(&r.id);
        "" "reason" [full gives_way(20)] Cell::text(*why);
    };
    let table = Rows::shown(columns, Detail::Full).of_all(&rows);
    vec![Block::heading("Not measured"), Block::Table(table)]
}
