//! The table of scenarios in research/lab/README.md.

use super::scenario::{Expected, Place, Scenario};
use super::scenarios;
use anyhow::{Context, Result};
use chronoscope_ci::sh;
use std::fmt::Write;
use std::fs;

pub const PATH: &str = "research/lab/README.md";

/// The page, with its table regenerated from the scenarios.
pub fn text() -> Result<String> {
    let page = fs::read_to_string(sh::root().join(PATH))?;
    chronoscope_ci::replaced(&page, "scenarios", &table()).context("no marks of the table")
}

fn table() -> String {
    let mut table = String::from(
        "| scenario | CI | where | what is planted | what must be found |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for scenario in scenarios::all() {
        let Scenario { name, plants, .. } = scenario;
        let ci = if scenario.ci { "yes" } else { "" };
        let place = match &scenario.place {
            Place::Machine(machine) => machine.board.program.trim_start_matches("qemu-system-"),
            Place::Process(_) => "process",
        };
        let finds = match scenario.finds {
            [] => "nothing".into(),
            finds => finds.iter().map(finding).collect::<Vec<_>>().join("; "),
        };
        let _ = writeln!(table, "| `{name}` | {ci} | {place} | {plants} | {finds} |");
    }
    table
}

/// A finding with its level, its certainty and its evidence.
fn finding(expected: &Expected) -> String {
    let evidence: Vec<_> = expected.evidence.iter().map(|text| format!("`{text}`")).collect();
    let kind = [expected.level, expected.certainty].into_iter().filter(|word| !word.is_empty());
    let kind = kind.collect::<Vec<_>>().join(", ");
    let colon = if evidence.is_empty() { "" } else { ": " };
    format!("`{}` ({kind}){colon}{}", expected.id, evidence.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_describes_the_present_scenarios() {
        let page = fs::read_to_string(sh::root().join(PATH)).unwrap();
        assert!(page == text().unwrap(), "`cargo research lab --page` writes the table anew");
    }
}
