//! Pairs of stored reports: of identical runs, and of runs with a planted change.

use super::Found;
use super::place::Place;
use super::plant::SLOWER;
use super::runs::{CLOCKS, CLOCKS_LOADED, Kind, LARGE, LARGE_LOADED, MAIN, MAIN_LOADED, SMALL};
use crate::results::{self, median};
use anyhow::Result;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Two kinds of runs.
struct Set {
    about: &'static str,
    a: &'static Kind,
    b: &'static Kind,
}

const SETS: [Set; 7] = [
    Set { about: "`clocks`", a: &CLOCKS, b: &CLOCKS },
    Set { about: "`clocks`, B next to a load", a: &CLOCKS, b: &CLOCKS_LOADED },
    Set { about: "the main command", a: &MAIN, b: &MAIN },
    Set { about: "the main command, B next to a load", a: &MAIN, b: &MAIN_LOADED },
    Set { about: "`clocks`", a: &CLOCKS, b: &SMALL },
    Set { about: "`clocks`, B next to a load", a: &CLOCKS, b: &LARGE_LOADED },
    Set { about: "`clocks`, A next to a load", a: &CLOCKS_LOADED, b: &LARGE },
];

/// The share of identical pairs in which a row may have changed.
const ALARMS: f64 = 0.05;
/// The share of pairs in which a planted change must be found.
const SEEN: f64 = 0.95;

/// From this share on, a change must be found in disturbed runs, too.
const LARGE_SHARE: f64 = 0.05;

/// What was said of the pairs of a set.
#[derive(Default)]
struct Said {
    pairs: usize,
    /// Pairs with a row that is worse or better.
    alarms: usize,
    /// Pairs of which the tool calls neither run disturbed, and those of them with such a row.
    calm: [usize; 2],
    /// How many rows have each verdict.
    verdicts: BTreeMap<String, usize>,
    /// How often each row was worse or better.
    rows: BTreeMap<String, usize>,
    /// Pairs in which the slower clock is worse: all, and those of calm runs.
    found: [usize; 2],
    /// What was measured of the slower clock, in percent.
    changes: Vec<f64>,
}

impl Said {
    fn add(&mut self, compared: &Value) {
        let rows = compared["rows"].as_array().into_iter().flatten();
        let (mut alarm, mut found) = (false, false);
        for row in rows {
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let (id, quantity, verdict) = (text("id"), text("quantity"), text("verdict"));
            if id == SLOWER && quantity == "read" {
                found = verdict == "worse";
                self.changes.extend(row["change"].as_f64().map(|share| share * 1e2));
            }
            if !["same", "cannot-tell"].contains(&verdict.as_str()) {
                alarm = true;
                *self.rows.entry(format!("`{id}` ({quantity})")).or_default() += 1;
            }
            *self.verdicts.entry(verdict).or_default() += 1;
        }
        let calm = ["a", "b"].iter().all(|side| {
            compared[side]["disturbed"].as_array().is_none_or(|reasons| reasons.is_empty())
        });
        self.pairs += 1;
        self.alarms += usize::from(alarm);
        for (of, is) in self.calm.iter_mut().zip([calm, calm && alarm]) {
            *of += usize::from(is);
        }
        for (of, is) in self.found.iter_mut().zip([found, calm && found]) {
            *of += usize::from(is);
        }
    }

    /// The share of rows with this verdict.
    fn share(&self, verdict: &str) -> f64 {
        let rows: usize = self.verdicts.values().sum();
        let with = self.verdicts.get(verdict).copied().unwrap_or(0);
        1e2 * with as f64 / rows.max(1) as f64
    }

    /// The rows that were worse or better most often.
    fn most(&self) -> String {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
        let rows: Vec<String> =
            rows.iter().take(3).map(|(row, times)| format!("{row} {times}")).collect();
        rows.join(", ")
    }
}

/// Makes the runs that are missing, in turn, so that a slow period of the machine affects all
/// kinds, and compares them.
pub fn run(place: &Place<'_>, runs: usize, disjoint: bool) -> Result<Found> {
    let kinds = SETS.iter().flat_map(|set| [set.a, set.b]);
    for number in 0..runs {
        for kind in kinds.clone().filter(|kind| number < kind.number(runs, disjoint)) {
            place.made(kind, number)?;
        }
    }
    let mut failures = Vec::new();
    let (mut same, mut planted) = (String::new(), String::new());
    for set in &SETS {
        let said = said(place, set, runs, disjoint)?;
        let Said { pairs, alarms, calm: [calm, calm_alarms], found: [found, calm_found], .. } =
            said;
        if let Some(share) = set.b.planted {
            writeln!(
                planted,
                "| {} | +{:.1} % | {:+.2} % | {found} of {pairs} | {calm_found} of {calm} |",
                set.about,
                share * 1e2,
                median(said.changes)?,
            )?;
            let (found, of) = if share < LARGE_SHARE { (calm_found, calm) } else { (found, pairs) };
            if (found as f64) < SEEN * of as f64 {
                failures.push(format!("{}: found in {found} of {of} pairs", set.about));
            }
        } else {
            writeln!(
                same,
                "| {} | {alarms} of {pairs} | {calm_alarms} of {calm} | {:.1} % | {:.1} % | {} |",
                set.about,
                said.share("same"),
                said.share("cannot-tell"),
                said.most()
            )?;
            if alarms as f64 > ALARMS * pairs as f64 {
                failures.push(format!("{}: {alarms} of {pairs} identical pairs", set.about));
            }
        }
    }
    let how = if disjoint { " --disjoint" } else { "" };
    let text = format!(
        "## What changed between two stored reports\n\n{}`cargo research changes {runs}{how}`: \
         complete runs, made in turn and compared with `chronoscope compare A B --json`{}. A load \
         is a spinning thread for each CPU. A run is calm if the tool does not call it disturbed.\
         \n\nIdentical runs, and in how many pairs any row is worse or better:\n\n\
         | runs | pairs | calm pairs | same | cannot tell | which changed most often |\n\
         | --- | ---: | ---: | ---: | ---: | --- |\n{same}\n\
         B has a library preloaded that makes each `clock_gettime` slower, and in how many pairs \
         `{SLOWER}` is worse:\n\n\
         | runs | planted | measured, median | pairs | calm pairs |\n\
         | --- | ---: | ---: | ---: | ---: |\n{planted}",
        results::this_machine(place.sh),
        if disjoint { ", each with one other" } else { ", all with all" },
    );
    Ok(Found { name: "changes", text, failures })
}

fn said(place: &Place<'_>, set: &Set, runs: usize, disjoint: bool) -> Result<Said> {
    let mut said = Said::default();
    let files = |kind: &Kind| -> Vec<_> {
        (0..kind.number(runs, disjoint)).map(|at| kind.file(&place.folder, at)).collect()
    };
    let (first, second) = (files(set.a), files(set.b));
    let own = set.a == set.b;
    for (at, a) in first.iter().enumerate() {
        for (other, b) in second.iter().enumerate() {
            let pair = match (disjoint, own) {
                (false, false) => true,
                (false, true) => at < other,
                (true, false) => at == other,
                (true, true) => at % 2 == 0 && other == at + 1,
            };
            if pair {
                said.add(&place.compared(a, b)?);
            }
        }
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pair_counts_once_however_many_of_its_rows_changed() {
        let row = |said: &str| {
            let (id, change) = (SLOWER, 0.5);
            json!({ "id": id, "quantity": "read", "verdict": said, "change": change })
        };
        let mut said = Said::default();
        said.add(&json!({ "rows": [row("same")] }));
        said.add(&json!({ "rows": [row("same"), row("better"), row("worse")] }));
        said.add(&json!({ "rows": [row("worse")], "b": { "disturbed": ["busy"] } }));
        assert_eq!((said.pairs, said.alarms, said.calm, said.found), (3, 2, [2, 1], [2, 1]));
        assert_eq!((said.share("same"), said.changes.len()), (40.0, 5));
        assert_eq!(said.most(), format!("`{SLOWER}` (read) 3"));
    }
}
