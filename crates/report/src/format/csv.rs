//! One table for spreadsheets.

use crate::block::{Cell, Column, Table, Value};
use crate::clean::clean;
use crate::section;
use chronoscope_model::{Estimate, Report};
use std::collections::HashMap;
use std::io::{self, Write};

/// The statistics that an estimate has for programs.
type Statistic = (&'static str, fn(&Estimate) -> f64);
const STATISTICS: [Statistic; 6] = [
    ("ns", |e| e.value_ns),
    ("low_ns", |e| e.low_ns),
    ("high_ns", |e| e.high_ns),
    ("min_ns", |e| e.min_ns),
    ("median_ns", |e| e.median_ns),
    ("p99_ns", |e| e.p99_ns),
];

/// Writes the table of the report's screen (RFC 4180), or else all tables as one, whose first
/// column names the table. Figures are in the units that the headings name; what is unknown, or
/// what a table does not have, is empty.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let tables = section::tables(report);
    if let [(_, only)] = &tables[..] {
        return table_of(only, out);
    }
    let first = |name: &str| vec![name.to_owned()];
    joined(&["table"], tables.iter().map(|(name, table)| (first(name), table)), out)
}

/// Writes the tables of several reports, each with its name, as one: before the columns of
/// [`write()`], those of the report, of its run, its kernel and its start, and of the table.
///
/// # Errors
/// Those of the writer.
pub fn write_all<'a>(
    reports: impl IntoIterator<Item = (&'a str, &'a Report)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut tables = Vec::new();
    for (name, report) in reports {
        let kernel = report.environment.kernel.as_deref().unwrap_or_default();
        let of_report = [name, &report.run.id, kernel, &report.run.started].map(harmless);
        for (table, rows) in section::tables(report) {
            tables.push(([&of_report[..], &[table.to_owned()]].concat(), rows));
        }
    }
    let heads = ["report", "run", "kernel", "time", "table"];
    joined(&heads, tables.iter().map(|(first, table)| (first.clone(), table)), out)
}

/// Writes tables as one, after columns of these names, which are the same in all rows of a table.
/// A column of a table with the name of one of them ends with `_`.
fn joined<'a>(
    first: &[&str],
    tables: impl Iterator<Item = (Vec<String>, &'a Table)> + Clone,
    out: &mut dyn Write,
) -> io::Result<()> {
    let named = |column: &Column| {
        let own = |head: String| if first.contains(&&*head) { format!("{head}_") } else { head };
        heads(column).into_iter().map(own).collect::<Vec<_>>()
    };
    let mut all: Vec<String> = first.iter().map(|head| (*head).to_owned()).collect();
    let mut places: HashMap<String, usize> = HashMap::new();
    for head in tables.clone().flat_map(|(_, table)| table.columns.iter().flat_map(named)) {
        places.entry(head).or_insert_with_key(|head| {
            all.push(head.clone());
            all.len() - 1
        });
    }
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(&all).map_err(error)?;
    for (begins, table) in tables {
        let heads = table.columns.iter().flat_map(named);
        let places: Vec<usize> = heads.map(|head| places[&head]).collect();
        for row in table.rows() {
            let mut record = vec![String::new(); all.len()];
            let cells = table.columns.iter().zip(&row.cells);
            let of_row = cells.flat_map(|(column, cell)| fields(column, cell));
            places.iter().zip(of_row).for_each(|(at, field)| record[*at] = field);
            record[..begins.len()].clone_from_slice(&begins);
            writer.write_record(&record).map_err(error)?;
        }
    }
    writer.flush()
}

/// Writes one table.
///
/// # Errors
/// Those of the writer.
pub(crate) fn table_of(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    joined(&[], std::iter::once((Vec::new(), table)), out)
}

fn error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn heads(column: &Column) -> Vec<String> {
    let key = column.key;
    if column.statistics {
        STATISTICS.map(|(name, _)| format!("{key}_{name}")).to_vec()
    } else {
        vec![key.to_owned()]
    }
}

fn fields(column: &Column, cell: &Cell) -> Vec<String> {
    match &cell.value {
        Value::Estimate(e) if column.statistics => STATISTICS.map(|(_, of)| number(of(e))).to_vec(),
        _ if column.statistics => vec![String::new(); STATISTICS.len()],
        Value::Absent | Value::Bar(_) | Value::Drawing(_) | Value::Strip(_) | Value::Stack(_) => {
            vec![String::new()]
        }
        Value::Text(text) | Value::Code(text) => vec![harmless(text)],
        Value::Flag(flag) => vec![flag.to_string()],
        Value::Count(n) => vec![n.to_string()],
        Value::Whole(n) => vec![n.to_string()],
        Value::Number(n) | Value::Ns(n) | Value::Share(n) => vec![number(*n)],
        Value::Estimate(e) => vec![number(e.value_ns)],
    }
}

/// Text that no spreadsheet interprets as a formula: if it begins like one, an apostrophe comes
/// first (OWASP, "CSV Injection").
fn harmless(text: &str) -> String {
    let text = clean(text);
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

/// A number in full; empty if it is not finite.
fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}
