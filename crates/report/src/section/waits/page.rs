//! The waits on a page: for each duration how late they end, as curves, against CPU time and in
//! figures; then the causes, the choices and the circumstances.

use super::charts::{self, Row};
use super::table::frames;
use super::{Detail, best, durations, group, loads, method_cell, setting, table, waits_of, why};
use crate::block::{Block, Cell, Column, Item, Table, Text, Tone, Value};
use crate::number::{count, percent, plural, short};
use crate::page::Input;
use crate::section::shared::{Rows, Spec, capitalized, columns};
use chronoscope_model::quantile::Percentile::{P50, P90, P99, P999};
use chronoscope_model::waits::{Kind, Takes, Wait};
use std::collections::BTreeSet;

pub(super) fn page(inputs: &[Input<'_>]) -> Vec<Block> {
    let rows = charts::page_rows(inputs);
    let several = inputs.len() > 1;
    let asked: BTreeSet<u64> = inputs
        .iter()
        .flat_map(|input| durations(&waits_of(input.report).collect::<Vec<_>>()))
        .collect();
    let mut blocks = Vec::new();
    if rows.is_empty() {
        blocks.push(Block::noted("How late waits end", "No wait was measured."));
    } else if asked.len() > 1 {
        let lengths: Vec<String> = asked.iter().map(|ns| short(*ns as f64)).collect();
        let asked = format!("Waits of {}.", lengths.join(", "));
        blocks.push(Block::noted("How late waits end", asked));
    }
    for ns in asked {
        let of_it = rows.iter().filter(|row| row.wait.requested_ns == Some(ns));
        let of_it: Vec<&Row> = of_it.collect();
        let waits: Vec<_> = of_it.iter().map(|row| row.wait).collect();
        let what = format!("{} of {}", group(&waits, false).0, short(ns as f64));
        blocks.push(Block::remarked(
            format!("How late a {what} ends"),
            finding_of_duration(inputs, &of_it, ns),
        ));
        blocks.extend(charts::percentile_charts(inputs, &of_it, &what));
        blocks.extend(charts::count_charts(inputs, &of_it, &what));
        blocks.extend(charts::cost_chart(&of_it, &what, several));
        blocks.push(Block::Table(figures_table(inputs, &of_it)));
    }
    for input in inputs {
        let ours = |blocks: Vec<Block>| named(blocks, several.then_some(input.name));
        blocks.extend(ours(best::best(input.report)));
        blocks.extend(ours(why::why_drawn(input.report)));
        blocks.extend(ours(circumstances(input)));
    }
    blocks
}

/// The blocks with the report's name in their first heading, if there are several reports.
fn named(mut blocks: Vec<Block>, name: Option<&str>) -> Vec<Block> {
    if let (Some(Block::Heading { title, .. }), Some(name)) = (blocks.first_mut(), name) {
        *title = format!("{title}, {name}");
    }
    blocks
}

/// Under what conditions the waits were measured, what happened to them, and which methods are
/// missing.
fn circumstances(input: &Input<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (load, rows) in loads(input.report) {
        let conditions = table::conditions(input.report, &rows);
        let cpus: BTreeSet<usize> = rows.iter().filter_map(|wait| wait.cpu).collect();
        let cpus = cpus.iter().map(|cpu| format!("CPU {cpu}"));
        let conditions: Vec<String> = cpus.chain(conditions).collect();
        let load_words = Text::toned(Tone::Strong, charts::next_to(load));
        blocks.push(Block::paragraph(load_words.and(format!(": {}", conditions.join(", ")))));
        blocks.extend(table::load_remarks(&rows));
        blocks.extend(table::remarks(&rows));
        let moments = rows.iter().flat_map(|wait| wait.moment.iter().map(move |m| (wait, m)));
        blocks.extend(moments.flat_map(|(wait, moment)| table::moment(wait, moment)));
    }
    blocks.extend(table::unavailable(&input.report.waits, Detail::Full));
    if !blocks.is_empty() {
        blocks.insert(0, Block::heading("How the waits were made"));
    }
    blocks
}

// The finding of one duration in a sentence: how late an ordinary sleep ends, and how late the
// most accurate method.

/// So many reports have a sentence each.
const REPORTS: usize = 4;

/// What the rows of one duration show, report by report, and how far their curves can be trusted.
fn finding_of_duration(inputs: &[Input<'_>], rows: &[&Row<'_>], ns: u64) -> Text {
    let mut text = Text::default();
    for (of, input) in inputs.iter().enumerate().take(REPORTS) {
        let ours: Vec<&Row> = rows.iter().copied().filter(|row| row.of == of).collect();
        let Some(found) = finding_of_report(input, &ours, ns) else { continue };
        if inputs.len() > 1 {
            text = text.and(Text::toned(Tone::Strong, input.name)).and(": ");
        }
        text = text.and(found).and(". ");
    }
    let counts = || rows.iter().map(|row| row.count()).filter(|n| *n > 0);
    match (counts().min(), counts().max()) {
        (Some(a), Some(b)) => {
            let waits = if a == b {
                plural(a, "wait says", "waits say")
            } else {
                format!("{} to {} waits say", count(a), count(b))
            };
            text.and(format!("A curve is faint where {waits} little."))
        }
        _ => text,
    }
}

/// `ID is 83.2 us late in the median, ID 329 ns for 3.9 % of a CPU`,
/// from the rows of the lightest load; absent if no median is known.
fn finding_of_report(input: &Input<'_>, rows: &[&Row<'_>], ns: u64) -> Option<Text> {
    let load = charts::loads_of_rows(rows).into_iter().next()?;
    let median = |row: &Row| row.wait.percentile(P50);
    let of_load = rows.iter().copied().filter(|row| row.wait.load == load);
    let known: Vec<&Row> = of_load.filter(|row| median(row).is_some()).collect();
    // Without a choice, the least late one is shown as what it is.
    let best = known.iter().copied().find(|row| row.advised);
    let best = best.or_else(|| {
        let undecided = charts::most_accurate(input, ns).is_none();
        known.iter().copied().filter(|_| undecided).min_by_key(|row| median(row))
    });
    let sleep = ordinary_sleep(&known).filter(|it| best.is_none_or(|best| best.name != it.name));
    let late = |row: &Row| Text::toned(Tone::Strong, short(median(row).unwrap_or(0) as f64));
    let name = |row: &Row| Text::toned(Tone::Name, row.name.clone());
    let share = |row: &Row| {
        let share = row.wait.cpu_share.filter(|share| share.is_finite());
        share.map_or(String::new(), |share| format!(" for {} of a CPU", percent(share)))
    };
    let whole = |row: &Row| name(row).and(" is ").and(late(row)).and(" late in the median");
    match (sleep, best) {
        (Some(sleep), Some(best)) => {
            Some(whole(sleep).and(", ").and(name(best)).and(" ").and(late(best)).and(share(best)))
        }
        (Some(one), None) | (None, Some(one)) => Some(whole(one).and(share(one))),
        (None, None) => None,
    }
}

/// An ordinary sleep: of those that take a duration (of all, if none does), with the slack that a
/// thread has by default, the middle one.
fn ordinary_sleep<'a, 'b>(rows: &[&'b Row<'a>]) -> Option<&'b Row<'a>> {
    let sleeps = |takes: bool| {
        let plain = rows.iter().copied().filter(move |row| {
            let wait = row.wait;
            let duration = wait.facts.is_some_and(|facts| facts.takes == Takes::Duration);
            wait.kind == Kind::Sleep
                && (wait.default_slack || wait.slack_ns.is_none())
                && wait.slice_ns.is_none()
                && (duration || !takes)
        });
        plain.collect::<Vec<&Row>>()
    };
    let mut plain = sleeps(true);
    if plain.is_empty() {
        plain = sleeps(false);
    }
    plain.sort_by_key(|row| row.wait.percentile(P50));
    plain.get(plain.len() / 2).copied()
}

// The figures of one duration, with a strip in each row: the rows of all loads and reports on one
// axis.

type Line<'a> = &'a Row<'a>;

fn figures_table(inputs: &[Input<'_>], rows: &[&Row<'_>]) -> Table {
    let mut table = Rows::shown(figure_columns(rows), Detail::Full);
    // The number of the report of each row.
    let mut reports = Vec::new();
    for load in charts::loads_of_rows(rows) {
        let mut of_it: Vec<&Row> =
            rows.iter().copied().filter(|row| row.wait.load == load).collect();
        let waits: Vec<&Wait> = of_it.iter().map(|row| row.wait).collect();
        table.group(capitalized(&charts::next_to(load)), group(&waits, false).1);
        // The rows of a method follow each other, that of the first report first.
        let first = of_it.clone();
        let place = |row: &Row| first.iter().position(|it| it.name == row.name);
        of_it.sort_by_key(|row| place(row));
        for row in of_it {
            table.add(&row, row.advised);
            reports.push(row.of);
        }
    }
    let mut table = table.table();
    if inputs.len() > 1 {
        table.columns.insert(1, Column::new("report").also_name());
        let mut reports = reports.into_iter();
        for item in &mut table.items {
            if let Item::Row(row) = item {
                let name = reports.next().and_then(|of| inputs.get(of)).map(|it| it.name);
                row.cells.insert(1, Cell::words(name));
            }
        }
    }
    table
}

fn figure_columns<'a>(rows: &[&Row<'_>]) -> Vec<Spec<Line<'a>>> {
    let has = |it: fn(&Wait) -> bool| rows.iter().any(|row| it(row.wait));
    let (slack, slice) = (has(|it| it.slack_ns.is_some()), has(|it| it.slice_ns.is_some()));
    let grid = has(|it| it.grid.is_some());
    let work = has(|it| it.work_ns.is_some());
    let rare = has(|it| it.percentile(P999).is_some());
    columns! { row in Line;
        "" "method" [full whole_name] {
            let cell = method_cell(&(row.wait, row.several_cpus));
            cell.toned_if(row.advised, Tone::Good)
        };
        "" "slack" [full_if(slack) also_name right close] setting(row.wait.slack_ns);
        "" "slice" [full_if(slice) also_name right close] setting(row.wait.slice_ns);
        "" "overshoot" [full] table::strip_cell(row.wait, row.of, &row.name);
        "" "p50" [full right] Cell::whole_ns(row.wait.percentile(P50));
        "" "p50 95 %" [full right more] table::interval_cell(row.wait, P50);
        "" "p90" [full right] Cell::whole_ns(row.wait.percentile(P90));
        "" "p90 95 %" [full right more] table::interval_cell(row.wait, P90);
        "" "p99" [full right] Cell::whole_ns(row.wait.percentile(P99));
        "" "p99 95 %" [full right more] table::interval_cell(row.wait, P99);
        "" "p99.9" [full_if(rare) right] Cell::whole_ns(row.wait.percentile(P999));
        "" "max" [full right] Cell::ns(row.wait.max_ns as f64);
        "" "early" [full right] {
            let early = row.wait.early;
            Cell::count(early).toned(if early > 0 { Tone::Bad } else { Tone::Dim })
        };
        "" "CPU" [full right] {
            Cell::some(row.wait.cpu_share, Value::Share).said(row.wait.cpu_words()).or("")
        };
        "" "waits" [full right] Cell::count(row.wait.samples);
        "" "missed" [full_if(grid) right] Cell::count(row.wait.grid.as_ref().map(|it| it.missed));
        "" "frames/s" [full_if(work) right] frames(row.wait);
        "" "deadlines" [full_if(grid) right more]
            Cell::count(row.wait.grid.as_ref().map(|it| it.corrected.count));
        "" "p50, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P50));
        "" "p99, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P99));
        "" "p99.9, missed included" [full_if(grid) right more]
            Cell::whole_ns(row.wait.corrected(P999));
    }
}
