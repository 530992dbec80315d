//! What a kernel's log rules out, and what it proves.

use super::machine::{Machine, facts, finding};
use chronoscope_model::Report;
use chronoscope_model::finding::Outcome;
use chronoscope_model::kernel_log::messages;
use std::collections::BTreeSet;

fn outcome<'a>(report: &'a Report, id: &str) -> (Outcome, &'a str) {
    let check = report.checks.iter().find(|check| check.id == id).expect("it is looked for");
    (check.outcome, check.why.as_deref().unwrap_or_default())
}

/// The faults of this machine that only the kernel's log shows, as far as they can exist on it.
fn by_log(report: &Report) -> Vec<&str> {
    let proved = messages().iter().flat_map(|message| &message.faults);
    let only = |id: &str| {
        report.checks.iter().any(|check| check.id == id && check.looks_at.starts_with("the kernel"))
    };
    let here = |id: &str| outcome(report, id).0 != Outcome::Elsewhere;
    let mut ids: Vec<&str> = proved.copied().filter(|id| only(id) && here(id)).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[test]
fn a_log_rules_out_only_what_it_would_show() {
    let healthy = Machine::bare().report();
    let ids = by_log(&healthy);
    assert!(ids.len() >= 12, "{ids:?}");
    for id in &ids {
        assert_eq!(outcome(&healthy, id).0, Outcome::Clear, "{id}");
    }
    // Its oldest lines were overwritten.
    let late = "clocksource: Switched to clocksource tsc";
    let machine = Machine::bare();
    let folder = machine.path();
    std::fs::write(folder.join("root/dev/kmsg"), format!("6,900,5,-;{late}\n")).expect("a file");
    let report = facts(&folder);
    for id in &ids {
        let (outcome, why) = outcome(&report, id);
        assert_eq!(outcome, Outcome::Unknown, "{id}");
        assert!(why.contains("does not reach back"), "{why}");
    }
    // It holds nothing.
    std::fs::write(folder.join("root/dev/kmsg"), "").expect("a file");
    let report = facts(&folder);
    assert!(ids.iter().all(|id| outcome(&report, id).0 == Outcome::Unknown));
}

#[test]
fn a_line_that_is_not_understood_is_quoted_and_leaves_its_topic_open() {
    for (line, open, clear) in [
        ("tsc: Marking TSC unstable due to the phase of the moon", "tsc-warp", "tsc-deadline-off"),
        ("clocksource: tsc is not reliable any more, sorry", "tsc-skew", "timer-interrupt-long"),
        ("tsc: calibration went to lunch", "guest-calibration-failed", "tsc-warp"),
        ("hrtimer: interrupt took ages", "timer-interrupt-long", "tsc-skew"),
    ] {
        let report = Machine::bare().log(line).report();
        let (found, why) = outcome(&report, open);
        assert_eq!(found, Outcome::Unknown, "{line}");
        assert!(why.contains(line), "{why}");
        assert_eq!(outcome(&report, clear).0, Outcome::Clear, "{clear}: {line}");
    }
    // The kernel says that something was wrong, and no other line says what.
    let report =
        Machine::bare().log("tsc: Marking TSC unstable due to clocksource watchdog").report();
    for id in ["tsc-skew", "tsc-warp", "watchdog-false-positive"] {
        assert_eq!(outcome(&report, id).0, Outcome::Unknown, "{id}");
    }
}

#[test]
fn the_intervals_say_which_clock_lost_time() {
    let skewed = |hpet: u64, tsc: u64| {
        Machine::bare()
            .source("hpet", "hpet acpi_pm")
            .log("clocksource: Marking clocksource tsc unstable due to frequency skew")
            .log(&format!("clocksource: Watchdog                    hpet interval: {hpet:16}ns"))
            .log(&format!("clocksource: Clocksource                  tsc interval: {tsc:16}ns"))
    };
    let words = |machine: Machine| {
        let report = machine.report();
        let found = finding(&report, "tsc-skew").expect("the kernel found it");
        (found.evidence.join("\n"), found.fix.clone())
    };
    // The processor of these machines is a Coffee Lake.
    let (evidence, fix) = words(skewed(265_000_000, 756_000_000));
    assert!(evidence.contains("2.9 times") && evidence.contains("PC10"), "{evidence}");
    assert!(fix.contains("hpet=disable") && fix.contains("No firmware update"), "{fix}");
    let (evidence, fix) = words(skewed(503_000_000, 100_000_000));
    assert!(evidence.contains("the TSC lost time") && fix.contains("firmware"), "{evidence} {fix}");
    let (evidence, fix) = words(skewed(503_987_021, 505_122_467));
    assert!(evidence.contains("does not say which") && fix.contains("NTP"), "{evidence} {fix}");
}

#[test]
fn harmless_lines_of_a_guest_are_no_findings() {
    const KVM: &str =
        "0x40000000 0x00: eax=0x40000001 ebx=0x4b4d564b ecx=0x564b4d56 edx=0x0000004d";
    let line = "[Firmware Bug]: TSC doesn't count with P0 frequency!";
    let guest = Machine::bare().guest(KVM).log(line).report();
    assert_eq!(outcome(&guest, "tsc-not-p0").0, Outcome::Clear);
    let bare = Machine::bare().log(line).report();
    assert_eq!(outcome(&bare, "tsc-not-p0").0, Outcome::Found);
}

#[test]
fn findings_of_the_counter_yield_to_an_emulator() {
    use chronoscope_model::environment::{Rate, RateKind};
    let mut report = Machine::bare().report();
    let rate = |kind, hz| Rate { source: "a source".into(), kind, hz: Some(hz), ..Rate::default() };
    let tsc = report.environment.tsc.as_mut().expect("a TSC");
    tsc.rates = vec![rate(RateKind::Stated, 2e9), rate(RateKind::Measured, 3e9)];
    chronoscope_diagnose::examine(&mut report);
    assert!(finding(&report, "tsc-rate-mismatch").is_some());
    report.environment.emulated = Some("QEMU".into());
    chronoscope_diagnose::examine(&mut report);
    let (outcome, why) = outcome(&report, "tsc-rate-mismatch");
    assert_eq!(outcome, Outcome::Unknown);
    assert!(why.contains("emulated-cpu"), "{why}");
}

/// Whatever was measured between CPUs, the evidence is an interval that can be, and under what
/// changes the figures it is no finding at all.
#[test]
fn evidence_of_the_counter_is_never_an_impossible_interval() {
    use chronoscope_model::ordering::{AcrossCpus, Handed, Pair};
    let mut report = Machine::bare().report();
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) as f64 - 2f64.powi(30)) / 1e4
    };
    let mut found = 0;
    for round in 0..400 {
        let handed =
            Handed { cpus: [0, 1], turns: 1000, backwards: round % 3, worst_ns: random().abs() };
        let pair = Pair { handed, exchanges: 9, low_ns: random(), high_ns: random() };
        let across = AcrossCpus { pairs: vec![pair], left_out: None };
        report.environment.across_cpus = Some(across);
        report.environment.emulated = None;
        chronoscope_diagnose::examine(&mut report);
        let evidence = finding(&report, "counter-out-of-step").map(|it| it.evidence.join("\n"));
        for words in evidence.iter().flat_map(|text| text.split(" by ").skip(1)) {
            let interval = words.split_once(" to ").and_then(|(low, rest)| {
                let high = rest.split(' ').next()?;
                Some((low.parse::<f64>().ok()?, high.parse::<f64>().ok()?))
            });
            assert!(interval.is_none_or(|(low, high)| low <= high), "{evidence:?}");
            found += 1;
        }
        report.environment.emulated = Some("QEMU".into());
        chronoscope_diagnose::examine(&mut report);
        assert!(finding(&report, "counter-out-of-step").is_none());
    }
    assert!(found > 100, "{found}");
}

/// What an excerpt shows has happened, whatever it leaves unknown.
#[test]
fn a_line_proves_as_much_in_an_excerpt_as_in_a_whole_log() {
    let found = |report: &Report| -> BTreeSet<String> {
        report.findings.iter().map(|finding| finding.id.clone()).collect()
    };
    for row in include_str!("../../../model/tests/kernel_log.txt").lines().skip(1) {
        let line = row.split(" | ").next().unwrap_or_default();
        let whole = found(&Machine::bare().log(line).report());
        let machine = Machine::bare();
        let folder = machine.path();
        std::fs::write(folder.join("root/dev/kmsg"), format!("6,900,5,-;{line}\n"))
            .expect("a file");
        let part = found(&facts(&folder));
        assert!(whole.is_subset(&part), "{line}: {whole:?}, but {part:?} in an excerpt");
    }
}
