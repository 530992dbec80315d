//! Surveys this machine and writes the report as JSON: `cargo run --example report -- report.json`.

use chronoscope_survey::{Survey, start_up};
use std::error::Error;
use std::fs::File;

fn main() -> Result<(), Box<dyn Error>> {
    start_up();
    let path = std::env::args().nth(1).ok_or("usage: report PATH")?;
    let report = Survey::summary().run()?;
    serde_json::to_writer_pretty(File::create(path)?, &report)?;
    Ok(())
}
