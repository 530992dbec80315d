//! The lines at the top: what is measured, and what the machine did.

use super::text::{clock, joined, lasting, name};
use crate::state::State;
use crate::view::View;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::units::{count, human_ns, short_ns};
use chronoscope_report::block::Tone;
use chronoscope_report::text::columns;

const TITLE: &str = "chronoscope watch";

/// One line, or two.
pub fn lines(state: &State, view: &View, cells: usize, lines: usize) -> Vec<String> {
    [title(state, view, cells), facts(state, view, cells)].into_iter().take(lines).collect()
}

/// What is measured, and the time.
fn title(state: &State, view: &View, cells: usize) -> String {
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
fn facts(state: &State, view: &View, cells: usize) -> String {
    if !state.has_started() {
        return String::new();
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
    let early = sum(|row| row.overshoot.early());
    let mut only_if = |n: u64, text: String| items.extend((n > 0).then_some(text));
    only_if(early, format!("{} early", count(early)));
    only_if(all.paused_ns, format!("paused {}", lasting(all.paused_ns)));
    joined(&items, cells, &view.style)
}

/// The deltas of the clock.
pub fn deltas(state: &State, view: &View, cells: usize) -> String {
    let id = state.start.clock.as_deref().map_or(String::new(), |id| name(id, &view.style));
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
    joined(&items, cells, &view.style)
}
