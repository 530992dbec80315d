//! Which clock or wait to use for what, why, and the code.

use super::waits::best;
use super::{Detail, Rows, SECTION as PLAIN, Section, Spec, columns, findings};
use crate::block::{Block, Cell, Table, Text, Tone};
use chronoscope_model::advice::{Goal, LANGUAGES, WaitChoice};
use chronoscope_model::packed::packed;
use chronoscope_model::{Advice, Finding, Report};
use std::collections::BTreeSet;

pub const SECTION: Section = Section {
    id: "advice",
    records: &[("advice", "advice")],
    terms: packed!("advice.md"),
    view: |report, detail| match detail {
        Detail::Brief => brief(report),
        Detail::Full | Detail::Everything => whole(report, detail),
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
            headless: true,
            ..Rows::shown(columns(), Detail::Full).of_all(advice)
        }),
    ];
    // What was found stands right above.
    if !report.findings.iter().any(Finding::is_found) {
        blocks.push(findings::none());
    }
    blocks
}

fn columns() -> Vec<Spec<Advice>> {
    columns! { advice in Advice;
        "" "to" [full also_name] Cell::text(&advice.short);
        "" "use" [full] match &advice.clock {
            Some(id) => Cell::code(id).toned(Tone::Good),
            None => Cell::text("nothing suitable").toned(Tone::Warn),
        };
        "" "cost" [full gives_way(8)] Cell::text(advice.figure());
    }
}

fn whole(report: &Report, detail: Detail) -> Vec<Block> {
    if report.advice.is_empty() {
        return vec![Block::paragraph("There is no advice: nothing was measured.")];
    }
    let clocks = report.advice.iter().filter(|advice| advice.wait.is_none());
    let mut stated = BTreeSet::new();
    let mut blocks: Vec<Block> =
        clocks.flat_map(|advice| one(report, advice, &mut stated)).collect();
    blocks.extend(waits(report, detail, &mut stated));
    blocks
}

/// Every goal of waiting; none is left out.
const GOALS: [Goal; 4] = [Goal::Usual, Goal::Accuracy, Goal::Cpu, Goal::Load];

/// The choices for each duration and goal, and one of them with its reasons and its code: the first
/// goal for the middle duration. If everything is asked for, all of them.
fn waits<'a>(report: &'a Report, detail: Detail, stated: &mut BTreeSet<&'a str>) -> Vec<Block> {
    let Some(table) = best::best_table(report, &GOALS) else {
        return Vec::new();
    };
    let all = report.advice.iter().filter_map(|advice| Some((advice, advice.wait.as_ref()?)));
    let all: Vec<(&Advice, &WaitChoice)> = all.collect();
    let durations: BTreeSet<u64> = all.iter().map(|(_, of)| of.requested_ns).collect();
    let middle = durations.iter().nth(durations.len() / 2);
    let first = all.iter().find(|(_, of)| Some(&of.requested_ns) == middle);
    let first = first.map(|(_, of)| (of.requested_ns, of.goal));
    let mut blocks = vec![Block::noted("Wait for a time", "wait"), Block::Table(table)];
    for (advice, of) in &all {
        if detail == Detail::Everything || Some((of.requested_ns, of.goal)) == first {
            blocks.extend(one(report, advice, stated));
        }
    }
    if detail != Detail::Everything && durations.len() + all.len() > 2 {
        let others = "code for another row: --wait DURATION, --goal accuracy|cpu|load; all: -v";
        blocks.push(Block::legend(others));
    }
    blocks
}

/// A piece of advice, with the rule unless that was stated before.
fn one<'a>(report: &'a Report, advice: &'a Advice, stated: &mut BTreeSet<&'a str>) -> Vec<Block> {
    let mut blocks = vec![
        Block::noted(&advice.title, &advice.purpose),
        Block::item(choice(report, advice)),
        Block::paragraph(advice.why.clone()),
    ];
    // A rule that several pieces of advice share is stated with the first.
    if !advice.criterion.is_empty() && stated.insert(&advice.criterion) {
        let rule = format!("Chosen by {}", advice.criterion);
        blocks.push(Block::toned(Tone::Dim, rule));
    }
    if !advice.code.is_empty() {
        blocks.push(Block::Code(in_order(advice)));
    }
    blocks
}

fn choice(report: &Report, advice: &Advice) -> Text {
    let Some(id) = &advice.clock else {
        let none = advice.wait.as_ref().map_or("no clock on this machine", best::missing_choice);
        return Text::toned(Tone::Warn, none);
    };
    let figure = advice.figure();
    let cost = Some(format!("  {figure}")).filter(|_| !figure.is_empty());
    let native = report.clocks.iter().map(|clock| (clock.id.clone(), &clock.call));
    let others = report.runtimes.iter().flat_map(|runtime| {
        let id = |clock: &str| format!("{}/{clock}", runtime.id);
        runtime.clocks.iter().map(move |clock| (id(&clock.id), &clock.call))
    });
    let call = native.chain(others).find(|(known, _)| known == id);
    let call = call.map_or(String::new(), |(_, call)| format!("  {call}"));
    Text::toned(Tone::Good, id).and(cost.unwrap_or_default()).and(Text::toned(Tone::Dim, call))
}

/// The code of the known languages in their order, and then that of others.
fn in_order(advice: &Advice) -> Vec<(String, String)> {
    let place = |name: &String| LANGUAGES.iter().position(|language| language == name);
    let mut code: Vec<(String, String)> = advice.code.clone().into_iter().collect();
    code.sort_by_key(|(name, _)| place(name).unwrap_or(LANGUAGES.len()));
    code
}
