//! DuckDB and ClickHouse, which PyPI has as modules of Python, in `target/analysis`.

use anyhow::{Context, Result, ensure};
use chronoscope_ci::runtimes::from_pypi;
use chronoscope_ci::sh;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xshell::Shell;

/// Versions that are known to work. chdb is ClickHouse's engine; chdb-core holds its library.
const PACKAGES: [&str; 3] = ["duckdb==2.0.1", "chdb==4.4.0", "chdb-core==26.9.0"];
const RUN: &str = include_str!("run.py");
/// A query that takes this long hangs.
const LIMIT: Duration = Duration::from_secs(900);

/// The engines, by the names in those of their preludes.
pub const ENGINES: [&str; 2] = ["duckdb", "clickhouse"];

/// The folder for engines and fleets.
pub fn folder() -> PathBuf {
    sh::target().join("analysis")
}

/// The folder with the SQL.
pub fn sql() -> PathBuf {
    sh::root().join("crates/fleet/files/sql")
}

/// What one file of SQL returned last.
#[derive(Deserialize, Clone)]
pub struct Table {
    /// The name of the file.
    pub file: String,
    /// How long it took, without the start of the engine.
    pub seconds: f64,
    /// The process's peak of memory until then.
    pub mib: u64,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// The texts of a column.
    pub fn column(&self, name: &str) -> Result<Vec<String>> {
        let at = self.columns.iter().position(|column| column == name);
        let at = at.with_context(|| format!("{}: no column {name}", self.file))?;
        let text = |it: &Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
        Ok(self.rows.iter().map(|row| text(&row[at])).collect())
    }
}

/// Installs the engines if they are missing.
pub fn install(sh: &Shell) -> Result<()> {
    let proof = "chdb/__init__.py";
    from_pypi(sh, &folder().join("pypi"), &PACKAGES, proof)?;
    sh.write_file(folder().join("run.py"), RUN)?;
    Ok(())
}

/// Runs files of SQL one after the other in one process of an engine, with this as the current
/// folder, and returns what each returned last.
pub fn run(
    sh: &Shell,
    engine: &str,
    mib: u64,
    fleet: &Path,
    files: &[PathBuf],
) -> Result<Vec<Table>> {
    let script = folder().join("run.py");
    let bytes = (mib << 20).to_string();
    let command = sh::limited(sh, LIMIT).arg("python3").arg(script);
    let command = command.args([engine, &bytes]).arg(fleet).args(files);
    let text = sh::read(command.env("PYTHONPATH", folder().join("pypi")))?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Fails unless two engines returned the same rows, with numbers equal to nine digits.
pub fn same(one: &Table, other: &Table) -> Result<()> {
    ensure!(one.columns == other.columns, "columns {:?} and {:?}", one.columns, other.columns);
    let (some, more) = (one.rows.len(), other.rows.len());
    ensure!(some == more, "{some} and {more} rows");
    for (row, twin) in one.rows.iter().zip(&other.rows) {
        let alike = row.iter().zip(twin).all(|pair| match pair {
            (Value::Number(a), Value::Number(b)) => {
                let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
                (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
            }
            (a, b) => a == b,
        });
        ensure!(alike, "{row:?} and {twin:?}");
    }
    Ok(())
}
