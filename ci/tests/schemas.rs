//! What the tool writes follows the schemas, for fixed reports and for those in the repository.
//! `smoke` checks the reports of real runs.

#[path = "../../crates/diagnose/tests/machines/mod.rs"]
mod machines;
#[path = "../../crates/report/tests/samples/mod.rs"]
mod samples;

use chronoscope_diagnose::compare::compare;
use chronoscope_model::{Report, schema};
use chronoscope_report::json;
use chronoscope_report::recording::Writer;
use jsonschema::Validator;
use std::fs;
use std::path::Path;
use xtask::sh::root;

fn validator(schema: &str) -> Validator {
    let schema = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
}

fn follows(schema: &Validator, name: &str, text: &[u8]) {
    let value = serde_json::from_slice(text).expect("it is JSON");
    let errors: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{name}: {errors:?}");
}

/// The reports that the repository holds, of every command and of several systems.
fn checked_in() -> Vec<(String, Vec<u8>)> {
    let mut reports = Vec::new();
    for folder in ["docs/reports", "crates/cli/tests/data/reports"] {
        for file in fs::read_dir(root().join(folder)).expect(folder) {
            let path = file.expect("a file").path();
            if path.extension().is_some_and(|end| end == "json") {
                reports.push((path.display().to_string(), fs::read(&path).expect("its text")));
            }
        }
    }
    reports.sort();
    reports
}

#[test]
fn reports_follow_the_schema() {
    let schema = validator(&schema::REPORT);
    for report in [Report::default(), machines::tsc(), samples::full(), samples::troubled()] {
        let mut text = Vec::new();
        json::write(&report, &mut text).expect("a vector takes all");
        follows(&schema, &report.environment.os, &text);
    }
    let reports = checked_in();
    assert!(reports.len() > 10, "{}", reports.len());
    reports.iter().for_each(|(name, text)| follows(&schema, name, text));
    let mut wrong = serde_json::to_value(samples::full()).expect("it is a report");
    wrong["clocks"][0]["kind"] = "sundial".into();
    assert!(!schema.is_valid(&wrong));
}

#[test]
fn comparisons_follow_the_schema() {
    let schema = validator(&schema::COMPARISON);
    let read = |(name, text): (String, Vec<u8>)| (name, json::read(&text).expect("a report"));
    let reports: Vec<(String, Report)> = checked_in().into_iter().map(read).collect();
    let check = |name: &str, of: &[(String, Report)]| {
        follows(&schema, name, &json::comparison(&compare(of)).expect("JSON"));
    };
    for (at, a) in reports.iter().enumerate() {
        for b in &reports[at + 1..] {
            check(&format!("{} {}", a.0, b.0), &[a.clone(), b.clone()]);
        }
    }
    // Several machines next to each other, and a history.
    let of_targets = |it: &&(String, Report)| it.0.contains("docs/reports");
    let targets: Vec<_> = reports.iter().filter(of_targets).cloned().collect();
    check("targets", &targets);
    check("history", &targets.iter().cycle().take(6).cloned().collect::<Vec<_>>());
    let mut slower = targets[0].clone();
    for clock in &mut slower.1.clocks {
        for cost in [&mut clock.cost.throughput, &mut clock.cost.latency].into_iter().flatten() {
            for ns in [&mut cost.value_ns, &mut cost.low_ns, &mut cost.high_ns] {
                *ns *= 1.5;
            }
        }
    }
    check("slower", &[targets[0].clone(), slower]);
}

#[test]
fn recordings_follow_the_schema() {
    let schema = validator(&schema::RECORDING);
    let mut text = Vec::new();
    Writer::new(&mut text, Path::new("x"), u64::MAX)
        .names(true)
        .write(&samples::recording::events());
    let lines: Vec<&[u8]> =
        text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), samples::recording::events().len());
    lines.iter().for_each(|line| follows(&schema, "recording", line));
}
