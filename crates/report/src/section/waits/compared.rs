//! The waits of two reports next to each other: of the same machine on mains and on battery, or
//! before and after a change.

use super::rows::{method, setting, waits_of};
use crate::block::{Block, Cell, Column, Table};
use crate::number::{plural, short};
use chronoscope_model::Report;
use chronoscope_model::quantile::{Interval, Percentile};
use chronoscope_model::waits::{Load, Wait};
use std::cmp::Ordering;
use std::ptr;

/// The rows that both reports have, load by load; none if they have none in common. A row that the
/// other report has under another load only is compared with that one.
pub fn view(report: &Report, other: &Report) -> Option<Vec<Block>> {
    let heads = heads(report, other);
    let mut blocks = vec![Block::noted("Waits compared", about(&heads))];
    let pairs: Vec<(&Wait, &Wait)> =
        waits_of(report).filter_map(|wait| Some((wait, same(wait, report, other)?))).collect();
    if pairs.is_empty() {
        return None;
    }
    for loads in Load::ALL.into_iter().flat_map(|a| Load::ALL.map(|b| [a, b])) {
        let of_it: Vec<_> = pairs.iter().filter(|(a, b)| [a.load, b.load] == loads).collect();
        if of_it.is_empty() {
            continue;
        }
        blocks.push(Block::legend(match loads.map(Load::name) {
            [a, b] if a == b => format!("Load {a}:"),
            [a, b] => {
                let [this, other] = &heads;
                format!("The loads differ: {a} ({this}), {b} ({other}):")
            }
        }));
        let items = of_it.into_iter().map(|(wait, other)| row(wait, other).into());
        blocks.push(Block::Table(Table {
            columns: columns(&heads),
            items: items.collect(),
            ..Table::default()
        }));
    }
    let has = |wait: &&Wait| pairs.iter().any(|(a, b)| ptr::eq(*a, *wait) || ptr::eq(*b, *wait));
    let alone = waits_of(report).chain(waits_of(other)).filter(|wait| !has(wait)).count();
    if alone > 0 {
        let rows = plural(alone as u64, "row is", "rows are");
        blocks.push(Block::paragraph(format!("{rows} in only one of the reports.")));
    }
    Some(blocks)
}

/// The names of the reports: their power sources if these differ.
fn heads(report: &Report, other: &Report) -> [String; 2] {
    let [a, b] = [report, other].map(power);
    match (a, b) {
        (Some(a), Some(b)) if a != b => [a, b],
        _ => ["this".into(), "other".into()],
    }
}

/// What powered the machine during the waits.
fn power(report: &Report) -> Option<String> {
    waits_of(report).find_map(|wait| wait.power.clone())
}

fn about([this, other]: &[String; 2]) -> String {
    format!("p90 of overshoot, {this} and {other}; 'same' if the 95 % intervals overlap")
}

/// The row of the other report that answers the same question, or the same question under a load
/// for which neither report has the row of the other.
fn same<'a>(wait: &Wait, report: &'a Report, other: &'a Report) -> Option<&'a Wait> {
    let key = |wait: &Wait| {
        let slack = if wait.default_slack { None } else { wait.slack_ns };
        let set = (slack, wait.timer_period_ms, wait.slice_ns);
        (wait.id.clone(), wait.requested_ns, wait.period_ns, wait.cpu, set)
    };
    let wanted = key(wait);
    let rows = |of: &'a Report| waits_of(of).filter(|wait| key(wait) == wanted);
    let elsewhere = || rows(other).find(|one| rows(report).all(|wait| wait.load != one.load));
    rows(other).find(|one| one.load == wait.load).or_else(elsewhere)
}

fn row(wait: &Wait, other: &Wait) -> Vec<Cell> {
    vec![
        Cell::code(&wait.id).shown(method(wait)),
        setting(wait.slack_ns),
        setting(wait.slice_ns),
        Cell::text(wait.requested_ns.map_or(String::new(), |ns| short(ns as f64))),
        Cell::whole_ns(wait.percentile(Percentile::P90)),
        Cell::whole_ns(other.percentile(Percentile::P90)),
        Cell::text(change(wait, other)),
    ]
}

/// How the p90 of the other row compares with that of the first, if the two can be told apart.
fn change(wait: &Wait, other: &Wait) -> String {
    let of = |wait: &Wait| Some((wait.intervals.p90?, wait.percentile(Percentile::P90)?));
    let (Some((this, from)), Some((that, to))) = (of(wait), of(other)) else {
        return "too few waits".into();
    };
    let times = |a: u64, b: u64| format!("{:.2}", a.max(1) as f64 / b.max(1) as f64);
    match apart(this, that) {
        Some(Ordering::Less) => format!("{} x later", times(to, from)),
        Some(Ordering::Greater) => format!("{} x sooner", times(from, to)),
        _ => "same".into(),
    }
}

/// Which of two intervals lies below the other; `None` if they overlap.
fn apart(this: Interval, that: Interval) -> Option<Ordering> {
    let below = |a: Interval, b: Interval| a.high_ns.is_some_and(|high| high < b.low_ns);
    match (below(this, that), below(that, this)) {
        (true, _) => Some(Ordering::Less),
        (_, true) => Some(Ordering::Greater),
        _ => None,
    }
}

fn columns([this, other]: &[String; 2]) -> Vec<Column> {
    let close = |head: String| Column::new(head).right().close();
    vec![
        Column::new("method").whole_name(),
        close("slack".into()).also_name(),
        close("slice".into()).also_name(),
        close("wait".into()).also_name(),
        close(format!("p90\n{this}")),
        close(format!("p90\n{other}")),
        close("change".into()),
    ]
}
