//! Counts as bars.

use super::State;
use super::map::LABEL;
use super::text::{DIM, Text, heading, left, name, right};
use crate::seconds::{CLASSES, least};
use chronoscope_model::units::{count, percent, short_ns};
use ratatui_core::text::Span;

/// A bar with its label.
pub struct Bar {
    pub label: String,
    pub count: u64,
}

/// The widths of the count and of the share.
const FIGURES: (usize, usize) = (12, 9);

/// Bars to logarithmic scale, with their counts and their shares of all. The label has `label`
/// cells.
pub fn lines(bars: &[Bar], all: u64, label: usize, cells: usize) -> Vec<Text> {
    let room = cells.saturating_sub(label + FIGURES.0 + FIGURES.1);
    let most = (all.max(1) as f64).log10() + 1.0;
    let line = |bar: &Bar| {
        let length = match bar.count {
            0 => 0.0,
            n => ((n as f64).log10() + 1.0) / most * room as f64,
        };
        let drawn = "▇".repeat((length.round() as usize).min(room));
        let (counted, share) = match bar.count {
            0 => (String::new(), String::new()),
            n => (count(n), percent(n as f64 / all.max(1) as f64)),
        };
        Text::from(vec![
            Span::styled(left(&bar.label, label), DIM),
            Span::raw(left(&drawn, room)),
            Span::raw(right(&counted, FIGURES.0)),
            Span::raw(right(&share, FIGURES.1)),
        ])
    };
    bars.iter().map(line).collect()
}

/// The deltas of the clock, with a heading, from long to short.
pub fn deltas(state: &State, cells: usize, height: usize) -> Vec<Text> {
    let id = state.start.clock.as_deref().map(name).unwrap_or_default();
    let counts = state.deltas.classes();
    let seen = |class: &usize| counts[*class] > 0;
    let low = (0..CLASSES).find(seen).unwrap_or(0);
    let high = (0..CLASSES).rfind(seen).unwrap_or(0);
    let bars: Vec<Bar> = (low..=high)
        .rev()
        .map(|class| {
            let from = if class == 0 { "0 ns".into() } else { short_ns(least(class) as f64) };
            Bar { label: right(&from, LABEL - 1) + " ", count: counts[class] }
        })
        .collect();
    let remark = "from one read to the next, bars to log scale";
    let mut all = vec![heading(&format!("deltas of {id}"), remark, cells)];
    all.extend(lines(&bars, state.deltas.count(), LABEL, cells));
    all.truncate(height);
    all
}
