//! `cargo research alarms`: runs `chronoscope doctor` again and again, with the CPUs idle and
//! with all of them loaded in turn, and lists what it found at warning or above. On a healthy
//! machine that is nothing, except that the machine was busy. What a file or the kernel's log says
//! in every run is true of the machine; what is found only now and then, or measured, is a false
//! alarm unless something else explains it.

use crate::lab::BUSY;
use crate::loaded::loaded;
use crate::paired::{Tool, report};
use crate::results;
use anyhow::{Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use xshell::{Shell, cmd};

#[derive(clap::Args)]
pub struct Args {
    /// Number of runs; every second one is next to a spinning thread for each CPU
    #[arg(default_value_t = 100)]
    runs: u32,
    /// The time of each run
    #[arg(long, value_name = "DURATION")]
    budget: Option<String>,
    #[command(flatten)]
    tool: Tool,
}

const CONDITIONS: [&str; 2] = ["idle", "loaded"];

/// How often a finding was reported, under each condition.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    level: String,
    certainty: String,
    runs: [u32; 2],
    /// The finding's evidence when it was last reported.
    evidence: String,
}

/// What all runs reported at warning or above, by id.
#[derive(Debug, Default)]
struct Alarms {
    runs: [u32; 2],
    seen: BTreeMap<String, Seen>,
}

impl Alarms {
    fn add(&mut self, condition: usize, report: &Value) {
        self.runs[condition] += 1;
        let findings = report["findings"].as_array().into_iter().flatten();
        for finding in findings.filter(|finding| finding["level"] != "info") {
            let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
            let seen = self.seen.entry(text("id")).or_default();
            seen.runs[condition] += 1;
            (seen.level, seen.certainty) = (text("level"), text("certainty"));
            let lines = finding["evidence"].as_array().into_iter().flatten();
            let lines: Vec<&str> = lines.filter_map(Value::as_str).collect();
            seen.evidence = lines.join("; ");
        }
    }

    /// What the number of runs with a finding says about the machine.
    fn meaning(&self, id: &str, seen: &Seen) -> &'static str {
        if BUSY.contains(&id) {
            "the machine was busy"
        } else if seen.certainty == "evidence" && seen.runs == self.runs {
            "true of the machine"
        } else {
            "**alarm**"
        }
    }

    fn table(&self) -> String {
        let [idle, loaded] = self.runs;
        let mut text = format!(
            "| finding | level | certainty | of {idle} idle | of {loaded} loaded | |\n\
             | --- | --- | --- | ---: | ---: | --- |\n"
        );
        for (id, seen) in &self.seen {
            let ([idle, loaded], meaning) = (seen.runs, self.meaning(id, seen));
            // Writing to a text cannot fail.
            let _ = writeln!(
                text,
                "| `{id}` | {} | {} | {idle} | {loaded} | {meaning} |",
                seen.level, seen.certainty
            );
        }
        text
    }

    fn alarms(&self) -> Vec<String> {
        let alarms = self.seen.iter();
        let alarms = alarms.filter(|(id, seen)| self.meaning(id, seen) == "**alarm**");
        alarms.map(|(id, seen)| format!("{id}: {}", seen.evidence)).collect()
    }
}

pub fn run(sh: &Shell, args: &Args) -> Result<()> {
    let tool = args.tool.get(sh)?;
    let budget = args.budget.as_ref();
    let words: Vec<&str> = budget.map_or(vec![], |time| vec!["--budget", time]);
    let mut alarms = Alarms::default();
    let mut machine = String::new();
    for number in 0..args.runs {
        let condition = (number % 2) as usize;
        let doctor = cmd!(sh, "{tool} doctor --json --quiet").args(&words);
        let report = loaded(condition == 1, || report(doctor))?;
        machine = results::machine(&report);
        alarms.add(condition, &report);
        let (count, all) = (number + 1, args.runs);
        println!("{count}/{all} {}: {:?}", CONDITIONS[condition], alarms.alarms());
    }
    let part = format!(
        "## Findings of doctor on a machine that nothing was planted on\n\n\
         `cargo research alarms {}{}`, on {machine}: findings at warning or above, in runs with \
         the CPUs idle and in runs next to a spinning thread for each CPU.\n\n{}",
        args.runs,
        budget.map_or(String::new(), |time| format!(" --budget {time}")),
        alarms.table()
    );
    results::publish(sh, "alarms", &part, false)?;
    let alarms = alarms.alarms();
    ensure!(alarms.is_empty(), "{}", alarms.join("\n  "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_alarm_is_told_from_a_busy_machine_and_from_what_is_true_of_it() {
        let finding = |id: &str, level: &str, certainty: &str| {
            let evidence = ["x", "y"];
            json!({ "id": id, "level": level, "certainty": certainty, "evidence": evidence })
        };
        let hpet = finding("slow-clocksource-hpet", "warning", "evidence");
        let busy = finding("noisy-machine", "warning", "measured");
        let info = finding("tai-unset", "info", "evidence");
        let back = finding("clock-backwards", "error", "measured");
        let mut alarms = Alarms::default();
        alarms.add(0, &json!({ "findings": [hpet, info] }));
        alarms.add(1, &json!({ "findings": [hpet, busy] }));
        assert_eq!(alarms.alarms(), Vec::<String>::new());
        alarms.add(1, &json!({ "findings": [hpet, back] }));
        assert_eq!(alarms.alarms(), ["clock-backwards: x; y"]);
        assert!(alarms.table().contains("| `noisy-machine` | warning | measured | 0 | 1 |"));
        // What a file said once and never again is not true of the machine.
        alarms.add(0, &json!({ "findings": [] }));
        assert_eq!(alarms.alarms().len(), 2);
    }
}
