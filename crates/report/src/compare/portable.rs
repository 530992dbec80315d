//! Several reports next to each other: which clocks work on every machine and what they cost there,
//! and what timing adds to a loop.

use super::words::{file_name, letter, named, utc};
use crate::block::{Block, Cell, Column, Fact, Item, Table, Text, Tone, Value};
use crate::number::{count, plural, short, three};
use crate::section::{Detail, Rows, Spec, by_key, columns};
use chronoscope_model::clock::Scope;
use chronoscope_model::compare::{
    ClockRow, Compared, Found, OverheadFound, OverheadRow, Portable, Problem, Source,
};
use chronoscope_model::loops::Centre;

/// What a comparison shows. Clocks that not every machine has are shown if everything is asked for.
pub(super) fn view(compared: &Compared, detail: Detail) -> Vec<Block> {
    let machines = compared.reports.len() as u64;
    let mut blocks = vec![Block::heading(format!("{machines} reports compared"))];
    let sources = compared.reports.iter().enumerate();
    let facts = sources.map(|(at, source)| Fact::new(letter(at), about(source)));
    blocks.push(Block::Facts(facts.collect()));
    blocks.extend(overhead(compared));
    blocks.extend(clocks(compared, detail));
    blocks
}

fn about(source: &Source) -> Text {
    let (file, time) = (file_name(&source.file), utc(&source.started));
    let under = source.hypervisor.as_ref().map(|name| format!("under {name}"));
    let arch = Some(source.arch.clone());
    named(&file, [time, arch, source.processor.clone(), source.os.clone(), under])
}

pub(super) fn clocks(compared: &Compared, detail: Detail) -> Vec<Block> {
    if compared.clocks.is_empty() {
        return Vec::new();
    }
    let machines = compared.reports.len();
    let rows = || compared.clocks.iter();
    let mut works: Vec<&ClockRow> = rows().filter(|row| row.works()).collect();
    works.sort_by(|a, b| a.mean_ns.unwrap_or(0.0).total_cmp(&b.mean_ns.unwrap_or(0.0)));
    let fails = rows().filter(|row| row.exists() && !row.works()).collect();
    let lacking: Vec<&ClockRow> = rows().filter(|row| !row.exists()).collect();
    let shown = if detail == Detail::Everything { lacking.clone() } else { Vec::new() };
    let groups = [
        ("Work on all", "the cheapest first", works),
        ("Do not work on all", "", fails),
        ("Not on all", "", shown),
    ];
    let mut items = Vec::new();
    for (name, remark, rows) in groups.into_iter().filter(|(.., rows)| !rows.is_empty()) {
        items.push(Item::Group { name: name.into(), remark: remark.into() });
        items.extend(rows.into_iter().map(clock));
    }
    let mut columns = vec![Column::new("clock").name(16)];
    for at in 0..machines {
        let head = format!("{}\nns", letter(at));
        columns.push(Column::new(head).decimal().part(at));
        columns.push(Column::new(format!("{}\nx", letter(at))).decimal().close().part(at));
    }
    columns.push(Column::new("why not").gives_way(14).part(machines));
    let mut blocks = vec![Block::noted("Clocks on all machines", "cost of a read")];
    blocks.push(Block::Table(Table { columns, items, ..Table::default() }));
    blocks.push(Block::legend(
        "ns: back to back. x: compared with the cheapest clock of that machine that works there. A \
         clock works if it follows an interval of 100 ms, shows a millisecond, does not wrap \
         within an hour, and is not one to avoid.",
    ));
    let lacking = lacking.len() as u64;
    if lacking > 0 && detail != Detail::Everything {
        let clocks = plural(lacking, "clock is", "clocks are");
        blocks.push(Block::paragraph(format!("{clocks} not on all of the machines: -v.")));
    }
    blocks.extend([Scope::Universal, Scope::Local].map(|scope| portable(compared, scope)));
    blocks
}

fn clock(row: &ClockRow) -> Item {
    let mut cells = vec![Cell::code(&row.id)];
    for found in &row.on {
        let bad = found.problem.is_some();
        cells.push(cost(found).toned_if(bad, Tone::Bad));
        let ratio =
            found.ratio.map(|x| if x < 10.0 { format!("{x:.1}") } else { format!("{x:.0}") });
        cells.push(Cell::number(found.ratio).said(ratio).toned(Tone::Dim));
    }
    cells.push(Cell::text(why_not(row)));
    cells.into()
}

fn cost(found: &Found) -> Cell {
    match (found.read_ns, found.low_ns, found.high_ns) {
        (Some(ns), Some(low), Some(high)) => Cell::within(ns, low, high),
        (ns, ..) => Cell::number(ns),
    }
}

/// The reasons against a clock, each with the machines that it holds for.
fn why_not(row: &ClockRow) -> String {
    let on = row.on.iter().enumerate();
    let reasons = on.filter_map(|(at, it)| Some((reason(it.problem?, it), letter(at))));
    let all = row.on.len();
    let words = by_key(reasons).into_iter().map(|(reason, on)| match on.len() {
        every if every == all => reason,
        _ => format!("{}: {reason}", on.join(" ")),
    });
    words.collect::<Vec<_>>().join("; ")
}

fn reason(problem: Problem, found: &Found) -> String {
    let of = |ns: Option<f64>| ns.map_or(String::new(), |ns| format!(" {}", short(ns)));
    match problem {
        Problem::NotThere => "not there".into(),
        Problem::NotMeasured => "not measured".into(),
        Problem::Off => "off over 100 ms".into(),
        Problem::NotTested => "100 ms not tested".into(),
        Problem::Wraps => format!("wraps after{}", of(found.wraps_after_s.map(|s| s * 1e9))),
        Problem::Coarse => format!("coarse:{}", of(found.step_ns)),
        Problem::Avoid => "to avoid (clocks)".into(),
    }
}

/// The choice for intervals or for dates, in one line: the cheapest of all, and of each language.
fn portable(compared: &Compared, scope: Scope) -> Block {
    let purpose = if scope == Scope::Universal { "For dates" } else { "For intervals" };
    let chosen = compared.portable.iter().filter(|it| it.scope == scope);
    let name = |it: &Portable| {
        let (language, ns) = (it.language.name(), three(it.mean_ns));
        Text::toned(Tone::Strong, &it.id).and(format!(" ({language}, {ns} ns)"))
    };
    let names: Vec<Text> = chosen.map(name).collect();
    if names.is_empty() {
        let none = format!("{purpose}, no clock works on all of these machines.");
        return Block::paragraph(none);
    }
    let line = format!("{purpose} on all, the cheapest of each language by its geometric mean: ");
    let line = Text::from(line);
    Block::Paragraph(line.and(Text::dotted(names)))
}

pub(super) fn overhead(compared: &Compared) -> Vec<Block> {
    type Part = (&'static str, fn(&OverheadFound) -> &Centre);
    const PARTS: [Part; 3] = [
        ("baseline", |it| &it.baseline),
        ("timed", |it| &it.timed),
        ("overhead", |it| &it.overhead),
    ];
    if compared.overhead.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::noted("Overhead", "what timing adds to an iteration")];
    for row in &compared.overhead {
        let on = || row.on.iter().enumerate().filter_map(|(at, it)| Some((at, it.as_ref()?)));
        let mut columns = vec![Column::new("an iteration").also_name()];
        for (at, _) in on() {
            let head = |name: &str| format!("{}\n{name}\nns", letter(at));
            columns.push(Column::new(head("average")).decimal().part(at));
            columns.push(Column::new(head("median")).decimal().part(at));
        }
        let items = PARTS.map(|(name, of)| {
            let figures = on().flat_map(|(_, it)| [of(it).average_ns, of(it).median_ns]);
            let cells = std::iter::once(Cell::text(name)).chain(figures.map(Cell::number));
            let tone = |cell: Cell| cell.toned_if(name == "overhead", Tone::Strong);
            cells.map(tone).collect::<Vec<_>>().into()
        });
        blocks.push(Block::noted(&row.id, shape(row)));
        blocks.push(Block::Table(Table { columns, items: items.into(), ..Table::default() }));
    }
    blocks.push(Block::legend(
        "timed: the same iteration with two reads and a subtraction around it. overhead: timed \
         minus baseline, sample by sample.",
    ));
    blocks
}

fn shape(row: &OverheadRow) -> String {
    let [samples, n, m] = [row.samples, row.n, row.m].map(count);
    format!("{samples} samples of {n} iterations, each of which sums {m} integers")
}

/// The rows for programs: one for each clock and report or, without clocks, for each overhead and
/// report.
pub(super) fn data(compared: &Compared) -> Table {
    let reports = &compared.reports;
    if compared.clocks.is_empty() {
        let rows = compared.overhead.iter().flat_map(|row| {
            let found = row.on.iter().zip(reports);
            found.filter_map(move |(found, source)| Some((row, found.as_ref()?, source)))
        });
        return Rows::data(overhead_data()).of_all(rows);
    }
    let rows = compared.clocks.iter();
    let rows = rows.flat_map(|row| row.on.iter().zip(reports).map(move |(f, s)| (row, f, s)));
    Rows::data(clock_data()).of_all(rows)
}

fn clock_data<'a>() -> Vec<Spec<(&'a ClockRow, &'a Found, &'a Source)>> {
    columns! { (row, found, source) in (&'a ClockRow, &'a Found, &'a Source);
        "id" "clock" [] Cell::code(&row.id);
        "language" "clock" [] Cell::text(row.language.name());
        "works_on_all" "clock" [] Cell::flag(row.works());
        "mean_ns" "clock" [] Cell::number(row.mean_ns);
        "file" "clock" [] Cell::text(&source.file);
        "started" "clock" [] Cell::text(&source.started);
        "arch" "clock" [] Cell::text(&source.arch);
        "read_ns" "clock" [] Cell::number(found.read_ns);
        "low_ns" "clock" [] Cell::number(found.low_ns);
        "high_ns" "clock" [] Cell::number(found.high_ns);
        "ratio" "clock" [] Cell::number(found.ratio);
        "step_ns" "clock" [] Cell::number(found.step_ns);
        "follows" "clock" [] Cell::some(found.follows, Value::Flag);
        "wraps_after_s" "clock" [] Cell::number(found.wraps_after_s);
        "why_not" "clock" [] Cell::words(found.problem.map(|it| reason(it, found)));
    }
}

fn overhead_data<'a>() -> Vec<Spec<(&'a OverheadRow, &'a OverheadFound, &'a Source)>> {
    columns! { (row, found, source) in (&'a OverheadRow, &'a OverheadFound, &'a Source);
        "id" "clock" [] Cell::code(&row.id);
        "samples" "clock" [] Cell::count(row.samples);
        "n" "clock" [] Cell::count(row.n);
        "m" "clock" [] Cell::count(row.m);
        "file" "clock" [] Cell::text(&source.file);
        "started" "clock" [] Cell::text(&source.started);
        "arch" "clock" [] Cell::text(&source.arch);
        "baseline_average_ns" "baseline" [] Cell::number(found.baseline.average_ns);
        "baseline_median_ns" "baseline" [] Cell::number(found.baseline.median_ns);
        "timed_average_ns" "timed" [] Cell::number(found.timed.average_ns);
        "timed_median_ns" "timed" [] Cell::number(found.timed.median_ns);
        "overhead_average_ns" "overhead" [] Cell::number(found.overhead.average_ns);
        "overhead_median_ns" "overhead" [] Cell::number(found.overhead.median_ns);
    }
}
