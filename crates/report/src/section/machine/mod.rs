//! The machine: its processor, timers, kernel and power, and the ruler of the run.

mod across;
mod brief;
mod facts;
mod figures;
mod known;
mod rates;
mod rdtsc;
mod terms;

pub(crate) use brief::processor;

use super::columns::{Of, Rows, column};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Fact, Table, Text, Tone, Value};
use chronoscope_model::Report;
use known::{Data, Group};

/// The section.
pub const SECTION: Section = Section {
    id: "machine",
    records: &[("environment", "environment"), ("ruler", "ruler")],
    terms: terms::ALL,
    view,
    table: Some(table),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    match detail {
        Detail::Brief => brief::view(report),
        Detail::Full => whole(report, false),
        Detail::Everything => whole(report, true),
    }
}

fn whole(report: &Report, everything: bool) -> Vec<Block> {
    let env = &report.environment;
    let mut blocks = Vec::new();
    for group in facts::groups(report) {
        if group.verbose && !everything {
            continue;
        }
        blocks.push(Block::heading(group.title));
        blocks.push(Block::Facts(facts_of(group.known)));
        if group.counter {
            blocks.extend(rates::view(env.counter_rates()));
        }
    }
    if let Some(tsc) = &env.tsc {
        blocks.extend(rdtsc::view(env, tsc));
    }
    if everything && !env.kernel_log.is_empty() {
        blocks.push(Block::remarked(
            "Kernel log",
            Text::toned(Tone::Dim, "lines about time"),
        ));
        let lines = env.kernel_log.iter();
        blocks.extend(lines.map(|line| Block::Item {
            head: Text::toned(Tone::Dim, line),
            details: Vec::new(),
        }));
    }
    if !env.unknown.is_empty() {
        blocks.push(Block::heading("Unknown"));
        let unknown = env.unknown.iter();
        blocks.extend(unknown.map(|unknown| Block::Item {
            head: match unknown.subject.as_str() {
                "" => unknown.reason.clone().into(),
                subject => format!("{subject}: {}", unknown.reason).into(),
            },
            details: Vec::new(),
        }));
    }
    blocks
}

fn facts_of(known: Vec<known::Known>) -> Vec<Fact> {
    known.into_iter().map(|known| known.fact).collect()
}

/// A row for each fact that is known, and one for each reason why something is not.
fn table(report: &Report) -> Table {
    let mut rows = Rows::data(columns());
    for Group { id, known, .. } in facts::groups(report) {
        for data in known.into_iter().flat_map(|known| known.data) {
            if data.value != Value::Absent {
                rows.row(&(id, data));
            }
        }
    }
    let env = &report.environment;
    for data in rates::data(env.counter_rates()) {
        rows.row(&("counter", data));
    }
    for line in &env.kernel_log {
        rows.row(&("kernel", Data::text("log", line)));
    }
    for unknown in &env.unknown {
        rows.row(&("unknown", Data::text(&unknown.subject, &unknown.reason)));
    }
    rows.table()
}

fn columns() -> Vec<Of<(&'static str, Data)>> {
    vec![
        column("section", &terms::FACT, |(group, _)| Cell::text(*group)),
        column("key", &terms::FACT, |(_, data)| Cell::text(&data.key)),
        column("value", &terms::FACT, |(_, data)| Cell::new(data.value.clone())),
        column("unit", &terms::FACT, |(_, data)| Cell::text(data.unit)),
    ]
}
