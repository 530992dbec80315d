//! The charts of waits on a page: the rows that they show, percentile curves, counts, and accuracy
//! against CPU time.
//!
//! The distribution of overshoots, for runs of a single method, or in bins of one width.

use super::{durations, method_cell, name_with, setting, several_cpus, waits_of};
use crate::block::chart::{Axis, Chart, Hue, Note, Place, Series, Shape};
use crate::block::{Block, Cell, Column, Item, Table, Tone, Value};
use crate::number::{HEIGHTS, count, percent, plural, short};
use crate::page::Input;
use crate::scale::{Scale, Unit};
use crate::section::by_key;
use chronoscope_model::Report;
use chronoscope_model::advice::{Goal, WaitChoice};
use chronoscope_model::histogram::Decoded;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::{Kind, Load, Wait};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Row<'a> {
    pub(super) wait: &'a Wait,
    /// The number of the report.
    pub(super) of: usize,
    /// The method with what was set for it, which distinguishes it from other rows of its duration
    /// and load.
    pub(super) name: String,
    /// Whether the method's CPU is part of its name.
    pub(super) several_cpus: bool,
    pub(super) hue: Hue,
    /// Whether it is the most accurate method for its duration.
    pub(super) advised: bool,
    /// Overshoots in nanoseconds, ascending, with how often each came; those of missed deadlines
    /// included. Empty if the histogram cannot be read.
    pub(super) overshoots: Vec<(f64, u64)>,
}

impl Row<'_> {
    /// How many overshoots there are.
    pub(super) fn count(&self) -> u64 {
        self.overshoots.iter().fold(0, |sum, (_, n)| sum.saturating_add(*n))
    }

    /// The name next to a curve or a point, with that of its report if there are several.
    pub(super) fn label(&self, inputs: &[Input<'_>]) -> String {
        match inputs.get(self.of).filter(|_| inputs.len() > 1) {
            Some(input) => format!("{}, {}", self.name, input.name),
            None => self.name.clone(),
        }
    }
}

/// The rows of all reports that were measured, in their order.
pub(super) fn page_rows<'a>(inputs: &[Input<'a>]) -> Vec<Row<'a>> {
    let mut names: Vec<(Kind, String)> = Vec::new();
    let mut rows = Vec::new();
    for (of, input) in inputs.iter().enumerate() {
        let waits: Vec<&Wait> = waits_of(input.report).collect();
        let several_cpus = several_cpus(&waits);
        for wait in waits {
            let slack = wait.slack_ns.filter(|_| !wait.default_slack);
            let name = name_with(wait, slack, several_cpus, ", ");
            let key = (wait.kind, name.clone());
            if !names.contains(&key) {
                names.push(key);
            }
            let mut same = names.iter().filter(|it| it.0 == wait.kind);
            let nth = same.position(|it| it.1 == name).unwrap_or(0);
            let advised = wait.requested_ns.and_then(|ns| most_accurate(input, ns));
            let advised = advised.is_some_and(|(id, choice)| {
                // The choice is one for all loads.
                let choice = WaitChoice { load: wait.load, ..choice.clone() };
                wait.id == id && choice.is(wait)
            });
            let hue = match wait.kind {
                _ if advised => Hue::Accent,
                Kind::Sleep => Hue::Sleep(nth),
                Kind::Hybrid => Hue::Hybrid(nth),
                Kind::Busy => Hue::Spin(nth),
            };
            let overshoots = overshoots(wait);
            rows.push(Row { wait, of, name, several_cpus, hue, advised, overshoots });
        }
    }
    rows
}

/// The method that was chosen for accuracy among those of this duration, in any language.
pub(super) fn most_accurate<'a>(input: &Input<'a>, ns: u64) -> Option<(&'a str, &'a WaitChoice)> {
    input.report.advice.iter().find_map(|advice| {
        let wait = advice.wait.as_ref()?;
        let wanted = wait.goal == Goal::Accuracy && wait.requested_ns == ns;
        Some((advice.clock.as_deref()?, wait)).filter(|_| wanted && wait.languages.is_empty())
    })
}

fn overshoots(wait: &Wait) -> Vec<(f64, u64)> {
    let histogram = wait.grid.as_ref().map_or(&wait.overshoot, |grid| &grid.corrected);
    let Ok(hdr) = histogram.decode() else {
        return Vec::new();
    };
    // The top of the last bucket may lie above the largest value, which is known exactly.
    let largest = match wait.grid {
        Some(_) => histogram.max_ns,
        None => u64::try_from(wait.max_ns).unwrap_or(0),
    };
    let of = |ns: u64| ns.min(largest) as f64;
    hdr.iter_recorded().map(|it| (of(it.value_iterated_to()), it.count_at_value())).collect()
}

/// The smallest overshoot that is not 0: where a logarithmic axis shows those that are.
fn least_overshoot(rows: &[&Row<'_>]) -> f64 {
    let all = rows.iter().flat_map(|row| &row.overshoots).map(|(ns, _)| *ns);
    let least = all.filter(|ns| *ns > 0.0).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// The loads that have rows.
pub(super) fn loads_of_rows(rows: &[&Row<'_>]) -> Vec<Load> {
    let some = |load: &Load| rows.iter().any(|row| row.wait.load == *load);
    Load::ALL.into_iter().filter(some).collect()
}

/// With at most this many rows, those of several reports are in one panel.
const FEW: usize = 8;

/// The panels of a kind of chart: the load, the report if each has its own panel, and the rows with
/// samples.
fn panels<'a, 'b>(
    inputs: &[Input<'_>],
    rows: &[&'b Row<'a>],
) -> Vec<(Load, Option<usize>, Vec<&'b Row<'a>>)> {
    let mut panels = Vec::new();
    for load in loads_of_rows(rows) {
        let of_load = rows.iter().copied().filter(|row| row.wait.load == load);
        let of_load: Vec<&Row> = of_load.filter(|row| !row.overshoots.is_empty()).collect();
        let reports: BTreeSet<usize> = of_load.iter().map(|row| row.of).collect();
        if inputs.len() < 2 || (reports.len() > 1 && of_load.len() <= FEW) {
            panels.push((load, None, of_load));
            continue;
        }
        panels.extend(reports.into_iter().map(|of| {
            (load, Some(of), of_load.iter().copied().filter(|row| row.of == of).collect())
        }));
    }
    panels.retain(|(_, _, rows)| !rows.is_empty());
    panels
}

/// What a load is called above its rows and pictures. Without one, others may still be busy.
pub(super) fn next_to(load: Load) -> String {
    match load {
        Load::None => "nothing else started by the tool".into(),
        load => format!("next to the {} load", load.name()),
    }
}

/// The title of a panel: what it shows, next to which load, and of which report.
fn panel_title(
    what: &str,
    inputs: &[Input<'_>],
    (load, of): (Load, Option<usize>),
    rows: &[&Row<'_>],
) -> String {
    let missed = rows.iter().any(|row| row.wait.grid.is_some());
    let missed = if missed { ", missed deadlines included" } else { "" };
    let report = of.and_then(|of| inputs.get(of)).map(|input| format!(", {}", input.name));
    format!("{what}, {}{}{missed}", next_to(load), report.unwrap_or_default())
}

/// The rows of a panel, each in a shape. Its colour is its method's, or its report's if the panel
/// has several.
fn panel_series(
    rows: &[&Row<'_>],
    inputs: &[Input<'_>],
    panel: Option<usize>,
    shape: impl Fn(&Row<'_>) -> Shape,
) -> Vec<Series> {
    let inputs = if panel.is_some() { &[] } else { inputs };
    let series = rows.iter().map(|row| Series {
        name: row.label(inputs),
        hue: if inputs.len() > 1 { Hue::Report(row.of) } else { row.hue },
        shape: shape(row),
    });
    series.collect()
}

// Accuracy against CPU time: what being on time costs, and what becomes of it next to a load.

/// Shares below this are drawn here: a logarithmic axis has no place for none.
const LEAST: f64 = 1e-4;

/// The chart; nothing if no row has enough waits and a CPU time.
pub(super) fn cost_chart(rows: &[&Row<'_>], what: &str, several: bool) -> Option<Block> {
    let placed = rows.iter().filter_map(|row| Some((row, cost_place(row)?)));
    let methods = by_key(placed.map(|(row, place)| ((row.of, &row.name), (row.hue, place))));
    if methods.is_empty() {
        return None;
    }
    let places = || methods.iter().flat_map(|(_, of_it)| of_it).map(|(_, place)| place);
    let x = Scale::log(Unit::Share, places().map(|place| place.x));
    let y = Scale::log(Unit::Ns, places().map(|place| place.y));
    let loaded = places().any(|place| place.hollow);
    let said: Vec<&str> = places().map(|place| place.words.as_str()).collect();
    let alt = format!(
        "Each method as a point, its CPU time against its 90th percentile of overshoot. {}.",
        said.join("; ")
    );
    let mut key = "CPU time of the waiting thread".to_owned();
    if loaded {
        key += &format!("; filled: {}, hollow: next to a load", next_to(Load::None));
    }
    let axes = [Axis::new(key, x), Axis::new("overshoot, 90th percentile", y)];
    let title = format!("Accuracy of a {what} against CPU time");
    let series = methods.into_iter().map(|((of, name), of_it)| Series {
        name: name.clone(),
        hue: if several { Hue::Report(of) } else { of_it[0].0 },
        shape: Shape::Points { at: of_it.into_iter().map(|it| it.1).collect(), joined: true },
    });
    let series = series.collect();
    Some(Block::Chart(Chart::plane(title, alt, axes, series, Vec::new())))
}

fn cost_place(row: &Row<'_>) -> Option<Place> {
    let cpu = row.wait.cpu_share.filter(|share| share.is_finite())?;
    let p90 = row.wait.percentile(Percentile::P90)? as f64;
    let load = match row.wait.load {
        Load::None => String::new(),
        load => format!(", load {}", load.name()),
    };
    Some(Place {
        x: cpu.clamp(LEAST, 1.0),
        y: p90.max(1.0),
        hollow: row.wait.load != Load::None,
        words: format!("{}{load} · p90 {} · {} of a CPU", row.name, short(p90), percent(cpu)),
    })
}

// How many waits had each overshoot, with logarithmic counts, so that a single late wait among a
// million shows: the plot that OSADL draws of the figures of `cyclictest`. Theirs has a linear
// axis in microseconds up to 400; this one is logarithmic, because spins that are 100 ns late and
// waits that are 10 ms late must both be on it, and nothing may be beyond its end.

/// Bins in a decade.
const BINS: f64 = 10.0;
/// Where an empty bin is drawn: below a single wait.
const NONE: f64 = 0.5;

/// The charts; none if there are so few waits that the percentile curves show each of them.
pub(super) fn count_charts(inputs: &[Input<'_>], rows: &[&Row<'_>], what: &str) -> Vec<Block> {
    let enough = |row: &&Row| Percentile::P99.is_supported_by(row.count());
    if !rows.iter().any(enough) {
        return Vec::new();
    }
    let floor = least_overshoot(rows);
    let all: Vec<BTreeMap<i32, u64>> = rows.iter().map(|row| bins(row, floor)).collect();
    let fullest = all.iter().flat_map(BTreeMap::values).max().copied().unwrap_or(1);
    let edges = all.iter().flat_map(BTreeMap::keys).flat_map(|at| [*at, at + 1]);
    let x = Scale::log(Unit::Ns, edges.map(bin_edge));
    let y = Scale::log(Unit::Count, [NONE, fullest as f64]);
    let chart = |(load, of, rows): (_, Option<usize>, Vec<&Row>)| {
        let title = panel_title(&format!("Counts of a {what}"), inputs, (load, of), &rows);
        let series = panel_series(&rows, inputs, of, |row| Shape::Steps(steps(row, floor)));
        let latest = rows.iter().filter_map(|row| Some((row.overshoots.last()?.0, *row)));
        let latest = latest.max_by(|a, b| a.0.total_cmp(&b.0));
        let words = latest.map(|(ns, row)| format!("latest: {}, {}", short(ns), row.name));
        let waits = rows.iter().fold(0u64, |sum, row| sum.saturating_add(row.count()));
        let alt = format!(
            "{title}. {} in {}; {}.",
            plural(waits, "wait", "waits"),
            plural(rows.len() as u64, "row", "rows"),
            words.as_deref().unwrap_or("no wait")
        );
        let at = latest.map_or(floor, |(ns, _)| ns.max(floor));
        let note = |words| Note { x: at, y: fullest as f64, words, line: true };
        let axes = [Axis::new("overshoot, in tenths of a decade", x), Axis::new("waits", y)];
        let notes = words.map(note).into_iter().collect();
        Block::Chart(Chart::plane(title, alt, axes, series, notes))
    };
    panels(inputs, rows).into_iter().map(chart).collect()
}

fn bin_edge(nth: i32) -> f64 {
    10f64.powf(f64::from(nth) / BINS)
}

/// How many overshoots are in each bin that has some.
fn bins(row: &Row<'_>, floor: f64) -> BTreeMap<i32, u64> {
    let mut bins = BTreeMap::new();
    for (ns, n) in &row.overshoots {
        let bin = bins.entry((ns.max(floor).log10() * BINS).floor() as i32).or_insert(0u64);
        *bin = bin.saturating_add(*n);
    }
    bins
}

/// The bins from the first to the last that holds waits, and the empty ones between them.
fn steps(row: &Row<'_>, floor: f64) -> Vec<Place> {
    let bins = bins(row, floor);
    let place =
        |nth: i32, y: f64, words: String| Place { x: bin_edge(nth), y, hollow: false, words };
    let mut steps = Vec::new();
    for (nth, n) in &bins {
        let range = format!("{} to {}", short(bin_edge(*nth)), short(bin_edge(nth + 1)));
        let waits = format!("{} of {}", count(*n), plural(row.count(), "wait", "waits"));
        if steps.is_empty() {
            steps.push(place(*nth, NONE, String::new()));
        }
        steps.push(place(*nth, *n as f64, format!("{} · {range} · {waits}", row.name)));
        if !bins.contains_key(&(nth + 1)) {
            steps.push(place(nth + 1, NONE, String::new()));
        }
    }
    steps
}

// Percentile curves of overshoot: one panel for each load, because panels print and compare.

/// Places that are closer to each other than this share of both axes are one.
const CLOSE: f64 = 0.002;
/// The probability that a percentile lies above the whole sample, from which on a curve is only an
/// indication: below `0.05^(1/n)`, the largest of n values encloses the percentile with 95 %.
const MISS: f64 = 0.05;
/// So many rows are read out.
const READ_OUT: usize = 12;

pub(super) fn percentile_charts(inputs: &[Input<'_>], rows: &[&Row<'_>], what: &str) -> Vec<Block> {
    let most = rows.iter().map(|row| row.count()).max().unwrap_or(1);
    let x = Scale::nines(most);
    let floor = least_overshoot(rows);
    let all = rows.iter().flat_map(|row| &row.overshoots).map(|(ns, _)| ns.max(floor));
    let y = Scale::log(Unit::Ns, all);
    let chart = |(load, of, rows): (_, Option<usize>, Vec<&Row>)| {
        let title = panel_title(&format!("Percentiles of a {what}"), inputs, (load, of), &rows);
        let mut series = panel_series(&rows, inputs, of, |row| curve(row, (&x, &y), floor));
        // The advised method is drawn last, above the others.
        if let Some(at) = rows.iter().position(|row| row.advised) {
            series[at..].rotate_left(1);
        }
        let axes = [Axis::new("percentile of the waits", x), Axis::new("overshoot", y)];
        let alt = curves_in_words(&title, &rows);
        Block::Chart(Chart::plane(title, alt, axes, series, Vec::new()))
    };
    panels(inputs, rows).into_iter().map(chart).collect()
}

/// The overshoots by rank: the value of rank r of n is drawn at the percentile (r - 0.5)/n
/// (Hazen 1914), so that the last one has a place too.
fn curve(row: &Row<'_>, (x, y): (&Scale, &Scale), floor: f64) -> Shape {
    let n = row.count().max(1) as f64;
    let mut through: Vec<Place> = Vec::new();
    let mut below = 0u64;
    let last = row.overshoots.len().saturating_sub(1);
    let mut drawn = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (nth, (ns, count)) in row.overshoots.iter().enumerate() {
        let first_rank = below as f64 + 0.5;
        below = below.saturating_add(*count);
        let last_rank = below as f64 - 0.5;
        for (rank, is_last) in [(first_rank, false), (last_rank, nth == last)] {
            let (share, value) = ((rank / n).clamp(0.0, 1.0), ns.max(floor));
            let at = (x.at(share), y.at(value));
            let far = (at.0 - drawn.0).abs() >= CLOSE || (at.1 - drawn.1).abs() >= CLOSE;
            if far || is_last {
                let words = format!("{} · {} {}", row.name, percentile(share), short(*ns));
                through.push(Place { x: share, y: value, hollow: false, words });
                drawn = at;
            }
        }
    }
    Shape::Curve { through, sure: MISS.powf(1.0 / n) }
}

/// A percentile with the digits that tell it from its neighbours: `p50`, `p99.93`.
fn percentile(share: f64) -> String {
    let digits = if share < 0.9 { 0 } else { (-(1.0 - share).max(1e-9).log10()).ceil() as usize };
    let factor = 10f64.powi(digits as i32);
    // Rounded down: only all of the waits are p100.
    format!("p{:.digits$}", (share * 100.0 * factor).floor() / factor)
}

fn curves_in_words(title: &str, rows: &[&Row<'_>]) -> String {
    let of = |row: &&Row| {
        let median = row.wait.percentile(Percentile::P50).map(|ns| short(ns as f64));
        let median = median.map_or(String::new(), |ns| format!("median {ns}, "));
        format!("{}: {median}worst {}", row.name, short(row.wait.max_ns as f64))
    };
    let mut words: Vec<String> = rows.iter().take(READ_OUT).map(of).collect();
    let more = rows.len().saturating_sub(READ_OUT);
    words.extend((more > 0).then(|| format!("{more} more")));
    format!("{title}. {}.", words.join("; "))
}

/// The rows that were measured, if they are all of one method.
pub(super) fn only_method(report: &Report) -> Option<Vec<&Wait>> {
    let rows: Vec<&Wait> = waits_of(report).collect();
    let first = rows.first()?;
    rows.iter().all(|wait| wait.id == first.id).then_some(rows)
}

/// The distributions, one table for each method, load, setting and CPU, with a column for each
/// duration, or with bars if there is only one. With a `width` of its bins, in nanoseconds, each
/// row has a table; otherwise, bins are on a logarithmic scale.
pub(super) fn view(rows: &[&Wait], width: Option<u64>) -> Vec<Block> {
    let key = |wait: &Wait| {
        let set = (wait.slack_ns, wait.slice_ns, wait.timer_period_ms, wait.timer_resolution_ns);
        (wait.id.clone(), wait.load, set, wait.cpu, width.and(wait.requested_ns))
    };
    let several = several_cpus(rows);
    let groups = by_key(rows.iter().map(|wait| (key(wait), *wait)));
    groups.iter().flat_map(|(_, group)| table(group, several, width)).collect()
}

/// A column: the duration, the overshoots, and how many there are.
struct Distributed {
    ns: u64,
    hdr: Decoded,
}

fn table(rows: &[&Wait], several: bool, width: Option<u64>) -> Vec<Block> {
    let series = durations(rows).into_iter().filter_map(|ns| {
        let wait = rows.iter().find(|wait| wait.requested_ns == Some(ns))?;
        // A histogram that cannot be read leaves its column out; its figures are in the table.
        let histogram = wait.grid.as_ref().map_or(&wait.overshoot, |grid| &grid.corrected);
        let hdr = histogram.decode().ok()?;
        (!hdr.is_empty()).then_some(Distributed { ns, hdr })
    });
    let series: Vec<Distributed> = series.collect();
    let Some(first) = rows.first().filter(|_| !series.is_empty()) else {
        return Vec::new();
    };
    let edges = width.map_or_else(|| edges(&series), |width| even(&series, width));
    let table = match series.as_slice() {
        [only] => bars(only, &edges),
        several => shares(several, &edges),
    };
    let mut facts = vec![first.method()];
    if let [only] = series.as_slice() {
        let waits = plural(only.hdr.len(), "wait", "waits");
        facts.push(format!("{waits} of {}", short(only.ns as f64)));
    }
    facts.extend(first.slack_ns.map(|slack| format!("slack {}", short(slack as f64))));
    facts.extend(first.slice_ns.map(|slice| format!("slice {}", short(slice as f64))));
    let load = Some(first.load).filter(|load| *load != Load::None);
    facts.extend(load.map(|load| format!("load {}", load.name())));
    facts.extend(first.cpu.filter(|_| several).map(|cpu| format!("CPU {cpu}")));
    facts.extend(first.grid.as_ref().map(|_| "missed deadlines included".into()));
    vec![Block::noted("Distribution of overshoot", facts.join(", ")), Block::Table(table)]
}

/// From this time on, in seconds, a run is long: the screen shows the distribution of each row.
const LONG_S: f64 = 600.0;

pub(super) fn is_long(rows: &[&Wait]) -> bool {
    rows.iter().map(|wait| wait.seconds).sum::<f64>() >= LONG_S
}

/// The most columns of a strip.
const STRIP: usize = 36;

/// The distributions of many rows, one line for each, above a common logarithmic axis.
pub(super) fn of_each(rows: &[&Wait]) -> Vec<Block> {
    let several = several_cpus(rows);
    let decoded = rows.iter().filter_map(|wait| Some((*wait, wait.overshoot.decode().ok()?)));
    let all: Vec<(&Wait, Decoded)> = decoded.filter(|(_, hdr)| !hdr.is_empty()).collect();
    let low = all.iter().map(|(_, hdr)| hdr.min().max(1).ilog10()).min().unwrap_or(0);
    let high = all.iter().map(|(_, hdr)| hdr.max().max(1).ilog10() + 1).max().unwrap_or(0);
    let Some(decades) = high.checked_sub(low).filter(|decades| *decades > 0) else {
        return Vec::new();
    };
    // Ten bins in a decade, or as many as there is room for.
    let each = (STRIP / decades as usize).clamp(1, 10);
    let bins = each * decades as usize;
    let place = |ns: u64| {
        let place = ((ns.max(1) as f64).log10() - f64::from(low)) * each as f64;
        (place.max(0.0) as usize).min(bins - 1)
    };
    let strip = |hdr: &Decoded| {
        let mut counts = vec![0u64; bins];
        for bucket in hdr.iter_recorded() {
            let value = hdr.lowest_equivalent(bucket.value_iterated_to());
            counts[place(value)] += bucket.count_at_value();
        }
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let top = HEIGHTS.len() as u64;
        let height = |n: u64| (u128::from(n) * u128::from(top)).div_ceil(u128::from(most)) as usize;
        let sign = |n: &u64| height(*n).checked_sub(1).map_or(' ', |at| HEIGHTS[at]);
        // The axis keeps the blanks that follow it.
        std::iter::once('|').chain(counts.iter().map(sign)).collect::<String>()
    };
    let mut axis = String::new();
    // A label, such as |100 us, takes seven columns.
    for decade in (low..high).step_by(7 / each + 1) {
        let at = (decade - low) as usize * each;
        axis = format!("{axis:at$}|{}", short(10f64.powi(decade as i32)));
    }
    let blank = || Cell::text("");
    let mut items: Vec<Item> = vec![vec![blank(), blank(), blank(), Cell::text(axis)].into()];
    items.extend(all.iter().map(|(wait, hdr)| {
        let asked = wait.requested_ns.map_or(String::new(), |ns| short(ns as f64));
        let name = method_cell(&(wait, several));
        vec![name, setting(wait.slack_ns), Cell::text(asked), Cell::text(strip(hdr))].into()
    }));
    let columns = vec![
        Column::new("method").whole_name(),
        Column::new("slack").also_name().right().close(),
        Column::new("wait").also_name().right().close(),
        Column::new("distribution"),
    ];
    let about = "logarithmic; the height is the share of the row's waits, and each wait shows";
    vec![
        Block::noted("Distribution of overshoot", about),
        Block::Table(Table { columns, items, ..Table::default() }),
    ]
}

/// The edges of the bins in a decade, as multiples of its power of ten; many decades have fewer.
const STEPS: [u64; 3] = [1, 2, 5];
/// From this many decades on, a bin is a decade.
const WIDE: usize = 6;

/// The edges of the bins, from the one at or below the smallest value to the one above the largest.
fn edges(series: &[Distributed]) -> Vec<u64> {
    let low = series.iter().map(|s| s.hdr.min()).min().unwrap_or(0).max(1);
    let high = series.iter().map(|s| s.hdr.max()).max().unwrap_or(1).max(low);
    let decades = (high / low).checked_ilog10().unwrap_or(0) as usize;
    let steps = if decades >= WIDE { &STEPS[..1] } else { &STEPS[..] };
    let powers = (0..=13u32).map(|power| 10u64.pow(power));
    let all: Vec<u64> = powers.flat_map(|ten| steps.iter().map(move |step| step * ten)).collect();
    let first = all.iter().rposition(|edge| *edge <= low).unwrap_or(0);
    let last = all.iter().position(|edge| *edge > high).unwrap_or(all.len() - 1);
    all[first..=last].to_vec()
}

/// The edges of the bins of this width that hold a value; what is between two of them is one bin.
fn even(series: &[Distributed], width: u64) -> Vec<u64> {
    let values = series.iter().flat_map(|s| s.hdr.iter_recorded());
    let values = values.map(|bucket| bucket.value_iterated_to());
    let edges = values.map(|value| value / width * width);
    edges.flat_map(|edge| [edge, edge + width]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// How many values are in each bin. What is below the first edge, as an early wake is, counts as in
/// the first bin.
fn counts(hdr: &Decoded, edges: &[u64]) -> Vec<u64> {
    let mut counts = vec![0; edges.len().saturating_sub(1)];
    for bucket in hdr.iter_recorded() {
        let value = bucket.value_iterated_to();
        let bin = edges.partition_point(|edge| *edge <= value).saturating_sub(1);
        if let Some(count) = counts.get_mut(bin) {
            *count += bucket.count_at_value();
        }
    }
    counts
}

fn bin(edges: &[u64], nth: usize) -> Cell {
    let of = |edge: u64| match edge {
        1_000_000.. if !edge.is_multiple_of(1_000_000) => format!("{} us", count(edge / 1000)),
        _ => short(edge as f64),
    };
    // Early wakes are in the histogram as 0, below the lowest edge that there is.
    let text = match edges[nth] {
        0 | 1 => format!("below {}", of(edges[nth + 1])),
        edge => format!("{} to {}", of(edge), of(edges[nth + 1])),
    };
    Cell::text(text)
}

fn rows(edges: &[u64], cells: impl Fn(usize) -> Vec<Cell>) -> Vec<Item> {
    let bins = 0..edges.len().saturating_sub(1);
    bins.map(|nth| [vec![bin(edges, nth)], cells(nth)].concat().into()).collect()
}

fn range() -> Column {
    Column::new("overshoot").also_name().right()
}

fn bars(series: &Distributed, edges: &[u64]) -> Table {
    let counts = counts(&series.hdr, edges);
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let all = series.hdr.len().max(1) as f64;
    let columns = vec![
        range(),
        Column::new("waits").right(),
        Column::new("share").right(),
        Column::new("distribution"),
    ];
    let items = rows(edges, |nth| {
        let n = counts[nth] as f64;
        let bar = Cell::new(Value::Bar(n / most)).toned(Tone::Name);
        vec![Cell::count(counts[nth]), share(n / all), bar]
    });
    Table { columns, items, ..Table::default() }
}

fn shares(series: &[Distributed], edges: &[u64]) -> Table {
    let counts: Vec<Vec<u64>> = series.iter().map(|s| counts(&s.hdr, edges)).collect();
    let at = |s: &Distributed| Column::new(format!("at {}", short(s.ns as f64))).right().close();
    let items = rows(edges, |nth| {
        let of = |(s, counts): (&Distributed, &Vec<u64>)| {
            share(counts[nth] as f64 / s.hdr.len().max(1) as f64)
        };
        series.iter().zip(&counts).map(of).collect()
    });
    let columns = [range()].into_iter().chain(series.iter().map(at)).collect();
    Table { columns, items, ..Table::default() }
}

/// A share; an empty bin is empty.
fn share(share: f64) -> Cell {
    let cell = Cell::new(Value::Share(share));
    if share > 0.0 { cell } else { cell.shown("") }
}
