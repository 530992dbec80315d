//! The latest late wake-ups, a line each.

use super::help;
use super::text::{BOLD, DIM, Text, alarm, cut, heading, joined, left, moment, name, right, width};
use crate::state::State;
use crate::view::View;
use chronoscope_model::recording::Late;
use chronoscope_model::units::human_ns;
use chronoscope_model::why::{Cause, Culprit, Known, Part, Worst};
use ratatui_core::text::Span;

/// Smaller parts of a lateness are not named here.
const LEAST_SHARE: f64 = 0.02;
/// Below this width the names of methods are left out.
const NARROW: usize = 60;

/// The heading, the wake-ups, the last one first, and what there is to say of the run.
pub fn lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<Text> {
    if height < 2 || !state.has_started() {
        return Vec::new();
    }
    let kept = state.late_numbers();
    let remark = match kept.is_empty() {
        true => "no late wake-up so far",
        false => "beyond p99.9, with what made them late; Enter shows more",
    };
    let mut lines = vec![heading("latest", remark, cells)];
    // The newest note has a line, if there is room for others.
    let note = newest_note(state, cells).filter(|_| height > 3);
    let room = height - 1 - usize::from(note.is_some());
    // Scrolls to the marked one.
    let back = kept.end().saturating_sub(view.marked(state)) as usize;
    let skipped = (back + 1).saturating_sub(room);
    let ids = state.start.rows.iter().map(|row| width(&name(&row.id))).max().unwrap_or(0);
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
fn newest_note(state: &State, cells: usize) -> Option<Text> {
    let notes = help::notes(state);
    let news = state.noted > 0 || notes.len() > state.start.notes.len();
    let text = match (news, notes.len()) {
        (_, 0) => return None,
        (true, 1) => cut(&notes[0], cells),
        (true, n) => {
            let more = format!("  ({} more: ?)", n - 1);
            cut(&notes[n - 1], cells.saturating_sub(width(&more))) + &more
        }
        (false, 1) => "1 note: ? shows it".into(),
        (false, n) => format!("{n} notes: ? shows them"),
    };
    Some(Text::styled(text, DIM))
}

fn line(state: &State, view: &View, late: &Late, marked: bool, ids: usize, cells: usize) -> Text {
    let mark = if marked { "▸ " } else { "  " };
    let time = moment(state.wall_ns(late.at_ns));
    let lateness = right(&human_ns(late.wake.late_ns as f64), 9);
    let row = state.start.rows.get(late.row);
    let id = match cells {
        0..NARROW => " ".into(),
        _ => format!(" {} ", left(&row.map(|row| name(&row.id)).unwrap_or_default(), ids.min(34))),
    };
    let over = row.is_some_and(|row| late.wake.late_ns >= row.requested_ns.max(1));
    let rest = cells.saturating_sub(width(mark) + width(&time) + width(&lateness) + width(&id));
    let spans = [
        Span::styled(mark, BOLD),
        Span::styled(time, DIM),
        Span::styled(lateness, if over { alarm(view) } else { Default::default() }),
        Span::raw(id),
        Span::raw(causes(&late.wake, rest, view)),
    ];
    // What does not fit is left out, from the right.
    let mut used = 0;
    let fits = |span: &Span<'_>| {
        used += span.width();
        used <= cells
    };
    Text::from(spans.into_iter().take_while(fits).collect::<Vec<_>>())
}

/// The parts with the largest first, with what ran instead.
fn causes(wake: &Worst, cells: usize, view: &View) -> String {
    let mut parts: Vec<&Part> = wake.parts.iter().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.ns));
    let least = wake.late_ns as f64 * LEAST_SHARE;
    parts.retain(|part| part.ns as f64 >= least);
    let waited = |part: &&Part| matches!(part.cause, Cause::RunQueue | Cause::Preempted);
    let of = parts.iter().position(waited);
    let items: Vec<String> = parts
        .iter()
        .enumerate()
        .map(|(nth, part)| {
            let text = format!("{} {}", part.cause.words(), human_ns(part.ns as f64));
            if of != Some(nth) || wake.culprits.is_empty() {
                return text;
            }
            with_names(text, &wake.culprits, cells)
        })
        .collect();
    joined(&items, cells, view)
}

/// The text with as many of the names as fit.
fn with_names(text: String, culprits: &[Culprit], cells: usize) -> String {
    let mut out = text;
    let mut separator = match culprits[0].known {
        Known::Seen => ": ",
        Known::Likely => ": likely ",
    };
    let mut before = Vec::new();
    for culprit in culprits {
        let named = culprit_name(culprit);
        // Several threads of a program have one name.
        if before.contains(&named) {
            continue;
        }
        if width(&out) + width(separator) + width(&named) > cells {
            break;
        }
        out += separator;
        out += &named;
        separator = ", ";
        before.push(named);
    }
    out
}

/// The name of a task, or its number if the name is not known or withheld.
pub fn culprit_name(culprit: &Culprit) -> String {
    match culprit.name.as_deref().map(name).filter(|name| !name.is_empty()) {
        Some(name) => name,
        None if culprit.tid > 0 => format!("task {}", culprit.tid),
        None => "another task".into(),
    }
}
