//! Which clock or wait to use for what, why, and the code.

use super::{Detail, SECTION as PLAIN, Section, findings};
use crate::block::{Block, Cell, Column, Item, Table, Text, Tone};
use chronoscope_model::advice::LANGUAGES;
use chronoscope_model::{Advice, Finding, Report, units};

pub const SECTION: Section = Section {
    id: "advice",
    records: &[("advice", "advice")],
    terms: include_str!("advice.md"),
    view: |report, detail| match detail {
        Detail::Brief => brief(report),
        Detail::Full | Detail::Everything => whole(report),
    },
    ..PLAIN
};

/// The answer in a few lines, the last ones of a screen: what to use for what, what it costs, and
/// that nothing is wrong if that is so.
fn brief(report: &Report) -> Vec<Block> {
    let advice: Vec<&Advice> = report.advice.iter().filter(|a| a.summary).collect();
    if advice.is_empty() {
        return Vec::new();
    }
    let remark = Text::toned(Tone::Dim, "other purposes, reasons and code: ")
        .and(Text::toned(Tone::Name, "chronoscope advise"));
    let mut blocks = vec![
        Block::remarked("Use", remark),
        Block::Table(Table {
            columns: columns(),
            items: advice.into_iter().map(line).collect(),
            headless: true,
            ..Table::default()
        }),
    ];
    // What was found stands right above.
    if !report.findings.iter().any(Finding::is_found) {
        blocks.push(findings::none());
    }
    blocks
}

fn columns() -> Vec<Column> {
    vec![Column::new("to").also_name(), Column::new("use"), Column::new("cost").gives_way(8)]
}

fn line(advice: &Advice) -> Item {
    let choice = match &advice.clock {
        Some(id) => Cell::code(id).toned(Tone::Good),
        None => Cell::text("nothing suitable").toned(Tone::Warn),
    };
    let cost = match advice.figure.as_str() {
        "" => advice.cost_ns.map_or(String::new(), units::human_ns),
        figure => figure.into(),
    };
    vec![Cell::text(&advice.short), choice, Cell::text(cost)].into()
}

fn whole(report: &Report) -> Vec<Block> {
    if report.advice.is_empty() {
        return vec![Block::paragraph("There is no advice: nothing was measured.")];
    }
    let mut blocks = Vec::new();
    let mut stated: Vec<&str> = Vec::new();
    for advice in &report.advice {
        blocks.push(Block::noted(&advice.title, &advice.purpose));
        blocks.push(Block::item(choice(report, advice)));
        blocks.push(Block::paragraph(advice.why.clone()));
        // A rule that several pieces of advice share is stated with the first.
        if !advice.criterion.is_empty() && !stated.contains(&advice.criterion.as_str()) {
            stated.push(&advice.criterion);
            let rule = format!("Chosen by {}", advice.criterion);
            blocks.push(Block::toned(Tone::Dim, rule));
        }
        if !advice.code.is_empty() {
            blocks.push(Block::Code(in_order(advice)));
        }
    }
    blocks
}

fn choice(report: &Report, advice: &Advice) -> Text {
    let Some(id) = &advice.clock else {
        let none = match advice.wait {
            Some(_) => "too few waits",
            None => "no clock on this machine",
        };
        return Text::toned(Tone::Warn, none);
    };
    let cost = advice.cost_ns.map(|ns| format!("  {}", units::human_ns(ns)));
    let call = report.clocks.iter().find(|clock| clock.id == *id);
    let call = call.map_or(String::new(), |clock| format!("  {}", clock.call));
    Text::toned(Tone::Good, id).and(cost.unwrap_or_default()).and(Text::toned(Tone::Dim, call))
}

/// The code of the known languages in their order, and then that of others.
fn in_order(advice: &Advice) -> Vec<(String, String)> {
    let mut code: Vec<(String, String)> =
        advice.code.iter().map(|(language, lines)| (language.clone(), lines.clone())).collect();
    code.sort_by_key(|(name, _)| {
        let place = LANGUAGES.iter().position(|language| language == name);
        place.unwrap_or(LANGUAGES.len())
    });
    code
}
