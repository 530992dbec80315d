//! Writes one page of the reports that are named on the command line to standard output.

use chronoscope_model::Report;
use chronoscope_report::page::{self, Input};
use std::error::Error;
use std::io;

fn main() -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut reports: Vec<Report> = Vec::new();
    for name in &names {
        reports.push(serde_json::from_str(&std::fs::read_to_string(name)?)?);
    }
    let inputs = names.iter().zip(&reports).map(|(name, report)| Input { name, report });
    let inputs: Vec<Input<'_>> = inputs.collect();
    page::write(&inputs, &mut io::stdout().lock())?;
    Ok(())
}
