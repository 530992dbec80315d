//! The clocks of runtimes on a page: grouped by language, each next to C.

use super::super::page::{
    Line, after_heading, each, finding, joined, mark, table, together, whose,
};
use super::{OneClock, calls, clocks};
use crate::block::chart::What;
use crate::block::{Block, Cell, Column};
use crate::number::{short, three};
use crate::page::Input;
use crate::section::Detail;
use chronoscope_model::runtimes::{Runtime, RuntimeClock};

pub(super) fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    together(inputs, |inputs| {
        let all = || inputs.iter().enumerate();
        let lines = all().flat_map(|(of, input)| {
            let report = &input.report.runtimes;
            clocks(report).map(move |clock| (of, line(inputs, of, report, clock)))
        });
        let lines = joined(inputs.len(), lines.collect::<Vec<_>>());
        let sentence = all().find_map(|(_, input)| sentence(&input.report.runtimes));
        let heading = finding(sentence.unwrap_or_default());
        let names =
            vec![Column::new("runtime").name(8).full(), Column::new("call").name(16).full()];
        let strip = Column::new("a read, next to C");
        let rest = ["× C", "tick", "resolution"].map(|head| Column::new(head).right().full());
        let rest = rest.into_iter().chain([Column::new("stands on").gives_way(16).full()]);
        let table = table(inputs, lines, names, [strip, Column::new("per read")], rest.collect());
        let mut blocks = vec![Block::remarked("What a read costs in other languages", heading)];
        blocks.push(Block::Table(table));
        blocks.extend(each(inputs, |input| {
            let view = (super::SECTION.view)(input.report, Detail::Everything);
            // The first table is the one above.
            let rest = after_heading(view).skip_while(|block| matches!(block, Block::Table(_)));
            rest.collect()
        }));
        blocks
    })
}

/// A clock in C that the runtime is compared with, in the same report and with the same timer.
fn c<'a>(all: &'a [Runtime], runtime: &Runtime) -> Option<&'a RuntimeClock> {
    let call = runtime.relative_to.as_ref()?;
    let in_c = all.iter().filter(|it| {
        it.relative_to.is_none()
            && it.family() == "c"
            && it.hardware_timer == runtime.hardware_timer
    });
    in_c.flat_map(|it| &it.clocks).find(|clock| clock.call == *call)
}

fn line(inputs: &[Input<'_>], of: usize, all: &[Runtime], (runtime, clock): OneClock<'_>) -> Line {
    let reference = c(all, runtime);
    let reference = reference.and_then(|clock| {
        let name = whose(inputs, of, &format!("C, {}", clock.call));
        mark(What::Reference, clock.throughput.as_ref(), of, &name)
    });
    let name = whose(inputs, of, &format!("{}, {}", runtime.id, clock.call));
    let own = mark(What::Read, clock.throughput.as_ref(), of, &name);
    let on = clock.calls.as_deref().map(calls).filter(|text| !text.is_empty());
    let timer = &runtime.hardware_timer;
    Line {
        best: false,
        group: (runtime.language.clone(), String::new()),
        key: format!("{} {} {timer}", runtime.id, clock.id),
        names: vec![Cell::code(&runtime.id), Cell::code(&clock.call)],
        marks: reference.into_iter().chain(own).collect(),
        figures: vec![clock.throughput.clone()],
        rest: vec![
            Cell::number(clock.relative.map(|ratio| ratio.value)),
            Cell::ns(clock.tick_ns),
            Cell::ns(clock.resolution_ns),
            Cell::words(on.or_else(|| clock.claims.clone())),
        ],
    }
}

/// How far runtimes are from C: the first clock of each, which is the one to measure time with.
fn sentence(all: &[Runtime]) -> Option<String> {
    let ratios = all.iter().filter(|runtime| runtime.family() != "c").filter_map(|runtime| {
        let clock = runtime.clocks.iter().find(|clock| clock.relative.is_some())?;
        let ratio = clock.relative?.value;
        (ratio.is_finite() && ratio > 0.0).then_some((ratio, runtime, clock))
    });
    let ratios: Vec<_> = ratios.collect();
    let (most, runtime, clock) = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (least, closest, _) = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let reads = clock.read_ns().map_or(String::new(), |ns| format!(" ({})", short(ns)));
    Some(match ratios.len() {
        1 => format!(
            "{} in {} takes {} times as long as C{reads}.",
            clock.call,
            runtime.id,
            three(*most)
        ),
        _ => format!(
            "A read takes {} times as long as in C in {} and {} times in {}, by {}{reads}.",
            three(*least),
            closest.id,
            three(*most),
            runtime.id,
            clock.call
        ),
    })
}
