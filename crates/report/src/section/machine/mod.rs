//! The machine: its processor, timers, kernel and power, and the ruler of the run.

mod across;
mod brief;
mod facts;
mod figures;
mod known;
mod page;
mod qpc;
mod rates;
mod rdtsc;
mod ruler;
mod throughput;

pub(crate) use brief::processor;

use super::columns::{Rows, Spec, columns};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Fact, Table, Text, Tone, Value};
use chronoscope_model::{Environment, Report};
use known::{Basis, Data, Group, Known};

pub const SECTION: Section = Section {
    id: "machine",
    records: &[("environment", "environment"), ("ruler", "ruler")],
    terms: include_str!("terms.md"),
    view,
    page: Some(page::page),
    glance: Some(|report, _| brief::glance(report)),
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
        blocks.push(Block::Facts(group.known.into_iter().map(fact).collect()));
        if group.counter {
            blocks.extend(rates::view(env.counter_rates()));
        }
    }
    blocks.extend(qpc::view(env));
    blocks.extend(throughput::view(env));
    if let Some(tsc) = &env.tsc {
        blocks.extend(rdtsc::view(env, tsc));
    }
    if everything && !env.kernel_log.is_empty() {
        blocks.push(Block::noted("Kernel log", "lines about time"));
        let lines = env.kernel_log.iter();
        blocks.extend(lines.map(|line| Block::item(Text::toned(Tone::Dim, line))));
    }
    blocks.push(Block::Legend(Text::toned(Tone::Dim, legend(env))));
    if !env.unknown.is_empty() {
        blocks.push(Block::heading("Unknown"));
        let unknown = env.unknown.iter().map(|unknown| match unknown.subject.as_str() {
            "" => unknown.reason.clone(),
            subject => format!("{subject}: {}", unknown.reason),
        });
        blocks.extend(unknown.map(Block::item));
    }
    blocks
}

/// What the words at the end of each line mean.
fn legend(env: &Environment) -> &'static str {
    match env.hypervisor {
        Some(_) => {
            "measured: in this run · read: from the kernel · claimed: by the hypervisor, which can \
             claim anything about the hardware"
        }
        None => "measured: in this run · read: from the kernel, the processor or the firmware",
    }
}

/// A fact and how it is known, if it is known.
fn fact(known: Known) -> Fact {
    let shown = known.is_known();
    let Fact { name, value } = known.fact;
    let basis = Text::toned(Tone::Dim, format!(" · {}", known.basis.word()));
    Fact { name, value: if shown { value.and(basis) } else { value } }
}

/// A row for each fact that is known, and one for each reason why something is not.
fn table(report: &Report) -> Table {
    let mut rows = Rows::data(columns());
    for Group { id, known, .. } in facts::groups(report) {
        for known in known {
            known.data.into_iter().for_each(|data| rows.row(&(id, data, known.basis.word())));
        }
    }
    let env = &report.environment;
    for data in rates::data(env.counter_rates()).into_iter().chain(throughput::data(env)) {
        rows.row(&("counter", data, ""));
    }
    let text = |key: &str, text: &String| Data {
        key: key.into(),
        value: Value::Text(text.clone()),
        unit: "",
    };
    for line in &env.kernel_log {
        rows.row(&("kernel", text("log", line), Basis::Read.word()));
    }
    for unknown in &env.unknown {
        rows.row(&("unknown", text(&unknown.subject, &unknown.reason), ""));
    }
    rows.table()
}

/// A group, a fact of it, and how that is known.
type Row = (&'static str, Data, &'static str);

fn columns() -> Vec<Spec<Row>> {
    columns! { (group, data, basis) in Row;
        "section" "section" [] Cell::text(*group);
        "key" "key" [] Cell::text(&data.key);
        "value" "value" [] Cell::new(data.value.clone());
        "unit" "unit" [] Cell::text(data.unit);
        "basis" "basis" [] Cell::text(*basis);
    }
}
