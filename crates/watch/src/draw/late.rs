//! The latest late wake-ups, a line each, and one of them with all that is known of it.

use super::{heading, joined, joined_by, left, moment, right, safe_name};
use crate::state::{State, View};
use chronoscope_model::units::{count, human_ns, percent};
use chronoscope_model::why::{Cause, Part, Worst};
use chronoscope_report::block::Tone;
use chronoscope_report::late::{self, LEAST_SHARE};
use chronoscope_report::text::{Style, columns};

/// Below this width the names of methods are left out.
const NARROW: usize = 60;

/// The heading, the wake-ups, the last one first, and what there is to say of the run.
pub fn late_lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<String> {
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
    let ids = state.start.rows.iter().map(|row| columns(&safe_name(&row.id, &view.style)));
    let ids = ids.max().unwrap_or(0);
    let shown = kept.rev().skip(skipped).take(room);
    lines.extend(shown.filter_map(|number| late_line(state, view, number, ids, cells)));
    lines.extend(note);
    lines
}

/// The newest note of what has happened, or that of a single CPU, and how many others there are:
/// those of the start say what is not known here at all.
fn newest_note(state: &State, cells: usize, style: &Style) -> Option<String> {
    let notes = super::notes(state, style);
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

fn late_line(state: &State, view: &View, number: u64, ids: usize, cells: usize) -> Option<String> {
    let (late, style) = (state.late_wake_up(number)?, &view.style);
    let mark = if view.marked == Some(number) { "▸ " } else { "  " };
    let time = moment(state.wall_ns(late.at_ns));
    let overshoot = right(&human_ns(late.wake.late_ns as f64), 9);
    let row = state.start.rows.get(late.row);
    let id = match (cells, row) {
        (0..NARROW, _) | (_, None) => " ".into(),
        (_, Some(row)) => format!(" {} ", left(&safe_name(&row.id, style), ids.min(34), style)),
    };
    let is_over = row.is_some_and(|row| late.wake.late_ns >= row.requested_ns.max(1));
    let used = columns(mark) + columns(&time) + columns(&overshoot) + columns(&id);
    let overshoot = if is_over { style.paint(Tone::Bad, &overshoot) } else { overshoot };
    let pieces = [
        style.paint(Tone::Strong, mark),
        style.paint(Tone::Dim, &time),
        overshoot,
        id,
        causes_with_tasks(&late.wake, cells.saturating_sub(used), style),
    ];
    // What does not fit is left out, from the right.
    Some(joined_by("", &pieces, cells))
}

/// The parts with the largest first, with what ran instead.
fn causes_with_tasks(wake: &Worst, cells: usize, style: &Style) -> String {
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

// One late wake-up, with all that is known of it.

/// The width of the names of causes and tasks: `interrupts or below`.
const NAME_CELLS: usize = 20;

/// The marked wake-up.
pub fn open_lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<String> {
    let number = view.marked(state);
    let Some(late) = state.late_wake_up(number) else { return Vec::new() };
    let (wake, style) = (&late.wake, &view.style);
    let row = state.start.rows.get(late.row);
    let title = format!("{} late", human_ns(wake.late_ns as f64));
    let id = row.map_or(String::new(), |row| safe_name(&row.id, style));
    let of = format!("late wake-up {} of {}", count(number), count(*state.late_numbers().end()));
    let remark = format!("{id} at {} UTC, {of}", moment(state.wall_ns(late.at_ns)));
    let mut lines = vec![heading(&title, &remark, cells, style)];
    let quoted = |name: &str| style.signs(&late::safe(name));
    let idle = wake.idle.as_deref().map(|state| format!("idle state {}", quoted(state)));
    let hz = late.hz.filter(|hz| hz.is_finite()).map(|hz| format!("{:.2} GHz", hz / 1e9));
    let facts = [
        Some(wake.cpu.map_or("CPU not known".into(), |cpu| format!("CPU {cpu}"))),
        wake.moved.then(|| "moved to it during the wait".into()),
        Some(idle.unwrap_or("idle state not known or none".into())),
        Some(hz.unwrap_or("frequency not known".into())),
        (wake.smis > 0).then(|| format!("{} SMIs", count(wake.smis))),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    lines.push(joined(&facts, cells, style));
    let head = |first: &str| {
        let head = left(first, NAME_CELLS, style) + "     time    share";
        style.paint(Tone::Dim, &style.cut(&head, cells))
    };
    let figures = |what: &str, ns: u64, about: &str| {
        let share = percent(ns as f64 / wake.late_ns.max(1) as f64);
        let mut line = left(&style.signs(what), NAME_CELLS.min(cells), style);
        for text in [right(&human_ns(ns as f64), 9), right(&share, 9), format!("  {about}")] {
            if columns(&line) + columns(&text) <= cells {
                line += &text;
            }
        }
        line
    };
    lines.push(String::new());
    lines.push(head("part"));
    for part in &wake.parts {
        lines.push(figures(part.cause.words(), part.ns, ""));
    }
    if wake.parts.is_empty() {
        lines.push(style.cut("not known: causes are found on Linux only", cells));
    }
    if !wake.culprits.is_empty() {
        lines.push(String::new());
        lines.push(head("ran instead"));
        for culprit in &wake.culprits {
            let mut about = vec![culprit.known.name().to_owned()];
            if culprit.pid > 0 {
                about.push(format!("process {}", culprit.pid));
            }
            if culprit.tid != culprit.pid && culprit.tid > 0 {
                about.push(format!("thread {}", culprit.tid));
            }
            about.extend(culprit.policy.as_deref().map(quoted));
            about.extend(culprit.priority.map(|priority| format!("priority {priority}")));
            let room = cells.saturating_sub(NAME_CELLS + 18 + 2);
            let about = joined(&about, room, style);
            lines.push(figures(&late::name(culprit), culprit.ns, &about));
        }
    }
    if !wake.interrupts.is_empty() {
        lines.push(String::new());
        lines.push(head("interrupts"));
        for it in &wake.interrupts {
            let what = late::interrupt(it);
            let about = format!("{} x {}", count(it.count), late::safe(&it.id));
            lines.push(match it.ns {
                Some(ns) => figures(&what, ns, &about),
                None => style.cut(&(left(&what, NAME_CELLS + 20, style) + &about), cells),
            });
        }
    }
    lines.truncate(height);
    lines
}
