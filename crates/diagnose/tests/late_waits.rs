//! Faults of late waits: those that facts show without any measurement, and those that need a
//! source which may be hidden.

use crate::machines;

use chronoscope_diagnose::examine;
use chronoscope_model::environment::{CpuQuota, Hypervisor};
use chronoscope_model::finding::{Check, Outcome};
use chronoscope_model::waits::{Throttled, Wait};
use chronoscope_model::why::{Cause, Later, Part, Why};
use chronoscope_model::{Certainty, Finding, Level, Note, Report};

fn with(change: impl FnOnce(&mut Report)) -> Report {
    let mut report = machines::tsc();
    change(&mut report);
    examine(&mut report);
    report
}

fn check<'a>(report: &'a Report, id: &str) -> &'a Check {
    report.checks.iter().find(|check| check.id == id).expect("it is looked for")
}

fn finding<'a>(report: &'a Report, id: &str) -> Option<&'a Finding> {
    report.findings.iter().find(|found| found.id == id)
}

/// A row of sleeps, all of them late by this time because of this.
fn late(cause: Cause, ns: u64, slack_ns: u64) -> Wait {
    let (waits, late_ns) = (100, 100 * ns);
    let later = Later { than_ns: 0, waits, late_ns, parts: vec![Part { cause, ns: late_ns }] };
    Wait {
        id: "sleep".into(),
        available: true,
        samples: waits,
        slack_ns: Some(slack_ns),
        why: Some(Why { later: vec![later], ..Why::default() }),
        ..Wait::default()
    }
}

#[test]
fn slack_that_someone_set_is_a_fault_and_the_default_is_none() {
    for (slack, outcome) in [
        (None, Outcome::Unknown),
        (Some(1), Outcome::Clear),
        (Some(50_000), Outcome::Clear),
        (Some(5_000_000), Outcome::Found),
        (Some(u64::MAX), Outcome::Found),
    ] {
        let report = with(|report| report.environment.timer_slack_ns = slack);
        assert_eq!(check(&report, "timer-slack").outcome, outcome, "{slack:?}");
    }
    let set = with(|report| report.environment.timer_slack_ns = Some(5_000_000));
    let found = finding(&set, "timer-slack").expect("it is found");
    assert_eq!((found.level, found.certainty), (Level::Warning, Certainty::Evidence));
    assert_eq!(found.evidence, ["timerslack_ns: 5000000 (the default is 50000)"]);
    let slept = |slack| {
        with(|report| {
            report.environment.timer_slack_ns = Some(slack);
            report.waits = vec![late(Cause::TimerSlack, slack, slack)];
        })
    };
    assert_eq!(finding(&slept(50_000), "timer-slack"), None);
    let slept = slept(5_000_000);
    let found = finding(&slept, "timer-slack").expect("it is found");
    assert_eq!((found.certainty, found.evidence.len()), (Certainty::Measured, 2));
}

#[test]
fn a_quota_is_information_until_it_keeps_the_process_from_running() {
    let outcome = |quota: Option<CpuQuota>| {
        let report = with(|report| report.environment.cpu_quota = quota);
        let level = finding(&report, "cgroup-throttled").map(|found| found.level);
        (check(&report, "cgroup-throttled").outcome, level)
    };
    let limit =
        CpuQuota { quota_us: Some(50_000), period_us: Some(100_000), ..CpuQuota::default() };
    let none = CpuQuota { quota_us: None, ..limit };
    let throttled = |quota| CpuQuota { throttled_periods: 4, throttled_ns: 250_000, ..quota };
    assert_eq!(outcome(None), (Outcome::Unknown, None));
    assert_eq!(outcome(Some(none)), (Outcome::Clear, None));
    assert_eq!(outcome(Some(limit)), (Outcome::Found, Some(Level::Info)));
    assert_eq!(outcome(Some(throttled(limit))), (Outcome::Found, Some(Level::Warning)));
    // A limit that was removed is past, one that could not be read may still be there.
    assert_eq!(outcome(Some(throttled(none))), (Outcome::Clear, None));
    let unread = CpuQuota { period_us: None, ..throttled(none) };
    assert_eq!(outcome(Some(unread)), (Outcome::Found, Some(Level::Warning)));
    let run = CpuQuota { run_periods: Some(2), ..throttled(none) };
    let report = with(|report| report.environment.cpu_quota = Some(run));
    let found = finding(&report, "cgroup-throttled").expect("it is found");
    assert_eq!((found.level, found.certainty), (Level::Warning, Certainty::Measured));
    assert!(found.evidence[0].contains("nr_throttled 4, 2 of them in this run"), "{found:?}");
    // The rows alone show it, in a report whose group could not be read.
    let report = with(|report| {
        report.waits = [(1, 2_000_000), (3, 90_000_000)]
            .map(|(periods, ns)| Wait {
                id: format!("wait-{periods}"),
                throttled: Some(Throttled { periods, ns }),
                ..Wait::default()
            })
            .into();
    });
    let found = finding(&report, "cgroup-throttled").expect("it is found");
    assert_eq!((found.level, found.certainty), (Level::Warning, Certainty::Measured));
    let evidence = "92 ms during the waits, 90 ms of it in 3 periods during those by wait-3";
    assert_eq!(found.evidence, [evidence]);
}

#[test]
fn what_hides_a_source_is_the_reason_why_its_faults_are_not_known() {
    const NEED: [(&str, &str); 3] = [
        ("deep-idle", "switches"),
        ("long-slice-late", "schedstat"),
        ("preempted-awake", "switches"),
    ];
    let seen = |id: &str, missing: Option<&str>| {
        let report = with(|report| {
            report.waits = vec![late(Cause::Return, 3_000, 50_000)];
            report.notes.extend(missing.map(|source| Note {
                id: format!("why-{source}"),
                text: "perf_event_paranoid is 4".into(),
                ..Note::default()
            }));
        });
        let check = check(&report, id);
        (check.outcome, check.why.clone())
    };
    for (id, source) in NEED {
        assert_eq!(seen(id, None).0, Outcome::Clear, "{id}");
        let why = Some("perf_event_paranoid is 4".into());
        assert_eq!(seen(id, Some(source)), (Outcome::Unknown, why), "{id}");
        assert_eq!(seen(id, Some("timerlat")).0, Outcome::Clear, "{id}");
    }
    // What is seen without it is found all the same, and is no fault of the machine.
    let report = with(|report| report.waits = vec![late(Cause::RunQueue, 3_000_000, 50_000)]);
    let found = finding(&report, "long-slice-late").expect("it is found");
    assert_eq!(found.level, Level::Info);
}

#[test]
fn a_virtual_machine_has_neither_a_battery_nor_firmware_of_its_own() {
    let outcome = |id: &str, vendor: &str, guest: bool| {
        let report = with(|report| {
            report.environment.cpu.vendor = Some(vendor.into());
            report.environment.hypervisor = guest.then(Hypervisor::default);
            report.environment.power.source = None;
        });
        check(&report, id).outcome
    };
    assert_eq!(outcome("smi", "GenuineIntel", false), Outcome::Unknown);
    assert_eq!(outcome("smi", "GenuineIntel", true), Outcome::Elsewhere);
    assert_eq!(outcome("smi", "AuthenticAMD", false), Outcome::Elsewhere);
    assert_eq!(outcome("on-battery", "AuthenticAMD", false), Outcome::Unknown);
    assert_eq!(outcome("on-battery", "AuthenticAMD", true), Outcome::Elsewhere);
}

#[test]
fn a_glance_rules_out_only_what_it_looks_at() {
    let report = with(|report| {
        report.run.quick = true;
        report.trust = None;
        report.environment.timer_slack_ns = Some(50_000);
    });
    assert!(report.advice.is_empty());
    for id in ["timer-slack", "tsc-emulated", "tsc-warp", "slow-clocksource-hpet"] {
        assert_ne!(check(&report, id).why.as_deref(), Some("not looked at by --quick"), "{id}");
    }
    for id in ["clock-backwards", "noisy-neighbour", "deep-idle", "host-gaps"] {
        let check = check(&report, id);
        assert_eq!(check.outcome, Outcome::Unknown, "{id}");
        assert_eq!(check.why.as_deref(), Some("not looked at by --quick"), "{id}");
    }
}
