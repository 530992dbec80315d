//! The throughput of the instruction that reads the counter, in rows as instruction tables are
//! measured.

use super::super::Detail;
use super::super::columns::{Rows, Spec, columns};
use super::known::{Data, Known};
use crate::block::{Block, Cell, Column, Item, Table, Text, Tone, Value};
use crate::number::three;
use chronoscope_model::loops::{Throughput, ThroughputRow};
use chronoscope_model::{Environment, units};

pub(super) fn view(env: &Environment) -> Vec<Block> {
    let Some(found) = env.throughput.as_ref().filter(|found| !found.rows.is_empty()) else {
        return Vec::new();
    };
    let Throughput { instruction, times, .. } = found;
    let remark = format!("{times} instructions one after the other, {} times", found.rows.len());
    let mut blocks = vec![
        Block::noted(format!("Throughput of {instruction}"), remark),
        Block::Table(table(found)),
    ];
    blocks.extend(each(env, found).map(Block::paragraph));
    blocks.push(Block::Legend(Text::toned(Tone::Dim, how(found))));
    blocks
}

/// What one instruction takes.
fn each(env: &Environment, found: &Throughput) -> Option<String> {
    let ticks = found.ticks()?;
    let ns = env.measured_hz().map(|hz| ticks / hz * 1e9).filter(|ns| *ns > 0.0);
    let time =
        ns.map_or_else(|| format!("{} ticks", three(ticks)), |ns| format!("{} ns", three(ns)));
    let Some(cycles) = found.core_cycles() else {
        return Some(format!("{time} per instruction, the median row."));
    };
    let at = ns.map_or(String::new(), |ns| format!(" at {} GHz", three(cycles / ns)));
    let cycles = three(cycles);
    Some(format!(
        "{cycles} core cycles per instruction (reciprocal throughput), {time}{at}, the median row."
    ))
}

/// How the columns are known, and what is not.
fn how(found: &Throughput) -> String {
    let mut text = "Clock is ticks of the counter, without the cost of timing.".to_owned();
    if !found.cycles_by.is_empty() {
        text += &format!(" Core cyc comes from {}.", found.cycles_by);
    }
    if found.rows.iter().all(|row| row.instructions.is_none()) {
        text += " Instruct is what the code contains.";
    }
    if !found.lacking.is_empty() {
        text += &format!(" Not counted: {}.", found.lacking);
    }
    text
}

/// A row, and how many instructions its code contains.
type One<'a> = (&'a ThroughputRow, u32);

fn columns<'a>(uops: bool) -> Vec<Spec<One<'a>>> {
    columns! { (row, times) in One;
        "clock" "Clock" [full right] Cell::count(row.clock);
        "core_cycles" "Core cyc" [full right] Cell::number(row.core_cycles)
            .said(row.core_cycles.map(units::grouped));
        "instructions" "Instruct" [full right]
            Cell::count(row.instructions).or(&times.to_string());
        "uops" "Uops" [full_if(uops) right] Cell::count(row.uops);
    }
}

fn table(found: &Throughput) -> Table {
    let uops = found.rows.iter().any(|row| row.uops.is_some());
    let mut rows = Rows::shown(columns(uops), Detail::Full);
    found.rows.iter().for_each(|row| rows.row(&(row, found.times)));
    let mut table = rows.table();
    for (at, port) in found.ports.iter().enumerate() {
        table.columns.push(Column::new(format!("uop {port}")).right().full());
        for (item, row) in table.items.iter_mut().zip(&found.rows) {
            if let Item::Row(shown) = item {
                shown.cells.push(Cell::count(row.by_port.get(at).copied()));
            }
        }
    }
    table
}

/// The rows for programs.
pub(super) fn data(env: &Environment) -> Vec<Data> {
    let Some(found) = &env.throughput else {
        return Vec::new();
    };
    let count = |count: Option<u64>| count.map(Value::Count);
    let known = (1..).zip(&found.rows).fold(Known::new("", ""), |known, (nth, row)| {
        let key =
            |what: &str| format!("{} x {}, row {nth}: {what}", found.times, found.instruction);
        let known = known
            .value(key("clock"), Some(Value::Count(row.clock)), "ticks")
            .number(key("core cycles"), row.core_cycles, "cycles")
            .value(key("instructions"), count(row.instructions), "")
            .value(key("uops"), count(row.uops), "");
        let ports = found.ports.iter().zip(&row.by_port);
        ports.fold(known, |known, (port, uops)| {
            known.value(key(&format!("uop {port}")), count(Some(*uops)), "")
        })
    });
    known.text("not counted", &found.lacking).data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_that_were_counted() {
        let row = ThroughputRow { clock: 1686, core_cycles: Some(2384.0), ..Default::default() };
        let mut found = Throughput {
            instruction: "rdtsc".into(),
            times: 100,
            rows: vec![row; 10],
            ..Throughput::default()
        };
        assert_eq!(table(&found).columns.len(), 3);
        for row in &mut found.rows {
            (row.instructions, row.uops, row.by_port) = (Some(100), Some(1500), vec![255, 399]);
        }
        found.ports = vec!["p0".into(), "p1".into()];
        let table = table(&found);
        assert_eq!(table.columns.len(), 6);
        let whole = |item: &Item| matches!(item, Item::Row(row) if row.cells.len() == 6);
        assert!(table.items.iter().all(whole));
    }

    #[test]
    fn one_instruction_is_in_cycles_and_ns() {
        let row = ThroughputRow { clock: 1000, core_cycles: Some(2000.0), ..Default::default() };
        let found = Throughput { times: 100, rows: vec![row], ..Throughput::default() };
        let text = each(&Environment::default(), &found).expect("a row");
        assert!(text.starts_with("20.0 core cycles per instruction"), "{text}");
        assert!(text.contains("10.0 ticks"), "{text}");
    }
}
