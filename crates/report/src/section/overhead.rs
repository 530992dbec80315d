//! What timing adds to a real loop.

use super::columns::{Of, Rows, column};
use super::{Detail, SECTION as PLAIN, Section};
use crate::block::{Block, Cell, Text, Tone, Value};
use crate::number::{count, plural};
use crate::term::{METHOD, Term};
use chronoscope_model::overhead::{Centre, Overhead};
use chronoscope_model::{Estimate, Report};

/// The section.
pub const SECTION: Section = Section {
    id: "overhead",
    records: &[("overhead", "overhead")],
    measured: true,
    terms: TERMS,
    view,
    table: Some(|report| {
        let rows = report.overhead.iter().flat_map(parts);
        Rows::data(columns()).of_all(&rows.collect::<Vec<_>>())
    }),
    ..PLAIN
};

/// The defaults of `SAMPLES N M`.
const DEFAULTS: [u64; 3] = [9999, 999, 999];

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return Vec::new();
    }
    if report.overhead.is_empty() {
        return vec![Block::paragraph("No overhead was measured.")];
    }
    let mut blocks = Vec::new();
    for overhead in &report.overhead {
        let clock = report.clocks.iter().find(|clock| clock.id == overhead.id);
        let call = clock.map_or("", |clock| clock.call.as_str());
        blocks.push(Block::remarked(&overhead.id, Text::toned(Tone::Dim, call)));
        blocks.push(Block::paragraph(shape(overhead, report.run.complete)));
        let rows: Vec<Turn> = parts(overhead).collect();
        let table = Rows::shown(columns(), detail, &[]);
        blocks.push(Block::Table(table.of_all(&rows)));
    }
    let interval = match report.overhead.iter().any(Overhead::has_intervals) {
        true => "half the 95 % interval of the median",
        false => "needs at least six samples",
    };
    let legend = format!(
        "timed: the same iteration with two reads and a subtraction around it. overhead: timed \
         minus baseline, sample by sample. ±: {interval}."
    );
    blocks.push(Block::Legend(legend.into()));
    blocks
}

/// What was measured, in a sentence.
fn shape(overhead: &Overhead, complete: bool) -> String {
    let asked = [overhead.samples, overhead.n, overhead.m];
    let defaults = if asked == DEFAULTS {
        " (the defaults)".to_owned()
    } else {
        let [samples, n, m] = DEFAULTS.map(count);
        format!(" (the defaults are {samples} {n} {m})")
    };
    let until = match complete {
        true => "before the time was up",
        false => "before the run was interrupted",
    };
    let taken = match overhead.cut_short {
        Some(turns) => format!(
            "; none was finished {until}, and the figures are from {} of the first",
            plural(turns, "iteration", "iterations")
        ),
        None if overhead.taken < overhead.samples => {
            format!("; {} taken {until}", count(overhead.taken))
        }
        None => String::new(),
    };
    format!(
        "{} of {}, each of which sums {}{defaults}{taken}.",
        plural(overhead.samples, "sample", "samples"),
        plural(overhead.n, "iteration", "iterations"),
        plural(overhead.m, "integer", "integers")
    )
}

/// An overhead, one of its rows by name, and the figures of that row.
type Turn<'a> = (&'a Overhead, &'static str, &'a Centre);

fn parts(overhead: &Overhead) -> impl Iterator<Item = Turn<'_>> {
    [
        (overhead, BASELINE.name(), &overhead.baseline),
        (overhead, TIMED.name(), &overhead.timed),
        (overhead, OVERHEAD.name(), &overhead.overhead),
    ]
    .into_iter()
}

fn columns<'a>() -> Vec<Of<Turn<'a>>> {
    let count = |key, cell| column(key, &ITERATION, cell);
    vec![
        column("id", &ITERATION, |(o, _, _): &Turn| Cell::code(&o.id)),
        count("samples", |(o, _, _): &Turn| Cell::count(Some(o.samples))),
        count("n", |(o, _, _): &Turn| Cell::count(Some(o.n))),
        count("m", |(o, _, _): &Turn| Cell::count(Some(o.m))),
        count("taken", |(o, _, _): &Turn| Cell::count(Some(o.taken))),
        column("part", &ITERATION, |(_, part, _): &Turn| emphasised(Cell::text(*part), part))
            .full(0)
            .also_name(),
        column("average_ns", &AVERAGE, |(_, part, centre): &Turn| {
            emphasised(Cell::number(Some(centre.average_ns)), part)
        })
        .full(0)
        .unit("ns")
        .decimal(),
        column("", &MEDIAN, |(overhead, part, centre): &Turn| {
            emphasised(median(overhead, centre), part)
        })
        .full(0)
        .unit("ns")
        .decimal()
        .spread(),
        column("median_ns", &MEDIAN, |(_, _, c): &Turn| Cell::number(Some(c.median_ns))),
        column("low_ns", &MEDIAN, |(_, _, c): &Turn| Cell::number(Some(c.low_ns))),
        column("high_ns", &MEDIAN, |(_, _, c): &Turn| Cell::number(Some(c.high_ns))),
    ]
}

fn emphasised(cell: Cell, part: &str) -> Cell {
    match part == OVERHEAD.name() {
        true => cell.toned(Tone::Strong),
        false => cell,
    }
}

/// The median, with its interval if there are samples enough for one.
fn median(overhead: &Overhead, centre: &Centre) -> Cell {
    if !overhead.has_intervals() {
        return Cell::number(Some(centre.median_ns));
    }
    Cell::new(Value::Estimate(Box::new(Estimate {
        value_ns: centre.median_ns,
        low_ns: centre.low_ns,
        high_ns: centre.high_ns,
        ..Estimate::default()
    })))
}

static TERMS: &[&Term] = &[&ITERATION, &BASELINE, &TIMED, &OVERHEAD, &AVERAGE, &MEDIAN];

static ITERATION: Term = Term {
    names: &["an iteration"],
    place: "column of overhead",
    unit: "",
    about: "One iteration of the loop, which sums M integers: without timing, with it, and the \
            difference.",
    how: "SAMPLES samples of N iterations each; 9999 999 999 unless you say otherwise.",
    act: "",
    references: &[METHOD],
};

static BASELINE: Term = Term {
    names: &["baseline"],
    place: "row of overhead",
    unit: "ns",
    about: "An iteration of the loop without timing.",
    how: "Two reads of the ruler around all iterations of a sample, divided by their number. The \
          two loops of a sample run in random order.",
    act: "",
    references: &[METHOD],
};

static TIMED: Term = Term {
    names: &["timed"],
    place: "row of overhead",
    unit: "ns",
    about: "The same iteration with two reads of the clock around it and their subtraction.",
    how: "As baseline. Both loops are compiled in the clock's language and call the same function \
          for the sum.",
    act: "",
    references: &[METHOD],
};

static OVERHEAD: Term = Term {
    names: &["overhead"],
    place: "row of overhead",
    unit: "ns",
    about: "What timing adds to an iteration of this loop. Another loop overlaps with the reads \
            differently, so it may be less or more than two reads, or even negative.",
    how: "Timed minus baseline, sample by sample, so its median is not the difference of the two \
          medians above it.",
    act: "If it is more than a few per cent of what you time, time several iterations at once.",
    references: &[METHOD],
};

static AVERAGE: Term = Term {
    names: &["average"],
    place: "column of overhead",
    unit: "ns",
    about: "The mean of all samples, including interrupts.",
    how: "Their sum divided by their number.",
    act: "If it is far above the median, something disturbed the run.",
    references: &[METHOD],
};

static MEDIAN: Term = Term {
    names: &["median"],
    place: "column of overhead",
    unit: "ns",
    about: "Half of the samples are below it. A few disturbed samples do not change it.",
    how: "With the 95 % interval of order statistics, ranks n/2 ± 0.98 √n.",
    act: "",
    references: &["David and Nagaraja, Order Statistics, 7.1", METHOD],
};
