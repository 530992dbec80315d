//! What was compared, and what differs besides the figures: machines, findings, verdicts, trust.

use super::words::letter;
use crate::block::{Block, Fact, Text, Tone};
use crate::number::plural;
use crate::section::Detail;
use chronoscope_model::compare::{Change, Compared, Difference, Method, Side, Unit};
use std::path::Path;

/// Differences in findings and verdicts that a screen shows if not everything is asked for.
const FEW: usize = 8;

/// The sides, with what differs between their machines first.
pub(super) fn view(compared: &Compared, changes: &[&Change]) -> Vec<Block> {
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
        .map(|(side, name)| Fact::new(name.clone(), about(side, stored, &sides)))
        .collect();
    facts.extend(named("differs", each(changes, |it| &it.environment, |it| !it.is_same())));
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
    facts.extend(named("disturbed", disturbed.collect()));
    let units = changes.iter().filter(|it| it.unit == Unit::CoreCycles);
    facts.extend(units.take(1).map(|it| {
        let why = if it.unit_why.is_empty() { String::new() } else { format!(": {}", it.unit_why) };
        Fact::new("judged in", format!("core cycles{why}"))
    }));
    vec![Block::noted("Compared", remark), Block::Facts(facts)]
}

/// One fact for each text, of which only the first repeats the name.
fn named(name: &'static str, texts: Vec<Text>) -> impl Iterator<Item = Fact> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(texts).map(|(name, text)| Fact::new(name, text))
}

/// The differences of every change, those that matter first; with several changes, each with the
/// letter of its report.
fn each(
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
fn only(changes: &[&Change], side: fn(&Difference) -> [&Option<String>; 2]) -> Vec<Text> {
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

fn about(side: &Side, stored: bool, sides: &[&Side]) -> Text {
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
pub(super) fn conclusions(changes: &[&Change], detail: Detail) -> Vec<Block> {
    let lists = [
        ("found", only(changes, |it| [&it.b, &it.a])),
        ("gone", only(changes, |it| [&it.a, &it.b])),
        ("verdict", each(changes, |it| &it.verdicts, |_| true)),
        ("trust", each(changes, |it| &it.trust, |_| true)),
    ];
    let mut facts = Vec::new();
    for (name, mut texts) in lists {
        if texts.len() > FEW && detail == Detail::Full {
            let more = texts.split_off(FEW).len();
            texts.push(format!("… {more} more: -v").into());
        }
        facts.extend(named(name, texts));
    }
    match facts.is_empty() {
        true => Vec::new(),
        false => vec![Block::heading("Findings, verdicts and trust"), Block::Facts(facts)],
    }
}
