//! The waits of language runtimes, from `runtimes.txt`. The probe of the runtime makes them in a
//! process of its own (`PROTOCOL.md` of chronoscope-runtimes) and knows each by the name behind its
//! runtime's. The code on its page is what the probe does, for one wait.

use super::entry::{Code, DURATION, Entry, Facts, Kind, Language, PLAIN, Takes, TimerSlack};
use chronoscope_model::packed::{self, packed};
use std::sync::LazyLock;

/// The rows of `runtimes.txt`, those of one runtime after those of another.
pub(super) static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let text: &str = packed::text(packed!("runtimes.txt")).leak();
    let mut all = Vec::new();
    for group in text.split("\n\n") {
        for runtime in group.lines().filter_map(|line| line.strip_prefix("= ")) {
            all.extend(group.lines().filter_map(|row| entry(runtime, row)));
        }
    }
    all
});

/// The wait of a row; `None` if the runtime does not have it, or if this is no row. A test finds
/// what is malformed.
fn entry(runtime: &'static str, row: &'static str) -> Option<Entry> {
    let [runtime, home, reference] = cells(runtime)?;
    let [name, takes, kind, call] = cells(row)?;
    let (of, name) = name.split_once('/').unwrap_or((runtime, name));
    if of != runtime {
        return None;
    }
    let kind = Kind::ALL.into_iter().find(|it| it.name() == kind)?;
    let language = chronoscope_runtimes::find_any(runtime)?.language;
    Some(Entry {
        id: format!("{runtime}/{name}").leak(),
        call,
        language: Language::ALL.into_iter().find(|it| it.name() == language)?,
        kind,
        facts: facts(takes)?,
        slack: kind != Kind::Busy,
        home,
        references: vec![reference].leak(),
        runtime: Some(runtime),
        code: Code::OnPage,
        ..PLAIN
    })
}

fn cells<const N: usize>(line: &'static str) -> Option<[&'static str; N]> {
    line.split(" | ").collect::<Vec<_>>().try_into().ok()
}

/// What the words of the second column say.
fn facts(words: &str) -> Option<Facts> {
    words.split(' ').try_fold(DURATION, |facts, word| {
        Some(match word {
            "deadline" => Facts { takes: Takes::Deadline, ..facts },
            "ns" => facts,
            "us" => Facts { unit_ns: 1_000, ..facts },
            "ms" => Facts { unit_ns: 1_000_000, ..facts },
            "share" => Facts { timer_slack: TimerSlack::Share, ..facts },
            "unused" => Facts { timer_slack: TimerSlack::Unused, ..facts },
            _ => Facts { early_by_design_ns: word.strip_prefix("early=")?.parse().ok()?, ..facts },
        })
    })
}
