//! Overshoot over time: a column for each second, a row for each decade or a third of one, and a
//! cell that is the darker the more waits of that second are in it.

use super::{heading, left, right, safe_name};
use crate::state::{CLASSES, Counts, Figures, PER_DECADE, State, View, least};
use chronoscope_model::units::{count, percent, short_ns};
use chronoscope_report::block::Tone;
use chronoscope_report::text::{Style, columns};
use std::ops::{Range, RangeInclusive};

/// From this width on, the distribution of all waits is next to the map.
const WIDE: usize = 110;
/// Rows that are there even if they are empty: from 1 us to 10 ms.
const USUAL: RangeInclusive<usize> = PER_DECADE..=5 * PER_DECADE;
/// The least share of the waits of a second for each sign, the largest first. A single wait has
/// the last one.
const SHADES: [(f64, char); 4] = [(0.9, '█'), (0.5, '▓'), (0.1, '▒'), (0.01, '░')];
/// The sign of a smaller share.
const FEW: char = '·';
/// What the signs mean.
pub const LEGEND: &str = "· any ░ 1 ▒ 10 ▓ 50 █ 90 % of a second";

/// The heading and the rows, from late to early, and finer rows and an axis if the screen is tall.
pub fn map_lines(
    state: &State,
    view: &View,
    width: usize,
    height: usize,
    tall: bool,
) -> Vec<String> {
    let style = &view.style;
    let none = Figures::default();
    let row = state.rows.get(view.selected).unwrap_or(&none);
    let described = state.start.rows.get(view.selected);
    let id = described.map_or(String::new(), |row| safe_name(&row.id, style));
    let limit = described.map_or(u64::MAX, |row| row.requested_ns.max(1));
    let classes = &row.overshoot.classes;
    // The heading, and the axis.
    let most = height - 1;
    let fine = tall.then(|| rows_of_classes(classes, 1));
    let fine = fine.filter(|it| it.len() < most);
    let axis = tall && height > LABEL;
    let all = fine.unwrap_or_else(|| rows_of_classes(classes, PER_DECADE));
    let shown = fitting(all, classes, most - usize::from(axis));
    let wide = width >= WIDE;
    let room = if wide { width * 62 / 100 } else { width };
    let across = room.saturating_sub(LABEL);
    let seconds = visible(state, across);
    let remark = match width {
        0..70 => "a column for each second",
        _ => "overshoot, a column for each second",
    };
    let mut lines = vec![heading(&id, remark, LABEL + across, style)];
    for range in &shown {
        let label = right(&short_ns(least(range.start) as f64), LABEL - 1) + " ";
        let cells: String = seconds.clone().map(|s| cell(row.seconds.of(s), range)).collect();
        let cells = left(&cells, across, style);
        let late = least(range.start) >= limit;
        let cells = if late { style.paint(Tone::Bad, &cells) } else { cells };
        lines.push(style.paint(Tone::Dim, &label) + &cells);
    }
    if axis {
        let text = " ".repeat(LABEL) + &ticks(&seconds, state.now_ns / 1_000_000_000, across);
        lines.push(style.paint(Tone::Dim, &text));
    }
    if !wide {
        return lines;
    }
    // The distribution of all waits, a bar for each row of the map.
    let cells = width - LABEL - across;
    let since = if state.since_ns > 0 { "since the reset" } else { "since the start" };
    let remark = format!("{since}, bars to log scale");
    let mut texts = vec![heading("  all waits", &remark, cells, style)];
    let counts = shown.iter().map(|range| classes[range.clone()].iter().sum());
    let bars: Vec<Bar> = counts.map(|count| (String::new(), count)).collect();
    texts.extend(bar_lines(&bars, row.overshoot.count(), 2, cells, style));
    // Next to the axis.
    if columns(LEGEND) + 2 <= cells {
        texts.push(style.paint(Tone::Dim, &right(LEGEND, cells)));
    }
    let most = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
    for (line, text) in lines.iter_mut().zip(texts) {
        *line += &" ".repeat(most - columns(line));
        *line += &text;
    }
    lines
}

/// The seconds for which there is room, up to now.
fn visible(state: &State, columns: usize) -> Range<u64> {
    let (first, end) = (state.since_ns / 1_000_000_000, state.now_ns / 1_000_000_000 + 1);
    first.max(end.saturating_sub(columns as u64))..end
}

/// The classes of each row, from late to early, as far as there are waits or there usually are.
fn rows_of_classes(counts: &[u64; CLASSES], per_row: usize) -> Vec<Range<usize>> {
    let seen = |class: &usize| counts[*class] > 0;
    let low = (0..CLASSES).find(seen).unwrap_or(*USUAL.start()).min(*USUAL.start());
    let high = (0..CLASSES).rfind(seen).unwrap_or(0).max(*USUAL.end());
    let low = low / PER_DECADE * PER_DECADE;
    let starts = (low..high + 1).step_by(per_row);
    starts.map(|start| start..(start + per_row).min(CLASSES)).rev().collect()
}

/// The rows that fit: empty ones at the ends are left out first, then the earliest.
fn fitting(mut rows: Vec<Range<usize>>, counts: &[u64; CLASSES], most: usize) -> Vec<Range<usize>> {
    let empty = |row: Option<&Range<usize>>| {
        row.is_some_and(|row| counts[row.clone()].iter().all(|count| *count == 0))
    };
    while rows.len() > most && empty(rows.first()) {
        rows.remove(0);
    }
    rows.truncate(most);
    rows
}

/// The sign of a cell.
fn cell(second: Option<&Counts>, classes: &Range<usize>) -> char {
    let Some(counts) = second else { return ' ' };
    let sum = |counts: &[u32]| counts.iter().map(|count| u64::from(*count)).sum::<u64>();
    let here = sum(&counts[classes.clone()]);
    if here == 0 {
        return ' ';
    }
    let share = here as f64 / sum(counts) as f64;
    SHADES.iter().find(|(least, _)| share >= *least).map_or(FEW, |(_, sign)| *sign)
}

/// The axis below: every half minute before now.
fn ticks(seconds: &Range<u64>, now: u64, cells: usize) -> String {
    const EVERY: u64 = 30;
    let mut line = vec![' '; cells];
    for second in seconds.clone().filter(|second| (now - second).is_multiple_of(EVERY)) {
        let label = match now - second {
            0 => "now".to_owned(),
            back => format!("-{back} s"),
        };
        // Its last character is below the column.
        let end = (second - seconds.start) as usize + 1;
        if let Some(start) = end.checked_sub(columns(&label)) {
            line[start..end].iter_mut().zip(label.chars()).for_each(|(to, c)| *to = c);
        }
    }
    line.into_iter().collect()
}

// Counts as bars.

/// The width of the labels of an axis, with a space.
pub const LABEL: usize = 8;

/// The label of a bar, and its count.
type Bar = (String, u64);

/// The widths of the count and of the share.
const FIGURES: (usize, usize) = (12, 9);

/// Bars to logarithmic scale, with their counts and their shares of all. The label has `label`
/// cells.
fn bar_lines(bars: &[Bar], all: u64, label: usize, cells: usize, style: &Style) -> Vec<String> {
    let room = cells.saturating_sub(label + FIGURES.0 + FIGURES.1);
    let most = (all.max(1) as f64).log10() + 1.0;
    let sign = if style.unicode { "▇" } else { "=" };
    let line = |(name, number): &Bar| {
        let (length, counted, share) = match *number {
            0 => (0.0, String::new(), String::new()),
            n => {
                let length = ((n as f64).log10() + 1.0) / most * room as f64;
                (length, count(n), percent(n as f64 / all.max(1) as f64))
            }
        };
        let drawn = sign.repeat((length.round() as usize).min(room));
        let label = style.paint(Tone::Dim, &left(name, label, style));
        let figures = right(&counted, FIGURES.0) + &right(&share, FIGURES.1);
        format!("{label}{}{figures}", left(&drawn, room, style))
    };
    bars.iter().map(line).collect()
}

/// The deltas of the clock, with a heading, from long to short.
pub fn delta_bars(state: &State, cells: usize, height: usize, style: &Style) -> Vec<String> {
    let id = state.start.clock.as_deref().map_or(String::new(), |id| safe_name(id, style));
    // From 1, 2 and 5 of each unit: reads take less than the classes of waits tell apart.
    let starts = (0..12).flat_map(|power| [1, 2, 5].map(|n| n * 10u64.pow(power)));
    let ends = (0..12).flat_map(|power| [2, 5, 10].map(|n| n * 10u64.pow(power)));
    let mut steps: Vec<(u64, u64)> = std::iter::once((0, 1)).chain(starts.zip(ends)).collect();
    let (least, most) = (state.deltas.least().unwrap_or(0), state.deltas.worst().unwrap_or(0));
    steps.retain(|(start, end)| *end > least && *start <= most);
    let bar = |(start, end): (u64, u64)| {
        let label = right(&short_ns(start as f64), LABEL - 1) + " ";
        (label, state.deltas.between(start, end))
    };
    let bars: Vec<Bar> = steps.into_iter().rev().map(bar).collect();
    let remark = "from one read to the next, bars to log scale";
    let mut all = vec![heading(&format!("deltas of {id}"), remark, cells, style)];
    all.extend(bar_lines(&bars, state.deltas.count(), LABEL, cells, style));
    all.truncate(height);
    all
}
