//! The picture of a state: a function of the state, the view and the size of the screen.
//!
//! What keys do and signs mean, and what there is to say of the run. The lines at the top, with
//! what is measured and what the machine did, and the table of methods.

mod late;
mod map;

use crate::state::{Figures, State, View};
use chronoscope_model::Note;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::units::{count, human_ns, short_ns};
use chronoscope_report::block::Tone;
use chronoscope_report::clean::clean;
use chronoscope_report::text::{Style, columns, wrapped};
use map::LEGEND;

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
    let mut lines = vec![title_line(state, view, width)];
    if height >= 8 {
        lines.push(facts_line(state, view, width));
    }
    let keys = (height >= 4).then(|| keys(view, width));
    let body = height.saturating_sub(lines.len() + usize::from(keys.is_some()));
    lines.extend(if view.help {
        page(state, view, width, body)
    } else if view.open && !state.late_numbers().is_empty() {
        late::open_lines(state, view, width, body)
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
        lines = if view.deltas && !tall {
            map::delta_bars(state, width, room, &view.style)
        } else {
            map::map_lines(state, view, width, room, tall)
        };
    }
    lines.extend(table_lines(state, view, width, table_height));
    if deltas > 0 {
        lines.push(deltas_line(state, view, width));
    }
    let mut left = height.saturating_sub(lines.len());
    let mut below = Vec::new();
    if tall && state.deltas.count() > 0 {
        below = map::delta_bars(state, width, left / 2, &view.style);
        left -= below.len();
    }
    lines.extend(late::late_lines(state, view, width, left));
    if !below.is_empty() {
        lines.resize(height - below.len(), String::new());
        lines.extend(below);
    }
    lines
}

// Lines of text that fit: an item of a line is shown as a whole or not at all.

/// The text, cut or filled with spaces to this many cells.
pub fn left(text: &str, cells: usize, style: &Style) -> String {
    let mut out = style.cut(text, cells);
    out.extend(std::iter::repeat_n(' ', cells.saturating_sub(columns(&out))));
    out
}

/// The text at the right end of this many cells; nothing if there is no room for all of it.
pub fn right(text: &str, cells: usize) -> String {
    let free = cells.checked_sub(columns(text));
    free.map_or_else(|| " ".repeat(cells), |free| " ".repeat(free) + text)
}

/// A name that another program or a file chose, made safe to show.
pub fn safe_name(text: &str, style: &Style) -> String {
    style.signs(&clean(text))
}

/// As many of the items, from the first, as fit, with the separator between them.
pub fn joined(items: &[String], cells: usize, style: &Style) -> String {
    joined_by(&style.signs(" · "), items, cells)
}

/// The same with this separator.
fn joined_by(separator: &str, items: &[String], cells: usize) -> String {
    let mut out = String::new();
    for item in items {
        let between = if out.is_empty() { "" } else { separator };
        if columns(&out) + columns(between) + columns(item) > cells {
            break;
        }
        out += between;
        out += item;
    }
    out
}

/// A bold heading with a remark, which is left out if it does not fit.
pub fn heading(title: &str, remark: &str, cells: usize, style: &Style) -> String {
    let mut text = style.paint(Tone::Strong, title);
    if columns(title) + 2 + columns(remark) <= cells {
        text += &style.paint(Tone::Dim, &format!("  {remark}"));
    }
    text
}

/// A time of day in UTC, from nanoseconds since 1970.
pub fn time_of_day(wall_ns: u64) -> String {
    let s = wall_ns / 1_000_000_000 % 86_400;
    format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
}

/// A time of day with milliseconds.
pub fn moment(wall_ns: u64) -> String {
    format!("{}.{:03}", time_of_day(wall_ns), wall_ns / 1_000_000 % 1_000)
}

/// How long something lasts, in seconds or longer.
pub fn lasting(ns: u64) -> String {
    let s = ns / 1_000_000_000;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        3600..86_400 => format!("{} h {} min", s / 3600, s / 60 % 60),
        _ => format!("{} d {} h", s / 86_400, s / 3600 % 24),
    }
}

/// Each key with what it does in a word and in a sentence, and whether it is for waits that happen
/// now, for replays, or both.
const KEYS: [(&str, &str, &str, Of); 14] = [
    ("↑↓", "wait", "select the wait whose overshoot is drawn", Of::Both),
    ("←→", "", "mark a late wake-up", Of::Both),
    ("Enter", "", "show all that is known of the marked late wake-up, or the last one", Of::Both),
    ("Esc", "", "go back", Of::Both),
    ("l", "load", "change the load: none, low, normal, high", Of::Live),
    ("d", "deltas", "draw the deltas of a clock", Of::Both),
    ("c", "", "watch the next clock", Of::Live),
    ("space", "pause", "measure nothing, or go on", Of::Live),
    ("space", "pause", "stand still, or go on", Of::Replay),
    (".", "step", "replay one second", Of::Replay),
    ("+-", "speed", "replay faster or slower", Of::Replay),
    ("r", "reset", "forget all figures", Of::Both),
    ("s", "save", "write what is kept to a file", Of::Live),
    ("Ctrl-Z", "", "go back to the shell; fg returns", Of::Live),
];
/// The keys that are shown on any screen.
const LAST: &str = "? help  q quit";

#[derive(Clone, Copy, PartialEq)]
enum Of {
    Live,
    Replay,
    Both,
}

/// The keys for this view.
fn known(view: &View) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let here = if view.speed.is_some() { Of::Replay } else { Of::Live };
    let ascii = !view.style.unicode;
    let all = KEYS.into_iter().filter(move |(.., of)| *of == Of::Both || *of == here);
    all.map(move |(key, word, about, _)| match key {
        "↑↓" if ascii => ("up/down", word, about),
        "←→" if ascii => ("left/right", word, about),
        key => (key, word, about),
    })
}

/// The last line: what the last key did, or as many keys as fit.
pub fn keys(view: &View, cells: usize) -> String {
    let style = &view.style;
    if let Some(message) = &view.message {
        return style.paint(Tone::Strong, &style.cut(&safe_name(message, style), cells));
    }
    let mut text = String::new();
    if view.open && !view.help {
        let keys = if style.unicode { "←→" } else { "left/right" };
        text = format!("{keys} others  Esc back  ");
    } else {
        for (key, word, _) in known(view).filter(|(_, word, _)| !word.is_empty()) {
            let item = format!("{key} {word}  ");
            if columns(&text) + columns(&item) + columns(LAST) > cells {
                break;
            }
            text += &item;
        }
    }
    if columns(&text) + columns(LAST) > cells {
        text.clear();
    }
    style.paint(Tone::Dim, &(text + LAST))
}

/// The page of help, as far as it fits.
pub fn page(state: &State, view: &View, cells: usize, height: usize) -> Vec<String> {
    const KEY: usize = 12;
    let style = &view.style;
    let mut lines = vec![style.paint(Tone::Strong, "keys")];
    let keys = known(view).map(|(key, _, about)| (key, about)).chain([("q", "end")]);
    lines.extend(keys.map(|(key, about)| {
        let key = style.paint(Tone::Strong, &left(key, KEY.min(cells), style));
        key + &style.cut(about, cells.saturating_sub(KEY))
    }));
    let signs = [
        format!(
            "Map: the share of waits in each row: {LEGEND}. An empty column: no waits. Red: as \
             late as the period, or later."
        ),
        "Latest: waits beyond the p99.9 of their method so far. `chronoscope explain cause/NAME` \
         has a page on each cause."
            .into(),
    ];
    lines.extend(signs.into_iter().chain(notes(state, style)).flat_map(|it| wrapped(&it, cells)));
    lines.truncate(height);
    lines
}

/// What could not be done as asked, and what disturbs.
pub fn notes(state: &State, style: &Style) -> Vec<String> {
    let words = |note: &Note| match note.fix.as_str() {
        "" => safe_name(&note.text, style),
        fix => safe_name(&format!("{}: {fix}", note.text), style),
    };
    let mut all: Vec<String> = state.start.notes.iter().map(words).collect();
    // The most important is the last one, as it is always shown.
    if state.start.environment.allowed_cpus.len() == 1 {
        let line = "There is one CPU: this view runs next to the waits, and disturbs them.";
        all.push(line.to_owned());
    }
    all
}

/// A column: its head, its width with the space before it, and what it shows.
type Column = (&'static str, usize, fn(&Figures) -> String);

/// Nine cells hold every time: `1,000 us` is the longest.
const COLUMNS: [Column; 6] = [
    ("p50", 9, |row| time(row.overshoot.percentile(Percentile::P50))),
    ("p90", 9, |row| time(row.overshoot.percentile(Percentile::P90))),
    ("p99", 9, |row| time(row.overshoot.percentile(Percentile::P99))),
    ("p99.9", 9, |row| time(row.overshoot.percentile(Percentile::P999))),
    ("worst", 9, |row| time(row.overshoot.worst())),
    ("CPU", 8, |row| row.cpu.map_or("-".into(), |cpu| format!("{:.1} %", cpu * 100.0))),
];

/// The columns that a narrow screen leaves out, by their places, in this order.
const LEFT_OUT: [usize; 5] = [3, 5, 1, 2, 0];
/// The names of methods have at least this many cells before a column is left out for them, and at
/// most so many.
const NAME: std::ops::RangeInclusive<usize> = 4..=34;
/// The sign of the row that is drawn, and its width.
const MARK: (&str, usize) = ("▸ ", 2);

/// The head and the rows, of which the selected one is shown in any case.
pub fn table_lines(state: &State, view: &View, cells: usize, height: usize) -> Vec<String> {
    let style = &view.style;
    let rows = state.start.rows.iter().zip(&state.rows);
    let longest = rows.clone().map(|(row, _)| columns(&safe_name(&row.id, style))).max();
    let longest = longest.unwrap_or(0).clamp(*NAME.start(), *NAME.end());
    let mut shown: Vec<usize> = (0..COLUMNS.len()).collect();
    let taken =
        |shown: &[usize]| MARK.1 + shown.iter().map(|column| COLUMNS[*column].1).sum::<usize>();
    for column in LEFT_OUT {
        if taken(&shown) + longest > cells {
            shown.retain(|it| *it != column);
        }
    }
    let named = longest.min(cells.saturating_sub(taken(&shown)));
    let head = |column: &usize| right(COLUMNS[*column].0, COLUMNS[*column].1);
    let heads: String = shown.iter().map(head).collect();
    let head = " ".repeat(MARK.1) + &left("wait", named, style) + &heads;
    let mut lines = vec![style.paint(Tone::Dim, &head)];
    let room = height.saturating_sub(1);
    let first = (view.selected + 1).saturating_sub(room);
    for (nth, (row, figures)) in rows.enumerate().skip(first).take(room) {
        let selected = view.selected == nth;
        let mark = if selected { MARK.0 } else { "  " };
        let id = mark.to_owned() + &left(&safe_name(&row.id, style), named, style);
        let id = if selected { style.paint(Tone::Strong, &id) } else { id };
        let cell = |at: &usize| right(&(COLUMNS[*at].2)(figures), COLUMNS[*at].1);
        lines.push(match &row.unavailable_reason {
            Some(why) => format!("{id} {}", safe_name(why, style)),
            None => id + &shown.iter().map(cell).collect::<String>(),
        });
    }
    lines
}

fn time(ns: Option<u64>) -> String {
    ns.map_or("-".into(), |ns| human_ns(ns as f64))
}

// The lines at the top: what is measured, and what the machine did.

const TITLE: &str = "chronoscope watch";

/// What is measured, and the time.
fn title_line(state: &State, view: &View, cells: usize) -> String {
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
    let time = format!("{} UTC  {since}", time_of_day(state.wall_ns(state.now_ns)));
    // The items that fit next to the time.
    let about = state.start.rows.get(view.selected).map_or(String::new(), |row| {
        let on = row.cpu.map_or(String::new(), |cpu| format!(" on CPU {cpu}"));
        format!("  every {}{on}", short_ns(row.requested_ns as f64))
    });
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
fn facts_line(state: &State, view: &View, cells: usize) -> String {
    if !state.has_started() {
        return String::new();
    }
    let sum = |of: fn(&Figures) -> u64| state.rows.iter().map(of).fold(0, u64::saturating_add);
    let all = &state.machine;
    let time = |ns: u64| short_ns(ns as f64);
    let mut items = vec![match sum(|row| row.overshoot.count()) {
        1 => "1 wait".into(),
        n => format!("{} waits", count(n)),
    }];
    let only_if = |n: u64, text: String| (n > 0).then_some(text);
    let dropped = sum(|row| row.dropped);
    items.extend(only_if(dropped, format!("{} dropped", count(dropped))));
    items.extend(only_if(all.paused_ns, format!("stopped {}", time(all.paused_ns))));
    // Not -0.00.
    let drift = all.drift_ppm.map(|ppm| (ppm * 100.0).round() / 100.0 + 0.0);
    items.push(drift.map_or("drift -".into(), |ppm| format!("drift {ppm:+.2} ppm")));
    items.push(format!("steps {}", count(all.steps)));
    items.push(all.steal_ns.map_or("steal -".into(), |ns| format!("steal {}", time(ns))));
    items.push(format!("moved {}", count(all.moved)));
    let early = sum(|row| row.overshoot.early());
    items.extend(only_if(early, format!("{} early", count(early))));
    items.extend(only_if(state.paused_ns, format!("paused {}", lasting(state.paused_ns))));
    joined(&items, cells, &view.style)
}

/// The deltas of the clock.
pub fn deltas_line(state: &State, view: &View, cells: usize) -> String {
    let id = state.start.clock.as_deref().map_or(String::new(), |id| safe_name(id, &view.style));
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
