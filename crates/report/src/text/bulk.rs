//! So many calls, really made, as in the comparison of methods that this began with: the
//! difference over 100 ms, the time in milliseconds, an example; then speed, kind of time, where.

use super::number::{plural, three};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use chronoscope_model::Report;
use chronoscope_model::clock::{Bulk, Clock, Kind, Scope};

/// A clock this coarse is no measure of what is fast: it reads a stored value.
const COARSE_NS: f64 = 1e6;

/// Columns below which the table has no room for the example, which `clocks` shows, too.
const NARROW: usize = 72;

/// Up to twice the cheapest call made is fast.
const FAST: f64 = 2.0;

/// Up to ten times the cheapest call made is ok; a system call is beyond that.
const OK: f64 = 10.0;

/// Both tables.
pub(super) fn render(screen: &mut Screen<'_>, report: &Report, style: &Style) {
    let made: Vec<(&Clock, &Bulk)> = report
        .clocks
        .iter()
        .filter_map(|c| Some((c, c.bulk.as_ref()?)))
        .collect();
    let calls = made.first().map_or(0, |(_, b)| b.calls);
    screen.heading(
        &plural(calls, "call", "calls"),
        "really made, one after the other",
    );
    if let Some(hz) = frequency(report) {
        screen.paragraph(&format!(
            "CPU frequency: {:.0} kHz (measured, of the TSC)",
            hz / 1e3
        ));
    }
    screen.gap();
    let wide = style.width >= NARROW;
    let mut columns = vec![
        Column::new("Function", Align::Left).giving_way(16),
        Column::new("Difference\n(100 ms)", Align::Right),
        Column::new("Time\n(ms)", Align::Right),
    ];
    if wide {
        columns.push(Column::new("Example", Align::Right));
    }
    let mut table = Table::new(columns);
    for (clock, bulk) in &made {
        let difference = match &clock.difference_100ms {
            Some(d) if d.clock_ms.is_finite() => {
                let text = format!("{:.0}", d.clock_ms);
                match d.agrees {
                    true => text.into(),
                    false => Cell::toned(Tone::Warn, text),
                }
            }
            _ => "-".into(),
        };
        let mut cells = vec![clean(&clock.call).into(), difference, three(bulk.ms).into()];
        if wide {
            let example = clock.example.as_deref();
            let example = example.map_or("-".into(), |e| style.cut(&clean(e), 24));
            cells.push(Cell::toned(Tone::Dim, example));
        }
        table.row(cells);
    }
    screen.table(&table);
    results(screen, &made, wide);
    screen.gap();
    let legend = "fast: up to twice the cheapest here whose tick is below 1 ms. ok: up to ten times. slow: \
                  above.";
    screen.paragraph(&style.paint(Tone::Dim, legend));
}

fn results(screen: &mut Screen<'_>, made: &[(&Clock, &Bulk)], wide: bool) {
    let per_call = |b: &Bulk| b.ms * 1e6 / b.calls.max(1) as f64;
    let coarse = |c: &Clock| {
        let tick = c.resolution.as_ref().and_then(|r| r.tick_ns);
        tick.is_some_and(|ns| ns >= COARSE_NS)
    };
    let least = made
        .iter()
        .filter(|(c, _)| !coarse(c))
        .map(|(_, b)| per_call(b))
        .filter(|ns| ns.is_finite() && *ns > 0.0)
        .fold(f64::INFINITY, f64::min);
    screen.gap();
    let mut table = Table::new(vec![
        Column::new("Function", Align::Left).giving_way(16),
        Column::new("Speed", Align::Left),
        Column::new("ns a call", Align::Right),
        Column::new("Gives time", Align::Left),
        match Column::new("Compatible", Align::Left) {
            column if wide => column,
            column => column.giving_way(10),
        },
    ]);
    for (clock, bulk) in made {
        let ns = per_call(bulk);
        let speed = match ns / least {
            r if r <= FAST => Cell::toned(Tone::Good, "fast"),
            r if r <= OK => "ok".into(),
            _ => Cell::toned(Tone::Warn, "slow"),
        };
        table.row(vec![
            clean(&clock.call).into(),
            speed,
            three(ns).into(),
            gives(clock).into(),
            compatible(&clock.id).into(),
        ]);
    }
    screen.table(&table);
}

/// The counter's measured rate.
fn frequency(report: &Report) -> Option<f64> {
    let tsc = report.environment.tsc.as_ref()?;
    let measured = tsc.rates.iter().find(|r| r.source.contains("measured"));
    measured.and_then(|r| r.hz).filter(|hz| hz.is_finite())
}

fn gives(clock: &Clock) -> &'static str {
    match (clock.kind, clock.scope) {
        (Kind::Counter, _) => "tick",
        (_, Scope::Local) => "Local",
        (_, Scope::Universal) => "Universal",
        (_, Scope::Cpu) => "CPU time",
    }
}

/// Where a call exists, by the family that its id names.
fn compatible(id: &str) -> &'static str {
    let (family, name) = id.split_once('/').unwrap_or((id, ""));
    match (family, name) {
        ("c", "clock" | "time" | "timespec_get") => "all systems",
        ("c", _) => "Unix",
        ("cxx" | "rust" | "chronoscope" | "quanta" | "minstant" | "fastant" | "coarsetime", _) => {
            "all systems"
        }
        ("x86", _) => "x86 only",
        ("arm", _) => "Arm only",
        ("posix", _) => "Unix, MinGW",
        ("linux", _) => "Linux",
        ("windows", _) => "Windows",
        ("mach" | "darwin", _) => "macOS",
        _ => "unknown",
    }
}
