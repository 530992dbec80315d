//! A report next to each of many, in one line each, and the figures that changed, over time.

use super::words;
use crate::block::{Block, Cell, Column, Fact, Item, Table, Text, Tone, Value};
use crate::number::{count, plural};
use crate::section::Detail;
use crate::section::shared::{Rows, Spec, columns};
use chronoscope_model::compare::{Compared, History, LeftOut, Other, Row, Trend, Verdict};

/// Lines of a kind that a screen shows if not everything is asked for.
const MOST_REPORTS: usize = 20;

/// The reports in which something changed, a line for those in which nothing did, and those that
/// could not be read.
pub(super) fn many(compared: &Compared, detail: Detail) -> Vec<Block> {
    let others = &compared.others;
    let number = plural(others.len() as u64, "report", "reports");
    let mut blocks = vec![Block::noted("Compared", format!("{number} with A, the worst first"))];
    blocks.push(Block::Facts(
        compared
            .reports
            .iter()
            .map(|it| {
                let file = Text::toned(Tone::Name, &it.file);
                let known = [Some(minute(&it.started)), it.processor.clone(), it.os.clone()];
                let known = known.into_iter().flatten().filter(|text| !text.is_empty());
                Fact::new("A", Text::dotted(std::iter::once(file).chain(known.map(Text::from))))
            })
            .collect(),
    ));
    let (read, unread): (Vec<&Other>, _) = others.iter().partition(|it| it.error.is_none());
    let (mut shown, calm): (Vec<&Other>, Vec<&Other>) =
        read.into_iter().partition(|it| it.most.is_some() || detail == Detail::Everything);
    let rest = cut(&mut shown, detail);
    if !shown.is_empty() {
        let items = shown.iter().map(|it| report_line(it).into()).collect();
        blocks.push(Block::Table(Table { columns: report_heads(), items, ..Table::default() }));
    }
    if rest > 0 {
        blocks.push(Block::Line(format!("… {} more: -v", count(rest as u64)).into()));
    }
    if !calm.is_empty() {
        let (same, open) = calm
            .iter()
            .fold((0, 0), |(same, open), it| (same + it.counts.same, open + it.counts.cannot_tell));
        let number = plural(calm.len() as u64, "report", "reports");
        let [same, open] = [same, open].map(|it| count(it as u64));
        blocks.push(Block::paragraph(format!(
            "In {number} nothing changed: {same} figures are the same, {open} are undecided."
        )));
    }
    let mut unread = unread;
    let number = plural(unread.len() as u64, "report", "reports");
    let rest = cut(&mut unread, detail);
    if !unread.is_empty() {
        let head = format!("{number} cannot be compared");
        let mut details: Vec<Text> = unread
            .iter()
            .map(|it| {
                let why = it.error.as_deref().unwrap_or_default();
                Text::toned(Tone::Name, &it.side.file).and(format!(": {why}"))
            })
            .collect();
        details.extend((rest > 0).then(|| format!("… {} more: -v", count(rest as u64)).into()));
        blocks.push(Block::Item { head: Text::toned(Tone::Warn, head), details });
    }
    blocks
}

/// Cuts a list to what a screen shows, and returns how many are left out.
fn cut(list: &mut Vec<&Other>, detail: Detail) -> usize {
    // One line more would take the line that says that there is one more.
    let long = detail != Detail::Everything && list.len() > MOST_REPORTS + 1;
    if long { list.split_off(MOST_REPORTS).len() } else { 0 }
}

fn report_heads() -> Vec<Column> {
    vec![
        Column::new("report").name(12),
        Column::new("started, UTC").spare(),
        Column::new("worse").right(),
        Column::new("better").right().close(),
        Column::new("most").gives_way(20),
        Column::new("differs").gives_way(16),
    ]
}

fn report_line(it: &Other) -> Vec<Cell> {
    let disturbed = (!it.side.disturbed.is_empty()).then_some("disturbed");
    let mut differs = it.differs.iter().map(|it| it.key.as_str()).chain(disturbed);
    let first = differs.next().unwrap_or_default();
    let differs = match differs.count() {
        0 => first.into(),
        more => format!("{first} +{more}"),
    };
    let most = |row: &Row| format!("{} {}", words::title(row), words::signed(row.change));
    let tone = |cell: Cell, number: usize, tone| cell.toned_if(number > 0, tone);
    let [worse, better] = [it.counts.worse, it.counts.better];
    // On another machine, a higher cost is no fault.
    let bad = match it.most.as_ref().map(|row| row.verdict) {
        Some(Verdict::Higher | Verdict::Lower) => Tone::Strong,
        _ => Tone::Bad,
    };
    vec![
        Cell::code(&it.side.file),
        Cell::text(minute(&it.side.started)),
        tone(Cell::count(worse as u64), worse, bad),
        tone(Cell::count(better as u64), better, Tone::Strong),
        Cell::words(it.most.as_ref().map(most)),
        Cell::text(differs),
    ]
}

/// The start of a run to the minute: `2026-11-23 04:04`.
fn minute(started: &str) -> String {
    started.get(..16).unwrap_or(started).replace('T', " ")
}

/// The rows for programs: one for each report.
fn many_columns() -> Vec<Spec<Other>> {
    columns! { it in Other;
        "file" "report" [] Cell::code(&it.side.file);
        "started" "started, UTC" [] Cell::text(&it.side.started);
        "run" "run" [] Cell::text(&it.side.run);
        "worse" "worse" [] Cell::count(it.counts.worse as u64);
        "better" "better" [] Cell::count(it.counts.better as u64);
        "same" "same" [] Cell::count(it.counts.same as u64);
        "cannot_tell" "cannot tell" [] Cell::count(it.counts.cannot_tell as u64);
        "most_id" "most" [] Cell::words(it.most.as_ref().map(|row| row.key.id.as_str()));
        "most_quantity" "most" [] Cell::words(
            it.most.as_ref().map(|row| words::quantity(row.key.quantity))
        );
        "most_change" "most" [] Cell::number(it.most.as_ref().map(|row| row.change));
        "most_verdict" "most" [] Cell::words(it.most.as_ref().map(|row| words::name(row.verdict)));
        "differs" "differs" [] Cell::text(
            it.differs.iter().map(|it| it.key.as_str()).collect::<Vec<_>>().join(", ")
        );
        "disturbed" "disturbed" [] Cell::text(it.side.disturbed.join(", "));
        "error" "error" [] Cell::words(it.error.as_deref());
    }
}

/// The rows of all reports.
pub(super) fn many_data(compared: &Compared) -> Table {
    Rows::data(many_columns()).of_all(&compared.others)
}

// The figures that changed, over time.

/// The most columns of a strip.
const STRIP: usize = 24;
/// The heights of a strip, from the lowest value to the highest.
const HEIGHTS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];
/// Changed rows that a screen shows if not everything is asked for.
const MOST_TRENDS: usize = 12;

/// The runs that took part and that did not, and each changed figure over time.
pub(super) fn history(compared: &Compared, detail: Detail) -> Vec<Block> {
    let Some((history, change)) = compared.history.as_ref().zip(compared.change.as_ref()) else {
        return Vec::new();
    };
    let ends = [history.runs.first(), history.runs.last()];
    let [from, to] = ends.map(|run| run.map_or(String::new(), |run| minute(&run.started)));
    let runs = plural(history.runs.len() as u64, "run", "runs");
    let mut blocks = vec![Block::noted("Over time", format!("{runs}, {from} to {to} UTC"))];
    blocks.push(Block::Facts(left_out(history)));
    let of = |row: &Row| history.trends.iter().find(|trend| trend.key == row.key);
    let rows = change.rows.iter().filter_map(|row| Some((row, of(row)?)));
    let mut rows: Vec<(&Row, &Trend)> =
        rows.filter(|(row, trend)| row.verdict.changed() || !trend.turns.is_empty()).collect();
    rows.sort_by(|(a, _), (b, _)| b.change.abs().total_cmp(&a.change.abs()));
    let long = detail == Detail::Full && rows.len() > MOST_TRENDS + 1;
    let rest = if long { rows.split_off(MOST_TRENDS).len() } else { 0 };
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
    if rest > 0 {
        blocks.push(Block::Line(format!("… {rest} more: -v").into()));
    }
    blocks.extend(history_legend(history));
    blocks
}

fn history_legend(history: &History) -> Option<Block> {
    let dated = history.trends.iter().any(|trend| !trend.turns.is_empty());
    dated.then(|| {
        Block::legend(
            "changed: the first of two runs in a row that lie beyond all before them, on the same \
             side. A single run that does is a spike.",
        )
    })
}

/// What took no part, and why.
fn left_out(history: &History) -> Vec<Fact> {
    let out = history.left_out.iter().map(|LeftOut { difference, runs }| {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".into());
        let (a, b) = (value(&difference.a), value(&difference.b));
        let why = match (&difference.a, &difference.b) {
            (None, None) => String::new(),
            _ => format!(" {a}, not {b}"),
        };
        let number = plural(*runs as u64, "run", "runs");
        Text::from(format!("{number}: {}{why}", difference.key))
    });
    let unread = history.unread.len() as u64;
    let unread = (unread > 0).then(|| plural(unread, "file", "files") + " that cannot be read");
    let texts = out.chain(unread.map(|text| Text::toned(Tone::Warn, text)));
    let names = std::iter::once("left out").chain(std::iter::repeat(""));
    names.zip(texts).map(|(name, text)| Fact::new(name, text)).collect()
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
        Cell::new(Value::Drawing(heights(&trend.values))),
        Cell::text(changed).toned_if(row.verdict.changed(), Tone::Strong),
    ]
    .into()
}

/// The values as heights; of many, the mean of each few. The lowest and the highest are at least a
/// few percent apart, so that nothing looks like a change.
fn heights(values: &[Option<f64>]) -> String {
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
