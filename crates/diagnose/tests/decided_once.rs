//! Advice, the marked clocks and verdicts are one judgement, and hold from run to run.

use crate::machines::{self, advice, clock, judged};
use chronoscope_model::Report;
use chronoscope_model::clock::{Grade, Kind};

/// A table that marks one clock next to advice that names another leaves the reader without an
/// answer.
#[test]
fn the_marked_clock_of_a_kind_is_the_advised_one() {
    for report in [machines::tsc(), machines::kvm_clock(), machines::hpet(), machines::no_vdso()] {
        let report = judged(report);
        for purpose in ["interval", "timestamp", "cpu"] {
            let id = advice(&report, purpose).clock.as_deref();
            let id = id.expect("each of these machines has one");
            let clock = report.clocks.iter().find(|clock| clock.id == id);
            let clock = clock.expect("advice is on the report's clocks");
            let kind = clock.kind;
            let marked = report.clocks.iter().filter(|c| c.best && c.kind == kind);
            let marked: Vec<&str> = marked.map(|clock| clock.id.as_str()).collect();
            assert_eq!(marked, [id], "{purpose}");
        }
    }
}

/// Such a report is left by Ctrl-C before the first measurement.
#[test]
fn a_run_that_measured_nothing_judges_nothing() {
    let mut report = machines::tsc();
    for clock in &mut report.clocks {
        clock.cost = Default::default();
    }
    let report = judged(report);
    for advice in report.advice.iter().filter(|advice| advice.languages.is_empty()) {
        assert_eq!(advice.clock, None, "{}", advice.purpose);
        assert_eq!(advice.why, "No suitable clock was measured in this run.");
    }
    for clock in &report.clocks {
        let grade = clock.verdict.as_ref().map(|verdict| verdict.grade);
        assert_ne!(grade, Some(Grade::Good), "{}", clock.id);
        assert!(!clock.best, "{}", clock.id);
    }
}

#[test]
fn clocks_of_other_systems_are_no_reason_against_this_one() {
    let mut report = machines::tsc();
    for clock in &mut report.clocks {
        if clock.available {
            clock.available = false;
            clock.unavailable_reason = Some("the filter of this process denies it".into());
        } else {
            clock.elsewhere = true;
        }
    }
    for advice in judged(report).advice.iter().filter(|advice| advice.languages.is_empty()) {
        let why = &advice.why;
        assert!(why.contains("denies it") && !why.contains("windows/"), "{why}");
    }
}

/// MFENCE orders a read on AMD's processors, but not on Intel's.
#[test]
fn advice_rejects_a_clock_for_a_reason_that_holds_on_this_processor() {
    let mut machine = machines::tsc();
    let mfence = clock("x86/mfence-rdtsc", "", Kind::Counter, 20.0, 0.4);
    machine.clocks.push(mfence);
    let (intel, mut amd) = (judged(machine.clone()), machine);
    amd.environment.cpu.vendor = Some("AuthenticAMD".into());
    amd.environment.cpu.lfence_serialises = Some(true);
    let amd = judged(amd);
    let reason = |report: &Report| {
        let why = &advice(report, "micro").why;
        why.split("x86/mfence-rdtsc").nth(1).map(str::to_owned)
    };
    let (intel, amd) = (reason(&intel), reason(&amd));
    assert!(intel.is_some_and(|why| why.contains("MFENCE orders memory")));
    assert!(amd.is_some_and(|why| !why.contains("orders memory")));
}

/// Under kvm-clock a counter that jumps spoils one short interval, but all later timestamps.
#[test]
fn if_a_trace_must_not_use_the_counter_a_microbenchmark_says_why_it_may() {
    let mut report = machines::kvm_clock();
    let hypervisor = report.environment.hypervisor.as_mut();
    let features = &mut hypervisor.expect("it is a virtual machine").features;
    features.push("kvm-clock-stable".into());
    let report = judged(report);
    let (micro, trace) = (advice(&report, "micro"), advice(&report, "trace"));
    assert_eq!(trace.clock.as_deref(), Some("posix/monotonic"));
    assert_eq!(micro.clock.as_deref(), Some("x86/lfence-rdtsc"));
    let reason = "the kernel keeps time with kvm-clock";
    assert!(trace.why.contains(reason), "{}", trace.why);
    assert!(micro.why.contains(reason) && micro.why.contains("short intervals only"));
}

/// Figures of advice are read without their intervals.
#[test]
fn advice_shows_no_digit_that_the_interval_does_not_support() {
    let mut report = machines::tsc();
    for clock in &mut report.clocks {
        let costs = [&mut clock.cost.throughput, &mut clock.cost.latency];
        for cost in costs.into_iter().flatten() {
            *cost = machines::estimate(cost.value_ns, cost.value_ns * 0.15);
        }
    }
    let report = judged(report);
    let duration = advice(&report, "interval");
    assert!(duration.why.starts_with("18 ns per read"), "{}", duration.why);
    assert_eq!(duration.figure, "18 ns");
}

/// Which of the two is cheaper would differ from run to run.
#[test]
fn a_counter_that_cannot_be_told_from_the_systems_clock_is_not_cheaper() {
    let mut report = machines::tsc();
    for clock in &mut report.clocks {
        let costs = [&mut clock.cost.throughput, &mut clock.cost.latency];
        for cost in costs.into_iter().flatten() {
            cost.low_ns = cost.value_ns * 0.5;
            cost.high_ns = cost.value_ns * 2.0;
        }
    }
    let report = judged(report);
    for purpose in ["micro", "trace"] {
        let clock = advice(&report, purpose).clock.as_deref();
        assert_eq!(clock, Some("posix/monotonic"), "{purpose}");
    }
}
