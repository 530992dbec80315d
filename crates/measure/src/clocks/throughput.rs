//! Ten rows of a hundred reads of the counter, straight after one another, as Agner Fog's tables of
//! instructions are measured: the ticks and the core cycles that a row takes, and what the
//! processor's own counters say, where a program can use them.

use crate::engine::bench::Bench;
use crate::engine::gauges::{Gauges, Look};
use crate::engine::{Batch, RulerKind};
use chronoscope_model::Environment;
use chronoscope_model::loops::{Throughput, ThroughputRow};
use chronoscope_probes::clocks::{self, Count, Event, Opening, hundred, uops};

const ROWS: usize = 10;
/// How often a row is tried if the thread is taken off its CPU.
const TRIES: usize = 8;
/// How often the cost of timing is tried. The lowest counts.
const EMPTY: usize = 64;

/// Measures the rows; `None` if this process cannot execute the instruction.
pub fn measure(env: &Environment) -> Option<Throughput> {
    let instruction = hundred::INSTRUCTION?;
    clocks::find(hundred::CLOCK)?.open(Opening::Checked).ok()?;
    let mut bench = Bench::new(RulerKind::here());
    let mut gauges = Gauges::here().filter(|_| env.emulated.is_none());
    let mut pace = |bench: &mut Bench, empty: u64| {
        let gauge = |what| gauges.as_mut().map(|gauges| gauges.time(bench, what));
        Look::now(gauge, empty as f64)
    };
    let tries = (0..EMPTY).map(|_| bench.time(hundred::nothing).ticks);
    let empty = tries.min().unwrap_or_default();
    // The first look and the first row warm up their code.
    pace(&mut bench, empty);
    let mut row = || {
        let before = pace(&mut bench, empty);
        let Batch { ticks, disturbed } = bench.time(hundred::reads);
        let pace = before.and(pace(&mut bench, empty)).pace();
        let clock = ticks.saturating_sub(empty);
        let core_cycles = pace.map(|pace| clock as f64 * pace);
        (ThroughputRow { clock, core_cycles, ..ThroughputRow::default() }, disturbed)
    };
    row();
    let rows = (0..ROWS).map(|_| {
        let mut tries = (0..TRIES).map(|_| row());
        tries.find(|(_, disturbed)| !disturbed).unwrap_or_else(&mut row).0
    });
    let mut found = Throughput {
        instruction: instruction.into(),
        times: hundred::TIMES,
        rows: rows.collect(),
        ..Throughput::default()
    };
    if found.core_cycles().is_some() {
        found.cycles_by = "a chain of dependent additions, before and after each row".into();
    }
    found.lacking = counted(&mut found).err().unwrap_or_default();
    Some(found)
}

/// Adds what the processor's counters say. Each event is counted in rows of its own, so that no two
/// of them share a counter. The error is what is not counted, and why.
fn counted(found: &mut Throughput) -> Result<(), String> {
    let open = |what: &str, event| Count::open(event).map_err(|why| format!("{what}: {why}"));
    let mut count = open("instructions, uops and ports", Event::Instructions)?;
    fill(found, &mut count, |row, count| row.instructions = Some(count));
    let mut count = open("cycles", Event::Cycles)?;
    if fill(found, &mut count, |row, count| row.core_cycles = Some(count as f64)) {
        found.cycles_by = "the processor's counter of cycles".into();
    }
    for (name, event) in uops::events() {
        let mut count = open(name, Event::Raw(*event))?;
        if *name == "uops" {
            fill(found, &mut count, |row, count| row.uops = Some(count));
        } else if fill(found, &mut count, |row, count| row.by_port.push(count)) {
            found.ports.push((*name).into());
        }
    }
    match uops::events() {
        [] => Err("uops and ports: the events of this processor are not known".into()),
        [_] => Err("ports: this processor does not count by port".into()),
        _ => Ok(()),
    }
}

/// Counts an event in ten rows without what counting adds, and puts it into the rows. Does nothing
/// and returns `false` if it was not counted in all of them.
fn fill(found: &mut Throughput, count: &mut Count, put: impl Fn(&mut ThroughputRow, u64)) -> bool {
    let mut around = |work: fn()| {
        let before = count.count()?;
        work();
        count.count()?.checked_sub(before)
    };
    let empty = (0..EMPTY).filter_map(|_| around(hundred::nothing)).min();
    let rows: Option<Vec<u64>> = found.rows.iter().map(|_| around(hundred::reads)).collect();
    let (Some(empty), Some(rows)) = (empty, rows) else {
        return false;
    };
    let all = found.rows.iter_mut().zip(rows);
    all.for_each(|(row, all)| put(row, all.saturating_sub(empty)));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_rows_of_a_hundred_or_none() {
        let Some(found) = measure(&Environment::default()) else {
            return;
        };
        assert_eq!((found.rows.len(), found.times), (ROWS, 100));
        assert!(found.rows.iter().all(|row| row.clock > 0), "{found:?}");
        let counted = found.rows.iter().all(|row| row.instructions.is_some());
        assert!(counted || !found.lacking.is_empty(), "{found:?}");
        // An interrupt may add a signal handler's instructions to a row, but not to most of them.
        let hundred = found.rows.iter().filter(|row| row.instructions == Some(100)).count();
        assert!(!counted || hundred > ROWS / 2, "{found:?}");
        assert!(found.rows.iter().all(|row| row.by_port.len() == found.ports.len()));
    }

    #[test]
    fn an_emulated_core_is_not_gauged() {
        let emulated = Some("an emulator".to_owned());
        let found = measure(&Environment { emulated, ..Environment::default() });
        let gauged = found.is_some_and(|found| found.cycles_by.contains("additions"));
        assert!(!gauged);
    }
}
