//! Several reports next to each other: what changed, and what works on every machine.

mod others;
mod portable;
mod rows;
mod words;

use crate::block::{Block, Cell, Fact, Table, Text, Tone};
use crate::format::{csv, markdown};
use crate::number::plural;
use crate::section::Detail;
use crate::section::shared::{Rows, Spec, columns};
use chronoscope_model::compare::{Change, Compared, Difference, Method, Row, Side, Unit};
use std::io;
use std::path::Path;
use words::letter;

/// What changed from the first report to each of the others.
fn changes(compared: &Compared) -> Vec<&Change> {
    compared.change.iter().chain(&compared.more).collect()
}

/// What a comparison shows: what differs between the machines, what changed, and in its last lines
/// whether anything did. Reports of several machines are followed by what works on all of them.
pub fn view(compared: &Compared, detail: Detail) -> Vec<Block> {
    blocks(compared, detail, false)
}

/// Everything that a comparison shows, with strips in the place of drawings in characters.
pub fn page(compared: &Compared) -> Vec<Block> {
    blocks(compared, Detail::Everything, true)
}

fn blocks(compared: &Compared, detail: Detail, strips: bool) -> Vec<Block> {
    let changes = changes(compared);
    if !compared.others.is_empty() {
        return others::many(compared, detail);
    }
    if changes.is_empty() {
        return portable::view(compared, detail);
    }
    let mut blocks = sides(compared, &changes);
    blocks.extend(portable::overhead(compared));
    blocks.extend(rows::view(&changes, compared.method, detail, strips));
    blocks.extend(others::history(compared, detail));
    blocks.extend(conclusions(&changes, detail));
    if detail != Detail::Brief {
        blocks.extend(portable::clocks(compared, detail));
    }
    blocks.extend(words::legend(compared).map(Block::legend));
    if changes.iter().all(|it| it.rows.is_empty()) && compared.overhead.is_empty() {
        let none =
            "No cost of a clock and no wait is in all of these reports, so no figure is judged.";
        blocks.push(Block::legend(none));
    }
    let judged = changes.iter().any(|it| !it.rows.is_empty());
    blocks.extend(
        judged.then(|| words::answers(compared)).into_iter().flatten().map(Block::Paragraph),
    );
    blocks
}

/// A comparison in each format but JSON, by id. Markdown is for a pull request: only rows that
/// changed.
///
/// # Errors
/// None are known, because they are written to memory.
pub fn formats(compared: &Compared) -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    let (mut document, mut table) = (Vec::new(), Vec::new());
    let alone = changes(compared).is_empty();
    let detail = if alone { Detail::Everything } else { Detail::Brief };
    markdown::of_blocks(view(compared, detail), &mut document)?;
    csv::table_of(&data(compared), &mut table)?;
    Ok(vec![("markdown", document), ("csv", table)])
}

/// The rows for programs: one for each figure and change. Reports without a change have one for
/// each clock or overhead and report.
fn data(compared: &Compared) -> Table {
    if !compared.others.is_empty() {
        return others::many_data(compared);
    }
    let changes = changes(compared);
    let rows = changes.iter().flat_map(|it| it.rows.iter().map(|row| (row, &it.b)));
    let rows: Vec<(&Row, &Side)> = rows.collect();
    if rows.is_empty() { portable::data(compared) } else { Rows::data(specs()).of_all(&rows) }
}

fn specs<'a>() -> Vec<Spec<(&'a Row, &'a Side)>> {
    columns! { (row, of) in (&'a Row, &'a Side);
        "section" "section" [] Cell::text(words::section(row.key.section).to_lowercase());
        "id" "id" [] Cell::code(&row.key.id);
        "quantity" "quantity" [] Cell::text(words::quantity(row.key.quantity));
        "percentile" "percentile" [] Cell::words(row.key.percentile.as_deref());
        "requested_ns" "wait" [] Cell::count(row.key.requested_ns);
        "slack_ns" "slack" [] Cell::count(row.key.slack_ns);
        "slice_ns" "slice" [] Cell::count(row.key.slice_ns);
        "load" "load" [] Cell::words(row.key.load.map(|load| load.name()));
        "a_ns" "A" [] Cell::number(row.a.value_ns);
        "a_low_ns" "A" [] Cell::number(row.a.low_ns);
        "a_high_ns" "A" [] Cell::number(row.a.high_ns);
        "b_ns" "B" [] Cell::number(row.b.value_ns);
        "b_low_ns" "B" [] Cell::number(row.b.low_ns);
        "b_high_ns" "B" [] Cell::number(row.b.high_ns);
        "change" "change" [] Cell::number(row.change);
        "change_low" "change" [] Cell::number(row.change_low);
        "change_high" "change" [] Cell::number(row.change_high);
        "at_most" "at most" [] Cell::number(row.at_most);
        "p" "p" [] Cell::number(row.p);
        "verdict" "verdict" [] Cell::text(words::name(row.verdict).replace("the ", ""));
        "why" "why" [] Cell::words(row.why.as_deref());
        "b" "B" [] Cell::text(&of.file);
    }
}

// What was compared, and what differs besides the figures: machines, findings, verdicts, trust.

/// Differences in findings and verdicts that a screen shows if not everything is asked for.
const FEW: usize = 8;

/// The sides, with what differs between their machines first.
fn sides(compared: &Compared, changes: &[&Change]) -> Vec<Block> {
    let Some(first) = changes.first() else { return Vec::new() };
    let names: Vec<String> = (0..=changes.len()).map(letter).collect();
    let how = match (compared.method, compared.pairs) {
        (Method::Pairs, Some(pairs)) => {
            format!(", {} of runs in random order", plural(pairs.into(), "pair", "pairs"))
        }
        (Method::History, _) => ", the earlier runs of this machine".into(),
        (Method::Sets, _) => ", sets of runs".into(),
        _ => String::new(),
    };
    let remark = format!("{} with A{how}", names[1..].join(", "));
    let sides: Vec<&Side> =
        std::iter::once(&first.a).chain(changes.iter().map(|it| &it.b)).collect();
    let stored = compared.method == Method::Stored;
    let mut facts: Vec<Fact> = sides
        .iter()
        .zip(&names)
        .map(|(side, name)| Fact::new(name.clone(), about_side(side, stored, &sides)))
        .collect();
    facts.extend(named_once(
        "differs",
        differences(changes, |it| &it.environment, |it| !it.is_same()),
    ));
    let same = first.environment.iter().filter(|fact| {
        let on = |it: &&Change| it.environment.iter().any(|it| it == *fact);
        fact.is_same() && changes.iter().all(on)
    });
    let same = Text::dotted(same.map(|fact| Text::from(&*fact.key)));
    facts.extend((!same.is_empty()).then(|| Fact::new("same", same)));
    let disturbed = sides.iter().zip(&names).filter(|(side, _)| !side.disturbed.is_empty());
    let disturbed = disturbed.map(|(side, name)| {
        Text::toned(Tone::Warn, name.clone()).and(format!(": {}", side.disturbed.join(", ")))
    });
    facts.extend(named_once("disturbed", disturbed.collect()));
    let units = changes.iter().filter(|it| it.unit == Unit::CoreCycles);
    facts.extend(units.take(1).map(|it| {
        let why = if it.unit_why.is_empty() { String::new() } else { format!(": {}", it.unit_why) };
        Fact::new("judged in", format!("core cycles{why}"))
    }));
    vec![Block::noted("Compared", remark), Block::Facts(facts)]
}

/// One fact for each text, of which only the first repeats the name.
fn named_once(name: &'static str, texts: Vec<Text>) -> impl Iterator<Item = Fact> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(texts).map(|(name, text)| Fact::new(name, text))
}

/// The differences of every change, those that matter first; with several changes, each with the
/// letter of its report.
fn differences(
    changes: &[&Change],
    of: fn(&Change) -> &Vec<Difference>,
    keep: fn(&Difference) -> bool,
) -> Vec<Text> {
    let mut all: Vec<(usize, &Difference)> = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        all.extend(of(change).iter().filter(|it| keep(it)).map(|it| (at, it)));
    }
    all.sort_by_key(|(_, it)| !it.matters);
    let text = |(at, it): (usize, &Difference)| {
        let of = if changes.len() > 1 { format!("{} ", letter(at + 1)) } else { String::new() };
        let key = match it.matters {
            true => Text::toned(Tone::Warn, &it.key),
            false => Text::from(&*it.key),
        };
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
        Text::from(of).and(key).and(format!(": {} → {}", value(&it.a), value(&it.b)))
    };
    all.into_iter().map(text).collect()
}

/// The findings that only one side has.
fn findings_of_one(
    changes: &[&Change],
    side: fn(&Difference) -> [&Option<String>; 2],
) -> Vec<Text> {
    let mut texts = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        let of = if changes.len() > 1 { format!("{} ", letter(at + 1)) } else { String::new() };
        texts.extend(change.findings.iter().map(side).zip(&change.findings).filter_map(
            |([own, other], it)| {
                let text = own.as_ref().filter(|_| other.is_none())?;
                Some(
                    Text::from(&*of).and(Text::toned(Tone::Name, &it.key)).and(format!(": {text}")),
                )
            },
        ));
    }
    texts
}

fn about_side(side: &Side, stored: bool, sides: &[&Side]) -> Text {
    let short = |path: &str| {
        Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy().into_owned())
    };
    let name = short(&side.file);
    // Files of one name in two folders keep their paths, and so do the words of a command.
    let alone = sides.iter().filter(|it| short(&it.file) == name).count() == 1;
    let name = if stored && alone { name } else { side.file.clone() };
    let time = side.started.get(..16).map(|time| format!("{} UTC", time.replace('T', " ")));
    let cpu = side.cpu.map(|cpu| format!("CPU {cpu}"));
    let runs = side.runs.map(|runs| plural(runs.into(), "run", "runs"));
    let time = if runs.is_some() { time.map(|time| format!("from {time}")) } else { time };
    let known = [runs, time, cpu].into_iter().flatten().map(Text::from);
    Text::dotted(std::iter::once(Text::toned(Tone::Name, name)).chain(known))
}

/// Findings and verdicts that were gained or lost, and what differs in the tests of trust.
fn conclusions(changes: &[&Change], detail: Detail) -> Vec<Block> {
    let lists = [
        ("found", findings_of_one(changes, |it| [&it.b, &it.a])),
        ("gone", findings_of_one(changes, |it| [&it.a, &it.b])),
        ("verdict", differences(changes, |it| &it.verdicts, |_| true)),
        ("trust", differences(changes, |it| &it.trust, |_| true)),
    ];
    let mut facts = Vec::new();
    for (name, mut texts) in lists {
        if texts.len() > FEW && detail == Detail::Full {
            let more = texts.split_off(FEW).len();
            texts.push(format!("… {more} more: -v").into());
        }
        facts.extend(named_once(name, texts));
    }
    match facts.is_empty() {
        true => Vec::new(),
        false => vec![Block::heading("Findings, verdicts and trust"), Block::Facts(facts)],
    }
}
