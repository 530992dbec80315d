//! The best method for each duration and goal, as it was advised.

use super::rows::{method, setting, waits_of};
use crate::block::{Block, Cell, Column, Item, Table, Text, Tone, Value};
use crate::number::short;
use chronoscope_model::advice::{Advice, Goal, WaitChoice};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::{Report, Wait};

/// The choices under a heading; nothing if there was nothing to choose from.
pub(super) fn view(report: &Report) -> Vec<Block> {
    let Some(table) = table(report, &GOALS) else {
        return Vec::new();
    };
    let remark = Text::toned(Tone::Dim, "of what could be told apart; code: ")
        .and(Text::toned(Tone::Name, "advise --for wait"));
    vec![Block::remarked("Best", remark), Block::Table(table)]
}

/// The goals that a table of measured waits answers.
pub(super) const GOALS: [Goal; 3] = [Goal::Accuracy, Goal::Cpu, Goal::Load];

/// The choices with what each was made for. Of those for several languages only the first.
fn chosen<'a>(
    report: &'a Report,
    goals: &[Goal],
) -> impl Iterator<Item = (&'a Advice, &'a WaitChoice)> {
    let advised = report.advice.iter();
    let advised = advised.filter_map(|advice| Some((advice, advice.wait.as_ref()?)));
    let mut above = None;
    advised.filter(move |(_, of)| {
        goals.contains(&of.goal)
            && above.replace((of.requested_ns, of.goal)) != Some((of.requested_ns, of.goal))
    })
}

/// Whether there is no choice for something because there were too few waits.
pub(super) fn lacks_waits(report: &Report) -> bool {
    chosen(report, &GOALS).any(|(advice, of)| advice.clock.is_none() && of.compared == 0)
}

/// What there is instead of a choice.
pub(in crate::section) fn missing(of: &WaitChoice) -> &'static str {
    if of.compared == 0 { "too few waits" } else { "none sleeps" }
}

/// The choices for these goals; absent if there was nothing to choose from.
pub(in crate::section) fn table(report: &Report, goals: &[Goal]) -> Option<Table> {
    let sliced = chosen(report, goals).any(|(_, choice)| choice.slice_ns.is_some());
    let mut above = None;
    let items = chosen(report, goals).map(|(advice, choice)| {
        let again = above.replace(choice.requested_ns) == Some(choice.requested_ns);
        row(report, advice, choice, again, sliced).into()
    });
    let items: Vec<Item> = items.collect();
    (!items.is_empty()).then(|| Table { columns: columns(sliced), items, ..Table::default() })
}

fn row(
    report: &Report,
    advice: &Advice,
    choice: &WaitChoice,
    again: bool,
    sliced: bool,
) -> Vec<Cell> {
    let goal = match choice.goal {
        Goal::Usual => "most uses",
        Goal::Accuracy => "accuracy",
        Goal::Cpu => "CPU time",
        Goal::Load => "load",
    };
    let duration = if again { String::new() } else { short(choice.requested_ns as f64) };
    let is_it = |wait: &&Wait| Some(&wait.id) == advice.clock.as_ref() && choice.is(wait);
    let wait = waits_of(report).find(is_it);
    let name = wait.map(|wait| Cell::code(&wait.id).shown(method(wait)).toned(Tone::Good));
    let mut cells = vec![
        Cell::whole_ns(choice.requested_ns).shown(duration),
        Cell::text(goal),
        name.unwrap_or_else(|| Cell::text(missing(choice)).toned(Tone::Warn)),
        setting(wait.and_then(|wait| wait.slack_ns)),
    ];
    cells.extend(sliced.then(|| setting(choice.slice_ns)));
    cells.extend([
        Cell::whole_ns(wait.and_then(|wait| wait.percentile(Percentile::P50))),
        Cell::whole_ns(wait.and_then(|wait| wait.percentile(Percentile::P90))),
        Cell::some(wait.and_then(|wait| wait.cpu_share), Value::Share)
            .said(wait.and_then(|wait| wait.cpu_words())),
    ]);
    cells
}

fn columns(sliced: bool) -> Vec<Column> {
    let name = |name: &'static str| Column::new(name).also_name().close();
    let mut all =
        vec![name("wait").whole_name(), name("best for"), name("method"), name("slack").right()];
    all.extend(sliced.then(|| name("slice").right()));
    all.extend([
        Column::new("p50").spare().right().close(),
        Column::new("p90").right().close(),
        Column::new("CPU").right().close(),
    ]);
    all
}
