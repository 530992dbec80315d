//! Counts as bars.

use super::text::{heading, left, name, right};
use crate::state::State;
use chronoscope_model::units::{count, percent, short_ns};
use chronoscope_report::block::Tone;
use chronoscope_report::text::Style;

/// The width of the labels of an axis, with a space.
pub const LABEL: usize = 8;

/// A bar with its label.
pub struct Bar {
    pub label: String,
    pub count: u64,
}

/// The widths of the count and of the share.
const FIGURES: (usize, usize) = (12, 9);

/// Bars to logarithmic scale, with their counts and their shares of all. The label has `label`
/// cells.
pub fn lines(bars: &[Bar], all: u64, label: usize, cells: usize, style: &Style) -> Vec<String> {
    let room = cells.saturating_sub(label + FIGURES.0 + FIGURES.1);
    let most = (all.max(1) as f64).log10() + 1.0;
    let line = |bar: &Bar| {
        let length = match bar.count {
            0 => 0.0,
            n => ((n as f64).log10() + 1.0) / most * room as f64,
        };
        let sign = if style.unicode { "▇" } else { "=" };
        let drawn = sign.repeat((length.round() as usize).min(room));
        let (counted, share) = match bar.count {
            0 => (String::new(), String::new()),
            n => (count(n), percent(n as f64 / all.max(1) as f64)),
        };
        let label = style.paint(Tone::Dim, &left(&bar.label, label, style));
        let figures = right(&counted, FIGURES.0) + &right(&share, FIGURES.1);
        format!("{label}{}{figures}", left(&drawn, room, style))
    };
    bars.iter().map(line).collect()
}

/// The deltas of the clock, with a heading, from long to short.
pub fn deltas(state: &State, cells: usize, height: usize, style: &Style) -> Vec<String> {
    let id = state.start.clock.as_deref().map_or(String::new(), |id| name(id, style));
    // From 1, 2 and 5 of each unit: reads take less than the classes of waits tell apart.
    let starts = (0..12).flat_map(|power| [1, 2, 5].map(|n| n * 10u64.pow(power)));
    let ends = (0..12).flat_map(|power| [2, 5, 10].map(|n| n * 10u64.pow(power)));
    let mut steps: Vec<(u64, u64)> = std::iter::once((0, 1)).chain(starts.zip(ends)).collect();
    let (least, most) = (state.deltas.least().unwrap_or(0), state.deltas.worst().unwrap_or(0));
    steps.retain(|(start, end)| *end > least && *start <= most);
    let bar = |(start, end): &(u64, u64)| Bar {
        label: right(&short_ns(*start as f64), LABEL - 1) + " ",
        count: state.deltas.between(*start, *end),
    };
    let bars: Vec<Bar> = steps.iter().rev().map(bar).collect();
    let remark = "from one read to the next, bars to log scale";
    let mut all = vec![heading(&format!("deltas of {id}"), remark, cells, style)];
    all.extend(lines(&bars, state.deltas.count(), LABEL, cells, style));
    all.truncate(height);
    all
}
