//! The SQL of fleets: reports through `load.sql` into Parquet, then every query in DuckDB and in
//! ClickHouse's engine, over the checked-in reports and over a synthetic fleet. Also
//! compares the figures of stability with those of a module of PyPI.

mod checked_in;
pub mod engines;
mod stability;
pub mod synthetic;

use anyhow::{Context, Result, ensure};
use chronoscope_ci::tally::Done;
use chronoscope_ci::tool;
use engines::{ENGINES, Table};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use synthetic::{Fleet, Planted};
use xshell::Shell;

/// The queries, by the names of their files.
pub const QUERIES: [&str; 7] =
    ["census", "outliers", "changes", "findings", "clusters", "percentiles", "offsets"];

/// The most memory that loading or a query may take, in MiB.
pub const MEMORY_MIB: u64 = 2048;

/// What the engines read differently, or only one of them: the text, and what to write instead.
const FORBIDDEN: [(&str, &str); 11] = [
    ("median(", "ClickHouse samples: p50"),
    ("quantile", "differs by name: p50"),
    ("left join", "what has no match is NULL or 0: UNION ALL and GROUP BY"),
    ("right join", "as left join"),
    ("full join", "as left join"),
    ("//", "a comment in ClickHouse"),
    ("arg_max", "only DuckDB has it"),
    ("split_part", "only DuckDB has it"),
    ("exclude", "only DuckDB has it"),
    ("read_parquet", "the prelude's views"),
    ("file(", "the prelude's views"),
];

/// The file of a query or prelude.
pub fn file(name: &str) -> PathBuf {
    engines::sql().join(format!("{name}.sql"))
}

/// Loads a fleet's reports, and returns the files that were left out.
pub fn load(sh: &Shell, fleet: &Path) -> Result<Table> {
    let tables = engines::run(sh, "duckdb", MEMORY_MIB, fleet, &[file("load")])?;
    tables.into_iter().next().context("nothing was loaded")
}

/// The results of files of SQL in an engine, after its prelude.
pub fn ask(sh: &Shell, engine: &str, fleet: &Path, files: &[PathBuf]) -> Result<Vec<Table>> {
    let prelude = [file(&format!("prelude.{engine}"))];
    let mut tables = engines::run(sh, engine, MEMORY_MIB, fleet, &[&prelude[..], files].concat())?;
    Ok(tables.split_off(1))
}

/// An empty folder for a fleet.
pub fn empty(sh: &Shell, name: &str) -> Result<PathBuf> {
    let folder = engines::folder().join(name);
    sh.remove_path(&folder)?;
    sh.create_dir(&folder)?;
    Ok(folder)
}

/// Runs every check.
pub fn suite(sh: &Shell) -> Result<Done> {
    let mut done = Done::default();
    stability::suite(sh, &mut done)?;
    engines::install(sh)?;
    let tool = tool::release(sh)?.tool;
    for query in QUERIES {
        let text = sh.read_file(file(query))?;
        done.check(&format!("{query}: read alike by both engines"), portable(&text));
    }
    checked_in::suite(sh, &tool, &mut done)?;
    let fleet = empty(sh, "synthetic")?;
    let planted = Fleet { machines: 2000, seed: 7 }.write(sh, &tool, &fleet.join("reports"))?;
    load(sh, &fleet)?;
    let queries = QUERIES.map(file);
    let [ours, theirs] = ENGINES.map(|engine| ask(sh, engine, &fleet, &queries));
    let (ours, theirs) = (ours?, theirs?);
    for (one, other) in ours.iter().zip(&theirs) {
        done.check(&format!("{}: same rows in both engines", one.file), engines::same(one, other));
    }
    for (name, ended) in found(&ours, &planted) {
        done.check(name, ended);
    }
    done.check("clickhouse.sql: same rows as from Parquet", clickhouse(sh, &fleet, &ours));
    sh.remove_path(&fleet)?;
    Ok(done)
}

/// Fails if a query holds what the engines read differently.
fn portable(text: &str) -> Result<()> {
    let lines = text.lines().filter(|line| !line.starts_with("--"));
    let words = lines.flat_map(str::split_whitespace).collect::<Vec<_>>();
    let text = words.join(" ").to_lowercase();
    for (what, instead) in FORBIDDEN {
        ensure!(!text.contains(what), "`{what}` ({instead})");
    }
    let mut unions = text.split("union ").skip(1);
    ensure!(unions.all(|rest| rest.starts_with("all ")), "`UNION` without `ALL`");
    for rest in text.split("p50(").skip(1) {
        let mut depth = 1;
        let after = rest.split_once(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        let over = after.is_some_and(|(_, after)| after.trim_start().starts_with("over"));
        ensure!(!over, "`p50` as a window function");
    }
    Ok(())
}

/// Whether the queries found what was planted and nothing else.
pub fn found(tables: &[Table], planted: &Planted) -> Vec<(&'static str, Result<()>)> {
    let table = |name: &str| {
        let of = |it: &&Table| it.file == format!("{name}.sql");
        tables.iter().find(of).with_context(|| format!("no result of {name}"))
    };
    let named = |name: &str, expected: &[&BTreeSet<String>]| {
        let named: BTreeSet<String> = table(name)?.column("machine")?.into_iter().collect();
        let expected: BTreeSet<String> = expected.iter().copied().flatten().cloned().collect();
        let missing: Vec<_> = expected.difference(&named).take(3).collect();
        let others: Vec<_> = named.difference(&expected).take(3).collect();
        ensure!(missing.is_empty() && others.is_empty(), "without {missing:?}, but {others:?}");
        ensure!(!named.is_empty(), "nothing was planted");
        Ok(())
    };
    let (fallen, calls) = (planted.fallen.len(), planted.calls.len());
    // The sum of a column over the rows whose other column is one of these.
    let sum = |name: &str, column: &str, key: &str, keys: &[&str]| -> Result<usize> {
        let (table, mut sum) = (table(name)?, 0);
        for (value, key) in table.column(column)?.iter().zip(table.column(key)?) {
            let wanted = keys.iter().any(|wanted| key.ends_with(wanted));
            sum += if wanted { value.parse::<usize>()? } else { 0 };
        }
        Ok(sum)
    };
    let is = |sum: Result<usize>, expected: usize| {
        let sum = sum?;
        ensure!(sum == expected, "{sum} machines, {expected} were planted");
        Ok(())
    };
    let devices = ["hpet", "acpi_pm"];
    let alarms = ["slow-clocksource-hpet", "slow-clocksource-acpi-pm"];
    let separate = || {
        let table = table("clusters")?;
        let rows: Vec<_> = table.column("fact")?.into_iter().zip(table.column("value")?).collect();
        for (fact, value) in
            [("parameter", "vdso=0"), ("governor", "powersave"), ("clocksource", devices[0])]
        {
            let row = rows.iter().position(|row| (row.0.as_str(), row.1.as_str()) == (fact, value));
            let row = row.with_context(|| format!("{fact} = {value} is missing"))?;
            let others = &table.column("other_machines")?[row];
            ensure!(others == "0", "{others} other machines have {fact} = {value}");
        }
        Ok(())
    };
    vec![
        (
            "outliers: all that were planted, and no other",
            named("outliers", &[&planted.fallen, &planted.calls, &planted.slow, &planted.late]),
        ),
        (
            "changes: all that were planted, and no other",
            named("changes", &[&planted.fallen, &planted.updated]),
        ),
        (
            "offsets: clocks that are off, and no other",
            named("offsets", &[&planted.behind, &planted.doubtful]),
        ),
        ("census: clock sources", is(sum("census", "machines", "clocksource", &devices), fallen)),
        (
            "census: system calls",
            is(sum("census", "by_system_call", "kernel", &["-synthetic"]), fallen + calls),
        ),
        ("findings: now", is(sum("findings", "machines", "finding", &alarms), fallen)),
        ("findings: last week", is(sum("findings", "machines_before", "finding", &alarms), 0)),
        ("clusters: the facts that separate", separate()),
    ]
}

/// Fills ClickHouse's own tables twice, and compares what the queries return from them. The summary
/// by day counts each machine once a day.
fn clickhouse(sh: &Shell, fleet: &Path, ours: &[Table]) -> Result<()> {
    let days = fleet.join("days.sql");
    fs::write(
        &days,
        "SELECT (SELECT count(*) FROM clocks) - (SELECT count(*) FROM
        file('parquet/clocks/**/*.parquet')), (SELECT sum(machines) FROM clocks_daily WHERE clock =
        'rust/instant') - (SELECT count(*) FROM clocks WHERE clock = 'rust/instant')",
    )?;
    let fill = file("clickhouse");
    let files = [&[fill.clone(), fill][..], &QUERIES.map(file)[..], &[days][..]].concat();
    let mut tables = engines::run(sh, "clickhouse", MEMORY_MIB, fleet, &files)?.split_off(2);
    let days = tables.pop().context("no days")?;
    ensure!(days.rows == [[0, 0]], "rows and machines of a day differ by {:?}", days.rows);
    for (one, other) in ours.iter().zip(&tables) {
        engines::same(one, other).with_context(|| one.file.clone())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engines_read_differently_is_refused() {
        assert!(portable("-- LEFT JOIN\nSELECT p50(abs(x)) FROM a UNION ALL SELECT 1").is_ok());
        for wrong in [
            "SELECT median(x)",
            "SELECT * FROM a LEFT\n  JOIN b ON a.x = b.x",
            "SELECT 1 UNION SELECT 2",
            "SELECT p50(abs(x)) OVER (PARTITION BY y)",
            "SELECT quantile_cont(x, 0.5)",
            "SELECT 7 // 2",
        ] {
            assert!(portable(wrong).is_err(), "{wrong}");
        }
    }
}
