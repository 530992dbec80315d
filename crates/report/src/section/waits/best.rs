//! The best method for each duration, by accuracy, by CPU time and under load, as it was advised.

use super::table::{method, ns, setting};
use super::{terms, waits_of};
use crate::block::{Align, Block, Cell, Column, Item, Rank, Row, Table, Text, Tone, Value};
use crate::number::short;
use chronoscope_model::advice::{Advice, Goal, WaitChoice};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::{Report, Wait};

/// The choices under a heading; nothing if there was nothing to choose from.
pub(super) fn view(report: &Report) -> Vec<Block> {
    let Some(table) = table(report) else {
        return Vec::new();
    };
    let remark = Text::toned(Tone::Dim, "of what could be told apart; code: ")
        .and(Text::toned(Tone::Name, "advise --for wait"));
    vec![Block::remarked("Best", remark), Block::Table(table)]
}

/// The choices with what each was made for.
fn chosen(report: &Report) -> impl Iterator<Item = (&Advice, &WaitChoice)> {
    let advised = report.advice.iter();
    advised.filter_map(|advice| Some((advice, advice.wait.as_ref()?)))
}

/// Whether there is no choice for something because there were too few waits.
pub(super) fn lacks_waits(report: &Report) -> bool {
    chosen(report).any(|(advice, _)| advice.clock.is_none())
}

/// The choices; absent if there was nothing to choose from.
pub(super) fn table(report: &Report) -> Option<Table> {
    let mut items = Vec::new();
    let sliced = chosen(report).any(|(_, choice)| choice.slice_ns.is_some());
    let mut above = None;
    for (advice, choice) in chosen(report) {
        let again = above.replace(choice.requested_ns) == Some(choice.requested_ns);
        let mut row = row(report, advice, choice, again);
        if sliced {
            let slice = setting(choice.slice_ns);
            row.cells.insert(SLICE, slice);
        }
        items.push(Item::Row(row));
    }
    (!items.is_empty()).then(|| Table { columns: columns(sliced), items, ..Table::default() })
}

fn row(report: &Report, advice: &Advice, choice: &WaitChoice, again: bool) -> Row {
    let goal = match choice.goal {
        Goal::Accuracy => "accuracy",
        Goal::Cpu => "CPU time",
        Goal::Load => "load",
    };
    let duration = Cell::ns(Some(choice.requested_ns as f64));
    let mut cells = vec![
        match again {
            true => duration.shown(""),
            false => duration.shown(short(choice.requested_ns as f64)),
        },
        Cell::text(goal),
    ];
    let is_it = |wait: &&Wait| Some(&wait.id) == advice.clock.as_ref() && choice.is(wait);
    let Some(wait) = waits_of(report).find(is_it) else {
        cells.push(Cell::text("too few waits").toned(Tone::Warn));
        cells.push(Cell::default().shown(""));
        cells.extend([Cell::default(), Cell::default(), Cell::default()]);
        return Row { marked: false, cells };
    };
    cells.extend([
        Cell::code(&wait.id).shown(method(wait)).toned(Tone::Good),
        setting(wait.slack_ns),
        ns(wait.percentile(Percentile::P50)),
        ns(wait.percentile(Percentile::P90)),
        Cell::some(wait.cpu_share, Value::Share),
    ]);
    Row { marked: false, cells }
}

/// The place of the column for a slice, if any was chosen.
const SLICE: usize = 4;

fn columns(sliced: bool) -> Vec<Column> {
    let right = |column: Column| Column { align: Align::Right, gap: 1, ..column };
    let name = |column: Column| Column { rank: Rank::Name, gap: 1, ..column };
    let mut all = vec![
        Column { head: "wait".into(), stacks: true, ..name(Column::new(&terms::REQUESTED)) },
        name(Column::new(&terms::BEST_FOR)),
        name(Column::new(&terms::METHOD)),
        name(right(Column::new(&terms::SLACK))),
        Column { rank: Rank::Spare, ..right(Column::new(&terms::PERCENTILES)) },
        Column { head: "p90".into(), ..right(Column::new(&terms::PERCENTILES)) },
        right(Column::new(&terms::CPU)),
    ];
    if sliced {
        all.insert(SLICE, name(right(Column::new(&terms::SLICE))));
    }
    all
}
