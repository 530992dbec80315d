//! Whether clocks can be trusted.

mod clocks;
mod facts;
mod page;
mod pairs;
mod rates;
mod series;
mod verdict;

use super::columns::Rows;
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Text, Tone};
use crate::number::short;
use chronoscope_model::Report;
use chronoscope_model::trust::Trust;

pub const SECTION: Section = Section {
    id: "trust",
    records: &[("trust", "trust")],
    measured: true,
    terms: include_str!("terms.md"),
    view,
    page: Some(page::page),
    table: Some(|report| {
        let rows = report.trust.iter().flat_map(clocks::rows);
        let mut table = Rows::data(clocks::columns()).of_all(&rows.collect::<Vec<_>>());
        report.trust.iter().for_each(|trust| series::add(&mut table, trust));
        table
    }),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    let Some(trust) = &report.trust else {
        return match detail {
            Detail::Brief => Vec::new(),
            _ => vec![Block::paragraph("No clock was watched.")],
        };
    };
    let mut blocks = vec![Block::noted("Trust", watched(trust))];
    blocks.push(Block::Paragraph(verdict::verdict(trust)));
    blocks.push(Block::Facts(facts::facts(report, trust)));
    if detail == Detail::Brief {
        return blocks;
    }
    blocks.extend(details(report, trust, detail));
    blocks
}

/// Everything below the summary.
fn details(report: &Report, trust: &Trust, detail: Detail) -> Vec<Block> {
    let mut blocks = clocks::blocks(trust, detail);
    blocks.extend(rates::blocks(trust, detail));
    blocks.extend(pairs::blocks(trust, detail));
    blocks.extend(events(trust));
    for left in &trust.left_out {
        let text = format!("Not tested: {} ({}).", left.what, left.why.trim_end_matches('.'));
        blocks.push(Block::toned(Tone::Dim, text));
    }
    if !report.run.complete {
        let text = "The run was stopped before the time was over.";
        blocks.push(Block::toned(Tone::Warn, text));
    }
    let legend = "No step back in so many tries is a bound, not a proof. An \
                  offset is a fault only beyond its uncertainty.";
    blocks.push(Block::legend(legend));
    blocks
}

/// How long the clocks were watched.
fn watched(trust: &Trust) -> String {
    let gaps = &trust.watched.gaps;
    let mut text = format!("watched for {}", short(trust.seconds * 1e9));
    if !gaps.is_empty() {
        let over = trust.seconds + gaps.iter().map(|gap| gap.seconds).sum::<f64>();
        text += &format!(" in {} parts over {}", gaps.len() + 1, short(over * 1e9));
    }
    text
}

/// What happened while the clocks were watched, one line each.
fn events(trust: &Trust) -> Vec<Block> {
    let mut lines = Vec::new();
    let at = |at_s: f64| format!("after {}", short(at_s * 1e9));
    for step in trust.wall.iter().flat_map(|wall| &wall.steps) {
        let sign = if step.by_ns < 0.0 { "back" } else { "forwards" };
        lines.push(match step.by_ns {
            0.0 => format!("{}: the kernel reported that the wall clock was set", at(step.at_s)),
            by => {
                let by = short(by.abs());
                format!("{}: the wall clock stepped {sign} by {by}", at(step.at_s))
            }
        });
    }
    for jump in &trust.watched.jumps {
        let sign = if jump.ns < 0.0 { "back" } else { "forwards" };
        lines.push(format!(
            "{}: {} jumped {sign} by {} against {}",
            at(jump.at_s),
            jump.id,
            short(jump.ns.abs()),
            jump.against
        ));
    }
    let details: Vec<Text> = lines.into_iter().map(Text::from).collect();
    if details.is_empty() {
        Vec::new()
    } else {
        vec![Block::Item { head: Text::toned(Tone::Warn, "Events"), details }]
    }
}
