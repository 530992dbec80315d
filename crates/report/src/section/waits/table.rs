//! The columns of waits.

use super::super::Detail;
use super::super::columns::{Spec, columns};
use super::rows::{Labelled, durations, name, setting};
use super::why;
use crate::block::chart::{Mark, What};
use crate::block::{Cell, Rank, Tone, Value};
use crate::number::{count, short};
use chronoscope_model::quantile::Percentile::{P50, P90, P99, P999};
use chronoscope_model::quantile::{Interval, Percentile};
use chronoscope_model::waits::{ByClock, Wait};

/// What rows have that decides about their columns.
#[derive(Clone, Copy, Default)]
pub(super) struct Traits {
    pub(super) everything: bool,
    /// Some rows were measured with a slice that was set.
    pub(super) slice: bool,
    /// Some rows were measured in a control group that a CPU quota throttled.
    pub(super) throttled: bool,
    /// The rows waited for a grid of deadlines, and can have missed some.
    pub(super) grid: bool,
    /// Some waits were early, which is a defect.
    pub(super) early: bool,
    /// All rows waited for one duration, so that one strip shows how they are distributed.
    pub(super) strip: bool,
}

impl Traits {
    pub(super) fn of(rows: &[&Wait], detail: Detail) -> Self {
        Self {
            everything: detail == Detail::Everything,
            slice: rows.iter().any(|wait| wait.slice_ns.is_some()),
            throttled: rows.iter().any(|wait| wait.throttled.is_some_and(|it| it.periods > 0)),
            grid: rows.iter().any(|wait| wait.grid.is_some()),
            early: rows.iter().any(|wait| wait.early > 0),
            strip: durations(rows).len() == 1,
        }
    }
}

pub(super) fn columns<'a>(traits: Traits) -> Vec<Spec<Labelled<'a>>> {
    // Intervals are shown if there is room, or if the reader asks for everything.
    let interval = if traits.everything { Rank::More } else { Rank::Optional };
    // If no wait was early, the column gives up its place first.
    let defect = if traits.early { Rank::Primary } else { Rank::More };
    // A strip stands for the figures that it shows.
    let (figure_rank, shown) = match traits.strip {
        true => (Rank::More, Rank::More),
        false => (Rank::Spare, Rank::Primary),
    };
    let mut all = columns! { (wait, several) in Labelled;
        "id" "method" [full whole_name] name(&(wait, *several));
        "load" "method" [] Cell::text(wait.load.name());
        "requested_ns" "method" [] Cell::count(wait.requested_ns);
        "period_ns" "method" [] Cell::count(wait.period_ns);
        "slack_ns" "slack" [full also_name right close] setting(wait.slack_ns);
        "slice_ns" "slice" [full_if(traits.slice) also_name right close] setting(wait.slice_ns);
        "timer_period_ms" "method" [] Cell::count(wait.timer_period_ms.map(u64::from));
        "cpu" "method" [] Cell::count(wait.cpu.map(|cpu| cpu as u64));
        "available" "method" [] Cell::flag(wait.available);
        "unavailable_reason" "method" [] Cell::words(wait.unavailable_reason.clone());
        "waits" "waits" [full more right] Cell::count(wait.samples);
        "min_ns" "min" [full right rank(figure_rank) close] figure(wait, wait.min_ns as f64);
        "mean_ns" "mean" [full right rank(figure_rank) close] figure(wait, wait.mean_ns);
        "p50_ns" "p50" [full right close] Cell::whole_ns(wait.percentile(P50));
        "p50_low_ns" "p50 95 %" [] low(wait, P50);
        "p50_high_ns" "p50 95 %" [] high(wait, P50);
        "" "p50\n95 %" [full right rank(interval)] both(wait, P50);
        "p90_ns" "p90" [full right more] Cell::whole_ns(wait.percentile(P90));
        "p90_low_ns" "p90 95 %" [] low(wait, P90);
        "p90_high_ns" "p90 95 %" [] high(wait, P90);
        "" "p90\n95 %" [full right rank(interval)] both(wait, P90);
        "p99_ns" "p99" [full right rank(figure_rank)] Cell::whole_ns(wait.percentile(P99));
        "p99_low_ns" "p99 95 %" [] low(wait, P99);
        "p99_high_ns" "p99 95 %" [] high(wait, P99);
        "" "p99\n95 %" [full right rank(interval)] both(wait, P99);
        "p99_9_ns" "p99.9" [full right more] Cell::whole_ns(wait.percentile(P999));
        "p99_9_low_ns" "p99.9" [] low(wait, P999);
        "p99_9_high_ns" "p99.9" [] high(wait, P999);
        "max_ns" "max" [full right rank(shown)] figure(wait, wait.max_ns as f64);
        "std_dev_ns" "std dev" [full_if(traits.everything) right more] Cell::ns(wait.std_dev_ns);
        "max_var_ns" "max var" [full_if(traits.everything) right more]
            Cell::ns(wait.range_ns().map(|ns| ns as f64));
        "clock_mean_ns" "mean\nby clock" [full_if(traits.everything) right more]
            Cell::ns(by_clock(wait).map(|clock| clock.mean_ns));
        "clock_difference_ns" "clock\n- ruler" [full_if(traits.everything) right more]
            Cell::ns(wait.clock_difference_ns());
        "" "overshoot" [full_if(traits.strip)] strip(wait);
        "early" "early" [full right close rank(defect)] {
            let early = (wait.samples > 0).then_some(wait.early);
            Cell::count(early).toned(if wait.early > 0 { Tone::Bad } else { Tone::Dim })
        };
        "cpu_share" "CPU" [full right close] Cell::some(wait.cpu_share, Value::Share).said(wait.cpu_words()).or("");
        "cpu_ns" "CPU" [] Cell::number(wait.cpu_ns);
        "" "switches own/forced" [full narrow("switches\nown/forced") more right close] {
            let of = |n: Option<u64>| n.map_or("-".into(), count);
            let (own, forced) = (wait.voluntary_switches, wait.involuntary_switches);
            Cell::text(format!("{}/{}", of(own), of(forced)))
        };
        "voluntary_switches" "switches" [] Cell::count(wait.voluntary_switches);
        "involuntary_switches" "switches" [] Cell::count(wait.involuntary_switches);
        "missed" "missed" [full_if(traits.grid) right close]
            Cell::count(wait.grid.as_ref().map(|grid| grid.missed));
        "throttled_periods" "throttled" [full_if(traits.throttled) right close more]
            Cell::count(wait.throttled.map(|it| it.periods));
        "throttled_ns" "throttled" [] Cell::count(wait.throttled.map(|it| it.ns));
        "censored" "censored" [] Cell::count(wait.censored.as_ref().map(|it| it.count));
        "censored_late_ns" "censored" [] Cell::count(wait.censored.as_ref().map(|it| it.late_ns));
    };
    all.extend(why::columns());
    all.extend(columns! { (wait, _) in Labelled;
        "notes" "method" [] Cell::text(wait.notes.join("; "));
    });
    all
}

/// The percentiles that the number of waits supports, and the worst wait, as a picture.
fn strip(wait: &Wait) -> Cell {
    let of = |what, percentile: Percentile| {
        let value = wait.percentile(percentile)? as f64;
        let (low, high) = wait.intervals.get(percentile).map_or((value, value), |interval| {
            (interval.low_ns as f64, interval.high_ns.map_or(value, |ns| ns as f64))
        });
        let words = format!("{} {}", percentile.name(), short(value));
        Some(Mark { what, value, low, high, of: 0, words })
    };
    let worst = (wait.samples > 0).then(|| {
        let value = wait.max_ns as f64;
        let words = format!("worst {}", short(value));
        Mark { what: What::Worst, value, low: value, high: value, of: 0, words }
    });
    let percentiles = [(What::Median, P50), (What::P90, P90), (What::P99, P99)];
    let marks = percentiles.into_iter().map(|(what, percentile)| of(what, percentile));
    let marks: Vec<Mark> = marks.chain([worst]).flatten().collect();
    Cell::new(if marks.is_empty() { Value::Absent } else { Value::Strip(marks) })
}

/// A figure of a row; absent if nothing was measured, and not zero.
fn figure(wait: &Wait, ns: f64) -> Cell {
    Cell::ns((wait.samples > 0).then_some(ns))
}

/// The waits by the clock that the system's timers run on, if there were any.
fn by_clock(wait: &Wait) -> Option<&ByClock> {
    wait.by_clock.as_ref().filter(|_| wait.samples > 0)
}

fn low(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::count(wait.intervals.get(percentile).map(|it| it.low_ns))
}

fn high(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::count(wait.intervals.get(percentile).and_then(|it| it.high_ns))
}

pub(super) fn both(wait: &Wait, percentile: Percentile) -> Cell {
    Cell::words(wait.intervals.get(percentile).map(range_of))
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

/// The columns of overshoots with those of missed deadlines.
pub(super) fn corrected<'a>(traits: Traits) -> Vec<Spec<Labelled<'a>>> {
    columns! { (wait, several) in Labelled;
        "" "method" [full whole_name] name(&(wait, *several));
        "" "slack" [full also_name right close] setting(wait.slack_ns);
        "" "slice" [full_if(traits.slice) also_name right close] setting(wait.slice_ns);
        "" "deadlines" [full right close more]
            Cell::count(wait.grid.as_ref().map(|grid| grid.corrected.count));
        "" "p50" [full right close] Cell::whole_ns(wait.corrected(P50));
        "" "p90" [full right close more] Cell::whole_ns(wait.corrected(P90));
        "" "p99" [full right close] Cell::whole_ns(wait.corrected(P99));
        "" "p99.9" [full right close] Cell::whole_ns(wait.corrected(P999));
    }
}
