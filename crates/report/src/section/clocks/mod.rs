//! The clocks: what each costs, how fine it is, and whether it can be trusted.

mod details;
mod table;

use super::{Detail, Line, Rows, Section, Spec, absent, each, lines_blocks, together, whose};
use crate::block::{Block, Cell, Column, Part, Rank, Table, Text, Tone};
use crate::number::plural;
use crate::page::Input;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Kind, Reads};
use chronoscope_model::packed::packed;
pub(super) use table::smallest;
use table::{cost_marks, verdict};

pub const SECTION: Section = Section {
    id: "clocks",
    records: &[("clocks", "clock"), ("clocks_under_load", "clock-under-load")],
    measured: true,
    terms: packed!("terms.md"),
    view,
    glance: Some(glance),
    page: Some(page),
    table: Some(|report| {
        let all = report.clocks.iter().chain(&report.clocks_under_load);
        Rows::data(table::columns()).of_all(all)
    }),
};

const PARTS: &[Part] = &[
    Part { title: "Cost of a read", remark: "± is half the 95 % interval" },
    Part { title: "Resolution", remark: "seen: between two successive reads" },
    Part {
        title: "Trust",
        remark: "100 ms: what the clock shows for that interval; (ruler): no check",
    },
    Part { title: "Verdict", remark: "and a value of this run" },
];

/// The kinds in the order of the catalogue, with their names and what they count.
const KINDS: [(Kind, &str, &str); 4] = [
    (Kind::Counter, "Counters", "raw ticks, no epoch"),
    (Kind::Monotonic, "Monotonic", "local time, never stepped"),
    (Kind::Wall, "Wall", "universal time, may be stepped"),
    (Kind::Cpu, "CPU time", "of the process or the thread"),
];

fn view(report: &Report, detail: Detail) -> Vec<Block> {
    if report.clocks.is_empty() {
        return absent(detail, "No clock was measured.");
    }
    let mut blocks = Vec::new();
    let mut rows = Rows::shown(columns(report), detail);
    if detail == Detail::Brief {
        let remark = "cost of a read, the cheapest of each kind first";
        blocks.push(Block::noted("Clocks", remark));
    } else {
        // Whoever asks for calls that are really made asks for their table.
        blocks.extend(details::really_made_calls(report));
        rows = rows.parts(PARTS);
    }
    // The clocks that are available, by kind, the cheapest of each kind first.
    let table = by_kind(rows, report, by_cost);
    if table.is_empty() {
        blocks.push(Block::paragraph("None is available on this machine."));
    } else {
        blocks.push(Block::Table(table));
        blocks.push(Block::legend(legend(report, detail)));
    }
    if detail == Detail::Everything {
        blocks.extend(details::tick_and_latency(report));
        blocks.extend(details::batches(report));
    }
    if detail != Detail::Brief {
        blocks.extend(details::under_loads(report));
        blocks.extend(details::order_of_reads(report));
    }
    blocks.extend(unavailable(report));
    blocks
}

/// Of each kind the clock to use, those that programs commonly read, and others, as long as there
/// is room; the cheapest of each kind first.
fn glance(report: &Report, most: usize) -> Vec<Block> {
    if !report.clocks.iter().any(|clock| clock.available) {
        return view(report, Detail::Brief);
    }
    let mut columns = columns(report);
    for Spec { column, .. } in &mut columns {
        match column.key {
            "kind" => (column.brief, column.stacks) = (true, true),
            "latency" => column.brief = false,
            _ => {}
        }
    }
    let mut rows = Rows::shown(columns, Detail::Brief);
    let mut hidden = 0;
    for (kind, ..) in KINDS {
        let mut clocks = of_kind(report, kind);
        let is_other_path = |clock: &Clock| !clock.common && clock.alternative_to.is_some();
        clocks.sort_by_key(|clock| (!clock.best, !clock.common, is_other_path(clock)));
        hidden += clocks.len().saturating_sub(most);
        clocks.truncate(most);
        by_cost(&mut clocks);
        clocks.into_iter().for_each(|clock| rows.add(clock, clock.best));
    }
    let mut legend = "~: the cost of a read · *: core shared, or lower of two costs".to_owned();
    if hidden > 0 {
        legend += &format!(" · {hidden} more: -v");
    }
    let remark = "cost of a read, ± half the 95 % interval; ▸ the one to use of its kind";
    vec![Block::noted("Clocks", remark), Block::Table(rows.table()), Block::legend(legend)]
}

fn of_kind(report: &Report, kind: Kind) -> Vec<&Clock> {
    report.clocks.iter().filter(|clock| clock.available && clock.kind == kind).collect()
}

fn by_cost(clocks: &mut [&Clock]) {
    let cost = |clock: &Clock| clock.read_ns().unwrap_or(f64::INFINITY);
    clocks.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
}

fn columns(report: &Report) -> Vec<Spec<Clock>> {
    let mut columns = table::columns();
    // Few machines count instructions, and an empty column does not show why.
    if !report.clocks.iter().any(|clock| clock.cost.instructions.is_some()) {
        columns.retain(|spec| spec.column.key != "throughput_instructions");
    }
    columns
}

/// The table with the clocks that are available, each kind in this order.
fn by_kind(mut rows: Rows<Clock>, report: &Report, order: fn(&mut [&Clock])) -> Table {
    for (kind, name, remark) in KINDS {
        let mut clocks = of_kind(report, kind);
        order(&mut clocks);
        if !clocks.is_empty() {
            rows.group(name, remark);
        }
        clocks.into_iter().for_each(|clock| rows.add(clock, clock.best));
    }
    rows.table()
}

fn legend(report: &Report, detail: Detail) -> String {
    match detail {
        Detail::Brief => "▸ the one to use of its kind · read: back to back, ± half the 95 % \
             interval · ordered: each after the one before · ~: the tick is shorter, but a read \
             takes that long · *: includes a shared core, or the lower of two costs"
            .into(),
        Detail::Full | Detail::Everything => format!(
            "read: back to back. ordered: each after the one before. cold: after branch history \
             and {} were displaced, in one process, so another may differ by more than ±. first: \
             the first in a process. nominal: as the interface claims. measured: the tick, or ~ \
             the cost of a read if that is longer. finer: no tick that a read could show. *: it \
             includes rounds in which the core was shared, or is the lower of two modes of the \
             costs (clocks -v).",
            displaced(report)
        ),
    }
}

/// The caches that were displaced before cold reads.
fn displaced(report: &Report) -> String {
    let Some(displaced) = report.clocks.iter().find_map(|clock| clock.cost.displaced) else {
        return "caches".into();
    };
    let walked = displaced.bytes >> 20;
    match (displaced.level, displaced.last) {
        (Some(level), true) => format!("all caches (L1 to L{level}, {walked} MiB walked)"),
        (Some(level), false) => {
            format!("caches up to L{level} ({walked} MiB walked), but not the last level,")
        }
        (None, _) => format!("{walked} MiB of caches"),
    }
}

/// How many clocks are not available, and where to read why.
fn unavailable(report: &Report) -> Option<Block> {
    let n = report.clocks.iter().filter(|clock| !clock.available).count() as u64;
    let clocks = plural(n, "clock is", "clocks are");
    (n > 0).then(|| {
        let text = Text::from(format!("{clocks} not available on this machine: see "))
            .and(Text::toned(Tone::Name, "chronoscope list clocks"))
            .and(".");
        Block::paragraph(text)
    })
}

// The clocks on a page: what a read costs, as strips, then everything else that was measured.

fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    together(inputs, |inputs| {
        let lines = inputs.iter().enumerate().flat_map(|(of, input)| {
            KINDS.into_iter().flat_map(move |(kind, name, remark)| {
                let mut clocks = of_kind(input.report, kind);
                by_cost(&mut clocks);
                clocks.into_iter().map(move |it| (of, page_line(inputs, of, it, (name, remark))))
            })
        });
        let names = vec![Column::new("clock").also_name().full()];
        let columns = [Column::new("cost"), Column::new("read")];
        let rest = vec![
            Column::new("ordered").unit("ns").decimal().full(),
            Column::new("resolution").right().full(),
            Column::new("verdict").full(),
        ];
        let sentence = inputs.iter().find_map(|input| page_sentence(input.report));
        let title = "What a read costs";
        let mut blocks = lines_blocks(inputs, title, sentence, lines, names, columns, rest);
        blocks.extend(each(inputs, |input| page_details(input.report)));
        blocks
    })
}

fn page_line(inputs: &[Input<'_>], of: usize, clock: &Clock, group: (&str, &str)) -> Line {
    Line {
        group: (group.0.into(), group.1.into()),
        key: clock.id.clone(),
        names: vec![Cell::code(&clock.id)],
        best: clock.best,
        marks: cost_marks(clock, of, |name| whose(inputs, of, &format!("{}, {name}", clock.id))),
        figures: vec![clock.read().cloned()],
        rest: vec![Cell::cost(clock.ordered()), smallest(clock), verdict(clock)],
    }
}

/// What the clock to use for durations costs, and the same clock through a system call.
fn page_sentence(report: &Report) -> Option<String> {
    let monotonic = of_kind(report, Kind::Monotonic);
    let best = monotonic.iter().find(|clock| clock.best)?;
    let text = format!("A read of {} takes {}", best.id, best.read()?.human()?);
    let is_call = |clock: &&&Clock| {
        let reads = clock.facts.as_ref().map(|facts| facts.reads);
        clock.alternative_to.as_ref() == Some(&best.id) && reads == Some(Reads::SystemCall)
    };
    let calls = monotonic.iter().filter(is_call);
    let call = calls.filter_map(|clock| Some((clock.read_ns()?, clock.read()?.human()?)));
    Some(match call.min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, cost)) => format!("{text}; the same clock through a system call, {cost}."),
        None => format!("{text}."),
    })
}

/// What the clocks show besides, and how they were measured.
fn page_details(report: &Report) -> Vec<Block> {
    let mut blocks = Vec::new();
    let table = besides(report);
    if !table.is_empty() {
        blocks.push(Block::Table(table));
        blocks.push(Block::legend(legend(report, Detail::Full)));
    }
    blocks.extend(details::tick_and_latency(report));
    blocks.extend(details::batches(report));
    blocks.extend(details::under_loads(report));
    blocks.extend(details::order_of_reads(report));
    blocks.extend(details::really_made_calls(report));
    blocks.extend(unavailable(report));
    blocks
}

/// The table of the screen without its pictures and the costs that the strips show.
fn besides(report: &Report) -> Table {
    let shown = |column: &Column| {
        column.rank == Rank::Name || !["", "throughput", "latency"].contains(&column.key)
    };
    let specs = columns(report).into_iter().filter(|spec| shown(&spec.column)).collect();
    by_kind(Rows::shown(specs, Detail::Full).parts(PARTS), report, |_| {})
}
