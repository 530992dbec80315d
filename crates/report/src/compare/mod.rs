//! Several reports next to each other: what changed, and what works on every machine.

mod bar;
mod head;
mod history;
mod many;
mod portable;
mod rows;
mod words;

use crate::block::{Block, Cell, Table};
use crate::format::{csv, markdown};
use crate::section::Detail;
use crate::section::columns::{Rows, Spec, columns};
use chronoscope_model::compare::{Change, Compared, Row, Side};
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
        return many::view(compared, detail);
    }
    if changes.is_empty() {
        return portable::view(compared, detail);
    }
    let mut blocks = head::view(compared, &changes);
    blocks.extend(portable::overhead(compared));
    blocks.extend(rows::view(&changes, compared.method, detail, strips));
    blocks.extend(history::view(compared, detail));
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
        return many::table(compared);
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
