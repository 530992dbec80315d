//! The picture of a state: a function of the state, the view and the size of the screen.

mod bars;
mod head;
mod help;
mod late;
mod map;
mod open;
mod signs;
mod table;
mod text;

use crate::state::State;
use crate::view::View;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use text::Text;

/// From this width on, the distribution of all waits is next to the map.
const WIDE: usize = 110;
/// From this height on, a decade has three rows, and the deltas are below.
const TALL: usize = 36;
/// The least and the usual number of lines of late wake-ups, with their heading.
const LATE: usize = 3;
/// A map with fewer rows shows nothing.
const LEAST_ROWS: usize = 3;

/// Draws the whole screen, of any size.
pub fn draw(frame: &mut Frame, state: &State, view: &View) {
    let area = frame.area();
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let mut lines = lines(state, view, width, height);
    lines.truncate(height);
    for (y, line) in (area.y..).zip(&lines) {
        put(frame.buffer_mut(), Rect { y, height: 1, ..area }, line, view.ascii);
    }
}

/// As [`Buffer::set_line`], which looks for the end of each grapheme: almost every sign here has a
/// cell of its own.
fn put(buffer: &mut Buffer, mut area: Rect, line: &Text, ascii: bool) {
    for span in line {
        let style = line.style.patch(span.style);
        let mut x = area.x;
        if span.content.chars().all(signs::is_one_cell) {
            for sign in span.content.chars().take(area.width.into()) {
                // The buffer is blank already.
                if sign != ' ' {
                    let sign = if ascii { signs::ascii(sign) } else { sign };
                    buffer[(x, area.y)].set_char(sign).set_style(style);
                }
                x += 1;
            }
        } else {
            x = buffer.set_stringn(x, area.y, &span.content, area.width.into(), style).0;
            for x in area.x..x {
                signs::make_safe(&mut buffer[(x, area.y)], ascii);
            }
        }
        area = Rect { x, width: area.right() - x, ..area };
    }
}

/// The lines of the screen, from the top. The last one is that of the keys.
fn lines(state: &State, view: &View, width: usize, height: usize) -> Vec<Text> {
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
    lines.resize(height.saturating_sub(usize::from(keys.is_some())), Text::default());
    lines.extend(keys);
    lines
}

/// The map, the table, the deltas and the late wake-ups.
fn pictures(state: &State, view: &View, width: usize, height: usize, tall: bool) -> Vec<Text> {
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
            bars::deltas(state, width, room)
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
        below = bars::deltas(state, width, left / 2);
        left -= below.len();
    }
    lines.extend(late::lines(state, view, width, left));
    if !below.is_empty() {
        lines.resize(height - below.len(), Text::default());
        lines.extend(below);
    }
    lines
}
