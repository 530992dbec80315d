//! What keys do and signs mean, and what there is to say of the run.

use super::map::LEGEND;
use super::{left, safe_name};
use crate::state::State;
use crate::view::View;
use chronoscope_report::block::Tone;
use chronoscope_report::text::{Style, columns, wrapped};

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
    let mut all: Vec<String> = state
        .start
        .notes
        .iter()
        .map(|note| match note.fix.is_empty() {
            true => safe_name(&note.text, style),
            false => safe_name(&format!("{}: {}", note.text, note.fix), style),
        })
        .collect();
    // The most important is the last one, as it is always shown.
    if state.start.environment.allowed_cpus.len() == 1 {
        let line = "There is one CPU: this view runs next to the waits, and disturbs them.";
        all.push(line.to_owned());
    }
    all
}
