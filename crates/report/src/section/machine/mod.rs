//! The machine: its processor, timers, kernel and power, and the ruler of the run.

mod across;
mod brief;
mod facts;
mod figures;
mod known;
mod rates;
mod rdtsc;
mod ruler;
mod terms;

pub(crate) use brief::processor;

use super::columns::{Of, Rows, column};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Fact, Table, Text, Tone, Value};
use chronoscope_model::{Environment, Report};
use known::{Basis, Data, Group, Known};

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
        blocks.push(Block::remarked("Kernel log", Text::toned(Tone::Dim, "lines about time")));
        let lines = env.kernel_log.iter();
        blocks.extend(
            lines.map(|line| Block::Item {
                head: Text::toned(Tone::Dim, line),
                details: Vec::new(),
            }),
        );
    }
    blocks.push(Block::Legend(Text::toned(Tone::Dim, legend(env))));
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

/// What the words at the end of each line mean.
fn legend(env: &Environment) -> &'static str {
    match env.hypervisor {
        Some(_) => {
            "measured: in this run · read: from the kernel · claimed: by the hypervisor, which may \
             say what it likes of the hardware"
        }
        None => "measured: in this run · read: from the kernel, the processor or the firmware",
    }
}

fn facts_of(known: Vec<Known>) -> Vec<Fact> {
    let with_basis = |known: Known| {
        let shown = known.is_known();
        let Fact { name, term, value } = known.fact;
        let basis = Text::toned(Tone::Dim, format!(" · {}", known.basis.word()));
        let value = if shown { value.and(basis) } else { value };
        Fact { name, term, value }
    };
    known.into_iter().map(with_basis).collect()
}

/// A row for each fact that is known, and one for each reason why something is not.
fn table(report: &Report) -> Table {
    let mut rows = Rows::data(columns());
    for Group { id, known, .. } in facts::groups(report) {
        for known in known {
            let basis = known.basis.word();
            let data = known.data.into_iter();
            for data in data.filter(|data| data.value != Value::Absent) {
                rows.row(&(id, data, basis));
            }
        }
    }
    let env = &report.environment;
    for data in rates::data(env.counter_rates()) {
        rows.row(&("counter", data, ""));
    }
    for line in &env.kernel_log {
        rows.row(&("kernel", Data::text("log", line), Basis::Read.word()));
    }
    for unknown in &env.unknown {
        rows.row(&("unknown", Data::text(&unknown.subject, &unknown.reason), ""));
    }
    rows.table()
}

/// A group, a fact of it, and how that is known.
type Row = (&'static str, Data, &'static str);

fn columns() -> Vec<Of<Row>> {
    vec![
        column("section", &terms::FACT, |(group, _, _)| Cell::text(*group)),
        column("key", &terms::FACT, |(_, data, _)| Cell::text(&data.key)),
        column("value", &terms::FACT, |(_, data, _)| Cell::new(data.value.clone())),
        column("unit", &terms::FACT, |(_, data, _)| Cell::text(data.unit)),
        column("basis", &terms::BASIS, |(_, _, basis)| Cell::text(*basis)),
    ]
}
