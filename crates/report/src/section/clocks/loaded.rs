//! What reads cost under loads, next to what they cost without one.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use crate::block::{Block, Cell, Value};
use crate::under_load::{conditions, name, times};
use chronoscope_model::{Clock, Estimate, Report};

/// A clock without a load, and the same clock without or with one.
type Pair<'a> = (&'a Clock, &'a Clock);

/// The figures of each clock under each load; nothing if there was no load.
pub(super) fn view(report: &Report) -> Vec<Block> {
    let mut rows: Vec<Pair> = Vec::new();
    for clock in &report.clocks {
        let under = report.clocks_under_load.iter().filter(|other| other.id == clock.id);
        let mut under = under.peekable();
        if under.peek().is_some() {
            rows.push((clock, clock));
            rows.extend(under.map(|other| (clock, other)));
        }
    }
    let mut blocks = Vec::new();
    if !rows.is_empty() {
        let calls = report.clocks_under_load.iter().any(|clock| clock.bulk.is_some());
        let remark = "cost of a read, without interrupted batches";
        blocks.push(Block::noted("Under load", remark));
        let table = Rows::shown(columns(calls), Detail::Full);
        blocks.push(Block::Table(table.of_all(&rows)));
    }
    blocks.extend(conditions(report));
    blocks
}

fn columns<'a>(calls: bool) -> Vec<Spec<Pair<'a>>> {
    columns! { (none, clock) in Pair;
        "" "clock" [full name(12)]
            if clock.load.is_none() { Cell::code(&clock.id) } else { Cell::text("") };
        "" "load" [full also_name] Cell::text(name(clock.load));
        "" "read" [full unit("ns") decimal spread] Cell::estimate(clock.cost.throughput.as_ref());
        "" "× none" [full narrow("×\nnone") decimal close]
            against(&clock.cost.throughput, &none.cost.throughput);
        "" "ordered" [full unit("ns") decimal] Cell::estimate(clock.cost.latency.as_ref());
        "" "× none" [full narrow("×\nnone") decimal close]
            against(&clock.cost.latency, &none.cost.latency);
        "" "left out" [full narrow("left\nout") right]
            Cell::some(clock.cost.throughput.as_ref(), |cost| Value::Share(left_out(cost)));
        "" "time" [full_if(calls) unit("ms") decimal]
            Cell::number(clock.bulk.as_ref().map(|bulk| bulk.ms));
        "" "× none" [full_if(calls) narrow("×\nnone") decimal close] times(
            clock.bulk.as_ref().map(|bulk| bulk.ms),
            none.bulk.as_ref().map(|bulk| bulk.ms),
        );
    }
}

fn against(cost: &Option<Estimate>, none: &Option<Estimate>) -> Cell {
    let known = |cost: &Option<Estimate>| cost.as_ref()?.known_ns();
    times(known(cost), known(none))
}

/// The share of batches that were disturbed, 0 to 1.
fn left_out(cost: &Estimate) -> f64 {
    cost.disturbed as f64 / (cost.disturbed + cost.batches).max(1) as f64
}
