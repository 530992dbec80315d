//! What timing adds, on a page: an iteration without timing, with it, and the difference.

use super::super::page::{Line, each, finding, joined, mark, table, together, whose};
use super::{Turn, median, parts, shape};
use crate::block::chart::What;
use crate::block::{Block, Cell, Column, Value};
use crate::number::{percent, short};
use crate::page::Input;
use crate::scale::{Scale, Unit};
use crate::section::page::is_drawn;
use chronoscope_model::Estimate;
use chronoscope_model::loops::Overhead;

pub(super) fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    together(inputs, |inputs| {
        let lines = inputs.iter().enumerate().flat_map(|(of, input)| {
            let turns = input.report.overhead.iter().flat_map(parts);
            turns.map(move |turn| (of, line(inputs, of, turn)))
        });
        let lines = joined(inputs.len(), lines.collect::<Vec<_>>());
        let ends = lines.iter().flat_map(|line| &line.marks).map(|mark| mark.high);
        let most = ends.fold(1.0, f64::max);
        let strip = Column::new("median").axis(Scale::linear(Unit::Ns, 0.0, most * 1.1));
        let names = vec![Column::new("an iteration").name(8).full()];
        let rest = vec![Column::new("average").unit("ns").decimal().full()];
        let sentence = inputs.iter().flat_map(|it| &it.report.overhead).next().and_then(sentence);
        let title = "What timing adds to a loop";
        let mut blocks = vec![Block::remarked(title, finding(sentence.unwrap_or_default()))];
        let table = table(inputs, lines, names, [strip, Column::new("median")], rest);
        blocks.push(Block::Table(table));
        blocks.extend(each(inputs, |input| {
            let shape = |overhead| {
                let shape = shape(overhead, input.report.run.complete);
                Block::paragraph(format!("{}: {shape}", overhead.id))
            };
            input.report.overhead.iter().map(shape).collect()
        }));
        blocks.push(super::legend(inputs.iter().flat_map(|input| &input.report.overhead)));
        blocks
    })
}

fn line(inputs: &[Input<'_>], of: usize, (overhead, part, centre): Turn<'_>) -> Line {
    let estimate = match median(overhead, centre).value {
        Value::Estimate(estimate) => *estimate,
        _ => Estimate {
            value_ns: centre.median_ns,
            low_ns: centre.median_ns,
            high_ns: centre.median_ns,
            ..Estimate::default()
        },
    };
    let name = whose(inputs, of, &format!("{part}, {}", overhead.id));
    Line {
        best: false,
        group: (overhead.id.clone(), String::new()),
        key: part.to_owned(),
        names: vec![Cell::text(part)],
        marks: mark(What::Median, Some(&estimate), of, &name).into_iter().collect(),
        figures: vec![Some(estimate)],
        rest: vec![Cell::number(centre.average_ns)],
    }
}

fn sentence(overhead: &Overhead) -> Option<String> {
    let [added, base] = [&overhead.overhead, &overhead.baseline].map(|it| it.median_ns);
    let share = Some(added / base).filter(|share| share.is_finite() && is_drawn(added));
    Some(format!(
        "Two reads of {} around an iteration add {} to the {} that it takes, which is {}.",
        overhead.id,
        short(added),
        short(base),
        percent(share?)
    ))
}
