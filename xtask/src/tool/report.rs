//! The tool's reports.

use crate::sh;
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Parses a report and checks it against the schema.
pub fn read(text: &[u8]) -> Result<Value> {
    let report = serde_json::from_slice(text).context("the output is not valid JSON")?;
    follows_schema(&report)?;
    Ok(report)
}

/// Checks a report against the checked-in schema.
pub fn follows_schema(report: &Value) -> Result<()> {
    let path = sh::root().join("docs/schema/chronoscope.report-1.json");
    let schema = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema)?)?;
    if let Some(error) = schema.iter_errors(report).next() {
        bail!("the report violates the schema: {error}");
    }
    Ok(())
}
