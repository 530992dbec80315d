//! What was compared: the sides, what differs besides the figures (machines, findings, verdicts,
//! trust), and the earlier runs with the figures that changed over time.

use super::words::{self, file_name, letter, minute};
use crate::block::{Block, Cell, Column, Fact, Item, Table, Text, Tone, Value};
use crate::number::plural;
use crate::section::Detail;
use chronoscope_model::compare::{Change, Compared, Difference, Method, Row, Side, Trend, Unit};

/// Differences in findings and verdicts that a screen shows if not everything is asked for.
const FEW: usize = 8;

/// The sides, with what differs between their machines first.
pub(super) fn sides(compared: &Compared, changes: &[&Change]) -> Vec<Block> {
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
    facts.extend(words::facts("differs", each(changes, |it| &it.environment, |it| !it.is_same())));
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
    facts.extend(words::facts("disturbed", disturbed));
    let units = changes.iter().filter(|it| it.unit == Unit::CoreCycles);
    facts.extend(units.take(1).map(|it| {
        let why = if it.unit_why.is_empty() { String::new() } else { format!(": {}", it.unit_why) };
        Fact::new("judged in", format!("core cycles{why}"))
    }));
    vec![Block::noted("Compared", remark), Block::Facts(facts)]
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
        let of = words::of_report(changes.len() > 1, at + 1, " ");
        let key = match it.matters {
            true => Text::toned(Tone::Warn, &it.key),
            false => Text::from(&*it.key),
        };
        let [a, b] = [&it.a, &it.b].map(Difference::words);
        Text::from(of).and(key).and(format!(": {a} → {b}"))
    };
    all.into_iter().map(text).collect()
}

/// The findings that only one side has.
fn only(changes: &[&Change], side: fn(&Difference) -> [&Option<String>; 2]) -> Vec<Text> {
    let mut texts = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        let of = words::of_report(changes.len() > 1, at + 1, " ");
        let found = change.findings.iter().filter_map(|it| {
            let [own, other] = side(it);
            let text = own.as_ref().filter(|_| other.is_none())?;
            Some(Text::from(&*of).and(Text::toned(Tone::Name, &it.key)).and(format!(": {text}")))
        });
        texts.extend(found);
    }
    texts
}

fn about(side: &Side, stored: bool, sides: &[&Side]) -> Text {
    let name = file_name(&side.file);
    // Files of one name in two folders keep their paths, and so do the words of a command.
    let alone = sides.iter().filter(|it| file_name(&it.file) == name).count() == 1;
    let name = if stored && alone { name } else { side.file.clone() };
    let time = words::utc(&side.started);
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
        // Here, the line about one more counts.
        let rest = texts.split_off(if detail == Detail::Full {
            FEW.min(texts.len())
        } else {
            texts.len()
        });
        texts.extend(words::more(&rest));
        facts.extend(words::facts(name, texts));
    }
    match facts.is_empty() {
        true => Vec::new(),
        false => vec![Block::heading("Findings, verdicts and trust"), Block::Facts(facts)],
    }
}

/// The most columns of a strip.
const STRIP: usize = 24;
/// The heights of a strip, from the lowest value to the highest.
const HEIGHTS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];
/// Changed rows that a screen shows if not everything is asked for.
const MOST: usize = 12;

/// The runs that took part and that did not, and each changed figure over time.
pub(super) fn over_time(compared: &Compared, detail: Detail) -> Vec<Block> {
    let Some((history, change)) = compared.history.as_ref().zip(compared.change.as_ref()) else {
        return Vec::new();
    };
    let ends = [history.runs.first(), history.runs.last()];
    let [from, to] = ends.map(|run| run.map_or(String::new(), |run| minute(&run.started)));
    let runs = plural(history.runs.len() as u64, "run", "runs");
    let mut blocks = vec![Block::noted("Over time", format!("{runs}, {from} to {to} UTC"))];
    let out = history
        .left_out
        .iter()
        .map(|it| Text::from(format!("{}: {}", plural(it.runs as u64, "run", "runs"), it.why())));
    let unread = history.unread.len() as u64;
    let unread = (unread > 0).then(|| plural(unread, "file", "files") + " that cannot be read");
    let out = out.chain(unread.map(|text| Text::toned(Tone::Warn, text)));
    blocks.push(Block::Facts(words::facts("left out", out).collect()));
    let of = |row: &Row| history.trends.iter().find(|trend| trend.key == row.key);
    let rows = change.rows.iter().filter_map(|row| Some((row, of(row)?)));
    let mut rows: Vec<(&Row, &Trend)> =
        rows.filter(|(row, trend)| row.verdict.changed() || !trend.turns.is_empty()).collect();
    rows.sort_by(|(a, _), (b, _)| b.change.abs().total_cmp(&a.change.abs()));
    let rest = words::cut(&mut rows, MOST, detail != Detail::Full);
    if rows.is_empty() {
        return blocks;
    }
    let items = rows.iter().map(|(row, trend)| trend_line(row, trend)).collect();
    let columns = vec![
        Column::new("figure").name(16),
        Column::new("oldest → newest"),
        Column::new("changed").gives_way(24),
    ];
    blocks.push(Block::Table(Table { columns, items, ..Table::default() }));
    blocks.extend(words::more(&rest).map(Block::Line));
    if history.trends.iter().any(|trend| !trend.turns.is_empty()) {
        blocks.push(Block::legend(
            "changed: the first of two runs in a row that lie beyond all before them, on the same \
             side. A single run that does is a spike.",
        ));
    }
    blocks
}

fn trend_line(row: &Row, trend: &Trend) -> Item {
    let dated = trend
        .turns
        .iter()
        .map(|turn| format!("{} {}", minute(&turn.started), words::signed(turn.change)));
    let dated: Vec<String> = dated.collect();
    let changed = match dated.is_empty() {
        true => format!("in the newest run, {}", words::signed(row.change)),
        false => dated.join("; "),
    };
    vec![
        Cell::code(words::title(row)),
        Cell::new(Value::Drawing(strip(&trend.values))),
        Cell::text(changed).toned_if(row.verdict.changed(), Tone::Strong),
    ]
    .into()
}

/// The values as heights; of many, the mean of each few. The lowest and the highest are at least a
/// few percent apart, so that nothing looks like a change.
fn strip(values: &[Option<f64>]) -> String {
    let each = values.len().div_ceil(STRIP).max(1);
    let means: Vec<Option<f64>> = values
        .chunks(each)
        .map(|few| {
            let known: Vec<f64> = few.iter().flatten().copied().collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        })
        .collect();
    let low = means.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let high = means.iter().flatten().copied().fold(0.0, f64::max);
    let span = (high - low).max(high * 0.02);
    let top = (HEIGHTS.len() - 1) as f64;
    let height = |value: f64| {
        let at = ((value - low) / span * top).round();
        HEIGHTS[if at.is_finite() { at.clamp(0.0, top) as usize } else { 0 }]
    };
    means.iter().map(|value| value.map_or(' ', height)).collect()
}
