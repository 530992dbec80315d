//! The lines at the top: what is measured, and what the machine did.

use super::text::{BOLD, DIM, Text, clock, joined, lasting, name, width};
use crate::state::State;
use crate::view::View;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::units::{count, human_ns, short_ns};
use ratatui_core::text::{Line, Span};

const TITLE: &str = "chronoscope watch";

/// One line, or two.
pub fn lines(state: &State, view: &View, cells: usize, lines: usize) -> Vec<Text> {
    [title(state, view, cells), facts(state, view, cells)].into_iter().take(lines).collect()
}

/// What is measured, and the time.
fn title(state: &State, view: &View, cells: usize) -> Text {
    let mut spans = vec![Span::styled(TITLE, BOLD)];
    let mut used = width(TITLE);
    let mut item = |text: String, style, spans: &mut Vec<Span<'static>>| {
        let fits = used + width(&text) <= cells;
        if fits {
            used += width(&text);
            spans.push(Span::styled(text, style));
        }
        fits
    };
    if !state.has_started() {
        item("  starting".into(), DIM, &mut spans);
        return Line::from(spans);
    }
    let speed = view.speed.map(|speed| format!("  replay ×{speed}"));
    let stands = match view {
        View { ended: true, .. } => Some("  end"),
        View { paused: true, .. } => Some("  paused"),
        _ => None,
    };
    for text in stands.map(str::to_owned).into_iter().chain(speed) {
        item(text, BOLD, &mut spans);
    }
    let since = lasting(state.now_ns - state.since_ns.min(state.now_ns));
    let time = format!("{} UTC  {since}", clock(state.wall_ns(state.now_ns)));
    // The items that fit next to the time.
    let row = state.start.rows.get(view.selected);
    let mut about = String::new();
    if let Some(row) = row {
        about = format!("  every {}", short_ns(row.requested_ns as f64));
        if let Some(cpu) = row.cpu {
            about += &format!(" on CPU {cpu}");
        }
    }
    let load = if view.ascii { ", load " } else { " · load " };
    let load = format!("{load}{}", state.load.name());
    for text in [about, load] {
        if !item(text, DIM, &mut spans) {
            break;
        }
    }
    for text in [time, since] {
        let gap = cells.saturating_sub(used);
        if gap >= width(&text) + 2 {
            spans.push(Span::raw(" ".repeat(gap - width(&text))));
            spans.push(Span::raw(text));
            break;
        }
    }
    Line::from(spans)
}

/// What the machine did, the most important first: what does not fit is left out.
fn facts(state: &State, view: &View, cells: usize) -> Text {
    if !state.has_started() {
        return Line::default();
    }
    let sum = |of: fn(&crate::state::Figures) -> u64| {
        state.rows.iter().map(of).fold(0, u64::saturating_add)
    };
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
    let early = sum(|row| row.early);
    let mut only_if = |n: u64, text: String| items.extend((n > 0).then_some(text));
    only_if(early, format!("{} early", count(early)));
    only_if(all.paused_ns, format!("paused {}", lasting(all.paused_ns)));
    Line::raw(joined(&items, cells, view))
}

/// The deltas of the clock.
pub fn deltas(state: &State, view: &View, cells: usize) -> Text {
    let id = state.start.clock.as_deref().map(name).unwrap_or_default();
    let time = |ns: Option<u64>| ns.map_or("-".into(), |ns| human_ns(ns as f64));
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
    Line::raw(joined(&items, cells, view))
}
