//! The figures that changed, over time.

use super::many::minute;
use super::words;
use crate::block::{Block, Cell, Column, Fact, Item, Table, Text, Tone, Value};
use crate::number::plural;
use crate::section::Detail;
use chronoscope_model::compare::{Compared, History, LeftOut, Row, Trend};

/// The most columns of a strip.
const STRIP: usize = 24;
/// The heights of a strip, from the lowest value to the highest.
const HEIGHTS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];
/// Changed rows that a screen shows if not everything is asked for.
const MOST: usize = 12;

/// The runs that took part and that did not, and each changed figure over time.
pub(super) fn view(compared: &Compared, detail: Detail) -> Vec<Block> {
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
    let long = detail == Detail::Full && rows.len() > MOST + 1;
    let rest = if long { rows.split_off(MOST).len() } else { 0 };
    if rows.is_empty() {
        return blocks;
    }
    let items = rows.iter().map(|(row, trend)| line(row, trend)).collect();
    let columns = vec![
        Column::new("figure").name(16),
        Column::new("oldest → newest"),
        Column::new("changed").gives_way(24),
    ];
    blocks.push(Block::Table(Table { columns, items, ..Table::default() }));
    if rest > 0 {
        blocks.push(Block::Line(format!("… {rest} more: -v").into()));
    }
    blocks.extend(legend(history));
    blocks
}

fn legend(history: &History) -> Option<Block> {
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

fn line(row: &Row, trend: &Trend) -> Item {
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
