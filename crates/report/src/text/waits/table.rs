//! The tables of waits.

use crate::text::number::{count, percent, plural, short};
use crate::text::style::{Style, Tone, clean};
use crate::text::table::{Align, Cell, Column, Table};
use chronoscope_model::waits::Wait;

/// Columns from which on every statistic has room.
const WIDE: usize = 118;

/// Columns from which on those that belong together need not stand close, where not all are shown.
const LOOSE: usize = 96;

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

/// Every row's overshoots, by what was waited for.
pub(super) fn overshoots(rows: &[&Wait], style: &Style) -> Table {
    let wide = style.width >= WIDE || style.verbose;
    let close = close(style, wide);
    let missed = rows.iter().any(|w| w.grid.is_some());
    let right = |head: &str| Column::new(head, Align::Right);
    let mut columns = vec![
        Column::new("method", Align::Left).giving_way(18),
        right("slack").gap(close),
    ];
    if wide {
        columns.extend([right("waits"), right("min"), right("mean")]);
    }
    columns.push(right("p50").gap(close));
    if wide {
        columns.push(right("p90"));
    }
    columns.push(right("p99"));
    if wide {
        columns.push(right("p99.9"));
    }
    columns.extend([
        right("max"),
        right("early").gap(close),
        right("CPU").gap(close),
    ]);
    if wide {
        columns.push(right("switches\nown/forced").gap(close));
    }
    if missed {
        columns.push(right("missed").gap(close));
    }
    let mut table = Table::new(columns);
    let several = several_cpus(rows);
    for ns in durations(rows) {
        let of_it = rows.iter().filter(|w| w.requested_ns == Some(ns));
        let samples: Vec<u64> = of_it.clone().map(|w| w.samples).collect();
        let what = if of_it.clone().any(|w| w.period_ns.is_some()) {
            "period"
        } else {
            "wait"
        };
        let (least, most) = (samples.iter().min(), samples.iter().max());
        let waits = match (least, most) {
            (Some(a), Some(b)) if a == b => format!("{} each", plural(*a, "wait", "waits")),
            (Some(a), Some(b)) => format!("{} to {} waits each", count(*a), count(*b)),
            _ => String::new(),
        };
        table.group(&format!("{what} {}", short(ns as f64)), &waits);
        for wait in of_it {
            table.row(cells(wait, wide, missed, several));
        }
    }
    table
}

/// The gap before a column that is close to the one before.
fn close(style: &Style, wide: bool) -> u16 {
    if style.width >= LOOSE && !wide { 2 } else { 1 }
}

fn durations(rows: &[&Wait]) -> Vec<u64> {
    let mut all: Vec<u64> = rows.iter().filter_map(|w| w.requested_ns).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn cells(wait: &Wait, wide: bool, missed: bool, several: bool) -> Vec<Cell> {
    let h = &wait.overshoot;
    // A percentile is the top of its bucket, which may lie above the largest value itself.
    let most = u64::try_from(wait.max_ns).unwrap_or(0);
    let ns = |n: u64| Cell::from(short(n.min(most) as f64));
    let mut cells: Vec<Cell> = vec![name(wait, several).into(), slack(wait).into()];
    if wide {
        cells.extend([
            count(wait.samples).into(),
            short(wait.min_ns as f64).into(),
            short(wait.mean_ns).into(),
        ]);
    }
    cells.push(ns(h.p50_ns));
    if wide {
        cells.push(ns(h.p90_ns));
    }
    cells.push(ns(h.p99_ns));
    if wide {
        cells.push(ns(h.p999_ns));
    }
    cells.push(short(wait.max_ns as f64).into());
    cells.push(match wait.early {
        0 => Cell::toned(Tone::Dim, "0"),
        n => Cell::toned(Tone::Bad, count(n)),
    });
    cells.push(wait.cpu_share.map_or(String::new(), percent).into());
    if wide {
        let of = |n: Option<u64>| n.map_or("-".into(), count);
        let both = format!(
            "{}/{}",
            of(wait.voluntary_switches),
            of(wait.involuntary_switches)
        );
        cells.push(both.into());
    }
    if missed {
        cells.push(
            wait.grid
                .as_ref()
                .map_or(String::new(), |g| count(g.missed))
                .into(),
        );
    }
    cells
}

/// The same with the deadlines that were missed.
pub(super) fn corrected(rows: &[&Wait], style: &Style) -> Table {
    let close = close(style, false);
    let mut table = Table::new(vec![
        Column::new("method", Align::Left).giving_way(18),
        Column::new("slack", Align::Right).gap(close),
        Column::new("deadlines", Align::Right),
        Column::new("p50", Align::Right),
        Column::new("p90", Align::Right),
        Column::new("p99", Align::Right),
        Column::new("p99.9", Align::Right),
    ]);
    let several = several_cpus(rows);
    for wait in rows {
        let Some(grid) = &wait.grid else { continue };
        let h = &grid.corrected;
        let ns = |n: u64| Cell::from(short(n as f64));
        table.row(vec![
            name(wait, several).into(),
            slack(wait).into(),
            count(h.count).into(),
            ns(h.p50_ns),
            ns(h.p90_ns),
            ns(h.p99_ns),
            ns(h.p999_ns),
        ]);
    }
    table
}
