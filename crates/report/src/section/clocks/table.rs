//! The columns of clocks.

use crate::block::chart::{Mark, What};
use crate::block::{Cell, Tone, Value};
use crate::number::{short, two_digits};
use crate::section::{Spec, columns, cost_mark, load_name};
use chronoscope_model::Estimate;
use chronoscope_model::clock::{Clock, Difference, Grade, Limit, Resolution, Scope, TickFrom};
use chronoscope_model::ordering::Handed;

/// The parts of the whole table, by number.
const COST: usize = 0;
const RESOLUTION: usize = 1;
const TRUST: usize = 2;
const VERDICT: usize = 3;

/// What limits a clock whose tick is shorter than its read.
const READ_COST: &str = "read cost";
/// The tick of a clock whose values show none.
const FINER: &str = "finer";

pub(super) fn columns() -> Vec<Spec<Clock>> {
    columns! { c in Clock;
        "id" "clock" [brief full part(COST) also_name] Cell::code(&c.id);
        "" "cost" [brief full part(COST) optional] strip(c);
        "call" "clock" [] Cell::code(&c.call);
        "language" "clock" [] Cell::text(c.language.name());
        "kind" "kind" [] Cell::text(c.kind.name());
        "scope" "scope" [full part(TRUST) close] scope(c);
        "available" "clock" [] Cell::flag(c.available);
        "reason" "clock" [] Cell::words(c.unavailable_reason.clone());
        // What a read costs.
        "throughput" "read" [brief full part(COST) unit("ns") decimal close spread statistics]
            Cell::cost(c.cost.throughput.as_ref());
        "throughput_core_cycles" "core cycles" [brief narrow("core\ncycles") decimal optional]
            core_cycles(c);
        "throughput_instructions" "instructions" [brief narrow("instruc-\ntions") decimal optional]
            Cell::number(c.cost.instructions).toned(Tone::Dim);
        "latency" "ordered" [brief full part(COST) unit("ns") decimal close statistics]
            Cell::cost(c.cost.latency.as_ref());
        "cold" "cold" [full part(COST) unit("ns") decimal close spread statistics]
            Cell::cost(c.cost.cold.as_ref());
        "first" "first" [full part(COST) unit("ns") decimal close statistics]
            Cell::cost(c.cost.first.as_ref());
        // How fine it is.
        "" "resolution" [brief narrow("reso-\nlution") right close] smallest(c);
        "nominal_ns" "nominal" [full part(RESOLUTION) right]
            Cell::ns(c.resolution.as_ref().and_then(|r| r.nominal_ns));
        "measured_ns" "measured" [full part(RESOLUTION) narrow("meas-\nured") right close]
            smallest(c);
        "tick_ns" "tick" [full part(RESOLUTION) right close] tick(c);
        "observed_min_ns" "least seen" [full part(RESOLUTION) narrow("least\nseen") right close]
            Cell::ns(c.resolution.as_ref().and_then(|r| r.observed_min_ns));
        "observed_median_ns" "median seen"
            [full part(RESOLUTION) narrow("median\nseen") right close]
            Cell::ns(c.resolution.as_ref().and_then(|r| r.observed_median_ns));
        "limited_by" "limited by" [full part(RESOLUTION) narrow("limited\nby") close]
            match c.resolution.as_ref().map(|r| r.verdict) {
                Some(Limit::Tick) => Cell::text("tick"),
                Some(Limit::Latency) => Cell::text("latency").shown(READ_COST),
                Some(Limit::NotSeen) => Cell::text("not-seen").shown("-").toned(Tone::Dim),
                None => Cell::default(),
            };
        // Whether it can be trusted.
        "difference_100ms_ms" "100 ms" [full part(TRUST) unit("ms") decimal] {
            c.difference_100ms.as_ref().map_or(Cell::default(), |d| interval(d, c.scope))
        };
        "difference_100ms_agrees" "100 ms" []
            Cell::some(c.difference_100ms.as_ref(), |d| Value::Flag(d.agrees));
        "difference_100ms_of_ruler" "100 ms" []
            Cell::some(c.difference_100ms.as_ref(), |d| Value::Flag(d.of_ruler));
        "backwards" "steps back" [full part(TRUST) narrow("steps\nback") right close] {
            let violations = c.backwards.as_ref().map(|b| b.violations);
            let none = (violations == Some(0)).then(|| "none".into());
            Cell::count(violations).said(none).toned_if(violations > Some(0), Tone::Bad)
        };
        "order" "order" [] {
            let tested = c.ordering.as_ref().filter(|tested| !tested.text.is_empty());
            Cell::words(tested.map(|tested| tested.text.clone()))
        };
        "early_ns" "after load" [] {
            let tested = c.ordering.as_ref().filter(|tested| tested.was_tested());
            Cell::number(tested.map(|tested| tested.early().unwrap_or(0.0)))
        };
        "hand_overs" "hand-overs" [] Cell::count(handed(c).map(|it| it.turns));
        "hand_overs_backwards" "hand-overs" [] Cell::count(handed(c).map(|it| it.backwards));
        "hand_overs_worst_ns" "hand-overs" [] Cell::number(handed(c).map(|it| it.worst_ns));
        "bits" "bits" [full part(TRUST) right close] Cell::count(c.bits.map(u64::from));
        "wraps_after_s" "wraps after" [full part(TRUST) narrow("wraps\nafter") right close] {
            let seconds = c.wraps_after_s.filter(|s| s.is_finite() && *s >= 0.0);
            Cell::number(c.wraps_after_s).shown(seconds.map_or("-".into(), years))
        };
        "example" "example" [full part(VERDICT) right gives_way(24)]
            Cell::words(c.example.clone()).toned(Tone::Dim);
        "period_ns" "period" [] Cell::ns(c.period.map(|period| period.ns()));
        "example_ms" "example (ms)" [] Cell::number(c.example_ms);
        "until_change_ns" "until change" []
            Cell::ns(c.until_change.as_ref().map(|change| change.median_ns));
        "until_change_sd_ns" "its SD" [] Cell::ns(c.until_change.as_ref().map(|it| it.sd_ns));
        "bulk_calls" "time" [] Cell::count(c.bulk.as_ref().map(|b| b.calls));
        "bulk_ms" "time" [] Cell::number(c.bulk.as_ref().map(|b| b.ms));
        "grade" "verdict" [] Cell::words(c.verdict.as_ref().map(|v| v.grade.name()));
        "verdict" "verdict" [brief full part(VERDICT) gives_way(16)] verdict(c);
        "best" "clock" [] Cell::flag(c.best);
        "load" "clock" [] Cell::text(load_name(c.load));
    }
}

/// What a read costs in each way that was measured, as a picture.
fn strip(clock: &Clock) -> Cell {
    let marks = cost_marks(clock, 0, str::to_owned);
    Cell::new(if marks.is_empty() { Value::Absent } else { Value::Strip(marks) })
}

/// The costs of a clock in the report of this number; `whose` completes the name of each.
pub(super) fn cost_marks(clock: &Clock, of: usize, whose: impl Fn(&str) -> String) -> Vec<Mark> {
    let cost = &clock.cost;
    let all = [
        (What::Read, "read", &cost.throughput),
        (What::Ordered, "ordered", &cost.latency),
        (What::Cold, "cold", &cost.cold),
    ];
    let mark = |(what, name, estimate): (What, &str, &Option<Estimate>)| {
        cost_mark(what, estimate.as_ref(), of, &whose(name))
    };
    all.into_iter().filter_map(mark).collect()
}

/// Cycles of the core for one read; not shown if they are only a bound.
fn core_cycles(clock: &Clock) -> Cell {
    let cost = clock.cost.throughput.as_ref();
    let cell = Cell::number(cost.and_then(|cost| cost.core_cycles)).toned(Tone::Dim);
    match cost {
        Some(cost) if cost.below_resolution => cell.shown("-"),
        _ => cell,
    }
}

/// The tick; in words if none was seen.
pub(super) fn tick(clock: &Clock) -> Cell {
    clock.resolution.as_ref().map_or(Cell::default(), |r| {
        let tick = Cell::ns(r.tick_ns);
        match (r.verdict, r.tick_from) {
            (Limit::NotSeen, _) => unseen(tick, r),
            (_, Some(TickFrom::Unit)) => tick.shown(FINER).toned(Tone::Dim),
            _ => tick,
        }
    })
}

/// The smallest difference that can be seen: the tick, or about the cost of a read if that is
/// longer.
pub(in crate::section) fn smallest(clock: &Clock) -> Cell {
    let Some(resolution) = &clock.resolution else {
        return Cell::default();
    };
    match resolution.verdict {
        Limit::Tick => Cell::ns(clock.measured_ns()),
        Limit::Latency => {
            let cost = clock.measured_ns();
            let words = cost.map(|ns| format!("~{}", short(two_digits(ns))));
            Cell::ns(cost).shown(words.unwrap_or("-".into())).toned(Tone::Dim)
        }
        Limit::NotSeen => unseen(Cell::default(), resolution),
    }
}

/// The tick of a clock that did not change while it was watched: it is longer than that, and at
/// least as long as the unit that the interface gives. If it changed only while another thread had
/// the CPU, nothing is known but that unit.
fn unseen(cell: Cell, resolution: &Resolution) -> Cell {
    let tone = if resolution.stood_still() { Tone::Bad } else { Tone::Dim };
    let watched = resolution.watched_ns.filter(|ns| ns.is_finite() && *ns > 0.0);
    // A clock that is given in whole seconds has no finer tick, however short the watch was.
    let unit = resolution.nominal_ns.filter(|_| !resolution.stood_still());
    let words = match watched {
        _ if resolution.changes > 0 => unit.map_or("-".into(), |unit| format!("{}+", short(unit))),
        Some(watched) if unit.is_some_and(|unit| unit > watched) => {
            format!("{}+", short(unit.unwrap_or_default()))
        }
        Some(watched) => format!(">{}", short(watched)),
        None => "-".into(),
    };
    cell.shown(words).toned(tone)
}

fn handed(clock: &Clock) -> Option<&Handed> {
    clock.ordering.as_ref()?.handed.as_ref()
}

fn scope(clock: &Clock) -> Cell {
    let (word, shown) = match clock.scope {
        Scope::Local => ("local", "local"),
        Scope::Universal => ("universal", "universal"),
        Scope::Cpu => ("cpu", "CPU"),
    };
    Cell::text(word).shown(shown)
}

/// The verdict. Only good and bad verdicts have a colour: `limited` is the rule, and too many
/// colours would hide what matters.
pub(super) fn verdict(clock: &Clock) -> Cell {
    let Some(verdict) = &clock.verdict else {
        return Cell::default().shown("not judged").toned(Tone::Dim);
    };
    let cell = Cell::text(&verdict.text);
    match verdict.grade {
        Grade::Good => cell.toned(Tone::Good),
        Grade::Limited => cell,
        Grade::Unknown => cell.toned(Tone::Warn),
        Grade::Avoid => cell.toned(Tone::Bad),
    }
}

/// A time until a clock wraps, without false precision: beyond a millennium no digit matters.
fn years(s: f64) -> String {
    let years = s / (365.25 * 86_400.0);
    if years > 1000.0 { ">1000 years".into() } else { short(s * 1e9) }
}

/// What the clock shows for 100 ms, to the digit that its tolerance supports. For the counter that
/// measured the interval, that is not a check.
fn interval(difference: &Difference, scope: Scope) -> Cell {
    let cell = Cell::number(Some(difference.clock_ms));
    if !difference.clock_ms.is_finite() {
        return cell;
    }
    let places = match difference.tolerance_ms {
        t if t.is_finite() && t > 0.0 => (-t.log10().floor()).clamp(0.0, 3.0) as usize,
        _ => 3,
    };
    if difference.of_ruler {
        return cell.shown("(ruler)").toned(Tone::Dim);
    }
    let cell = cell.shown(format!("{:.places$}", difference.clock_ms));
    match (difference.agrees, scope) {
        (true, _) => cell,
        (false, Scope::Cpu) => cell.toned(Tone::Dim),
        (false, _) => cell.toned(Tone::Bad),
    }
}
