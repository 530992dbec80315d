//! The latest late wake-ups, a line each.

use super::help;
use super::text::{heading, joined, left, moment, name, right};
use crate::state::State;
use crate::view::View;
use chronoscope_model::recording::Late;
use chronoscope_model::units::human_ns;
use chronoscope_model::why::{Cause, Part, Worst};
use chronoscope_report::block::Tone;
use chronoscope_report::late::{self, LEAST_SHARE};
use chronoscope_report::text::{Style, columns};

/// Below this width the names of methods are left out.
const NARROW: usize = 60;

/// The heading, the wake-ups, the last one first, and what there is to say of the run.
pub fn lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<String> {
    if height < 2 || !state.has_started() {
        return Vec::new();
    }
    let kept = state.late_numbers();
    let remark = match kept.is_empty() {
        true => "no late wake-up so far",
        false => "beyond p99.9, with what made them late; Enter shows more",
    };
    let mut lines = vec![heading("latest", remark, cells, &view.style)];
    // The newest note has a line, if there is room for others.
    let note = newest_note(state, cells, &view.style).filter(|_| height > 3);
    let room = height - 1 - usize::from(note.is_some());
    // Scrolls to the marked one.
    let back = kept.end().saturating_sub(view.marked(state)) as usize;
    let skipped = (back + 1).saturating_sub(room);
    let ids =
        state.start.rows.iter().map(|row| columns(&name(&row.id, &view.style))).max().unwrap_or(0);
    for number in kept.rev().skip(skipped).take(room) {
        if let Some(late) = state.late_wake_up(number) {
            let marked = view.marked == Some(number);
            lines.push(line(state, view, late, marked, ids, cells));
        }
    }
    lines.extend(note);
    lines
}

/// The newest note of what has happened, or that of a single CPU, and how many others there are:
/// those of the start say what is not known here at all.
fn newest_note(state: &State, cells: usize, style: &Style) -> Option<String> {
    let notes = help::notes(state, style);
    let news = state.noted > 0 || notes.len() > state.start.notes.len();
    let text = match (news, notes.len()) {
        (_, 0) => return None,
        (true, 1) => style.cut(&notes[0], cells),
        (true, n) => {
            let more = format!("  ({} more: ?)", n - 1);
            style.cut(&notes[n - 1], cells.saturating_sub(columns(&more))) + &more
        }
        (false, 1) => "1 note: ? shows it".into(),
        (false, n) => format!("{n} notes: ? shows them"),
    };
    Some(style.paint(Tone::Dim, &text))
}

fn line(state: &State, view: &View, late: &Late, marked: bool, ids: usize, cells: usize) -> String {
    let style = &view.style;
    let mark = if marked { "▸ " } else { "  " };
    let time = moment(state.wall_ns(late.at_ns));
    let overshoot = right(&human_ns(late.wake.late_ns as f64), 9);
    let row = state.start.rows.get(late.row);
    let id = match (cells, row) {
        (0..NARROW, _) | (_, None) => " ".into(),
        (_, Some(row)) => format!(" {} ", left(&name(&row.id, style), ids.min(34), style)),
    };
    let is_over = row.is_some_and(|row| late.wake.late_ns >= row.requested_ns.max(1));
    let used = columns(mark) + columns(&time) + columns(&overshoot) + columns(&id);
    let overshoot = if is_over { style.paint(Tone::Bad, &overshoot) } else { overshoot };
    let pieces = [
        style.paint(Tone::Strong, mark),
        style.paint(Tone::Dim, &time),
        overshoot,
        id,
        causes(&late.wake, cells.saturating_sub(used), style),
    ];
    // What does not fit is left out, from the right.
    let mut line = String::new();
    for piece in pieces {
        if columns(&line) + columns(&piece) > cells {
            break;
        }
        line += &piece;
    }
    line
}

/// The parts with the largest first, with what ran instead.
fn causes(wake: &Worst, cells: usize, style: &Style) -> String {
    let mut parts: Vec<&Part> = wake.parts.iter().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.ns));
    let least = wake.late_ns as f64 * LEAST_SHARE;
    parts.retain(|part| part.ns as f64 >= least);
    let waited = |part: &&Part| matches!(part.cause, Cause::RunQueue | Cause::Preempted);
    let of = parts.iter().position(waited);
    let items = parts.iter().enumerate().map(|(nth, part)| {
        let text = format!("{} {}", part.cause.words(), human_ns(part.ns as f64));
        let room = cells.saturating_sub(columns(&text) + 2);
        let fits = |names: &str, _| columns(&style.signs(names)) <= room;
        match of == Some(nth) {
            true => match late::names(&wake.culprits, false, fits) {
                names if names.is_empty() => text,
                names => format!("{text}: {}", style.signs(&names)),
            },
            false => text,
        }
    });
    joined(&items.collect::<Vec<_>>(), cells, style)
}
