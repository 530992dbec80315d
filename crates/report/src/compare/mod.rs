//! Several reports next to each other: what changed, and what works on every machine.

mod head;
mod portable;
mod rows;
mod words;

pub use words::title;

use crate::block::{Block, Cell, Column, Fact, Table, Text, Tone};
use crate::format::{csv, markdown};
use crate::number::{count, plural};
use crate::section::Detail;
use crate::section::shared::{Rows, Spec, columns};
use chronoscope_model::compare::{Change, Compared, Other, Row, Side, Verdict};
use std::io;

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
    let mut blocks = head::sides(compared, &changes);
    blocks.extend(portable::overhead(compared));
    blocks.extend(rows::view(&changes, compared.method, detail, strips));
    blocks.extend(head::over_time(compared, detail));
    blocks.extend(head::conclusions(&changes, detail));
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
        return Rows::data(data_of_many()).of_all(&compared.others);
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
    let mut blocks = vec![Block::noted("Compared", format!("{number} with A, the worst first"))];
    blocks.push(Block::Facts(
        compared
            .reports
            .iter()
            .map(|it| {
                let file = Text::toned(Tone::Name, &it.file);
                let known = [Some(words::minute(&it.started)), it.processor.clone(), it.os.clone()];
                let known = known.into_iter().flatten().filter(|text| !text.is_empty());
                Fact::new("A", Text::dotted(std::iter::once(file).chain(known.map(Text::from))))
            })
            .collect(),
    ));
    let (read, mut unread): (Vec<&Other>, Vec<&Other>) =
        others.iter().partition(|it| it.error.is_none());
    let (mut shown, calm): (Vec<&Other>, Vec<&Other>) =
        read.into_iter().partition(|it| it.most.is_some() || detail == Detail::Everything);
    let everything = detail == Detail::Everything;
    let rest = words::cut(&mut shown, MOST, everything);
    if !shown.is_empty() {
        let items = shown.iter().map(|it| line_of_other(it).into()).collect();
        blocks.push(Block::Table(Table { columns: columns_of_many(), items, ..Table::default() }));
    }
    blocks.extend(words::more(&rest).map(Block::Line));
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
    let number = plural(unread.len() as u64, "report", "reports");
    let rest = words::cut(&mut unread, MOST, everything);
    if !unread.is_empty() {
        let head = format!("{number} cannot be compared");
        let mut details: Vec<Text> = unread
            .iter()
            .map(|it| {
                let why = it.error.as_deref().unwrap_or_default();
                Text::toned(Tone::Name, &it.side.file).and(format!(": {why}"))
            })
            .collect();
        details.extend(words::more(&rest));
        blocks.push(Block::Item { head: Text::toned(Tone::Warn, head), details });
    }
    blocks
}

fn columns_of_many() -> Vec<Column> {
    vec![
        Column::new("report").name(12),
        Column::new("started, UTC").spare(),
        Column::new("worse").right(),
        Column::new("better").right().close(),
        Column::new("most").gives_way(20),
        Column::new("differs").gives_way(16),
    ]
}

fn line_of_other(it: &Other) -> Vec<Cell> {
    let disturbed = (!it.side.disturbed.is_empty()).then_some("disturbed");
    let mut differs = it.differs.iter().map(|it| it.key.as_str()).chain(disturbed);
    let first = differs.next().unwrap_or_default();
    let differs = match differs.count() {
        0 => first.into(),
        more => format!("{first} +{more}"),
    };
    let most = |row: &Row| format!("{} {}", title(row), words::signed(row.change));
    let tone = |cell: Cell, number: usize, tone| cell.toned_if(number > 0, tone);
    let [worse, better] = [it.counts.worse, it.counts.better];
    // On another machine, a higher cost is no fault.
    let bad = match it.most.as_ref().map(|row| row.verdict) {
        Some(Verdict::Higher | Verdict::Lower) => Tone::Strong,
        _ => Tone::Bad,
    };
    vec![
        Cell::code(&it.side.file),
        Cell::text(words::minute(&it.side.started)),
        tone(Cell::count(worse as u64), worse, bad),
        tone(Cell::count(better as u64), better, Tone::Strong),
        Cell::words(it.most.as_ref().map(most)),
        Cell::text(differs),
    ]
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
