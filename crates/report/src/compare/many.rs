//! A report next to each of many, in one line each.

use super::words;
use crate::block::{Block, Cell, Column, Fact, Table, Text, Tone};
use crate::number::{count, plural};
use crate::section::Detail;
use crate::section::columns::{Rows, Spec, columns};
use chronoscope_model::compare::{Compared, Other, Row, Verdict};

/// Lines of a kind that a screen shows if not everything is asked for.
const MOST: usize = 20;

/// The reports in which something changed, a line for those in which nothing did, and those that
/// could not be read.
pub(super) fn view(compared: &Compared, detail: Detail) -> Vec<Block> {
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
        let items = shown.iter().map(|it| line(it).into()).collect();
        blocks.push(Block::Table(Table { columns: heads(), items, ..Table::default() }));
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
    let long = detail != Detail::Everything && list.len() > MOST + 1;
    if long { list.split_off(MOST).len() } else { 0 }
}

fn heads() -> Vec<Column> {
    vec![
        Column::new("report").name(12),
        Column::new("started, UTC").spare(),
        Column::new("worse").right(),
        Column::new("better").right().close(),
        Column::new("most").gives_way(20),
        Column::new("differs").gives_way(16),
    ]
}

fn line(it: &Other) -> Vec<Cell> {
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
pub(super) fn minute(started: &str) -> String {
    started.get(..16).unwrap_or(started).replace('T', " ")
}

/// The rows for programs: one for each report.
pub(super) fn data() -> Vec<Spec<Other>> {
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
pub(super) fn table(compared: &Compared) -> Table {
    Rows::data(data()).of_all(&compared.others)
}
