//! The picture of a state: a function of the state, the view and the size of the screen.

mod bars;
mod head;
mod help;
mod late;
mod map;
mod open;
mod table;
mod text;

use crate::state::State;
use crate::view::View;
use chronoscope_report::text::Style;

/// From this width on, the distribution of all waits is next to the map.
const WIDE: usize = 110;
/// From this height on, a decade has three rows, and the deltas are below.
const TALL: usize = 36;
/// The least and the usual number of lines of late wake-ups, with their heading.
const LATE: usize = 3;
/// A map with fewer rows shows nothing.
const LEAST_ROWS: usize = 3;

/// Draws the whole screen, of any size: its lines as they are written, each of `width` columns.
pub fn draw(state: &State, view: &View, width: usize, height: usize) -> Vec<String> {
    let style = Style { width, ..view.style };
    let mut lines = lines(state, view, width, height);
    lines.truncate(height);
    lines.iter().map(|line| style.filled(line)).collect()
}

/// The lines of the screen, from the top. The last one is that of the keys.
fn lines(state: &State, view: &View, width: usize, height: usize) -> Vec<String> {
    let mut lines = head::lines(state, view, width, if height >= 8 { 2 } else { 1 });
    let keys = (height >= 4).then(|| help::keys(view, width));
    let body = height.saturating_sub(lines.len() + usize::from(keys.is_some()));
    lines.extend(if view.help {
        help::page(state, view, width, body)
    } else if view.open && !state.late_numbers().is_empty() {
        open::lines(state, view, width, body)
    } else {
        pictures(state, view, width, body, height >= TALL)
    });
    lines.resize(height.saturating_sub(usize::from(keys.is_some())), String::new());
    lines.extend(keys);
    lines
}

/// The map, the table, the deltas and the late wake-ups.
fn pictures(state: &State, view: &View, width: usize, height: usize, tall: bool) -> Vec<String> {
    let table_height = (state.rows.len() + 1).min((height / 2).max(2)).min(height);
    let rest = height - table_height;
    let deltas = usize::from(state.start.clock.is_some() && rest > LEAST_ROWS + 1);
    let rest = rest - deltas;
    // The map gets what it needs, less what the late wake-ups need at least.
    let room = rest.saturating_sub(LATE);
    let room = if room > LEAST_ROWS { room } else { rest };
    let mut lines = Vec::new();
    if room > LEAST_ROWS {
        let drawn = map::Size { width, height: room, tall, wide: width >= WIDE };
        lines = if view.deltas && !tall {
            bars::deltas(state, width, room, &view.style)
        } else {
            map::lines(state, view, &drawn)
        };
    }
    lines.extend(table::lines(state, view, width, table_height));
    if deltas > 0 {
        lines.push(head::deltas(state, view, width));
    }
    let mut left = height.saturating_sub(lines.len());
    let mut below = Vec::new();
    if tall && state.deltas.count() > 0 {
        below = bars::deltas(state, width, left / 2, &view.style);
        left -= below.len();
    }
    lines.extend(late::lines(state, view, width, left));
    if !below.is_empty() {
        lines.resize(height - below.len(), String::new());
        lines.extend(below);
    }
    lines
}
