//! What the sections of a page share: strips with the figures of several reports, and headings that
//! say whose figures follow.

use crate::block::chart::{Mark, What};
use crate::block::{Block, Cell, Column, Item, Row, Table, Text, Tone, Value};
use crate::number;
use crate::page::Input;
use chronoscope_model::Estimate;

/// The most reports whose figures share strips. More are shown one after the other.
const TOGETHER: usize = 4;

/// Nothing further from zero is drawn: 30 years in nanoseconds, beyond any figure of a machine.
pub(crate) const FURTHEST: f64 = 1e18;

pub(crate) fn is_drawn(value: f64) -> bool {
    value.abs() <= FURTHEST
}

/// The blocks of all reports together, or of one after the other if they are too many.
pub(crate) fn together(inputs: &[Input<'_>], of: fn(&[Input<'_>]) -> Vec<Block>) -> Vec<Block> {
    if inputs.len() <= TOGETHER {
        return of(inputs);
    }
    each(inputs, |input| of(&[*input]))
}

/// The blocks of one report after the other. If there are several, those of each begin with a
/// heading that names the report.
pub(crate) fn each(inputs: &[Input<'_>], of: impl Fn(&Input<'_>) -> Vec<Block>) -> Vec<Block> {
    let several = inputs.len() > 1;
    let blocks = inputs.iter().flat_map(|input| {
        let mut blocks = of(input);
        match blocks.first_mut() {
            Some(Block::Heading { title, .. }) if several => *title = titled(title, input),
            Some(_) if several => blocks.insert(0, Block::heading(input.name)),
            _ => {}
        }
        blocks
    });
    blocks.collect()
}

/// A title, and the report that it is about, if that has a name.
fn titled(title: &str, input: &Input<'_>) -> String {
    match input.name {
        "" => title.to_owned(),
        name => format!("{title}: {name}"),
    }
}

/// The mark of a cost on a logarithmic axis; absent if it has no place there. A cost that is too
/// small to be resolved stands at its upper bound.
pub(crate) fn mark(
    what: What,
    estimate: Option<&Estimate>,
    of: usize,
    whose: &str,
) -> Option<Mark> {
    let estimate = estimate?;
    let value = estimate.known_ns().filter(|ns| *ns > 0.0 && is_drawn(*ns))?;
    let end = |ns: f64| if ns > 0.0 && is_drawn(ns) { ns } else { value };
    let number::Figure { value: figure, spread } = number::estimate(estimate);
    let spread = if spread.is_empty() { spread } else { format!(" ±{spread}") };
    Some(Mark {
        what,
        value,
        low: end(estimate.low_ns).min(value),
        high: end(estimate.high_ns).max(value),
        of,
        words: format!("{whose}: {figure}{spread} ns"),
    })
}

/// The figures of several reports in one row: what it is about, the marks next to them, and the
/// figure of each report. The group is a title with a remark.
pub(crate) struct Line {
    pub(crate) group: (String, String),
    /// What tells the line from others of its group.
    pub(crate) key: String,
    pub(crate) names: Vec<Cell>,
    /// Whether the line is the one to notice.
    pub(crate) best: bool,
    pub(crate) marks: Vec<Mark>,
    pub(crate) figures: Vec<Option<Estimate>>,
    /// What is known besides; shown if there is one report.
    pub(crate) rest: Vec<Cell>,
}

/// The lines of reports (by number) joined: what has the same group and key is one line.
pub(crate) fn joined(reports: usize, lines: impl IntoIterator<Item = (usize, Line)>) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    for (of, mut line) in lines {
        let figure = line.figures.pop().flatten();
        let same = |known: &&mut Line| known.group.0 == line.group.0 && known.key == line.key;
        let known = match all.iter_mut().find(same) {
            Some(known) => {
                known.marks.append(&mut line.marks);
                known
            }
            None => {
                // A group that has begun is continued.
                let last = all.iter().rposition(|known| known.group.0 == line.group.0);
                let at = last.map_or(all.len(), |last| last + 1);
                line.figures = vec![None; reports];
                all.insert(at, line);
                &mut all[at]
            }
        };
        if let Some(place) = known.figures.get_mut(of) {
            *place = figure;
        }
    }
    all
}

/// The table of these lines: names, the strip, the figure of each report by the report's name, and
/// the rest.
pub(crate) fn table(
    inputs: &[Input<'_>],
    lines: Vec<Line>,
    names: Vec<Column>,
    [strip, figure]: [Column; 2],
    rest: Vec<Column>,
) -> Table {
    let figure = figure.unit("ns").decimal().spread().full();
    let alone = inputs.len() == 1;
    let figures = inputs.iter().map(|input| match alone {
        true => figure.clone(),
        false => Column { head: input.name.to_owned().into(), ..figure.clone() },
    });
    let rest_columns = rest.into_iter().filter(|_| alone);
    let columns = names.into_iter().chain([strip.full()]).chain(figures).chain(rest_columns);
    let mut table = Table { columns: columns.collect(), ..Table::default() };
    let mut group = String::new();
    for line in lines {
        if line.group.0 != group {
            group.clone_from(&line.group.0);
            let (name, remark) = line.group;
            table.items.push(Item::Group { name, remark });
        }
        let mut cells = line.names;
        cells.push(Cell::new(Value::Strip(line.marks)));
        cells.extend(line.figures.iter().map(|figure| Cell::estimate(figure.as_ref())));
        cells.extend(line.rest.into_iter().filter(|_| alone));
        table.items.push(Item::Row(Row { marked: line.best, cells }));
    }
    table
}

/// What a section's own screen says, without its first heading: the page has one of its own.
pub(crate) fn after_heading(blocks: Vec<Block>) -> impl Iterator<Item = Block> {
    let mut blocks = blocks.into_iter().peekable();
    blocks.next_if(|block| matches!(block, Block::Heading { .. }));
    blocks
}

/// The name of a report in the words of a mark: nothing if it is the only one.
pub(crate) fn whose(inputs: &[Input<'_>], nth: usize, what: &str) -> String {
    match inputs.get(nth).map(|input| input.name) {
        Some(name) if inputs.len() > 1 && !name.is_empty() => format!("{what} ({name})"),
        _ => what.to_owned(),
    }
}

/// A finding in a sentence, in the tone of a heading's remark.
pub(crate) fn finding(sentence: impl Into<String>) -> Text {
    Text::toned(Tone::Dim, sentence)
}
