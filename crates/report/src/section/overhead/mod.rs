//! What timing adds to a real loop.

use super::{
    Detail, Line, Rows, SECTION as PLAIN, Section, Spec, absent, columns, cost_mark, each,
    heading_of, is_drawn, lines_blocks, load_conditions, load_name, shown, times_undisturbed,
    together, whose,
};
use crate::block::chart::What;
use crate::block::{Block, Cell, Column, Tone};
use crate::number::{count, percent, plural};
use crate::page::Input;
use crate::scale::{Scale, Unit};
use chronoscope_model::loops::{Centre, Overhead};
use chronoscope_model::packed::packed;
use chronoscope_model::spec::OverheadSpec;
use chronoscope_model::{Estimate, Report};

pub const SECTION: Section = Section {
    id: "overhead",
    records: &[("overhead", "overhead")],
    measured: true,
    terms: packed!("terms.md"),
    view,
    page: Some(page),
    table: Some(|report| Rows::data(columns(true)).of_all(report.overhead.iter().flat_map(parts))),
    ..PLAIN
};

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if detail == Detail::Brief || report.overhead.is_empty() {
        return absent(detail, "No overhead was measured.");
    }
    let mut blocks = Vec::new();
    for overhead in report.overhead.iter().filter(|it| it.load.is_none()) {
        let same = || report.overhead.iter().filter(|other| other.id == overhead.id);
        let loads = same().count() > 1;
        blocks.push(heading_of(&overhead.id, overhead.call.as_ref()));
        blocks.push(Block::paragraph(shape(overhead, report.run.complete)));
        blocks.push(shown(columns(loads), detail, same().flat_map(parts)));
        if loads {
            blocks.push(shown(under_loads(), detail, same().map(|other| (overhead, other))));
        }
    }
    blocks.push(legend(report.overhead.iter()));
    blocks.extend(load_conditions(report));
    blocks
}

/// The overhead without a load, and without or with one.
type Pair<'a> = (&'a Overhead, &'a Overhead);

fn under_loads<'a>() -> Vec<Spec<Pair<'a>>> {
    columns! { (none, loaded) in Pair;
        "" "load" [full also_name] Cell::text(load_name(loaded.load));
        "" "overhead" [full unit("ns") decimal spread] median(loaded, &loaded.overhead);
        "" "× none" [full decimal close]
            times_undisturbed(Some(loaded.overhead.median_ns), Some(none.overhead.median_ns));
    }
}

fn legend<'a>(mut all: impl Iterator<Item = &'a Overhead>) -> Block {
    let interval = match all.find(|it| it.has_intervals()) {
        Some(it) if it.processes > Some(1) => {
            "half the 95 % interval, which covers other processes and placements"
        }
        Some(_) => "half the 95 % interval, of this process and its placement alone",
        None => "needs at least six samples",
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
        let [samples, n, m] = OverheadSpec::SHAPE;
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
    let Overhead { baseline, timed, overhead: added, .. } = overhead;
    let parts = [("baseline", baseline), ("timed", timed), ("overhead", added)];
    parts.into_iter().map(move |(name, centre)| (overhead, name, centre))
}

fn columns<'a>(loads: bool) -> Vec<Spec<Turn<'a>>> {
    columns! { (overhead, part, centre) in Turn;
        "id" "an iteration" [] Cell::code(&overhead.id);
        "load" "load" [full_if(loads) also_name] Cell::text(load_name(overhead.load));
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

// What timing adds, on a page: an iteration without timing, with it, and the difference.

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    together(inputs, |inputs| {
        let lines = inputs.iter().enumerate().flat_map(|(of, input)| {
            let turns = input.report.overhead.iter().flat_map(parts);
            turns.map(move |turn| (of, page_line(inputs, of, turn)))
        });
        let lines: Vec<(usize, Line)> = lines.collect();
        let ends = lines.iter().flat_map(|(_, line)| &line.marks).map(|mark| mark.high);
        let most = ends.fold(1.0, f64::max);
        let strip = Column::new("median").axis(Scale::linear(Unit::Ns, 0.0, most * 1.1));
        let names = vec![Column::new("an iteration").name(8).full()];
        let rest = vec![Column::new("average").unit("ns").decimal().full()];
        let sentence =
            inputs.iter().flat_map(|it| &it.report.overhead).next().and_then(page_sentence);
        let title = "What timing adds to a loop";
        let columns = [strip, Column::new("median")];
        let mut blocks = lines_blocks(inputs, title, sentence, lines, names, columns, rest);
        blocks.extend(each(inputs, |input| {
            let shape = |overhead| {
                let shape = shape(overhead, input.report.run.complete);
                Block::paragraph(format!("{}: {shape}", overhead.id))
            };
            input.report.overhead.iter().map(shape).collect()
        }));
        blocks.push(legend(inputs.iter().flat_map(|input| &input.report.overhead)));
        blocks
    })
}

/// The median as an estimate, whose interval is empty if there is none.
fn estimate(overhead: &Overhead, centre: &Centre) -> Estimate {
    let Centre { median_ns: value_ns, low_ns, high_ns, .. } = *centre;
    let known = overhead.has_intervals();
    let [low_ns, high_ns] = if known { [low_ns, high_ns] } else { [value_ns; 2] };
    Estimate { value_ns, low_ns, high_ns, ..Estimate::default() }
}

fn page_line(inputs: &[Input<'_>], of: usize, (overhead, part, centre): Turn<'_>) -> Line {
    let estimate = estimate(overhead, centre);
    let under = overhead.load.map_or(String::new(), |load| format!(", load {}", load.name()));
    let part = format!("{part}{under}");
    let name = whose(inputs, of, &format!("{part}, {}", overhead.id));
    Line {
        group: (overhead.id.clone(), String::new()),
        key: part.clone(),
        names: vec![Cell::text(part)],
        marks: cost_mark(What::Median, Some(&estimate), of, &name).into_iter().collect(),
        figures: vec![Some(estimate)],
        rest: vec![Cell::number(centre.average_ns)],
        ..Line::default()
    }
}

fn page_sentence(overhead: &Overhead) -> Option<String> {
    let [added, base] = [&overhead.overhead, &overhead.baseline].map(|it| it.median_ns);
    let share = Some(added / base).filter(|share| share.is_finite() && is_drawn(added));
    Some(format!(
        "Two reads of {} around an iteration add {} to the {} that it takes, which is {}.",
        overhead.id,
        estimate(overhead, &overhead.overhead).human()?,
        estimate(overhead, &overhead.baseline).human()?,
        percent(share?)
    ))
}
