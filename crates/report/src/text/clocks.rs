//! Every clock with every column of the catalogue.

use super::groups::{best, groups};
use super::number::{estimate, short};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use super::{bulk, details, glance, verdicts};
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Difference, Limit, Scope};

/// A part of the table: some columns that belong together, and how a clock fills them.
struct Part {
    title: &'static str,
    remark: &'static str,
    columns: fn(&Style) -> Vec<Column>,
    cells: fn(&Clock, &Style) -> Vec<Cell>,
}

/// Every column.
pub fn render(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    if report.clocks.is_empty() {
        screen.paragraph("No clock was measured.");
        return screen.finish();
    }
    if !report.run.complete {
        screen.paragraph(&style.paint(Tone::Warn, "Interrupted: what was measured until then."));
    }
    // As many parts side by side as the screen holds.
    let mut side: Vec<&Part> = Vec::new();
    for next in [&COST, &RESOLUTION, &TRUST, &VERDICT] {
        side.push(next);
        if side.len() > 1 && !table(report, style, &side).fits(style) {
            side.pop();
            part(&mut screen, report, style, &side);
            side = vec![next];
        }
    }
    part(&mut screen, report, style, &side);
    screen.gap();
    let legend = "read: back to back. ordered: each after the one before. cold: once caches and \
                  branch history are displaced. first: the first in a process. limited by: the \
                  tick, or the cost of a read.";
    screen.paragraph(&style.paint(Tone::Dim, legend));
    if style.verbose {
        details::render(&mut screen, report, style);
    }
    if report.clocks.iter().any(|c| c.bulk.is_some()) {
        bulk::render(&mut screen, report, style);
    }
    screen.gap();
    glance::unavailable(&mut screen, report, style);
    glance::notes(&mut screen, report, style);
    screen.finish()
}

fn part(screen: &mut Screen<'_>, report: &Report, style: &Style, parts: &[&Part]) {
    let titles: Vec<&str> = parts.iter().map(|p| p.title).collect();
    let remarks: Vec<&str> = parts
        .iter()
        .map(|p| p.remark)
        .filter(|r| !r.is_empty())
        .collect();
    screen.heading(&titles.join(", "), &remarks.join("; "));
    screen.gap();
    let table = table(report, style, parts);
    if table.is_empty() {
        screen.paragraph("None is available here.");
    } else {
        screen.table(&table);
    }
}

fn table(report: &Report, style: &Style, parts: &[&Part]) -> Table {
    let mark = style.sign("▸", ">");
    let mut columns = vec![
        Column::new("", Align::Left),
        Column::new("clock", Align::Left).gap(1).giving_way(12),
    ];
    columns.extend(parts.iter().flat_map(|p| (p.columns)(style)));
    let mut table = Table::new(columns);
    for group in groups(&report.clocks) {
        table.group(group.name, group.remark);
        let best = best(&group, &report.advice);
        for clock in &group.clocks {
            let marked = best.as_deref() == Some(clock.id.as_str());
            let id = clean(&clock.id);
            let mut cells = match marked {
                true => vec![Cell::toned(Tone::Good, mark), Cell::toned(Tone::Strong, id)],
                false => vec!["".into(), id.into()],
            };
            cells.extend(parts.iter().flat_map(|p| (p.cells)(clock, style)));
            table.row(cells);
        }
    }
    table
}

const COST: Part = Part {
    title: "Cost of a read",
    remark: "in ns, with half the 95 % interval",
    columns: |style| {
        let spread = || Column::new(style.plus_minus(), Align::Left).gap(1);
        vec![
            Column::new("read", Align::Right),
            spread(),
            Column::new("ordered", Align::Right).gap(1),
            spread(),
            Column::new("cold", Align::Right).gap(1),
            spread(),
            Column::new("first", Align::Right).gap(1),
        ]
    },
    cells: |clock, style| {
        let cost = &clock.cost;
        let mut cells = Vec::new();
        for e in [&cost.throughput, &cost.latency, &cost.cold] {
            let figure = e.as_ref().map(|e| estimate(e, style));
            let (value, spread) =
                figure.map_or(("-".into(), String::new()), |f| (f.value, f.spread));
            cells.push(value.into());
            cells.push(Cell::toned(
                Tone::Dim,
                spread.replace(style.plus_minus(), ""),
            ));
        }
        let first = cost.first.as_ref().map(|e| estimate(e, style).value);
        cells.push(first.unwrap_or_else(|| "-".into()).into());
        cells
    },
};

const RESOLUTION: Part = Part {
    title: "Resolution",
    remark: "seen: between two reads in a row",
    columns: |_| {
        vec![
            Column::new("nominal", Align::Right),
            Column::new("tick", Align::Right).gap(1),
            Column::new("least\nseen", Align::Right).gap(1),
            Column::new("median\nseen", Align::Right).gap(1),
            Column::new("limited\nby", Align::Left).gap(1),
        ]
    },
    cells: |clock, _| {
        let Some(r) = &clock.resolution else {
            return vec!["-".into(), "-".into(), "-".into(), "-".into(), "-".into()];
        };
        let figure = |ns: Option<f64>| match ns {
            Some(ns) => short(ns).into(),
            None => Cell::toned(Tone::Dim, "-"),
        };
        vec![
            figure(r.nominal_ns),
            match r.verdict {
                Limit::NotSeen => glance::unseen(r),
                Limit::Tick | Limit::Latency => figure(r.tick_ns),
            },
            figure(r.observed_min_ns),
            figure(r.observed_median_ns),
            match r.verdict {
                Limit::Tick => "tick".into(),
                Limit::Latency => "a read".into(),
                Limit::NotSeen => Cell::toned(Tone::Dim, "-"),
            },
        ]
    },
};

const TRUST: Part = Part {
    title: "What it tells",
    remark: "its own figure for an interval of 100 ms",
    columns: |_| {
        vec![
            Column::new("100 ms\nms", Align::Decimal),
            Column::new("steps\nback", Align::Right).gap(1),
            Column::new("scope", Align::Left).gap(1),
            Column::new("bits", Align::Right).gap(1),
            Column::new("wraps\nafter", Align::Right).gap(1),
        ]
    },
    cells: |clock, _| {
        vec![
            difference(clock.difference_100ms.as_ref(), clock),
            match &clock.backwards {
                Some(b) if b.violations > 0 => {
                    Cell::toned(Tone::Bad, super::number::count(b.violations))
                }
                Some(_) => "none".into(),
                None => "-".into(),
            },
            match clock.scope {
                Scope::Local => "local",
                Scope::Universal => "universal",
                Scope::Cpu => "CPU",
            }
            .into(),
            clock.bits.map_or("-".into(), |b| b.to_string()).into(),
            match clock.wraps_after_s {
                Some(s) if s.is_finite() && s >= 0.0 => wrap_time(s),
                _ => "-".into(),
            }
            .into(),
        ]
    },
};

const VERDICT: Part = Part {
    title: "Verdict",
    remark: "and a value of this run",
    columns: |_| {
        vec![
            Column::new("verdict", Align::Left).giving_way(16),
            Column::new("example", Align::Right),
        ]
    },
    cells: |clock, style| {
        vec![
            verdicts::cell(clock),
            Cell::toned(
                Tone::Dim,
                clock
                    .example
                    .as_deref()
                    .map_or("-".into(), |e| style.cut(&clean(e), 24)),
            ),
        ]
    },
};

/// Years without false precision: what lasts longer than a millennium needs no digits.
fn wrap_time(s: f64) -> String {
    let years = s / (365.25 * 86_400.0);
    if years > 1000.0 {
        ">1000 years".into()
    } else {
        short(s * 1e9)
    }
}

/// What the clock says of 100 ms, to the digit that its tolerance supports.
fn difference(difference: Option<&Difference>, clock: &Clock) -> Cell {
    let Some(d) = difference else {
        return "-".into();
    };
    if !d.clock_ms.is_finite() {
        return "-".into();
    }
    let places = match d.tolerance_ms {
        t if t.is_finite() && t > 0.0 => (-t.log10().floor()).clamp(0.0, 3.0) as usize,
        _ => 3,
    };
    let text = format!("{:.places$}", d.clock_ms);
    match (d.agrees, clock.scope) {
        (true, _) => text.into(),
        (false, Scope::Cpu) => Cell::toned(Tone::Dim, text),
        (false, _) => Cell::toned(Tone::Bad, text),
    }
}
