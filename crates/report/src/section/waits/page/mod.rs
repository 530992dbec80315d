//! The waits on a page: for each duration how late they end, as curves, against CPU time and in
//! figures; then the causes, the choices and the circumstances.

mod cost;
mod counts;
mod curves;
mod figures;
mod finding;
mod row;

use super::rows::{durations, waits_of};
use super::{Detail, best, group, loads, remarks, why};
use crate::block::{Block, Text, Tone};
use crate::number::short;
use crate::page::Input;
use chronoscope_model::waits::Load;
use row::Row;
use std::collections::BTreeSet;

pub(super) fn view(inputs: &[Input<'_>]) -> Vec<Block> {
    let rows = row::all(inputs);
    let several = inputs.len() > 1;
    let asked: BTreeSet<u64> = inputs
        .iter()
        .flat_map(|input| durations(&waits_of(input.report).collect::<Vec<_>>()))
        .collect();
    let mut blocks = Vec::new();
    if rows.is_empty() {
        blocks.push(Block::noted("How late waits end", "No wait was measured."));
    } else if asked.len() > 1 {
        let lengths: Vec<String> = asked.iter().map(|ns| short(*ns as f64)).collect();
        let asked = format!("Waits of {}.", lengths.join(", "));
        blocks.push(Block::noted("How late waits end", asked));
    }
    for ns in asked {
        let of_it = rows.iter().filter(|row| row.wait.requested_ns == Some(ns));
        let of_it: Vec<&Row> = of_it.collect();
        let waits: Vec<_> = of_it.iter().map(|row| row.wait).collect();
        let what = format!("{} of {}", group(&waits, false).0, short(ns as f64));
        blocks.push(Block::remarked(
            format!("How late a {what} ends"),
            finding::sentence(inputs, &of_it, ns),
        ));
        blocks.extend(curves::view(inputs, &of_it, &what));
        blocks.extend(counts::view(inputs, &of_it, &what));
        blocks.extend(cost::view(&of_it, &what, several));
        blocks.push(Block::Table(figures::table(inputs, &of_it)));
    }
    for input in inputs {
        let ours = |blocks: Vec<Block>| named(blocks, several.then_some(input.name));
        blocks.extend(ours(best::view(input.report)));
        blocks.extend(ours(why::drawn(input.report)));
        blocks.extend(ours(circumstances(input)));
    }
    blocks
}

/// The blocks with the report's name in their first heading, if there are several reports.
fn named(mut blocks: Vec<Block>, name: Option<&str>) -> Vec<Block> {
    if let (Some(Block::Heading { title, .. }), Some(name)) = (blocks.first_mut(), name) {
        *title = format!("{title}, {name}");
    }
    blocks
}

/// What a load is called above its rows and pictures.
fn next_to(load: Load) -> String {
    match load {
        Load::None => "nothing else running".into(),
        load => format!("next to the {} load", load.name()),
    }
}

/// Under what conditions the waits were measured, what happened to them, and which methods are
/// missing.
fn circumstances(input: &Input<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (load, rows) in loads(input.report) {
        let conditions = remarks::conditions(input.report, &rows);
        let cpus: BTreeSet<usize> = rows.iter().filter_map(|wait| wait.cpu).collect();
        let cpus = cpus.iter().map(|cpu| format!("CPU {cpu}"));
        let conditions: Vec<String> = cpus.chain(conditions).collect();
        let load_words = Text::toned(Tone::Strong, next_to(load));
        blocks.push(Block::paragraph(load_words.and(format!(": {}", conditions.join(", ")))));
        blocks.extend(remarks::load(&rows));
        blocks.extend(remarks::view(&rows));
        let moments = rows.iter().flat_map(|wait| wait.moment.iter().map(move |m| (wait, m)));
        blocks.extend(moments.flat_map(|(wait, moment)| remarks::moment(wait, moment)));
    }
    blocks.extend(remarks::unavailable(&input.report.waits, Detail::Full));
    if !blocks.is_empty() {
        blocks.insert(0, Block::heading("How the waits were made"));
    }
    blocks
}
