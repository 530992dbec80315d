//! The lines at the top, with what is measured and what the machine did, and the table of methods.

use super::{joined, lasting, left, right, safe_name, time_of_day};
use crate::state::{Figures, State};
use crate::view::View;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::recording::Row;
use chronoscope_model::units::{count, human_ns, short_ns};
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
    column("p50", 9, |row| time(row.overshoot.percentile(Percentile::P50))),
    column("p90", 9, |row| time(row.overshoot.percentile(Percentile::P90))),
    column("p99", 9, |row| time(row.overshoot.percentile(Percentile::P99))),
    column("p99.9", 9, |row| time(row.overshoot.percentile(Percentile::P999))),
    column("worst", 9, |row| time(row.overshoot.worst())),
    column("CPU", 8, |row| row.cpu.map_or("-".into(), |cpu| format!("{:.1} %", cpu * 100.0))),
];

const fn column(head: &'static str, cells: usize, text: fn(&Figures) -> String) -> Column {
    Column { head, cells, text }
}

/// The columns that a narrow screen leaves out, by their places, in this order.
const LEFT_OUT: [usize; 5] = [3, 5, 1, 2, 0];
/// The names of methods have at least this many cells before a column is left out for them, and at
/// most so many.
const NAME: std::ops::RangeInclusive<usize> = 4..=34;
/// The sign of the row that is drawn, and its width.
const MARK: (&str, usize) = ("▸ ", 2);

/// The head and the rows, of which the selected one is shown in any case.
pub fn table_lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<String> {
    let style = &view.style;
    let rows: Vec<_> = state.start.rows.iter().zip(&state.rows).collect();
    let longest =
        rows.iter().map(|(row, _)| columns(&safe_name(&row.id, style))).max().unwrap_or(0);
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
        lines.push(method_line(row, figures, view.selected == nth, &shown, named, style));
    }
    lines
}

fn method_line(
    row: &Row,
    figures: &Figures,
    selected: bool,
    shown: &[usize],
    named: usize,
    style: &Style,
) -> String {
    let mark = if selected { MARK.0 } else { "  " };
    let id = mark.to_owned() + &left(&safe_name(&row.id, style), named, style);
    let id = if selected { style.paint(Tone::Strong, &id) } else { id };
    let rest = match &row.unavailable_reason {
        Some(why) => format!(" {}", safe_name(why, style)),
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

// The lines at the top: what is measured, and what the machine did.

const TITLE: &str = "chronoscope watch";

/// One line, or two.
pub fn head_lines(state: &State, view: &View, cells: usize, lines: usize) -> Vec<String> {
    [title_line(state, view, cells), facts_line(state, view, cells)]
        .into_iter()
        .take(lines)
        .collect()
}

/// What is measured, and the time.
fn title_line(state: &State, view: &View, cells: usize) -> String {
    let style = &view.style;
    let mut line = style.paint(Tone::Strong, TITLE);
    let item = |text: &str, tone, line: &mut String| {
        let fits = columns(line) + columns(text) <= cells;
        if fits {
            line.push_str(&style.paint(tone, text));
        }
        fits
    };
    if !state.has_started() {
        item("  starting", Tone::Dim, &mut line);
        return line;
    }
    let speed = view.speed.map(|speed| format!("  replay ×{speed}"));
    let stands = match view {
        View { ended: true, .. } => Some("  end"),
        View { paused: true, .. } => Some("  paused"),
        _ => None,
    };
    for text in stands.map(str::to_owned).into_iter().chain(speed) {
        item(&text, Tone::Strong, &mut line);
    }
    let since = lasting(state.now_ns - state.since_ns.min(state.now_ns));
    let time = format!("{} UTC  {since}", time_of_day(state.wall_ns(state.now_ns)));
    // The items that fit next to the time.
    let row = state.start.rows.get(view.selected);
    let mut about = String::new();
    if let Some(row) = row {
        about = format!("  every {}", short_ns(row.requested_ns as f64));
        if let Some(cpu) = row.cpu {
            about += &format!(" on CPU {cpu}");
        }
    }
    let load = style.signs(&format!(" · load {}", state.load.name()));
    for text in [about, load] {
        if !item(&text, Tone::Dim, &mut line) {
            break;
        }
    }
    for text in [time, since] {
        let gap = cells.saturating_sub(columns(&line));
        if gap >= columns(&text) + 2 {
            line += &" ".repeat(gap - columns(&text));
            line += &text;
            break;
        }
    }
    line
}

/// What the machine did, the most important first: what does not fit is left out.
fn facts_line(state: &State, view: &View, cells: usize) -> String {
    if !state.has_started() {
        return String::new();
    }
    let sum = |of: fn(&Figures) -> u64| state.rows.iter().map(of).fold(0, u64::saturating_add);
    let all = &state.machine;
    let time = |ns: u64| short_ns(ns as f64);
    let mut items = vec![match sum(|row| row.overshoot.count()) {
        1 => "1 wait".into(),
        n => format!("{} waits", count(n)),
    }];
    let mut only_if = |n: u64, text: String| items.extend((n > 0).then_some(text));
    let dropped = sum(|row| row.dropped);
    only_if(dropped, format!("{} dropped", count(dropped)));
    only_if(all.stopped_ns, format!("stopped {}", time(all.stopped_ns)));
    // Not -0.00.
    let drift = all.drift_ppm.map(|ppm| (ppm * 100.0).round() / 100.0 + 0.0);
    items.push(drift.map_or("drift -".into(), |ppm| format!("drift {ppm:+.2} ppm")));
    items.push(format!("steps {}", count(all.steps)));
    items.push(all.steal_ns.map_or("steal -".into(), |ns| format!("steal {}", time(ns))));
    items.push(format!("moved {}", count(all.moved)));
    let early = sum(|row| row.overshoot.early());
    let mut only_if = |n: u64, text: String| items.extend((n > 0).then_some(text));
    only_if(early, format!("{} early", count(early)));
    only_if(all.paused_ns, format!("paused {}", lasting(all.paused_ns)));
    joined(&items, cells, &view.style)
}

/// The deltas of the clock.
pub fn deltas_line(state: &State, view: &View, cells: usize) -> String {
    let id = state.start.clock.as_deref().map_or(String::new(), |id| safe_name(id, &view.style));
    let percentile =
        |it: Percentile| format!("{} {}", it.name(), time(state.deltas.percentile(it)));
    let items = [
        format!("deltas  {id}"),
        percentile(Percentile::P50),
        percentile(Percentile::P99),
        format!("worst {}", time(state.deltas.worst())),
        format!("backwards {}", count(state.backwards)),
        percentile(Percentile::P999),
    ];
    joined(&items, cells, &view.style)
}
