//! The tables of waits.

use crate::text::number::{count, percent, plural, short};
use crate::text::style::{Style, Tone, clean};
use crate::text::table::{Align, Cell, Column, Table};
use chronoscope_model::histogram::Histogram;
use chronoscope_model::waits::Wait;

/// Columns from which on every statistic has room, and all that is shown else has.
const WIDE: usize = 118;
const NARROW: usize = 72;
/// Columns from which on figures that belong together need not stand close, where not all are
/// shown.
const LOOSE: usize = 96;

/// A column: its head, the gap that it can do with, and a row's figure in it.
struct Figure {
    head: &'static str,
    gap: u16,
    of: fn(&Wait) -> Cell,
}

const fn figure(head: &'static str, gap: u16, of: fn(&Wait) -> Cell) -> Figure {
    Figure { head, gap, of }
}

fn capped(wait: &Wait, ns: u64) -> String {
    short(wait.percentile(ns) as f64)
}

fn percentile(wait: &Wait, ns: u64) -> Cell {
    capped(wait, ns).into()
}

const WAITS: Figure = figure("waits", 2, |w| count(w.samples).into());
const MIN: Figure = figure("min", 2, |w| short(w.min_ns as f64).into());
const MEAN: Figure = figure("mean", 2, |w| short(w.mean_ns).into());
const P50: Figure = figure("p50", 1, |w| percentile(w, w.overshoot.p50_ns));
const P90: Figure = figure("p90", 2, |w| percentile(w, w.overshoot.p90_ns));
const P99: Figure = figure("p99", 2, |w| percentile(w, w.overshoot.p99_ns));
const P999: Figure = figure("p99.9", 2, |w| percentile(w, w.overshoot.p999_ns));
const MAX: Figure = figure("max", 2, |w| short(w.max_ns as f64).into());
const EARLY: Figure = figure("early", 1, |w| match w.early {
    0 => Cell::toned(Tone::Dim, "0"),
    n => Cell::toned(Tone::Bad, count(n)),
});
const CPU: Figure = figure("CPU", 1, |w| {
    w.cpu_share.map_or(String::new(), percent).into()
});
const SWITCHES: Figure = figure("switches\nown/forced", 1, |w| {
    let of = |n: Option<u64>| n.map_or("-".into(), count);
    let (own, forced) = (of(w.voluntary_switches), of(w.involuntary_switches));
    format!("{own}/{forced}").into()
});
const MISSED: Figure = figure("missed", 1, |w| {
    let missed = w.grid.as_ref().map(|grid| count(grid.missed));
    missed.unwrap_or_default().into()
});

/// The figures of tables, one below the other.
type Layout = Vec<Vec<&'static Figure>>;

/// What can be shown of each row, best first: everything in one table where that may have room,
/// else the most important figures, and the others in tables of their own where they are asked for
/// or the screen is one for everything.
fn layouts(style: &Style) -> Vec<Layout> {
    let middle: Layout = vec![vec![&P50, &P99, &MAX, &EARLY, &CPU, &MISSED]];
    let more: [&[&'static Figure]; 2] = [&[&MIN, &MEAN, &P90, &P999], &[&WAITS, &SWITCHES]];
    let narrow: Layout = vec![vec![&P50, &P99, &MAX], vec![&EARLY, &CPU, &MISSED]];
    let least: [&[&'static Figure]; 2] = [&[&MIN, &MEAN], &[&P90, &P999, &SWITCHES]];
    let with = |mut tables: Layout, more: [&[&'static Figure]; 2]| {
        if style.verbose || style.width >= WIDE {
            tables.extend(more.map(<[_]>::to_vec));
        }
        tables
    };
    let mut all = Vec::new();
    if style.width >= WIDE {
        all.push(vec![vec![
            &WAITS, &MIN, &MEAN, &P50, &P90, &P99, &P999, &MAX, &EARLY, &CPU, &SWITCHES, &MISSED,
        ]]);
    }
    if style.width >= NARROW {
        all.push(with(middle, more));
    }
    all.push(with(narrow, least));
    all
}

/// The first that fits the screen; the last one, where none does.
fn first_that_fits(style: &Style, candidates: impl IntoIterator<Item = Vec<Table>>) -> Vec<Table> {
    let mut last = Vec::new();
    for tables in candidates {
        if tables.iter().all(|table| table.fits_by_giving_way(style)) {
            return tables;
        }
        last = tables;
    }
    last
}

/// Whether rows differ in the processor that they were measured on.
fn several_cpus(rows: &[&Wait]) -> bool {
    rows.windows(2).any(|pair| pair[0].cpu != pair[1].cpu)
}

fn name(wait: &Wait, several: bool) -> String {
    match (several, wait.cpu) {
        (true, Some(cpu)) => format!("{} CPU {cpu}", method(wait)),
        _ => method(wait),
    }
}

/// The method's name, with what was asked of Windows' timer for it.
pub(in crate::text) fn method(wait: &Wait) -> String {
    match wait.timer_period_ms {
        Some(ms) => format!("{}+period({ms})", clean(&wait.id)),
        None => clean(&wait.id),
    }
}

fn slack(wait: &Wait) -> String {
    wait.slack_ns.map_or(String::new(), |ns| short(ns as f64))
}

/// Every row's overshoots, by what was waited for: one table after the other.
pub(super) fn overshoots(rows: &[&Wait], style: &Style) -> Vec<Table> {
    let grid = rows.iter().any(|w| w.grid.is_some());
    let tables = layouts(style).into_iter().map(|layout| {
        let whole = layout.len() == 1 && style.width >= WIDE;
        let tables = layout.into_iter().map(|mut figures| {
            figures.retain(|figure| grid || figure.head != MISSED.head);
            table(rows, &figures, style.width >= LOOSE && !whole)
        });
        tables.collect()
    });
    first_that_fits(style, tables)
}

fn table(rows: &[&Wait], figures: &[&Figure], loose: bool) -> Table {
    let mut table = empty(figures, loose);
    let several = several_cpus(rows);
    for ns in durations(rows) {
        let of_it: Vec<&Wait> = rows
            .iter()
            .copied()
            .filter(|w| w.requested_ns == Some(ns))
            .collect();
        let (what, waits) = group(&of_it);
        table.group(&format!("{what} {}", short(ns as f64)), &waits);
        for wait in of_it {
            table.row(cells(wait, figures, several));
        }
    }
    table
}

/// A table of these figures without rows; loose, where there is room between its columns.
fn empty(figures: &[&Figure], loose: bool) -> Table {
    let mut columns = vec![
        Column::new("method", Align::Left).giving_way(18),
        Column::new("slack", Align::Right).gap(if loose { 2 } else { 1 }),
    ];
    columns.extend(figures.iter().map(|figure| {
        let gap = if loose { 2 } else { figure.gap };
        Column::new(figure.head, Align::Right).gap(gap)
    }));
    Table::new(columns)
}

fn cells(wait: &Wait, figures: &[&Figure], several: bool) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![name(wait, several).into(), slack(wait).into()];
    cells.extend(figures.iter().map(|figure| (figure.of)(wait)));
    cells
}

/// What the rows of one duration waited for, and how often.
fn group(rows: &[&Wait]) -> (&'static str, String) {
    let what = match rows.iter().any(|w| w.period_ns.is_some()) {
        true => "period",
        false => "wait",
    };
    let samples = || rows.iter().map(|w| w.samples);
    let waits = match (samples().min(), samples().max()) {
        (Some(a), Some(b)) if a == b => format!("{} each", plural(a, "wait", "waits")),
        (Some(a), Some(b)) => format!("{} to {} waits each", count(a), count(b)),
        _ => String::new(),
    };
    let lost = |w: &&Wait| w.load_run.as_ref().is_some_and(|run| run.lost() > 0);
    let waits = match rows.iter().any(lost) {
        true => format!("{waits}, load not whole"),
        false => waits,
    };
    (what, waits)
}

fn durations(rows: &[&Wait]) -> Vec<u64> {
    let mut all: Vec<u64> = rows.iter().filter_map(|w| w.requested_ns).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The same with the deadlines that were missed.
pub(super) fn corrected(rows: &[&Wait], style: &Style) -> Vec<Table> {
    const DEADLINES: Figure = figure("deadlines", 1, |w| with_missed(w, |h| count(h.count)));
    const P50: Figure = figure("p50", 1, |w| with_missed(w, |h| capped(w, h.p50_ns)));
    const P90: Figure = figure("p90", 1, |w| with_missed(w, |h| capped(w, h.p90_ns)));
    const P99: Figure = figure("p99", 1, |w| with_missed(w, |h| capped(w, h.p99_ns)));
    const P999: Figure = figure("p99.9", 1, |w| with_missed(w, |h| capped(w, h.p999_ns)));
    let several = several_cpus(rows);
    let layouts: [&[&Figure]; 2] = [&[&DEADLINES, &P50, &P90, &P99, &P999], &[&P50, &P99, &P999]];
    let tables = layouts.into_iter().map(|figures| {
        let mut table = empty(figures, style.width >= LOOSE);
        for wait in rows.iter().filter(|w| w.grid.is_some()) {
            table.row(cells(wait, figures, several));
        }
        vec![table]
    });
    first_that_fits(style, tables)
}

/// A figure of the histogram that has the missed deadlines, where there is one.
fn with_missed(wait: &Wait, of: impl Fn(&Histogram) -> String) -> Cell {
    let grid = wait.grid.as_ref();
    grid.map_or(String::new(), |grid| of(&grid.corrected))
        .into()
}
