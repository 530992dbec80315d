//! Which clock or wait to use for what, why, and the code.

use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Text, Tone};
use chronoscope_model::advice::LANGUAGES;
use chronoscope_model::{Advice, Report, units};

/// The section.
pub const SECTION: Section = Section {
    id: "advice",
    records: &[("advice", "advice")],
    view: |report, detail| match detail {
        Detail::Brief => brief(report),
        Detail::Full | Detail::Everything => whole(report),
    },
    ..PLAIN
};

fn brief(report: &Report) -> Vec<Block> {
    let advice: Vec<&Advice> = report.advice.iter().filter(|a| a.summary).collect();
    if advice.is_empty() {
        return Vec::new();
    }
    let remark = Text::toned(Tone::Dim, "from these figures; code and reasons: ")
        .and(Text::toned(Tone::Name, "chronoscope advise"));
    let mut blocks = vec![Block::remarked("Use", remark)];
    blocks.extend(advice.into_iter().map(sentence));
    blocks
}

/// The advice in one sentence.
fn sentence(advice: &Advice) -> Block {
    let why = &advice.why;
    let first = why.split_once(". ").map_or(why.as_str(), |(first, _)| first);
    let first = first.trim_end_matches('.');
    let choice = match &advice.clock {
        Some(id) => Text::toned(Tone::Good, id).and(format!(", {first}.")),
        None => Text::toned(Tone::Warn, format!("{first}.")),
    };
    Block::Item {
        head: Text::from(format!("{}: ", advice.title)).and(choice),
        details: Vec::new(),
    }
}

fn whole(report: &Report) -> Vec<Block> {
    if report.advice.is_empty() {
        return vec![Block::paragraph("There is no advice: nothing was measured.")];
    }
    let mut blocks = Vec::new();
    for advice in &report.advice {
        let purpose = Text::toned(Tone::Dim, &advice.purpose);
        blocks.push(Block::remarked(&advice.title, purpose));
        blocks.push(Block::Item {
            head: choice(report, advice),
            details: Vec::new(),
        });
        blocks.push(Block::paragraph(advice.why.clone()));
        if !advice.code.is_empty() {
            blocks.push(Block::Code(in_order(advice)));
        }
    }
    blocks
}

fn choice(report: &Report, advice: &Advice) -> Text {
    let Some(id) = &advice.clock else {
        return Text::toned(Tone::Warn, "no clock on this machine");
    };
    let cost = advice.cost_ns.map(|ns| format!("  {}", units::human_ns(ns)));
    let call = report.clocks.iter().find(|clock| clock.id == *id);
    let call = call.map_or(String::new(), |clock| format!("  {}", clock.call));
    Text::toned(Tone::Good, id)
        .and(cost.unwrap_or_default())
        .and(Text::toned(Tone::Dim, call))
}

/// The code of the known languages in their order, and then that of others.
fn in_order(advice: &Advice) -> Vec<(String, String)> {
    let mut code: Vec<(String, String)> = advice
        .code
        .iter()
        .map(|(language, lines)| (language.clone(), lines.clone()))
        .collect();
    code.sort_by_key(|(name, _)| {
        let place = LANGUAGES.iter().position(|language| language == name);
        place.unwrap_or(LANGUAGES.len())
    });
    code
}
