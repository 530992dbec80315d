//! Several reports next to each other: what changed, and what works on every machine.
//!
//! What was compared: the sides, what differs besides the figures (machines, findings, verdicts,
//! trust), and the earlier runs with the figures that changed over time.

mod portable;
mod rows;
mod words;

use crate::block::{Block, Cell, Fact, Table, Text, Tone, Value};
use crate::format::{csv, markdown};
use crate::number::{HEIGHTS, count, plural};
use crate::section::{self, Detail, Rows, Spec, columns};
use chronoscope_model::compare::{
    Change, Compared, Difference, Method, Other, Row, Side, Trend, Unit, Verdict,
};
use std::io;
use words::{file_name, letter, minute};

pub use words::title;

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
        return view_many(compared, detail);
    }
    if changes.is_empty() {
        return portable::view(compared, detail);
    }
    let mut blocks = sides(compared, &changes);
    blocks.extend(portable::overhead(compared));
    blocks.extend(rows::view(&changes, compared.method, detail, strips));
    blocks.extend(over_time(compared, detail));
    blocks.extend(conclusions(&changes, detail));
    if detail != Detail::Brief {
        blocks.extend(portable::clocks(compared, detail));
    }
    blocks.extend(words::legend(compared).map(Block::legend));
    if changes.iter().any(|it| !it.rows.is_empty()) {
        blocks.extend(words::answers(compared).into_iter().map(Block::Paragraph));
    } else if compared.overhead.is_empty() {
        let none =
            "No cost of a clock and no wait is in all of these reports, so no figure is judged.";
        blocks.push(Block::legend(none));
    }
    blocks
}

/// Writes a comparison to memory.
pub type Format = fn(&Compared) -> io::Result<Vec<u8>>;

/// The formats of a comparison but JSON, by id.
pub const FORMATS: [(&str, Format); 2] = [("markdown", in_markdown), ("csv", in_csv)];

/// For a pull request: only rows that changed.
fn in_markdown(compared: &Compared) -> io::Result<Vec<u8>> {
    let alone = changes(compared).is_empty();
    let detail = if alone { Detail::Everything } else { Detail::Brief };
    let mut document = Vec::new();
    markdown::of_blocks(view(compared, detail), &mut document).map(|()| document)
}

fn in_csv(compared: &Compared) -> io::Result<Vec<u8>> {
    let mut table = Vec::new();
    csv::table_of(&data(compared), &mut table).map(|()| table)
}

/// The rows for programs: one for each figure and change. Reports without a change have one for
/// each clock or overhead and report.
fn data(compared: &Compared) -> Table {
    if !compared.others.is_empty() {
        return Rows::data(data_of_many()).of_all(&compared.others);
    }
    let changes = changes(compared);
    let rows = changes.iter().flat_map(|it| it.rows.iter().map(|row| (row, &it.b)));
    let rows: Vec<(&Row, &Side)> = rows.collect();
    if rows.is_empty() { portable::data(compared) } else { Rows::data(specs()).of_all(&rows) }
}

fn specs<'a>() -> Vec<Spec<(&'a Row, &'a Side)>> {
    columns! { (row, of) in (&'a Row, &'a Side);
        "section" "section" [] Cell::text(row.key.section.name());
        "id" "id" [] Cell::code(&row.key.id);
        "quantity" "quantity" [] Cell::text(row.key.quantity.name());
        "percentile" "percentile" [] Cell::words(row.key.percentile.as_deref());
        "requested_ns" "wait" [] Cell::count(row.key.requested_ns);
        "slack_ns" "slack" [] Cell::count(row.key.slack_ns);
        "slice_ns" "slice" [] Cell::count(row.key.slice_ns);
        "policy" "method" [] Cell::words(row.key.policy.map(|policy| policy.name()));
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

/// Lines of a kind that a screen shows if not everything is asked for.
const MOST: usize = 20;

/// The reports in which something changed, a line for those in which nothing did, and those that
/// could not be read.
fn view_many(compared: &Compared, detail: Detail) -> Vec<Block> {
    let others = &compared.others;
    let number = plural(others.len() as u64, "report", "reports");
    let first = compared.reports.iter().map(|it| {
        let known = [Some(minute(&it.started)), it.processor.clone(), it.os.clone()];
        Fact::new("A", words::named(&it.file, known))
    });
    let mut blocks = vec![
        Block::noted("Compared", format!("{number} with A, the worst first")),
        Block::Facts(first.collect()),
    ];
    let (read, mut unread): (Vec<&Other>, Vec<&Other>) =
        others.iter().partition(|it| it.error.is_none());
    let (mut shown, calm): (Vec<&Other>, Vec<&Other>) =
        read.into_iter().partition(|it| it.most.is_some() || detail == Detail::Everything);
    let everything = detail == Detail::Everything;
    let rest = words::cut(&mut shown, MOST, everything);
    blocks.push(section::shown(columns_of_many(), Detail::Full, shown));
    blocks.extend(words::more(&rest).map(Block::Line));
    if !calm.is_empty() {
        let sum = |of: fn(&Other) -> usize| count(calm.iter().map(|it| of(it) as u64).sum());
        let (same, open) = (sum(|it| it.counts.same), sum(|it| it.counts.cannot_tell));
        let number = plural(calm.len() as u64, "report", "reports");
        blocks.push(Block::paragraph(format!(
            "In {number} nothing changed: {same} figures are the same, {open} are undecided."
        )));
    }
    let number = plural(unread.len() as u64, "report", "reports");
    let rest = words::cut(&mut unread, MOST, everything);
    if !unread.is_empty() {
        let head = format!("{number} cannot be compared");
        let details = unread.iter().map(|it| {
            let why = it.error.as_deref().unwrap_or_default();
            Text::toned(Tone::Name, &it.side.file).and(format!(": {why}"))
        });
        let details = details.chain(words::more(&rest)).collect();
        blocks.push(Block::Item { head: Text::toned(Tone::Warn, head), details });
    }
    blocks
}

fn columns_of_many() -> Vec<Spec<Other>> {
    columns! { it in Other;
        "" "report" [full name(12)] Cell::code(&it.side.file);
        "" "started, UTC" [full spare] Cell::text(minute(&it.side.started));
        "" "worse" [full right] {
            // On another machine, a higher cost is no fault.
            let bad = match it.most.as_ref().map(|row| row.verdict) {
                Some(Verdict::Higher | Verdict::Lower) => Tone::Strong,
                _ => Tone::Bad,
            };
            Cell::count(it.counts.worse as u64).toned_if(it.counts.worse > 0, bad)
        };
        "" "better" [full right close]
            Cell::count(it.counts.better as u64).toned_if(it.counts.better > 0, Tone::Strong);
        "" "most" [full gives_way(20)] Cell::words(it.most.as_ref().map(|row| {
            format!("{} {}", title(row), words::signed(row.change))
        }));
        "" "differs" [full gives_way(16)] {
            let disturbed = (!it.side.disturbed.is_empty()).then_some("disturbed");
            let mut differs = it.differs.iter().map(|it| it.key.as_str()).chain(disturbed);
            let first = differs.next().unwrap_or_default();
            match differs.count() {
                0 => Cell::text(first),
                more => Cell::text(format!("{first} +{more}")),
            }
        };
    }
}

/// The rows for programs: one for each report.
fn data_of_many() -> Vec<Spec<Other>> {
    columns! { it in Other;
        "file" "report" [] Cell::code(&it.side.file);
        "started" "started, UTC" [] Cell::text(&it.side.started);
        "run" "run" [] Cell::text(&it.side.run);
        "worse" "worse" [] Cell::count(it.counts.worse as u64);
        "better" "better" [] Cell::count(it.counts.better as u64);
        "same" "same" [] Cell::count(it.counts.same as u64);
        "cannot_tell" "cannot tell" [] Cell::count(it.counts.cannot_tell as u64);
        "most_id" "most" [] Cell::words(it.most.as_ref().map(|row| row.key.id.as_str()));
        "most_quantity" "most" [] Cell::words(it.most.as_ref().map(|row| row.key.quantity.name()));
        "most_change" "most" [] Cell::number(it.most.as_ref().map(|row| row.change));
        "most_verdict" "most" [] Cell::words(it.most.as_ref().map(|row| words::name(row.verdict)));
        "differs" "differs" [] Cell::text(
            it.differs.iter().map(|it| it.key.as_str()).collect::<Vec<_>>().join(", ")
        );
        "disturbed" "disturbed" [] Cell::text(it.side.disturbed.join(", "));
        "error" "error" [] Cell::words(it.error.as_deref());
    }
}

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
    let of = |(name, side): (&String, &&Side)| Fact::new(name.clone(), about(side, stored, &sides));
    let mut facts: Vec<Fact> = names.iter().zip(&sides).map(of).collect();
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
    let found = changes.iter().enumerate().flat_map(|(at, change)| {
        let of = words::of_report(changes.len() > 1, at + 1, " ");
        change.findings.iter().filter_map(move |it| {
            let [own, other] = side(it);
            let text = own.as_ref().filter(|_| other.is_none())?;
            Some(Text::from(&*of).and(Text::toned(Tone::Name, &it.key)).and(format!(": {text}")))
        })
    });
    found.collect()
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
    words::named(&name, [runs, time, cpu])
}

/// Findings and verdicts that were gained or lost, and what differs in the tests of trust.
fn conclusions(changes: &[&Change], detail: Detail) -> Vec<Block> {
    let lists = [
        ("found", only(changes, |it| [&it.b, &it.a])),
        ("gone", only(changes, |it| [&it.a, &it.b])),
        ("verdict", each(changes, |it| &it.verdicts, |_| true)),
        ("trust", each(changes, |it| &it.trust, |_| true)),
    ];
    let mut facts = Vec::new();
    for (name, mut texts) in lists {
        // Here, the line about one more counts.
        let most = if detail == Detail::Full { FEW } else { texts.len() };
        let rest = texts.split_off(most.min(texts.len()));
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
/// Changed rows that a screen shows if not everything is asked for.
const MOST_CHANGED: usize = 12;

/// The runs that took part and that did not, and each changed figure over time.
fn over_time(compared: &Compared, detail: Detail) -> Vec<Block> {
    let Some((history, change)) = compared.history.as_ref().zip(compared.change.as_ref()) else {
        return Vec::new();
    };
    let ends = [history.runs.first(), history.runs.last()];
    let [from, to] = ends.map(|run| run.map_or(String::new(), |run| minute(&run.started)));
    let number = plural(history.runs.len() as u64, "run", "runs");
    let mut blocks = vec![Block::noted("Over time", format!("{number}, {from} to {to} UTC"))];
    let runs = |runs: usize| plural(runs as u64, "run", "runs");
    let out = history.left_out.iter();
    let out = out.map(|it| Text::from(format!("{}: {}", runs(it.runs), it.why())));
    let unread = history.unread.len() as u64;
    let unread = (unread > 0).then(|| plural(unread, "file", "files") + " that cannot be read");
    let out = out.chain(unread.map(|text| Text::toned(Tone::Warn, text)));
    blocks.push(Block::Facts(words::facts("left out", out).collect()));
    let of = |row: &Row| history.trends.iter().find(|trend| trend.key == row.key);
    let rows = change.rows.iter().filter_map(|row| Some((row, of(row)?)));
    let mut rows: Vec<(&Row, &Trend)> =
        rows.filter(|(row, trend)| row.verdict.changed() || !trend.turns.is_empty()).collect();
    rows.sort_by(|(a, _), (b, _)| b.change.abs().total_cmp(&a.change.abs()));
    let rest = words::cut(&mut rows, MOST_CHANGED, detail != Detail::Full);
    if rows.is_empty() {
        return blocks;
    }
    blocks.push(section::shown(trend_columns(), Detail::Full, rows));
    blocks.extend(words::more(&rest).map(Block::Line));
    if history.trends.iter().any(|trend| !trend.turns.is_empty()) {
        blocks.push(Block::legend(
            "changed: the first of two runs in a row that lie beyond all before them, on the same \
             side. A single run that does is a spike.",
        ));
    }
    blocks
}

fn trend_columns<'a>() -> Vec<Spec<(&'a Row, &'a Trend)>> {
    columns! { (row, trend) in (&'a Row, &'a Trend);
        "" "figure" [full name(16)] Cell::code(title(row));
        "" "oldest → newest" [full] Cell::new(Value::Drawing(strip(&trend.values)));
        "" "changed" [full gives_way(24)] {
            let dated = trend.turns.iter();
            let dated =
                dated.map(|it| format!("{} {}", minute(&it.started), words::signed(it.change)));
            let changed = match &*dated.collect::<Vec<_>>().join("; ") {
                "" => format!("in the newest run, {}", words::signed(row.change)),
                dated => dated.to_owned(),
            };
            Cell::text(changed).toned_if(row.verdict.changed(), Tone::Strong)
        };
    }
}

/// The values as heights; of many, the mean of each few. The lowest and the highest are at least a
/// few percent apart, so that nothing looks like a change.
fn strip(values: &[Option<f64>]) -> String {
    let each = values.len().div_ceil(STRIP).max(1);
    let means = values.chunks(each).map(|few| {
        let known: Vec<f64> = few.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    });
    let means: Vec<Option<f64>> = means.collect();
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
