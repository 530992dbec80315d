//! `cargo research fleet-queries`: what the queries of a fleet take in DuckDB and in
//! ClickHouse's engine over a synthetic fleet with two weekly reports from each machine; with
//! `--check`, whether they find what is planted in a small one, and whether
//! allantools finds clocks as steady as the tool does.

use crate::analysis::synthetic::Fleet;
use crate::analysis::{self, MEMORY_MIB, QUERIES, engines};
use crate::results;
use anyhow::{Context, Result, ensure};
use chronoscope_ci::packages::{self, Need};
use chronoscope_ci::tool;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xshell::Shell;

#[derive(clap::Args)]
pub struct Args {
    /// Number of machines
    #[arg(default_value_t = 100_000)]
    machines: usize,
    /// Print the part without writing it
    #[arg(long)]
    dry: bool,
    /// Only check the queries, over the checked-in reports and a small fleet, and the figures of
    /// stability
    #[arg(long, conflicts_with_all = ["machines", "dry"])]
    check: bool,
}

/// The most that a query may take, in seconds.
const MOST_SECONDS: f64 = 10.0;
const TABLES: [&str; 7] = ["runs", "facts", "clocks", "waits", "histograms", "findings", "sources"];

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    packages::require(sh, &[Need::Analysis])?;
    if args.check {
        let done = analysis::suite(sh)?;
        done.pass_on();
        return Ok(());
    }
    engines::install(sh)?;
    let tool = tool::release(sh)?.tool;
    let fleet = analysis::empty(sh, "fleet-queries")?;
    let (machines, start) = (args.machines, Instant::now());
    let planted = Fleet { machines, seed: 7 }.write(sh, &tool, &fleet.join("reports"))?;
    println!("{machines} machines written in {:.0} s", start.elapsed().as_secs_f64());
    let load = one(engines::run(sh, "duckdb", MEMORY_MIB, &fleet, &[analysis::file("load")])?)?;
    println!("loaded in {:.0} s with {} MiB", load.seconds, load.mib);
    let counts = fleet.join("counts.sql");
    let count = TABLES.map(|table| format!("(SELECT count(*) FROM {table})")).join(", ");
    sh.write_file(&counts, format!("SELECT {count}"))?;
    let counted = one(analysis::ask(sh, "duckdb", &fleet, &[counts])?)?;

    let (mut rows, mut wrong, mut answers) = (String::new(), Vec::new(), Vec::new());
    for query in QUERIES {
        let mut row = String::new();
        // A process of its own for each, for its peak of memory.
        let ask = |engine| one(analysis::ask(sh, engine, &fleet, &[analysis::file(query)])?);
        let [ours, theirs] = engines::ENGINES.map(ask);
        let (ours, theirs) = (ours?, theirs?);
        for table in [&ours, &theirs] {
            row += &format!(" {:.1} s, {} MiB |", table.seconds, table.mib);
            if table.seconds > MOST_SECONDS || table.mib > MEMORY_MIB {
                wrong.push(format!("{query} takes more than its goal"));
            }
        }
        if let Err(error) = engines::same(&ours, &theirs) {
            wrong.push(format!("{query} differs: {error:#}"));
        }
        rows += &format!("| `{query}.sql` | {} |{row}\n", ours.rows.len());
        answers.push(ours);
    }
    for (name, ended) in analysis::found(&answers, &planted) {
        println!("{name}: {ended:?}");
        wrong.extend(ended.err().map(|error| format!("{name}: {error:#}")));
    }
    let mut tables = String::new();
    for (table, count) in TABLES.iter().zip(counted.rows.first().context("no counts")?) {
        let bytes = size(&fleet.join("parquet").join(table))?;
        tables += &format!("| {table} | {count} | {:.1} MB |\n", bytes as f64 / 1e6);
    }
    let [ndjson, parquet] = ["reports", "parquet"].map(|name| size(&fleet.join(name)));
    let now = jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC");
    let part = format!(
        "## Queries of a fleet\n\n{}`cargo research fleet-queries {machines}`, {now}. A \
         synthetic fleet of {machines} machines with two weekly reports each, made from the \
         checked-in reports, with planted faults: {:.1} GB of NDJSON with the keys that the \
         queries use. DuckDB loaded it in {:.0} s with {} MiB into {:.0} MB of Parquet. Each \
         query ran in a process of its own with two threads and at most {MEMORY_MIB} MiB; the \
         memory is the process's peak, with the engine itself. Both engines returned the same rows \
         to nine digits: all planted faults and no other machine. Goals: {MOST_SECONDS:.0} s and \
         {MEMORY_MIB} MiB.\n\n| query | rows | DuckDB | ClickHouse (chdb) |\n\
         | --- | ---: | ---: | ---: |\n{rows}\n| table | rows | Parquet |\n| --- | ---: | ---: |\n\
         {tables}",
        results::this_machine(sh),
        ndjson? as f64 / 1e9,
        load.seconds,
        load.mib,
        parquet? as f64 / 1e6,
    );
    sh.remove_path(&fleet)?;
    results::publish(sh, "fleet-queries", &part, args.dry || !wrong.is_empty())?;
    ensure!(wrong.is_empty(), "{}", wrong.join("; "));
    Ok(())
}

fn one(tables: Vec<engines::Table>) -> Result<engines::Table> {
    tables.into_iter().next().context("no result")
}

/// The bytes of all files below a folder.
fn size(folder: &Path) -> Result<u64> {
    let (mut bytes, mut folders) = (0, vec![PathBuf::from(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => bytes += entry.metadata()?.len(),
            }
        }
    }
    Ok(bytes)
}
