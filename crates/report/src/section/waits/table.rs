//! The columns of waits.

use super::super::Detail;
use super::super::columns::{Of, column};
use super::{terms, why};
use crate::block::{Cell, Tone, Value};
use crate::number::{count, short};
use chronoscope_model::histogram::Histogram;
use chronoscope_model::quantile::Percentile::{P50, P90, P99, P999};
use chronoscope_model::quantile::{Interval, Percentile};
use chronoscope_model::waits::Wait;

/// A wait, and whether its CPU is part of its name.
pub(super) type Labelled<'a> = (&'a Wait, bool);

/// Whether rows differ in the CPU that they were measured on.
pub(super) fn several_cpus(rows: &[&Wait]) -> bool {
    rows.windows(2).any(|pair| pair[0].cpu != pair[1].cpu)
}

/// The method's name, with the timer period that Windows was asked for.
pub(super) fn method(wait: &Wait) -> String {
    match wait.timer_period_ms {
        Some(ms) => format!("{}+period({ms})", wait.id),
        None => wait.id.clone(),
    }
}

/// The method, and the CPU where that is part of the name.
pub(super) fn name((wait, several): &Labelled) -> Cell {
    let name = match (several, wait.cpu) {
        (true, Some(cpu)) => format!("{} CPU {cpu}", method(wait)),
        _ => method(wait),
    };
    Cell::code(&wait.id).shown(name)
}

/// What rows have that decides about their columns.
#[derive(Clone, Copy, Default)]
pub(super) struct Traits {
    /// The reader asks for everything.
    pub(super) everything: bool,
    /// Some of them were measured with a slice that was set.
    pub(super) slice: bool,
    /// Some of them were in a control group that a CPU quota throttled.
    pub(super) throttled: bool,
    /// They waited for a grid of deadlines, and can have missed some.
    pub(super) grid: bool,
    /// Some of their waits were early, which is a defect.
    pub(super) early: bool,
}

impl Traits {
    pub(super) fn of(rows: &[&Wait], detail: Detail) -> Self {
        Self {
            everything: detail == Detail::Everything,
            slice: rows.iter().any(|wait| wait.slice_ns.is_some()),
            throttled: rows.iter().any(|wait| wait.throttled.is_some_and(|it| it.periods > 0)),
            grid: rows.iter().any(|wait| wait.grid.is_some()),
            early: rows.iter().any(|wait| wait.early > 0),
        }
    }
}

/// The columns of waits.
pub(super) fn columns<'a>(traits: Traits) -> Vec<Of<Labelled<'a>>> {
    let mut all = identity(traits);
    all.extend(overshoots(traits));
    all.push(match traits.early {
        true => early(),
        false => early().spare(),
    });
    all.extend(costs());
    if traits.grid {
        all.push(
            column("missed", &terms::MISSED, |(wait, _): &Labelled| {
                Cell::count(wait.grid.as_ref().map(|grid| grid.missed))
            })
            .full(0)
            .right()
            .close(),
        );
    }
    all.extend(disturbances(traits));
    all.extend(why::columns());
    all.push(column("notes", &terms::METHOD, |(wait, _): &Labelled| {
        Cell::text(wait.notes.join("; "))
    }));
    all
}

/// A cell that is empty, and not a dash, for rows to which the column does not apply.
pub(super) fn setting(ns: Option<u64>) -> Cell {
    let cell = Cell::ns(ns.map(|ns| ns as f64));
    match ns {
        Some(_) => cell,
        None => cell.shown(""),
    }
}

/// The slice that was set, which is a column of the screen only if there is one.
fn slice<'a>(traits: Traits) -> Of<Labelled<'a>> {
    let plain = column("slice_ns", &terms::SLICE, |(wait, _): &Labelled| setting(wait.slice_ns));
    match traits.slice {
        true => plain.full(0).also_name().right().close(),
        false => plain,
    }
}

/// What came between: waits that the end of the run cut off, and a quota.
fn disturbances<'a>(traits: Traits) -> Vec<Of<Labelled<'a>>> {
    let periods = column("throttled_periods", &terms::THROTTLED, |(wait, _): &Labelled| {
        Cell::count(wait.throttled.map(|it| it.periods))
    });
    vec![
        match traits.throttled {
            true => periods.full(0).right().close().more(),
            false => periods,
        },
        column("throttled_ns", &terms::THROTTLED, |(wait, _): &Labelled| {
            Cell::count(wait.throttled.map(|it| it.ns))
        }),
        column("censored", &terms::CENSORED, |(wait, _): &Labelled| {
            Cell::count(wait.censored.as_ref().map(|it| it.count))
        }),
        column("censored_late_ns", &terms::CENSORED, |(wait, _): &Labelled| {
            Cell::count(wait.censored.as_ref().map(|it| it.late_ns))
        }),
    ]
}

fn identity<'a>(traits: Traits) -> Vec<Of<Labelled<'a>>> {
    let whole = |key, of| column(key, &terms::METHOD, of);
    vec![
        column("id", &terms::METHOD, name).full(0).whole_name(),
        whole("load", |(wait, _): &Labelled| Cell::text(wait.load.name())),
        whole("requested_ns", |(wait, _): &Labelled| Cell::count(wait.requested_ns)),
        whole("period_ns", |(wait, _): &Labelled| Cell::count(wait.period_ns)),
        column("slack_ns", &terms::SLACK, |(wait, _): &Labelled| setting(wait.slack_ns))
            .full(0)
            .also_name()
            .right()
            .close(),
        slice(traits),
        whole("timer_period_ms", |(wait, _): &Labelled| {
            Cell::count(wait.timer_period_ms.map(u64::from))
        }),
        whole("cpu", |(wait, _): &Labelled| Cell::count(wait.cpu.map(|cpu| cpu as u64))),
        whole("available", |(wait, _): &Labelled| Cell::new(Value::Flag(wait.available))),
        whole("unavailable_reason", |(wait, _): &Labelled| {
            Cell::some(wait.unavailable_reason.clone(), Value::Text)
        }),
        column("waits", &terms::WAITS, |(wait, _): &Labelled| Cell::count(Some(wait.samples)))
            .full(0)
            .more()
            .right(),
    ]
}

/// A figure of a row; absent if nothing was measured, and not zero.
fn figure(wait: &Wait, ns: f64) -> Cell {
    Cell::ns((wait.samples > 0).then_some(ns))
}

fn overshoots<'a>(traits: Traits) -> Vec<Of<Labelled<'a>>> {
    let of = |key, term, cell| column(key, term, cell).full(0).right();
    vec![
        of("min_ns", &terms::MIN, |(w, _): &Labelled| figure(w, w.min_ns as f64)).more(),
        of("mean_ns", &terms::MEAN, |(w, _): &Labelled| figure(w, w.mean_ns)).more(),
        of("p50_ns", &terms::PERCENTILES, |(w, _): &Labelled| ns(w.percentile(P50))).close(),
        end("p50_low_ns", |(w, _): &Labelled| low(w, P50)),
        end("p50_high_ns", |(w, _): &Labelled| high(w, P50)),
        range(traits, "p50\n95 %", |(w, _): &Labelled| both(w, P50)),
        of("p90_ns", &terms::PERCENTILES, |(w, _): &Labelled| ns(w.percentile(P90)))
            .head("p90")
            .more(),
        end("p90_low_ns", |(w, _): &Labelled| low(w, P90)),
        end("p90_high_ns", |(w, _): &Labelled| high(w, P90)),
        range(traits, "p90\n95 %", |(w, _): &Labelled| both(w, P90)),
        of("p99_ns", &terms::PERCENTILES, |(w, _): &Labelled| ns(w.percentile(P99)))
            .head("p99")
            .spare(),
        end("p99_low_ns", |(w, _): &Labelled| low(w, P99)),
        end("p99_high_ns", |(w, _): &Labelled| high(w, P99)),
        range(traits, "p99\n95 %", |(w, _): &Labelled| both(w, P99)),
        of("p99_9_ns", &terms::PERCENTILES, |(w, _): &Labelled| ns(w.percentile(P999)))
            .head("p99.9")
            .more(),
        end("p99_9_low_ns", |(w, _): &Labelled| low(w, P999)),
        end("p99_9_high_ns", |(w, _): &Labelled| high(w, P999)),
        of("max_ns", &terms::MAX, |(w, _): &Labelled| figure(w, w.max_ns as f64)),
    ]
}

/// An end of the interval of a percentile, for programs.
fn end<'a>(key: &'static str, of: fn(&Labelled<'a>) -> Cell) -> Of<Labelled<'a>> {
    column(key, &terms::INTERVALS, of)
}

fn low(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::count(wait.intervals.get(percentile).map(|it| it.low_ns))
}

fn high(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::count(wait.intervals.get(percentile).and_then(|it| it.high_ns))
}

/// The interval of a percentile, for people: if there is room, or if they ask for everything.
fn range<'a>(
    traits: Traits,
    head: &'static str,
    of: fn(&Labelled<'a>) -> Cell,
) -> Of<Labelled<'a>> {
    let column = column("", &terms::INTERVALS, of).full(0).head(head).right();
    match traits.everything {
        true => column.more(),
        false => column.optional(),
    }
}

fn both(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::some(wait.intervals.get(percentile).map(range_of), Value::Text)
}

/// An interval in words: `24.1 to 28 us`, or `24.1 us to` if its end is not known.
fn range_of(interval: Interval) -> String {
    let (low, high) = (short(interval.low_ns as f64), interval.high_ns.map(|ns| short(ns as f64)));
    match (low.split_once(' '), high) {
        (_, None) => format!("{low} to"),
        (Some((number, unit)), Some(high)) if high.ends_with(&format!(" {unit}")) => {
            format!("{number} to {high}")
        }
        (_, Some(high)) => format!("{low} to {high}"),
    }
}

/// A percentile; absent if there are too few waits for it.
pub(super) fn ns(ns: Option<u64>) -> Cell {
    Cell::ns(ns.map(|ns| ns as f64))
}

fn early<'a>() -> Of<Labelled<'a>> {
    column("early", &terms::EARLY, |(wait, _): &Labelled| {
        let early = (wait.samples > 0).then_some(wait.early);
        Cell::count(early).toned(match early {
            Some(1..) => Tone::Bad,
            _ => Tone::Dim,
        })
    })
    .full(0)
    .right()
    .close()
}

fn costs<'a>() -> Vec<Of<Labelled<'a>>> {
    vec![
        column("cpu_share", &terms::CPU, |(wait, _): &Labelled| {
            let cell = Cell::some(wait.cpu_share, Value::Share);
            match wait.cpu_share {
                Some(_) => cell,
                None => cell.shown(""),
            }
        })
        .full(0)
        .right()
        .close(),
        column("cpu_ns", &terms::CPU, |(wait, _): &Labelled| Cell::number(wait.cpu_ns)),
        column("", &terms::SWITCHES, |(wait, _): &Labelled| {
            let of = |n: Option<u64>| n.map_or("-".into(), count);
            let (own, forced) = (wait.voluntary_switches, wait.involuntary_switches);
            Cell::text(format!("{}/{}", of(own), of(forced)))
        })
        .full(0)
        .narrow("switches\nown/forced")
        .more()
        .right()
        .close(),
        column("voluntary_switches", &terms::SWITCHES, |(wait, _): &Labelled| {
            Cell::count(wait.voluntary_switches)
        }),
        column("involuntary_switches", &terms::SWITCHES, |(wait, _): &Labelled| {
            Cell::count(wait.involuntary_switches)
        }),
    ]
}

/// The columns of overshoots with those of missed deadlines.
pub(super) fn corrected<'a>(traits: Traits) -> Vec<Of<Labelled<'a>>> {
    let figure = |cell| column("", &terms::PERCENTILES, cell).full(0).right().close();
    let slack = identity(traits).into_iter().skip(4).take(1 + usize::from(traits.slice));
    let mut all = vec![column("", &terms::METHOD, name).full(0).whole_name()];
    all.extend(slack);
    all.extend([
        column("", &terms::DEADLINES, |(wait, _): &Labelled| {
            Cell::count(histogram(wait).map(|h| h.count))
        })
        .full(0)
        .right()
        .close()
        .more(),
        figure(|(w, _): &Labelled| ns(w.corrected(P50))),
        figure(|(w, _): &Labelled| ns(w.corrected(P90))).head("p90").more(),
        figure(|(w, _): &Labelled| ns(w.corrected(P99))).head("p99"),
        figure(|(w, _): &Labelled| ns(w.corrected(P999))).head("p99.9"),
    ]);
    all
}

fn histogram(wait: &Wait) -> Option<&Histogram> {
    wait.grid.as_ref().map(|grid| &grid.corrected)
}
