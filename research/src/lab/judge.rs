//! Compares what the tool found with what was planted.

use super::scenario::{Expected, Place, Scenario};
use chronoscope_ci::{cross, tool};
use serde_json::Value;

/// What a run of the tool returned and wrote.
pub struct Outcome {
    /// What the scenario's proof printed.
    pub proof: String,
    pub report: String,
    pub errors: String,
    pub code: String,
}

/// What other work on the host may cause. Such a finding is true, but it is not what a scenario is
/// about.
pub const BUSY: &[&str] = &[
    "host-gaps",
    "long-slice-late",
    "noisy-machine",
    "noisy-neighbour",
    "readout-stall",
    "smt-sibling-busy",
];

/// What is true of the lab's machines: their processor, that the kernel trusts a TSC without
/// checking it, and that processors take turns at reading it, because QEMU keeps one counter for
/// all of them under a lock (`softmmu/cpu-timers.c`, `cpu_get_ticks`).
const EMULATED: &[&str] = &["contended-read", "emulated-cpu", "tsc-forced-reliable"];

/// What may be true of the machine that restricted processes run on, whatever the scenario.
const HOST: &[&str] = &["rt-throttling"];

/// Everything that is wrong with a run, one sentence each. Empty if nothing is.
pub fn judge(scenario: &Scenario, outcome: &Outcome) -> Vec<String> {
    if !outcome.proof.contains(scenario.proves) {
        let (want, got) = (scenario.proves, outcome.proof.trim());
        return vec![format!("the fault was not planted: expected `{want}`, got `{got}`")];
    }
    let errors = outcome.errors.trim();
    if outcome.code != "0" || errors.contains("panicked") {
        return vec![format!("the tool ended with {}: {errors}", outcome.code)];
    }
    let report = match tool::read_report(outcome.report.as_bytes()) {
        Ok(report) => report,
        Err(error) => return vec![format!("{error:#}: {errors}")],
    };
    let mut wrong = compare(scenario, &report);
    if let (kind @ ("clocks" | "waits"), Place::Machine(machine)) =
        (scenario.complete, scenario.place)
    {
        let complete = cross::complete(machine.board.target, &report, kind);
        wrong.extend(complete.err().map(|error| format!("{error:#}")));
    }
    if report["run"]["complete"] != true {
        wrong.push("the report is not complete".into());
    }
    wrong
}

/// Compares the findings of a report with the expected ones.
fn compare(scenario: &Scenario, report: &Value) -> Vec<String> {
    let Some(findings) = report["findings"].as_array() else {
        return vec!["the report has no findings".into()];
    };
    let mut wrong = Vec::new();
    for expected in scenario.finds {
        match findings.iter().find(|finding| finding["id"] == expected.id) {
            Some(finding) => wrong.extend(differences(expected, finding)),
            None => wrong.push(format!("{} was not found", expected.id)),
        }
    }
    let known = scenario.finds.iter().map(|expected| expected.id);
    let known = known.chain(scenario.may.iter().chain(BUSY).copied());
    let known: Vec<&str> = match scenario.place {
        Place::Machine(_) => known.chain(EMULATED.iter().copied()).collect(),
        Place::Process(_) => known.chain(HOST.iter().copied()).collect(),
    };
    let alarms = findings.iter().filter(|finding| finding["level"] != "info");
    wrong.extend(
        alarms
            .filter(|finding| !known.iter().any(|id| finding["id"] == *id))
            .map(|finding| format!("false alarm: {}: {}", finding["id"], finding["evidence"])),
    );
    wrong
}

/// How a finding differs from the one expected.
fn differences(expected: &Expected, finding: &Value) -> Vec<String> {
    let lines = finding["evidence"].as_array().into_iter().flatten();
    let evidence: Vec<&str> = lines.filter_map(Value::as_str).collect();
    let evidence = evidence.join("; ");
    let mut wrong = Vec::new();
    for (key, want) in [("level", expected.level), ("certainty", expected.certainty)] {
        if !want.is_empty() && finding[key] != want {
            let (id, got) = (expected.id, &finding[key]);
            wrong.push(format!("{id}: {key} is {got}, not {want} ({evidence})"));
        }
    }
    let missing = expected.evidence.iter().filter(|text| !evidence.contains(**text));
    wrong.extend(missing.map(|text| format!("{}: no `{text}` in: {evidence}", expected.id)));
    wrong
}

#[cfg(test)]
mod tests {
    use super::super::scenario::{SCENARIO, evident};
    use super::*;
    use serde_json::json;

    const HPET: Scenario = Scenario {
        finds: &[evident("slow", "warning", &["hpet", "790 ns"])],
        may: &["another"],
        ..SCENARIO
    };

    fn found(findings: &Value) -> Vec<String> {
        compare(&HPET, &json!({"findings": findings}))
    }

    #[test]
    fn the_expected_finding_and_nothing_else_is_right() {
        let slow = json!({"id": "slow", "level": "warning", "certainty": "evidence",
            "evidence": ["current: hpet", "costs 790 ns"]});
        let info = json!({"id": "harmless", "level": "info", "evidence": []});
        let another = json!({"id": "another", "level": "error", "evidence": []});
        let busy = json!({"id": "noisy-machine", "level": "warning", "evidence": []});
        let right = json!([slow, info, another, busy]);
        assert_eq!(found(&right), Vec::<String>::new());
        let untrue = json!({"id": "untrue", "level": "warning", "evidence": ["9"]});
        let wrong = found(&json!([slow, untrue]));
        assert_eq!(wrong, ["false alarm: \"untrue\": [\"9\"]"]);
    }

    #[test]
    fn a_missing_finding_level_certainty_or_evidence_is_reported() {
        assert_eq!(found(&json!([])), ["slow was not found"]);
        let wrong = found(&json!([{"id": "slow", "level": "info", "certainty": "measured",
            "evidence": ["current: hpet"]}]));
        assert_eq!(
            wrong,
            [
                "slow: level is \"info\", not warning (current: hpet)",
                "slow: certainty is \"measured\", not evidence (current: hpet)",
                "slow: no `790 ns` in: current: hpet"
            ]
        );
        assert_eq!(compare(&HPET, &json!({})), ["the report has no findings"]);
    }

    #[test]
    fn a_fault_that_was_not_planted_is_not_blamed_on_the_tool() {
        let scenario = Scenario { proves: "hpet", ..SCENARIO };
        let outcome = Outcome {
            proof: "tsc\n".into(),
            report: String::new(),
            errors: String::new(),
            code: "0".into(),
        };
        let wrong = judge(&scenario, &outcome);
        assert_eq!(wrong, ["the fault was not planted: expected `hpet`, got `tsc`"]);
    }
}
