//! The clocks of language runtimes, next to C.

use super::{
    Detail, Line, Rows, SECTION as PLAIN, Section, Spec, absent, after_heading, by_key, columns,
    cost_mark, each, lines_blocks, shown, together, whose,
};
use crate::block::chart::What;
use crate::block::{Block, Cell, Column, Fact, Tone};
use crate::number::{count, plural, short, three};
use crate::page::Input;
use chronoscope_model::clock::Kind;
use chronoscope_model::packed::packed;
use chronoscope_model::runtimes::{
    Called, LimitedBy, Runtime, RuntimeClock, RuntimeSleep, Spread, Stopwatch,
};
use chronoscope_model::{Estimate, Report};
use std::collections::BTreeSet;

pub const SECTION: Section = Section {
    id: "runtimes",
    records: &[("runtimes", "runtime")],
    measured: true,
    terms: packed!("terms.md"),
    view,
    page: Some(page),
    table: Some(|report| Rows::data(columns()).of_all(clocks(&report.runtimes))),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief || report.runtimes.is_empty() {
        return absent(detail, "No runtime was measured.");
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
        blocks.push(Block::legend(format!(
            "-v shows {clocks} that differ in compiler or optimisation level."
        )));
    }
    blocks.extend(legend(&measured));
    blocks.extend(two_states(&measured));
    blocks.extend(sleeps(&measured, detail));
    blocks.extend(stopwatches(&measured, detail, false));
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
    let mut compared = measured.iter().flat_map(|it| &it.clocks).filter(|c| c.relative.is_some());
    let cpu = match compared.any(|clock| clock.kind == Kind::Cpu) {
        true => " (for clocks of CPU time, of C's clock of CPU time)",
        false => "",
    };
    let text = format!(
        "× C: the cost as a multiple of {call} in C{cpu}, measured in the same rounds. ±: half the \
         95 % interval."
    );
    Some(Block::legend(text))
}

/// The clocks whose processes have two costs, so that no single figure is right.
fn two_states(measured: &[&Runtime]) -> Option<Block> {
    let clocks = measured.iter().flat_map(|runtime| {
        runtime.clocks.iter().filter_map(|clock| {
            let [low, high] = clock.states_ns?.map(short);
            Some(format!("{} {}: {low} or {high}", runtime.id, clock.id))
        })
    });
    let clocks: Vec<String> = clocks.collect();
    let text = format!("Processes have one of two costs: {}.", clocks.join("; "));
    (!clocks.is_empty()).then(|| Block::toned(Tone::Warn, text))
}

/// What runtimes showed under each clock source, for a run that tried several.
pub(super) fn under_sources(report: &Report, detail: Detail) -> Vec<Block> {
    let measured: Vec<&Runtime> = report.runtimes.iter().filter(|r| !r.clocks.is_empty()).collect();
    let mut blocks = stopwatches(&measured, detail, true);
    // A reason is the same under each source.
    let mut told = BTreeSet::new();
    let mut missing = report.runtimes.clone();
    missing.retain(|r| r.reason.is_some() && told.insert((r.id.clone(), r.reason.clone())));
    blocks.extend(unavailable(&missing));
    blocks
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
        "limited_by" "interval" [] Cell::words(c.limited_by.map(LimitedBy::words));
        "times_c" "× C" [] Cell::number(c.relative.map(|ratio| ratio.value));
        "times_c_low" "× C" [] Cell::number(c.relative.map(|ratio| ratio.low));
        "times_c_high" "× C" [] Cell::number(c.relative.map(|ratio| ratio.high));
        "latency" "ordered" [full unit("ns") decimal more] Cell::estimate(c.latency.as_ref());
        "hz" "1 tick" [] Cell::number(1e9 / c.unit_ns);
        "high_resolution" "1 tick" [] c.high_resolution.map_or(Cell::default(), Cell::flag);
        "latency_mean_ns" "latency" [] Cell::ns(latency(c).map(|s| s.mean_ns));
        "latency_median_ns" "latency" [] Cell::ns(latency(c).map(|s| s.median_ns));
        "latency_sd_ns" "latency" [] Cell::ns(latency(c).and_then(|s| s.sd_ns()));
        "resolution_mean_ns" "Resolution()" [] Cell::ns(resolution(c).map(|s| s.mean_ns));
        "resolution_median_ns" "Resolution()" [] Cell::ns(resolution(c).map(|s| s.median_ns));
        "resolution_sd_ns" "Resolution()" [] Cell::ns(resolution(c).and_then(|s| s.sd_ns()));
        "bytes_per_read" "allocates" []
            Cell::number(c.allocates.and_then(|per_read| per_read.bytes));
        "objects_per_read" "allocates" []
            Cell::number(c.allocates.and_then(|per_read| per_read.objects));
        "" "allocates" [full right more] allocates(c);
        "calls" "calls of the system" [] Cell::words(c.calls.as_deref().map(calls));
        "counted_by" "calls of the system" [] Cell::text(&c.counted_by);
        "system_calls" "calls of the system" [] Cell::number(c.system_calls);
        "futex_calls" "calls of the system" [] Cell::number(c.futex_calls);
        "longest_ns" "longest interval" [] Cell::ns(c.watched.map(|watched| watched.longest_ns));
        "backwards" "backwards" [] Cell::count(c.watched.map(|watched| watched.backwards));
        "processor" "system" [] Cell::text(&r.processor);
        "system" "system" [] Cell::text(&r.system);
        "hardware_timer" "hardware timer" [] Cell::text(&r.hardware_timer);
    }
}

fn latency(clock: &RuntimeClock) -> Option<Spread> {
    clock.benchmark?.latency
}

fn resolution(clock: &RuntimeClock) -> Option<Spread> {
    clock.benchmark?.resolution
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

/// Fewer calls per read than this belong to the runtime itself.
const SOME: f64 = 0.01;

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

/// What is known about each runtime apart from its figures.
fn details(measured: &[&Runtime]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut families = BTreeSet::new();
    for runtime in measured {
        let mut facts = Vec::new();
        let mut fact = |name: &'static str, text: String| facts.push(Fact::new(name, text));
        runtime.build.iter().for_each(|build| fact("build", build.clone()));
        runtime.program.iter().for_each(|program| fact("program", program.clone()));
        if let Some(stopwatch) = &runtime.stopwatch {
            let hz = count(stopwatch.hz.round() as u64);
            let high = runtime.clocks.iter().find(|clock| clock.call == stopwatch.call);
            let high = match high.and_then(|clock| clock.high_resolution) {
                Some(true) => ", of high resolution by its own account",
                Some(false) => ", not of high resolution by its own account",
                None => "",
            };
            let compared = by_the_ruler(stopwatch);
            fact("stopwatch", format!("{}, {hz} Hz{high}{compared}", stopwatch.call));
        }
        for (by, clocks) in limits(runtime) {
            fact("interval", format!("limited by {}: {}", by.words(), clocks.join(", ")));
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
            let mut text = counted.unwrap_or_else(|| clock.counted_by.clone());
            let entered = [("system call", clock.system_calls), ("futex call", clock.futex_calls)];
            for (name, _) in entered.iter().filter(|(_, count)| count.is_some_and(|n| n < SOME)) {
                text.push_str(&format!(", no {name}"));
            }
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

/// What limits the intervals of costs, each with the clocks whose interval it limits.
fn limits(runtime: &Runtime) -> Vec<(LimitedBy, Vec<String>)> {
    by_key(runtime.clocks.iter().filter_map(|clock| {
        let name = match clock.states_ns {
            Some([low, high]) => format!("{} ({} or {})", clock.id, short(low), short(high)),
            None => clock.id.clone(),
        };
        Some((clock.limited_by?, name))
    }))
}

/// How a stopwatch compares with the ruler.
fn by_the_ruler(stopwatch: &Stopwatch) -> String {
    match (stopwatch.fast_ppm, stopwatch.fast_error_ppm) {
        (None, _) => String::new(),
        (Some(ppm), None) => format!(", {ppm:+.0} ppm by the ruler"),
        (Some(ppm), Some(error)) => {
            let figures = format!("{ppm:+.1} ± {error:.1} ppm");
            match ppm.abs() <= error {
                true => format!(", agrees with the ruler ({figures})"),
                false => format!(", {figures} by the ruler"),
            }
        }
    }
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
    vec![Block::heading("Not measured"), shown(columns, Detail::Full, rows)]
}

// The best monotonic clock of each runtime by system and hardware timer, as comparisons of
// runtimes show it: a tick, the latency and the resolution.

/// The table, and with `-v` the figures of the benchmark for each clock. `by_source`: in groups by
/// what the system keeps time with.
fn stopwatches(measured: &[&Runtime], detail: Detail, by_source: bool) -> Vec<Block> {
    let rows = best_clocks(measured, detail);
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = Rows::shown(main_columns(!by_source), Detail::Full);
    let mut group = "";
    for row in &rows {
        let (runtime, _) = row;
        if by_source && runtime.hardware_timer != group {
            group = &runtime.hardware_timer;
            table.group(group, &runtime.system);
        }
        table.row(row);
    }
    let mut blocks = vec![Block::heading("Runtime, system, timer"), Block::Table(table.table())];
    let all = measured.iter().filter(|_| detail == Detail::Everything);
    let clocks = all.flat_map(|runtime| runtime.clocks.iter().map(move |c| (*runtime, c)));
    let methods: Vec<Method> = clocks.flat_map(methods).collect();
    if !methods.is_empty() {
        blocks.push(Block::heading("Latency and resolution, as a benchmark measures them"));
        blocks.push(shown(method_columns(), Detail::Full, methods));
        blocks.push(Block::legend(
            "Mean, median and StdDev are over all iterations; latency, above, is the usual cost in \
             the same iterations.",
        ));
    }
    blocks
}

/// Builds that differ only in level are left out.
fn best_clocks<'a>(measured: &[&'a Runtime], detail: Detail) -> Vec<OneClock<'a>> {
    let mut families = BTreeSet::new();
    let mut rows = Vec::new();
    for runtime in measured {
        let key = (runtime.family(), &runtime.system, &runtime.hardware_timer, &runtime.processor);
        let best = runtime.clocks.iter().find(|clock| clock.tick_ns.is_some());
        let all = detail == Detail::Everything || best.is_none();
        let first = all || families.insert(key);
        rows.extend(best.filter(|_| first).map(|clock| (*runtime, clock)));
    }
    rows
}

fn main_columns<'a>(system: bool) -> Vec<Spec<OneClock<'a>>> {
    columns! { (r, c) in OneClock;
        "" "runtime" [full name(10)] Cell::code(&r.id);
        "" "system" [full_if(system) gives_way(12)] Cell::text(&r.system);
        "" "hardware timer" [full_if(system) narrow("hardware\ntimer")]
            Cell::text(&r.hardware_timer);
        "" "1 tick" [full right] Cell::ns(c.unit_ns);
        "" "tick" [full right] Cell::ns(c.tick_ns);
        "" "latency" [full right] Cell::human_cost(c.throughput.as_ref());
        "" "StdDev" [full right] Cell::ns(latency(c).and_then(|s| s.sd_ns()));
        "" "resolution" [full right] match c.is_limited_by_read() {
            true => Cell::text("≈ latency"),
            false => Cell::ns(c.resolution_ns),
        };
        "" "Resolution()" [full right spare] Cell::ns(resolution(c).map(|s| s.median_ns));
    }
}

/// A clock, a method of the benchmark, and its figures.
type Method<'a> = (&'a Runtime, &'a RuntimeClock, &'static str, Spread);

fn methods<'a>((runtime, clock): OneClock<'a>) -> impl Iterator<Item = Method<'a>> {
    let both = [("Latency()", latency(clock)), ("Resolution()", resolution(clock))];
    both.into_iter().filter_map(move |(name, figures)| Some((runtime, clock, name, figures?)))
}

fn method_columns<'a>() -> Vec<Spec<Method<'a>>> {
    columns! { (r, c, name, s) in Method;
        "" "runtime" [full name(10)] Cell::code(&r.id);
        "" "call" [full gives_way(12)] Cell::code(&c.call);
        "" "hardware timer" [full spare] Cell::text(&r.hardware_timer);
        "" "method" [full] Cell::text(*name);
        "" "mean" [full right] Cell::ns(s.mean_ns);
        "" "median" [full right] Cell::ns(s.median_ns);
        "" "StdDev" [full right] Cell::ns(s.sd_ns());
        "" "iterations" [full right spare] Cell::count(s.iterations);
    }
}

// The clocks of runtimes on a page: grouped by language, each next to C.

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    together(inputs, |inputs| {
        let all = || inputs.iter().enumerate();
        let lines = all().flat_map(|(of, input)| {
            let report = &input.report.runtimes;
            clocks(report).map(move |clock| (of, page_line(inputs, of, report, clock)))
        });
        let sentence = all().find_map(|(_, input)| page_sentence(&input.report.runtimes));
        let names =
            vec![Column::new("runtime").name(8).full(), Column::new("call").name(16).full()];
        let columns = [Column::new("a read, next to C"), Column::new("per read")];
        let rest = ["× C", "tick", "resolution"].map(|head| Column::new(head).right().full());
        let rest = rest.into_iter().chain([Column::new("stands on").gives_way(16).full()]);
        let (title, rest) = ("What a read costs in other languages", rest.collect());
        let mut blocks = lines_blocks(inputs, title, sentence, lines, names, columns, rest);
        blocks.extend(each(inputs, |input| {
            let view = (SECTION.view)(input.report, Detail::Everything);
            // The first table is the one above.
            let rest = after_heading(view).skip_while(|block| matches!(block, Block::Table(_)));
            rest.collect()
        }));
        blocks
    })
}

/// A clock in C that the runtime is compared with, in the same report and with the same timer.
fn reference_in_c<'a>(all: &'a [Runtime], runtime: &Runtime) -> Option<&'a RuntimeClock> {
    let call = runtime.relative_to.as_ref()?;
    let in_c = all.iter().filter(|it| {
        it.relative_to.is_none()
            && it.family() == "c"
            && it.hardware_timer == runtime.hardware_timer
    });
    in_c.flat_map(|it| &it.clocks).find(|clock| clock.call == *call)
}

fn page_line(
    inputs: &[Input<'_>],
    of: usize,
    all: &[Runtime],
    (runtime, clock): OneClock<'_>,
) -> Line {
    let reference = reference_in_c(all, runtime);
    let reference = reference.and_then(|clock| {
        let name = whose(inputs, of, &format!("C, {}", clock.call));
        cost_mark(What::Reference, clock.throughput.as_ref(), of, &name)
    });
    let name = whose(inputs, of, &format!("{}, {}", runtime.id, clock.call));
    let own = cost_mark(What::Read, clock.throughput.as_ref(), of, &name);
    let on = clock.calls.as_deref().map(calls).filter(|text| !text.is_empty());
    let timer = &runtime.hardware_timer;
    Line {
        group: (runtime.language.clone(), String::new()),
        key: format!("{} {} {timer}", runtime.id, clock.id),
        names: vec![Cell::code(&runtime.id), Cell::code(&clock.call)],
        marks: reference.into_iter().chain(own).collect(),
        figures: vec![clock.throughput.clone()],
        rest: vec![
            Cell::number(clock.relative.map(|ratio| ratio.value)),
            Cell::ns(clock.tick_ns),
            Cell::ns(clock.resolution_ns),
            Cell::words(on.or_else(|| clock.claims.clone())),
        ],
        ..Line::default()
    }
}

/// How far runtimes are from C: the first clock of each, which is the one to measure time with.
fn page_sentence(all: &[Runtime]) -> Option<String> {
    let ratios = all.iter().filter(|runtime| runtime.family() != "c").filter_map(|runtime| {
        let clock = runtime.clocks.iter().find(|clock| clock.relative.is_some())?;
        let ratio = clock.relative?.value;
        (ratio.is_finite() && ratio > 0.0).then_some((ratio, runtime, clock))
    });
    let ratios: Vec<_> = ratios.collect();
    let (most, runtime, clock) = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (least, closest, _) = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let reads = clock.throughput.as_ref().and_then(Estimate::human);
    let reads = reads.map_or(String::new(), |cost| format!(" ({cost})"));
    Some(match ratios.len() {
        1 => format!(
            "{} in {} takes {} times as long as C{reads}.",
            clock.call,
            runtime.id,
            three(*most)
        ),
        _ => format!(
            "A read takes {} times as long as in C in {} and {} times in {}, by {}{reads}.",
            three(*least),
            closest.id,
            three(*most),
            runtime.id,
            clock.call
        ),
    })
}
