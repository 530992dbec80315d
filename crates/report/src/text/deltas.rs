//! What lies between two reads in a row.

use super::number::{count, percent, plural, short, signed};
use super::screen::Screen;
use super::style::{Style, Tone, clean};
use super::table::{Align, Cell, Column, Table};
use chronoscope_model::deltas::{Deltas, Row};
use chronoscope_model::{Report, units};

/// Rows shown at the head and at the tail of a long table.
const HEAD: usize = 16;
const TAIL: usize = 8;

/// Every clock's differences.
pub fn render(report: &Report, style: &Style) -> String {
    let mut screen = Screen::new(style);
    if report.deltas.is_empty() {
        screen.paragraph("No differences were measured.");
    }
    for deltas in &report.deltas {
        let clock = report.clocks.iter().find(|c| c.id == deltas.id);
        let call = clock.map_or(String::new(), |c| clean(&c.call));
        screen.heading(&clean(&deltas.id), &call);
        screen.facts(&facts(deltas, report.run.complete, style));
        screen.gap();
        rows(&mut screen, deltas, style);
    }
    screen.finish()
}

fn facts(deltas: &Deltas, complete: bool, style: &Style) -> Vec<(String, String)> {
    let ns = |ns: u64| short(ns as f64);
    let h = &deltas.histogram;
    let reads = match deltas.wanted {
        Some(wanted) => {
            let until = match complete {
                true => "before the time was spent",
                false => "before the run was interrupted",
            };
            let of = format!("{} of {} {until}", count(deltas.reads), count(wanted));
            style.paint(Tone::Warn, &of)
        }
        None => count(deltas.reads),
    };
    let mut facts = vec![
        (
            "reads".into(),
            format!(
                "{reads}, counted in units of {} (ticks, below)",
                short(deltas.ns_per_tick)
            ),
        ),
        ("zeros".into(), percent(deltas.zero_share)),
        (
            "backwards".into(),
            match deltas.negative {
                0 => format!("none in {}", plural(deltas.reads, "read", "reads")),
                n => style.paint(Tone::Bad, &plural(n, "time", "times")),
            },
        ),
        (
            "largest".into(),
            format!(
                "{} ({})",
                plural_ticks(deltas.max_ticks),
                short(deltas.max_ticks as f64 * deltas.ns_per_tick)
            ),
        ),
    ];
    if h.count > 0 {
        facts.push((
            "percentiles".into(),
            [
                ("p50", h.p50_ns),
                ("p90", h.p90_ns),
                ("p99", h.p99_ns),
                ("p99.9", h.p999_ns),
                ("max", h.max_ns),
            ]
            .map(|(name, value)| format!("{name} {}", ns(value)))
            .join(style.dot()),
        ));
    }
    for period in &deltas.periods {
        facts.push((
            "period".into(),
            format!(
                "{} every {}, {}",
                clean(&period.name),
                short(period.period_ns),
                plural(period.count, "time", "times")
            ),
        ));
    }
    if let Some(nothing) = &deltas.nothing_measured {
        facts.push((
            "nothing measured".into(),
            format!(
                "an empty interval lasted up to {} ({}) in {}",
                plural_ticks(nothing.max_ticks),
                short(nothing.max_ns),
                plural(nothing.tries, "try", "tries")
            ),
        ));
        if nothing.min_ns < 0.0 {
            let text = format!("an empty interval lasted {}", short(nothing.min_ns));
            facts.push(("below zero".into(), style.paint(Tone::Bad, &text)));
        }
    }
    facts
}

fn plural_ticks(ticks: i64) -> String {
    match ticks {
        1 | -1 => format!("{} tick", signed(ticks)),
        _ => format!("{} ticks", signed(ticks)),
    }
}

fn rows(screen: &mut Screen<'_>, deltas: &Deltas, style: &Style) {
    let mut sorted: Vec<&Row> = deltas.rows.iter().collect();
    sorted.sort_by_key(|row| row.ticks);
    let most = sorted.iter().map(|row| row.count).max().unwrap_or(0);
    let long = !style.verbose && sorted.len() > HEAD + TAIL + 1;
    let (head, cut, tail) = match long {
        true => (
            &sorted[..HEAD],
            &sorted[HEAD..sorted.len() - TAIL],
            &sorted[sorted.len() - TAIL..],
        ),
        false => (&sorted[..], &[][..], &[][..]),
    };
    let mut table = Table::new(vec![
        Column::new("Ticks", Align::Right),
        Column::new("Time (ns)", Align::Decimal),
        Column::new("Count", Align::Right),
        Column::new("log scale", Align::Left),
    ]);
    let widest = style.width.saturating_sub(48).clamp(4, 40);
    let line = |row: &Row| match row.ticks < 0 {
        true => vec![
            Cell::toned(Tone::Bad, signed(row.ticks)),
            Cell::toned(Tone::Bad, exact(row.ns)),
            count(row.count).into(),
            "below zero".into(),
        ],
        false => vec![
            signed(row.ticks).into(),
            exact(row.ns).into(),
            count(row.count).into(),
            Cell::toned(Tone::Name, bar(row.count, most, widest, style)),
        ],
    };
    head.iter().for_each(|row| table.row(line(row)));
    if !cut.is_empty() {
        let reads = cut.iter().map(|row| row.count).fold(0, u64::saturating_add);
        let text = format!(
            "{}, {}: -v shows them",
            plural(cut.len() as u64, "row", "rows"),
            plural(reads, "difference", "differences")
        );
        table.group(style.ellipsis(), &text);
        tail.iter().for_each(|row| table.row(line(row)));
    }
    if table.is_empty() {
        return;
    }
    screen.table(&table);
    if deltas.rows_left_out > 0 {
        let text = format!(
            "{} more than the report holds.",
            plural(
                deltas.rows_left_out,
                "distinct difference",
                "distinct differences"
            )
        );
        screen.paragraph(&style.paint(Tone::Dim, &text));
    }
}

/// A difference is an exact number of ticks: three digits would make two rows look alike.
fn exact(ns: f64) -> String {
    if !ns.is_finite() {
        "-".into()
    } else if ns.abs() < 999.95 {
        format!("{ns:.1}")
    } else {
        units::grouped(ns)
    }
}

/// A bar on a logarithmic scale: one row is often a million times another, and both matter.
fn bar(count: u64, most: u64, widest: usize, style: &Style) -> String {
    if count == 0 || most == 0 {
        return String::new();
    }
    let share = (count as f64).ln_1p() / (most as f64).ln_1p();
    let eighths = (share * widest as f64 * 8.0).round() as usize;
    if !style.unicode {
        return "#".repeat((eighths / 8).max(1));
    }
    let mut out = "█".repeat(eighths / 8);
    out.push_str(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]);
    if out.is_empty() { "▏".into() } else { out }
}
