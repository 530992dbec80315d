//! What timing adds to a real loop.

mod page;

use super::columns::{Rows, Spec, columns};
use super::{Detail, SECTION as PLAIN, Section, heading_of};
use crate::block::{Block, Cell, Tone};
use crate::number::{count, plural};
use chronoscope_model::Report;
use chronoscope_model::loops::{Centre, Overhead};
use chronoscope_model::spec::OverheadSpec;

pub const SECTION: Section = Section {
    id: "overhead",
    records: &[("overhead", "overhead")],
    measured: true,
    terms: include_str!("terms.md"),
    view,
    page: Some(page::page),
    table: Some(|report| {
        let rows = report.overhead.iter().flat_map(parts);
        Rows::data(columns()).of_all(&rows.collect::<Vec<_>>())
    }),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief {
        return Vec::new();
    }
    if report.overhead.is_empty() {
        return vec![Block::paragraph("No overhead was measured.")];
    }
    let mut blocks = Vec::new();
    for overhead in &report.overhead {
        blocks.push(heading_of(report, &overhead.id));
        blocks.push(Block::paragraph(shape(overhead, report.run.complete)));
        let rows: Vec<Turn> = parts(overhead).collect();
        let table = Rows::shown(columns(), detail);
        blocks.push(Block::Table(table.of_all(&rows)));
    }
    blocks.push(legend(report.overhead.iter()));
    blocks
}

fn legend<'a>(mut all: impl Iterator<Item = &'a Overhead>) -> Block {
    let interval = if all.any(Overhead::has_intervals) {
        "half the 95 % interval, which covers other processes and placements"
    } else {
        "needs at least six samples"
    };
    let legend = format!(
        "timed: the same iteration with two reads and a subtraction around it. overhead: timed \
         minus baseline, sample by sample. ±: {interval}."
    );
    Block::legend(legend)
}

fn shape(overhead: &Overhead, complete: bool) -> String {
    let asked = [overhead.samples, overhead.n, overhead.m];
    let defaults = if asked == OverheadSpec::SHAPE {
        " (the defaults)".to_owned()
    } else {
        let [samples, n, m] = OverheadSpec::SHAPE.map(count);
        format!(" (the defaults are {samples} {n} {m})")
    };
    let until = if complete { "before the time was up" } else { "before the run was interrupted" };
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
    let processes = overhead.processes.filter(|count| *count > 1);
    let places = processes.map_or(String::new(), |count| format!(", in {count} processes"));
    format!(
        "{} of {}, each of which sums {}{defaults}{taken}{places}.",
        plural(overhead.samples, "sample", "samples"),
        plural(overhead.n, "iteration", "iterations"),
        plural(overhead.m, "integer", "integers")
    )
}

/// An overhead, one of its rows by name, and the figures of that row.
type Turn<'a> = (&'a Overhead, &'static str, &'a Centre);

fn parts(overhead: &Overhead) -> impl Iterator<Item = Turn<'_>> {
    [
        (overhead, "baseline", &overhead.baseline),
        (overhead, "timed", &overhead.timed),
        (overhead, "overhead", &overhead.overhead),
    ]
    .into_iter()
}

fn columns<'a>() -> Vec<Spec<Turn<'a>>> {
    columns! { (overhead, part, centre) in Turn;
        "id" "an iteration" [] Cell::code(&overhead.id);
        "samples" "an iteration" [] Cell::count(overhead.samples);
        "n" "an iteration" [] Cell::count(overhead.n);
        "m" "an iteration" [] Cell::count(overhead.m);
        "taken" "an iteration" [] Cell::count(overhead.taken);
        "part" "an iteration" [full also_name] emphasised(Cell::text(*part), part);
        "average_ns" "average" [full unit("ns") decimal]
            emphasised(Cell::number(centre.average_ns), part);
        "" "median" [full unit("ns") decimal spread] emphasised(median(overhead, centre), part);
        "median_ns" "median" [] Cell::number(centre.median_ns);
        "low_ns" "median" [] Cell::number(centre.low_ns);
        "high_ns" "median" [] Cell::number(centre.high_ns);
    }
}

fn emphasised(cell: Cell, part: &str) -> Cell {
    cell.toned_if(part == "overhead", Tone::Strong)
}

/// The median, with its interval if there are enough samples for one.
fn median(overhead: &Overhead, centre: &Centre) -> Cell {
    match overhead.has_intervals() {
        true => Cell::within(centre.median_ns, centre.low_ns, centre.high_ns),
        false => Cell::number(centre.median_ns),
    }
}
