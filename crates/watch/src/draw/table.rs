//! The table of methods.

use super::text::{left, name, right};
use crate::state::Figures;
use crate::state::State;
use crate::view::View;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::recording::Row;
use chronoscope_model::units::human_ns;
use chronoscope_report::block::Tone;
use chronoscope_report::text::{Style, columns};

/// A column: its head, its width with the space before it, and what it shows.
struct Column {
    head: &'static str,
    cells: usize,
    text: fn(&Figures) -> String,
}

/// Nine cells hold every time: `1,000 us` is the longest.
const COLUMNS: [Column; 6] = [
    Column { head: "p50", cells: 9, text: |row| time(row.overshoot.percentile(Percentile::P50)) },
    Column { head: "p90", cells: 9, text: |row| time(row.overshoot.percentile(Percentile::P90)) },
    Column { head: "p99", cells: 9, text: |row| time(row.overshoot.percentile(Percentile::P99)) },
    Column {
        head: "p99.9",
        cells: 9,
        text: |row| time(row.overshoot.percentile(Percentile::P999)),
    },
    Column { head: "worst", cells: 9, text: |row| time(row.overshoot.worst()) },
    Column {
        head: "CPU",
        cells: 8,
        text: |row| row.cpu.map_or("-".into(), |cpu| format!("{:.1} %", cpu * 100.0)),
    },
];
/// The columns that a narrow screen leaves out, by their places, in this order.
const LEFT_OUT: [usize; 5] = [3, 5, 1, 2, 0];
/// The names of methods have at least this many cells before a column is left out for them, and at
/// most so many.
const NAME: std::ops::RangeInclusive<usize> = 4..=34;
/// The sign of the row that is drawn, and its width.
const MARK: (&str, usize) = ("▸ ", 2);

/// The head and the rows, of which the selected one is shown in any case.
pub fn lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<String> {
    let style = &view.style;
    let rows: Vec<_> = state.start.rows.iter().zip(&state.rows).collect();
    let longest = rows.iter().map(|(row, _)| columns(&name(&row.id, style))).max().unwrap_or(0);
    let longest = longest.clamp(*NAME.start(), *NAME.end());
    let mut shown: Vec<usize> = (0..COLUMNS.len()).collect();
    let taken =
        |shown: &[usize]| MARK.1 + shown.iter().map(|column| COLUMNS[*column].cells).sum::<usize>();
    for column in LEFT_OUT {
        if taken(&shown) + longest > cells {
            shown.retain(|it| *it != column);
        }
    }
    let named = longest.min(cells.saturating_sub(taken(&shown)));
    let head = |column: &usize| right(COLUMNS[*column].head, COLUMNS[*column].cells);
    let heads: String = shown.iter().map(head).collect();
    let head = " ".repeat(MARK.1) + &left("wait", named, style) + &heads;
    let mut lines = vec![style.paint(Tone::Dim, &head)];
    let room = height.saturating_sub(1);
    let first = (view.selected + 1).saturating_sub(room);
    for (nth, (row, figures)) in rows.into_iter().enumerate().skip(first).take(room) {
        lines.push(line(row, figures, view.selected == nth, &shown, named, style));
    }
    lines
}

fn line(
    row: &Row,
    figures: &Figures,
    selected: bool,
    shown: &[usize],
    named: usize,
    style: &Style,
) -> String {
    let mark = if selected { MARK.0 } else { "  " };
    let id = mark.to_owned() + &left(&name(&row.id, style), named, style);
    let id = if selected { style.paint(Tone::Strong, &id) } else { id };
    let rest = match &row.unavailable_reason {
        Some(why) => format!(" {}", name(why, style)),
        None => {
            let cell = |at: &usize| right(&(COLUMNS[*at].text)(figures), COLUMNS[*at].cells);
            shown.iter().map(cell).collect()
        }
    };
    id + &rest
}

fn time(ns: Option<u64>) -> String {
    ns.map_or("-".into(), |ns| human_ns(ns as f64))
}
