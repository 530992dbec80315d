//! The same clocks under every clock source of the kernel.

use super::clocks::terms::RESOLUTION;
use super::columns::{Of, Rows, column};
use super::{Detail, SECTION as PLAIN, Section, runtimes};
use crate::block::{Block, Cell, Text, Tone};
use crate::number::{percent, short};
use crate::term::{METHOD, Term};
use chronoscope_model::clock::{Clock, Limit};
use chronoscope_model::deltas::Deltas;
use chronoscope_model::sweep::Source;
use chronoscope_model::{Report, clock};

/// The section.
pub const SECTION: Section = Section {
    id: "sweep",
    records: &[("sweep", "sweep")],
    measured: true,
    terms: TERMS,
    view,
    table: Some(|report| {
        let rows: Vec<Row> = report.sweep.iter().flat_map(rows).collect();
        Rows::data(columns()).of_all(&rows)
    }),
    ..PLAIN
};

/// A clock under a source, with the differences between its reads.
type Row<'a> = (&'a Source, &'a Clock, Option<&'a Deltas>);

fn rows(source: &Source) -> impl Iterator<Item = Row<'_>> {
    source.clocks.iter().filter(|clock| clock.available).map(move |clock| {
        let mut all = source.deltas.iter();
        (source, clock, all.find(|deltas| deltas.id == clock.id))
    })
}

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if report.sweep.is_empty() {
        return match detail {
            Detail::Brief => Vec::new(),
            _ => vec![Block::paragraph("No clock source was tried.")],
        };
    }
    let mut table = Rows::shown(columns(), detail, &[]);
    for source in &report.sweep {
        let remark = if source.original { "in use before and after" } else { "" };
        table.group(&source.name, remark);
        for row in rows(source) {
            table.row(&row);
        }
    }
    let mut blocks = vec![Block::heading("Clock sources"), Block::Table(table.table())];
    for source in &report.sweep {
        if let Some(why) = &source.left_out {
            let text = format!("Under {}: {}.", source.name, why.trim_end_matches('.'));
            blocks.push(Block::Paragraph(Text::toned(Tone::Warn, text)));
        }
    }
    blocks.extend(runtimes::under_sources(report, detail));
    blocks
}

fn columns<'a>() -> Vec<Of<Row<'a>>> {
    vec![
        column("source", &SOURCE, |(source, ..): &Row| Cell::code(&source.name)),
        column("id", &CLOCK, |(_, clock, _): &Row| Cell::code(&clock.id)).brief().full(0).name(12),
        column("cost_ns", &COST, |(_, clock, _): &Row| Cell::estimate(clock.read()))
            .brief()
            .full(0)
            .head("cost")
            .unit("ns")
            .decimal(),
        column("tick_ns", &TICK, |(_, clock, _): &Row| {
            let resolution = clock.resolution.as_ref();
            Cell::ns(resolution.and_then(clock::Resolution::step_ns))
        })
        .full(0)
        .head("tick")
        .right(),
        column("resolution_ns", &RESOLUTION, |(_, clock, _): &Row| {
            let by_cost = clock.resolution.as_ref().is_some_and(|r| r.verdict == Limit::Latency);
            let found = clock.measured_ns();
            let cell = Cell::ns(found);
            match (found, by_cost) {
                (Some(ns), true) => cell.shown(format!("~{}", short(ns))),
                _ => cell,
            }
        })
        .brief()
        .full(0)
        .head("resolution")
        .right(),
        column("zero_share", &ZEROS, |(.., deltas): &Row| {
            let share = deltas.map(|deltas| deltas.zero_share);
            Cell::number(share).shown(share.map_or("-".into(), percent))
        })
        .full(0)
        .head("equal\nreads")
        .right(),
        column("negative", &BACK, |(.., deltas): &Row| {
            let cell = Cell::count(deltas.map(|deltas| deltas.negative));
            match deltas {
                Some(deltas) if deltas.negative > 0 => cell.toned(Tone::Bad),
                _ => cell,
            }
        })
        .full(0)
        .head("steps\nback")
        .right(),
        column("max_ns", &LARGEST, |(.., deltas): &Row| {
            Cell::ns(deltas.map(|deltas| deltas.max_ticks as f64 * deltas.ns_per_tick))
        })
        .full(0)
        .head("largest\ndelta")
        .right(),
    ]
}

static TERMS: &[&Term] = &[&SOURCE, &CLOCK, &COST, &TICK, &RESOLUTION, &ZEROS, &BACK, &LARGEST];

/// What these columns have in common.
const COLUMN: Term = Term {
    names: &[],
    place: "column of sweep",
    unit: "",
    about: "",
    how: "",
    act: "",
    references: &["Linux Documentation/timers/timekeeping.rst", METHOD],
};

static SOURCE: Term = Term {
    names: &["source"],
    about: "The clock source of the kernel during the measurement: what all clocks of the system \
            are derived from.",
    how: "Written to /sys/devices/system/clocksource/clocksource0/current_clocksource, read back \
          before and after, and restored in the end.",
    act: "Choose the cheapest that the kernel trusts; its log says why it left one.",
    ..COLUMN
};

static CLOCK: Term = Term {
    names: &["swept clock"],
    about: "The clock's name in the catalogue.",
    how: "chronoscope explain ID describes it.",
    ..COLUMN
};

static COST: Term = Term {
    names: &["cost"],
    unit: "ns per read",
    about: "The cost of a read under this source.",
    how: "As in chronoscope clocks, in a shorter time.",
    act: "Only tsc, kvm-clock and Hyper-V's page are read in user space on x86; others cost a \
          system call and a read of a device.",
    ..COLUMN
};

static TICK: Term = Term {
    names: &["tick"],
    unit: "a duration",
    about: "By how much the clock's value changes at a time under this source.",
    how: "As in chronoscope clocks.",
    ..COLUMN
};

static ZEROS: Term = Term {
    names: &["equal reads", "equal\nreads"],
    about: "The share of successive reads that returned the same value.",
    how: "Up to 200,000 reads in a row, as in chronoscope deltas.",
    ..COLUMN
};

static BACK: Term = Term {
    names: &["steps back", "steps\nback"],
    about: "How many successive reads returned less than the one before.",
    how: "In the same reads.",
    act: "Do not use a source under which time goes back.",
    ..COLUMN
};

static LARGEST: Term = Term {
    names: &["largest delta", "largest\ndelta"],
    unit: "a duration",
    about: "The largest difference between two successive reads: what interrupted them.",
    how: "In the same reads.",
    ..COLUMN
};
