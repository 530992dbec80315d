//! `compare --run`: two commands that take turns, identical and with a planted change.

use super::Found;
use super::place::Place;
use super::plant::{self, SLOWER};
use super::runs::SMALL;
use crate::paired::report;
use crate::results;
use anyhow::{Context, Result};
use chronoscope_ci::sh as shell;
use serde_json::Value;
use std::time::Instant;
use xshell::cmd;

const PAIRS: u32 = 8;
/// The time of each of the runs that take turns.
const BUDGET: &str = "2s";

/// Compares the tool with itself, and with the slower library, in turn.
pub fn run(place: &Place<'_>, draws: usize) -> Result<Found> {
    let Place { sh, tool, .. } = place;
    let share = SMALL.planted.context("it is planted")?;
    let library = plant::library(place, share)?;
    let began = Instant::now();
    shell::read(cmd!(sh, "{tool} clocks --budget {BUDGET} --json --quiet"))?;
    let runs = 2 * draws as u32 * 2 * PAIRS;
    let minutes = (began.elapsed() * runs).as_secs_f64() / 60.0;
    println!("{runs} runs, about {minutes:.0} min");

    let plain = format!("clocks --budget {BUDGET}");
    let slower = format!("LD_PRELOAD='{}' {plain}", library.display());
    let pairs = PAIRS.to_string();
    let compared = |b: &str| -> Result<Value> {
        let began = Instant::now();
        let compare = cmd!(sh, "{tool} compare --run {plain} --run {b} --pairs {pairs}");
        let compared = report(compare.args(["--json", "--quiet"]))?;
        let changed: Vec<&str> = changed(&compared).collect();
        println!("{:.0} s: changed {changed:?}", began.elapsed().as_secs_f64());
        Ok(compared)
    };
    let (mut alarms, mut found) = (0, 0);
    for _ in 0..draws {
        alarms += usize::from(changed(&compared(&plain)?).next().is_some());
        found += usize::from(changed(&compared(&slower)?).any(|id| id == SLOWER));
    }
    let text = format!(
        "## What changed between two commands that take turns\n\n{}`cargo research changes \
         --parts turns --draws {draws}`: `chronoscope compare --run A --run B --pairs {PAIRS}`, of \
         `clocks --budget {BUDGET}`.\n\n\
         | B | a row is worse or better | `{SLOWER}` is |\n| --- | ---: | ---: |\n\
         | the same command | {alarms} of {draws} | |\n\
         | reads +{:.1} %, by a library that is preloaded | | {found} of {draws} |\n",
        results::this_machine(sh),
        share * 1e2
    );
    let mut failures = Vec::new();
    if found < draws {
        failures.push(format!("--run: found in {found} of {draws}"));
    }
    // One of twelve identical commands may differ.
    if alarms * 12 > draws.max(12) {
        failures.push(format!("--run: {alarms} of {draws} identical commands differ"));
    }
    Ok(Found { name: "changes-turns", text, failures })
}

/// The ids of the rows that are worse or better.
pub fn changed(compared: &Value) -> impl Iterator<Item = &str> {
    let rows = compared["rows"].as_array().into_iter().flatten();
    let changed = rows.filter(|row| row["verdict"] == "worse" || row["verdict"] == "better");
    changed.filter_map(|row| row["id"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_rows_that_are_worse_or_better_changed() {
        let row = |id: &str, verdict: &str| json!({ "id": id, "verdict": verdict });
        let all =
            [row("a", "worse"), row("b", "same"), row("c", "better"), row("d", "cannot-tell")];
        let compared = json!({ "rows": all });
        assert_eq!(changed(&compared).collect::<Vec<_>>(), ["a", "c"]);
    }
}
