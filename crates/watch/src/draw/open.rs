//! One late wake-up, with all that is known of it.

use super::text::{heading, joined, left, moment, name, right};
use crate::state::State;
use crate::view::View;
use chronoscope_model::units::{count, human_ns, percent};
use chronoscope_model::why::Worst;
use chronoscope_report::block::Tone;
use chronoscope_report::late;
use chronoscope_report::text::{Style, columns};

/// The width of the names of causes and tasks: `interrupts or below`.
const NAME: usize = 20;

/// The marked wake-up.
pub fn lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<String> {
    let number = view.marked(state);
    let Some(late) = state.late_wake_up(number) else { return Vec::new() };
    let (wake, style) = (&late.wake, &view.style);
    let row = state.start.rows.get(late.row);
    let title = format!("{} late", human_ns(wake.late_ns as f64));
    let id = row.map_or(String::new(), |row| name(&row.id, style));
    let of = format!("late wake-up {} of {}", count(number), count(*state.late_numbers().end()));
    let remark = format!("{id} at {} UTC, {of}", moment(state.wall_ns(late.at_ns)));
    let mut lines = vec![heading(&title, &remark, cells, style)];
    let mut facts = vec![wake.cpu.map_or("CPU not known".into(), |cpu| format!("CPU {cpu}"))];
    if wake.moved {
        facts.push("moved to it during the wait".into());
    }
    facts.push(wake.idle.as_deref().map_or("idle state not known or none".into(), |state| {
        format!("idle state {}", name(state, style))
    }));
    let hz = late.hz.filter(|hz| hz.is_finite());
    facts.push(hz.map_or("frequency not known".into(), |hz| format!("{:.2} GHz", hz / 1e9)));
    if wake.smis > 0 {
        facts.push(format!("{} SMIs", count(wake.smis)));
    }
    lines.push(joined(&facts, cells, style));
    let head = |first: &str| {
        let head = left(first, NAME, style) + "     time    share";
        style.paint(Tone::Dim, &style.cut(&head, cells))
    };
    lines.push(String::new());
    lines.push(head("part"));
    for part in &wake.parts {
        lines.push(figures(part.cause.words(), part.ns, wake, String::new(), cells, style));
    }
    if wake.parts.is_empty() {
        lines.push(style.cut("not known: causes are found on Linux only", cells));
    }
    if !wake.culprits.is_empty() {
        lines.push(String::new());
        lines.push(head("ran instead"));
        for culprit in &wake.culprits {
            let mut about = vec![late::known(culprit.known).to_owned()];
            if culprit.pid > 0 {
                about.push(format!("process {}", culprit.pid));
            }
            if culprit.tid != culprit.pid && culprit.tid > 0 {
                about.push(format!("thread {}", culprit.tid));
            }
            about.extend(culprit.policy.as_deref().map(|policy| name(policy, style)));
            about.extend(culprit.priority.map(|priority| format!("priority {priority}")));
            let room = cells.saturating_sub(NAME + 18 + 2);
            let about = joined(&about, room, style);
            lines.push(figures(&late::name(culprit), culprit.ns, wake, about, cells, style));
        }
    }
    if !wake.interrupts.is_empty() {
        lines.push(String::new());
        lines.push(head("interrupts"));
        for it in &wake.interrupts {
            let what = late::interrupt(it);
            let about = format!("{} x {}", count(it.count), late::safe(&it.id));
            lines.push(match it.ns {
                Some(ns) => figures(&what, ns, wake, about, cells, style),
                None => style.cut(&format!("{}{about}", left(&what, NAME + 20, style)), cells),
            });
        }
    }
    lines.truncate(height);
    lines
}

fn figures(
    what: &str,
    ns: u64,
    wake: &Worst,
    about: String,
    cells: usize,
    style: &Style,
) -> String {
    let share = percent(ns as f64 / wake.late_ns.max(1) as f64);
    let mut line = left(&style.signs(what), NAME.min(cells), style);
    for text in [right(&human_ns(ns as f64), 9), right(&share, 9), format!("  {about}")] {
        if columns(&line) + columns(&text) <= cells {
            line += &text;
        }
    }
    line
}
