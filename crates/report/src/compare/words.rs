//! What a comparison says in words: verdicts, counts, what changed rows share, and the answer.

use crate::block::{Fact, Text, Tone};
use crate::number::{count, percent, plural, short};
use chronoscope_model::compare::{
    Change, Compared, Key, LeftOut, Method, Quantity, Row, Section, Shared, Verdict,
};
use chronoscope_model::load::Load;
use chronoscope_model::units::grouped;
use std::path::Path;

/// The name of a report in headings: A, B, and so on; numbers after Z.
pub(super) fn letter(at: usize) -> String {
    let letter = u8::try_from(at).ok().filter(|at| *at < 26).map(|at| char::from(b'A' + at));
    letter.map_or_else(|| (at + 1).to_string(), String::from)
}

/// What begins a line about one of several reports: `B: `.
pub(super) fn of_report(several: bool, at: usize, mark: &str) -> String {
    if several { letter(at) + mark } else { String::new() }
}

/// The start of a run to the minute: `2026-11-23 04:04`.
pub(super) fn minute(started: &str) -> String {
    started.get(..16).unwrap_or(started).replace('T', " ")
}

/// The same with the time zone; `None` if it is too short to be a time.
pub(super) fn utc(started: &str) -> Option<String> {
    started.get(..16).map(|_| format!("{} UTC", minute(started)))
}

/// A file without its folder.
pub(super) fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.into(), |name| name.to_string_lossy().into_owned())
}

/// The name of a file or of runs, and what is known of it.
pub(super) fn named<const N: usize>(name: &str, known: [Option<String>; N]) -> Text {
    let known = known.into_iter().flatten().filter(|text| !text.is_empty()).map(Text::from);
    Text::dotted(std::iter::once(Text::toned(Tone::Name, name)).chain(known))
}
/// One fact for each text, of which only the first repeats the name.
pub(super) fn facts(
    name: &'static str,
    texts: impl IntoIterator<Item = Text>,
) -> impl Iterator<Item = Fact> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(texts).map(|(name, text)| Fact::new(name, text))
}

/// Cuts a list to what a screen shows unless everything is asked for, and returns the rest. One
/// more would take the line that says that there is one more.
pub(super) fn cut<T>(list: &mut Vec<T>, most: usize, all: bool) -> Vec<T> {
    if all || list.len() <= most + 1 { Vec::new() } else { list.split_off(most) }
}

/// The line that says that there are more.
pub(super) fn more<T>(rest: &[T]) -> Option<Text> {
    let number = count(rest.len() as u64);
    (!rest.is_empty()).then(|| format!("… {number} more: -v").into())
}

/// A larger change is not written out. A file may hold anything.
const LARGEST: f64 = 99.0;

/// A change with its sign: `+5.7 %`.
pub(super) fn signed(change: f64) -> String {
    let percent = change * 100.0;
    match change {
        _ if !change.is_finite() => "-".into(),
        _ if change > LARGEST => format!(">+{} %", grouped(LARGEST * 100.0)),
        _ if percent.abs() < 0.05 => "0.0 %".into(),
        _ if percent.abs() < 99.95 => format!("{percent:+.1} %"),
        _ => format!("+{} %", grouped(percent)),
    }
}

/// A range of changes: `+2.2 to +5.7 %`.
pub(super) fn range(low: f64, high: f64) -> String {
    let (low, high) = (signed(low), signed(high));
    if low == high { low } else { format!("{} to {high}", low.trim_end_matches(" %")) }
}

/// From the least to the largest of the changes.
pub(super) fn range_of<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = rows.fold(ends, |(a, b), row| (a.min(row.change), b.max(row.change)));
    range(low, high)
}

/// The verdict on a row, with its bound.
pub(super) fn verdict(row: &Row) -> String {
    match row.verdict {
        Verdict::Same => format!("same, within {}", percent(row.at_most)),
        verdict => name(verdict).into(),
    }
}

/// Why a row is undecided, and what would decide it.
pub(super) fn why(row: &Row, method: Method) -> String {
    let more = match method {
        Method::Stored => "use --run",
        Method::Pairs => "use more --pairs",
        Method::History | Method::Sets => "add more runs",
    };
    row.why.clone().unwrap_or_else(|| format!("the interval is too wide: {more}"))
}

pub(super) fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Worse => "worse",
        Verdict::Better => "better",
        Verdict::Higher => "higher",
        Verdict::Lower => "lower",
        Verdict::Same => "the same",
        Verdict::CannotTell => "cannot tell",
    }
}

/// On another machine, a higher cost is no fault.
pub(super) fn tone(verdict: Verdict) -> Option<Tone> {
    match verdict {
        Verdict::Worse => Some(Tone::Bad),
        Verdict::Better => Some(Tone::Good),
        Verdict::Higher | Verdict::Lower => Some(Tone::Strong),
        Verdict::Same | Verdict::CannotTell => None,
    }
}

/// How many rows have each verdict: `14 worse · 0 better · 37 the same`. In a line, verdicts that
/// no row has are left out, and the bound of those that are the same is added.
pub(super) fn counts<'a>(rows: impl Iterator<Item = &'a Row> + Clone, in_line: bool) -> Text {
    let with = |verdict| rows.clone().filter(move |row| row.verdict == verdict);
    let number = |verdict| with(verdict).count();
    let judged = rows.clone().any(|row| row.p.is_some());
    let apart = number(Verdict::Higher) + number(Verdict::Lower) > 0;
    let shown = [
        (Verdict::Worse, judged && !apart),
        (Verdict::Better, judged && !apart),
        (Verdict::Higher, apart),
        (Verdict::Lower, apart),
        (Verdict::Same, judged),
        (Verdict::CannotTell, number(Verdict::CannotTell) > 0),
    ];
    let shown = shown.into_iter().filter(|(it, shown)| *shown && (!in_line || number(*it) > 0));
    Text::dotted(shown.map(|(verdict, _)| {
        let number = number(verdict);
        let named = if verdict == Verdict::CannotTell { "undecided" } else { name(verdict) };
        let mut text = format!("{number} {named}");
        if in_line && verdict == Verdict::Same {
            text += &format!(", {}", within(with(verdict)));
        }
        let tone = tone(verdict).filter(|_| number > 0);
        tone.map_or(Text::from(&*text), |tone| Text::toned(tone, &*text))
    }))
}

/// The largest bound of the rows that are the same: `, within 3.7 %`.
pub(super) fn within<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    format!("within {}", percent(rows.map(|row| row.at_most).fold(0.0, f64::max)))
}

/// What changed rows share: `All 23 are system calls, and no other row is.`
pub(super) fn shared(shared: &Shared) -> String {
    let Shared { fact, value, changed, of, same } = shared;
    let (what, short) = match (fact.as_str(), value.as_str()) {
        ("reads", "counter") => ("read the processor's counter".into(), "does"),
        ("reads", "vdso") => ("read the system's clock in user space".into(), "does"),
        ("reads", "system-call") => ("are system calls".into(), "is"),
        ("reads", "file") => ("read a device".into(), "does"),
        ("reads", "memory") => ("read a value in memory".into(), "does"),
        ("kind", "counter") => ("are counters".into(), "is"),
        ("kind", "cpu") => ("are clocks of CPU time".into(), "is"),
        ("kind", kind) => (format!("are {kind} clocks"), "is"),
        ("language", language) => (format!("are in {language}"), "is"),
        ("built_on", on) => (format!("are built on the {}", on.replace('-', " ")), "is"),
        (fact, value) => (format!("have {} {value}", fact.replace('_', " ")), "has"),
    };
    match (changed == of, same) {
        (true, 0) => format!("All {changed} that changed {what}, and no other row {short}."),
        (_, 0) => format!("{changed} of {of} that changed {what}, and no other row {short}."),
        _ => format!("{changed} of {of} that changed {what}; {same} that are the same, too."),
    }
}

/// What the verdicts mean, if there are any. A test compares the limits with those of the rule.
pub(super) fn legend(compared: &Compared) -> Option<String> {
    let changes = super::changes(compared);
    let rows = changes.iter().flat_map(|it| &it.rows);
    let judged: Vec<&Row> = rows.filter(|row| row.p.is_some()).collect();
    let apart = judged.iter().any(|row| matches!(row.verdict, Verdict::Higher | Verdict::Lower));
    let changed = if apart { "higher, lower" } else { "worse, better" };
    let beyond = match compared.method {
        Method::Stored => "more than chance",
        Method::Pairs => "more than chance, by the order of the runs",
        Method::History => "beyond every earlier run",
        Method::Sets => "more than the runs of a side differ",
    };
    let of = |section| judged.iter().filter(|row| row.key.section == section).count();
    let waits = of(Section::Waits);
    let (small, same) = match (waits, judged.len()) {
        (_, all) if of(Section::Commands) == all => ("1 %", "5 %"),
        (0, _) => ("1 %", "5 %, or 10 % for system calls and runtimes"),
        (waits, all) if waits == all => ("5 %", "10 %"),
        _ => ("1 % (waits: 5 %)", "5 %, or 10 % for system calls, runtimes and waits"),
    };
    let number = judged.len();
    let allowing = match number {
        1 => String::new(),
        number => format!(", allowing for {number} figures"),
    };
    (number > 0).then(|| {
        format!(
            "{changed}: {beyond}{allowing}, and at least {small} and 0.1 ns. \
             same: any change is smaller than the bound, which is below {same}."
        )
    })
}

/// Whether it changed, in a sentence for each report but the first. It comes last: it is what a
/// terminal still shows.
pub(super) fn answers(compared: &Compared) -> Vec<Text> {
    let several = !compared.more.is_empty();
    let changes = super::changes(compared);
    let mut left_out = compared.history.iter().flat_map(|it| &it.left_out);
    let partly = left_out.any(|it| it.difference.matters);
    let about = |(at, change): (usize, &Change)| {
        let answer = answer(change, compared.method, partly);
        Text::from(of_report(several, at + 1, ": ")).and(answer)
    };
    let mut answers: Vec<Text> = changes.into_iter().enumerate().map(about).collect();
    // What was left out is often what changed.
    answers.extend(compared.history.iter().flat_map(|it| of_left_out(&it.left_out)));
    if let (Some(threshold), Some(last)) = (compared.threshold, answers.last_mut()) {
        let is = if compared.exceeded { "exceeded" } else { "not exceeded" };
        *last =
            std::mem::take(last).and(format!(" The threshold of {} is {is}.", percent(threshold)));
    }
    answers
}

/// What the runs that took no part show as sets, and how many are too few for that.
fn of_left_out(all: &[LeftOut]) -> Vec<Text> {
    let out = all.iter().filter(|it| it.difference.matters);
    let (sets, few): (Vec<_>, Vec<_>) = out.partition(|it| it.judged.is_some());
    let runs = |of: &[&LeftOut]| {
        plural(of.iter().map(|it| it.runs as u64).sum(), "run", "runs") + " took no part"
    };
    let of_set = |it: &&LeftOut| {
        let change = it.judged.as_ref()?;
        let begin = format!("{}: {}. As a set, next to the others: ", runs(&[*it]), it.why());
        Some(Text::from(begin).and(answer(change, Method::Sets, false)))
    };
    let mut texts: Vec<Text> = sets.iter().filter_map(of_set).collect();
    texts.extend(few.iter().max_by_key(|it| it.runs).map(|most| {
        let (runs, key) = (runs(&few), &most.difference.key);
        Text::from(format!(
            "{runs}, most because of another {key}, and are too few to be judged as a set."
        ))
    }));
    texts
}

/// `partly`: not all that was there took part.
fn answer(change: &Change, method: Method, partly: bool) -> Text {
    let with = |verdict| change.rows.iter().filter(move |row| row.verdict == verdict);
    let judged = change.rows.iter().filter(|row| row.p.is_some());
    let open = judged.clone().filter(|row| row.verdict == Verdict::CannotTell).count();
    let (same, judged) = (with(Verdict::Same).count(), judged.count());
    let mut parts: Vec<String> = Vec::new();
    for verdict in Verdict::CHANGED {
        let larger = |a: &&Row, b: &&Row| a.change.abs().total_cmp(&b.change.abs());
        let Some(most) = with(verdict).max_by(larger) else { continue };
        let (number, name) = (with(verdict).count(), name(verdict));
        let of = match parts.is_empty() {
            true => format!("{number} of {judged} figures"),
            false => number.to_string(),
        };
        let (title, by) = (title(most), signed(most.change));
        parts.push(match number {
            1 if judged == 1 => format!("{title} is {name} ({by})"),
            1 => format!("{of} is {name}, {title} ({by})"),
            _ => format!("{of} are {name}, {title} most ({by})"),
        });
    }
    let apart = with(Verdict::Higher).chain(with(Verdict::Lower)).next().is_some();
    let begin = match (parts.is_empty(), same) {
        (true, 0) => {
            let why = change.rows.first().map_or(String::new(), |row| why(row, method));
            let text = format!(": {why}.");
            return Text::toned(Tone::Strong, "Undecided").and(text);
        }
        (true, _) if partly => "No change among the runs that took part.",
        (true, _) if open == 0 => "No change.",
        (true, _) => "No change found.",
        _ if apart => "It differs.",
        _ => "It changed.",
    };
    if same > 0 {
        let bound = within(with(Verdict::Same));
        parts.push(match parts.is_empty() {
            true if judged == 1 => format!("It is the same, {bound}"),
            true if same == judged => format!("All {same} figures are the same, {bound}"),
            true => format!("{same} of {judged} figures are the same, {bound}"),
            false => format!("{same} are the same, {bound}"),
        });
    }
    if open > 0 {
        parts.push(format!("{open} {} undecided", if open == 1 { "is" } else { "are" }));
    }
    Text::toned(Tone::Strong, begin).and(format!(" {}.", parts.join("; ")))
}

/// A row in a sentence: its id, and what else it is about.
pub fn title(row: &Row) -> String {
    let Key { id, quantity: of, percentile, requested_ns, load, .. } = &row.key;
    let ns = requested_ns.map(|ns| format!("{} wait", short(ns as f64)));
    let of = match of {
        Quantity::Read
        | Quantity::Overshoot
        | Quantity::Overhead
        | Quantity::Time
        | Quantity::Metric => None,
        other => Some(other.name().to_owned()),
    };
    let load = load.filter(|load| *load != Load::None).map(|load| format!("load {}", load.name()));
    let parts = [Some(id.clone()), of, ns, percentile.clone(), load];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
