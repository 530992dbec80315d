//! One late wake-up, with all that is known of it.

use super::late::culprit_name;
use super::text::{DIM, Text, cut, heading, joined, left, moment, name, right};
use crate::state::State;
use crate::view::View;
use chronoscope_model::units::{count, human_ns, percent};
use chronoscope_model::why::{Known, Worst};
use ratatui_core::text::Span;

/// The width of the names of causes and tasks: `interrupts or below`.
const NAME: usize = 20;

/// The marked wake-up.
pub fn lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<Text> {
    let number = view.marked(state);
    let Some(late) = state.late_wake_up(number) else { return Vec::new() };
    let wake = &late.wake;
    let row = state.start.rows.get(late.row);
    let title = format!("{} late", human_ns(wake.late_ns as f64));
    let id = row.map(|row| name(&row.id)).unwrap_or_default();
    let of = format!("late wake-up {} of {}", count(number), count(*state.late_numbers().end()));
    let remark = format!("{id} at {} UTC, {of}", moment(state.wall_ns(late.at_ns)));
    let mut lines = vec![heading(&title, &remark, cells)];
    let mut facts = vec![wake.cpu.map_or("CPU not known".into(), |cpu| format!("CPU {cpu}"))];
    if wake.moved {
        facts.push("moved to it during the wait".into());
    }
    facts.push(wake.idle.as_deref().map_or("idle state not known or none".into(), |state| {
        format!("idle state {}", name(state))
    }));
    let hz = late.hz.filter(|hz| hz.is_finite());
    facts.push(hz.map_or("frequency not known".into(), |hz| format!("{:.2} GHz", hz / 1e9)));
    if wake.smis > 0 {
        facts.push(format!("{} SMIs", count(wake.smis)));
    }
    lines.push(Text::raw(joined(&facts, cells, view)));
    let head = |first: &str, rest: &str| Text::styled(cut(&(left(first, NAME) + rest), cells), DIM);
    lines.push(Text::default());
    lines.push(head("part", "     time    share"));
    for part in &wake.parts {
        lines.push(figures(part.cause.words(), part.ns, wake, String::new(), cells));
    }
    if wake.parts.is_empty() {
        lines.push(Text::raw(cut("not known: causes are found on Linux only", cells)));
    }
    if !wake.culprits.is_empty() {
        lines.push(Text::default());
        lines.push(head("ran instead", "     time    share"));
        for culprit in &wake.culprits {
            let mut about = vec![match culprit.known {
                Known::Seen => "seen".to_owned(),
                Known::Likely => "likely".to_owned(),
            }];
            if culprit.pid > 0 {
                about.push(format!("process {}", culprit.pid));
            }
            if culprit.tid != culprit.pid && culprit.tid > 0 {
                about.push(format!("thread {}", culprit.tid));
            }
            about.extend(culprit.policy.as_deref().map(name));
            about.extend(culprit.priority.map(|priority| format!("priority {priority}")));
            let room = cells.saturating_sub(NAME + 18 + 2);
            let about = joined(&about, room, view);
            lines.push(figures(&culprit_name(culprit), culprit.ns, wake, about, cells));
        }
    }
    if !wake.interrupts.is_empty() {
        lines.push(Text::default());
        lines.push(head("interrupts", "     time    share"));
        for it in &wake.interrupts {
            let what = name(it.short_name());
            let about = format!("{} x {}", count(it.count), name(&it.id));
            lines.push(match it.ns {
                Some(ns) => figures(&what, ns, wake, about, cells),
                None => Text::raw(cut(&format!("{}{about}", left(&what, NAME + 20)), cells)),
            });
        }
    }
    lines.truncate(height);
    lines
}

fn figures(what: &str, ns: u64, wake: &Worst, about: String, cells: usize) -> Text {
    let share = percent(ns as f64 / wake.late_ns.max(1) as f64);
    let what = left(what, NAME.min(cells));
    let mut spans = vec![Span::raw(what)];
    for text in [right(&human_ns(ns as f64), 9), right(&share, 9), format!("  {about}")] {
        let used = spans.iter().map(Span::width).sum::<usize>();
        let text = Span::raw(text);
        if used + text.width() <= cells {
            spans.push(text);
        }
    }
    Text::from(spans)
}
