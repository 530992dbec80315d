//! The conclusions from machines that differ in their clocks.

use crate::machines::{self, advice, clock, judged};
use chronoscope_diagnose::{advise, faults, verdict};
use chronoscope_model::clock::{Backwards, Difference, Grade, Kind, Limit, Resolution, TickFrom};
use chronoscope_model::environment::TscKind;
use chronoscope_model::{Advice, Certainty, Level, Report};
use chronoscope_probes::clocks;

fn picks(report: &Report) -> Vec<(&str, &str)> {
    let pick = |a: &'_ Advice| a.clock.clone().map(|c| c.leak() as &str);
    let all = report.advice.iter().filter(|advice| advice.languages.is_empty());
    all.map(|a| (&*a.purpose, pick(a).unwrap_or("none"))).collect()
}

fn found(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|f| f.id.as_str()).collect()
}

fn said(report: &Report, id: &str) -> String {
    let clock = report.clocks.iter().find(|c| c.id == id);
    let verdict = clock.and_then(|c| c.verdict.clone());
    verdict.map_or("nothing".into(), |v| v.text)
}

#[test]
fn a_healthy_machine_has_no_findings_and_uses_its_counter_if_that_is_cheaper() {
    let report = judged(machines::tsc());
    assert_eq!(found(&report), Vec::<&str>::new());
    assert_eq!(
        picks(&report),
        [
            ("interval", "posix/monotonic"),
            ("micro", "x86/lfence-rdtsc"),
            ("timestamp", "posix/realtime"),
            ("coarse", "linux/monotonic-coarse"),
            ("cpu", "posix/process-cputime"),
            ("cross-process", "posix/monotonic"),
            ("boot", "linux/boottime"),
            ("trace", "x86/rdtsc-intrinsic"),
        ]
    );
    for advice in &report.advice {
        let measured = advice.cost_ns.is_some();
        assert_eq!(measured, advice.why.contains(" ns"), "{}: {}", advice.purpose, advice.why);
        assert!(measured || !advice.languages.is_empty(), "{}", advice.purpose);
        assert!(!advice.code.is_empty(), "{}", advice.purpose);
    }
    let why = &advice(&report, "interval").why;
    assert!(why.contains("18.0 ns") && why.contains("over tsc"), "{why}");
    assert!(why.contains("Not linux/monotonic-coarse (5.23 ns)"), "{why}");
}

/// If the counter cannot be trusted, the library reads the system's clock, which is ordered.
#[test]
fn the_library_on_the_systems_clock_is_not_read_early() {
    let mut report = machines::tsc();
    let own = report.clocks.iter_mut().find(|clock| clock.id == "chronoscope/instant");
    let own = own.expect("one of the clocks");
    own.kind = Kind::Monotonic;
    own.facts = clocks::find("posix/monotonic").map(|entry| entry.facts);
    assert_eq!(said(&judged(report), "chronoscope/instant"), "good");
}

#[test]
fn verdicts_are_a_few_words() {
    let report = judged(machines::tsc());
    assert_eq!(said(&report, "posix/monotonic"), "good");
    assert_eq!(said(&report, "x86/lfence-rdtsc"), "good");
    assert_eq!(said(&report, "x86/rdtsc-intrinsic"), "may be read early");
    assert_eq!(said(&report, "chronoscope/instant"), "may be read early");
    assert_eq!(said(&report, "posix/realtime"), "may be stepped");
    assert_eq!(said(&report, "linux/monotonic-coarse"), "coarse: 4 ms");
    assert_eq!(said(&report, "linux/monotonic-syscall"), "slow: syscall");
    assert_eq!(said(&report, "posix/process-cputime"), "CPU time only");
    assert_eq!(said(&report, "c/clock"), "CPU, 1 us tick");
    assert_eq!(said(&report, "x86/cpuid-rdtsc"), "slow: exits VM");
    assert_eq!(said(&report, "windows/qpc"), "nothing");
    for clock in &report.clocks {
        if let Some(verdict) = &clock.verdict {
            assert!(verdict.text.len() <= 20, "{}", verdict.text);
        }
    }
}

#[test]
fn a_clock_that_was_seen_to_be_wrong_is_ruled_out() {
    let env = machines::tsc().environment;
    let sound = clock("posix/monotonic", "", Kind::Monotonic, 18.0, 1.0);
    let mut back = sound.clone();
    back.backwards = Some(Backwards { tries: 1000, violations: 2, worst_ns: 38.0 });
    let mut frozen = sound.clone();
    frozen.resolution = Some(Resolution {
        verdict: Limit::NotSeen,
        watched_ns: Some(100e6),
        ..Resolution::default()
    });
    // The same, except for how long it was watched.
    let mut unwatched = frozen.clone();
    unwatched.resolution.as_mut().expect("set above").watched_ns = Some(1e6);
    let unsure = verdict(&unwatched, &env).expect("it was measured");
    assert_eq!((unsure.grade, unsure.text.as_str()), (Grade::Limited, "no change seen"));
    let mut adrift = sound.clone();
    adrift.difference_100ms = Some(Difference {
        reference_ms: 100.1,
        clock_ms: 27.0,
        tolerance_ms: 0.1,
        ..Difference::default()
    });
    for (clock, text) in
        [(&back, "goes backwards"), (&frozen, "stood still"), (&adrift, "off over 100 ms")]
    {
        let verdict = verdict(clock, &env).expect("it was measured");
        assert_eq!((verdict.grade, verdict.text.as_str()), (Grade::Avoid, text));
    }
    let mut short = sound.clone();
    short.wraps_after_s = Some(1198.0);
    assert_eq!(verdict(&short, &env).map(|v| v.grade), Some(Grade::Limited));

    let mut report = machines::tsc();
    report.clocks = vec![back];
    let report = judged(report);
    assert_eq!(found(&report), ["clock-backwards"]);
    assert_eq!(report.findings[0].level, Level::Error);
    assert_eq!(report.findings[0].certainty, Certainty::Measured);
    assert_eq!(advice(&report, "interval").clock, None);
    assert!(advice(&report, "interval").why.contains("goes backwards"));
}

#[test]
fn a_coarse_clock_is_recognised_while_it_is_slewed() {
    let env = machines::tsc().environment;
    let mut coarse = clock("linux/monotonic-coarse", "", Kind::Monotonic, 4.4, 1.0);
    coarse.resolution = Some(Resolution {
        nominal_ns: Some(4e6),
        tick_ns: Some(3_999_941.0),
        tick_from: Some(TickFrom::Seen),
        observed_min_ns: Some(3_999_941.0),
        observed_median_ns: Some(3_999_987.0),
        changes: 24,
        watched_ns: Some(100e6),
        verdict: Limit::Tick,
    });
    coarse.difference_100ms = Some(Difference {
        reference_ms: 100.1,
        clock_ms: 104.0,
        tolerance_ms: 0.001,
        ..Difference::default()
    });
    let verdict = verdict(&coarse, &env).expect("it was measured");
    assert_eq!(verdict.text, "coarse: 4 ms");
}

#[test]
fn under_kvm_clock_the_bare_counter_is_for_short_intervals_only() {
    let report = judged(machines::kvm_clock());
    assert_eq!(found(&report), Vec::<&str>::new());
    assert_eq!(advice(&report, "micro").clock.as_deref(), Some("x86/lfence-rdtsc"));
    let trace = advice(&report, "trace");
    assert_eq!(trace.clock.as_deref(), Some("posix/monotonic"));
    assert!(trace.why.contains("kvm-clock"), "{}", trace.why);
    assert!(advice(&report, "cross-process").why.contains("kvm-clock"));
}

#[test]
fn over_the_hpet_the_cause_is_named_and_the_counter_is_not_advised() {
    let report = judged(machines::hpet());
    assert_eq!(found(&report), ["slow-clocksource-hpet"]);
    assert!(report.findings[0].evidence.contains(&"current_clocksource: hpet".to_owned()));
    assert!(report.findings[0].evidence.iter().any(|e| e.contains("790 ns")));
    assert_eq!(said(&report, "posix/monotonic"), "slow: reads hpet");
    assert_eq!(machines::grade(&report, "x86/rdtscp"), Some(Grade::Avoid));
    let micro = advice(&report, "micro");
    assert_eq!(micro.clock.as_deref(), Some("posix/monotonic"));
    assert!(micro.why.contains("clock source is hpet"), "{}", micro.why);
    assert!(micro.why.contains("tsc is not among the kernel's clock sources"), "{}", micro.why);
    assert_eq!(advice(&report, "coarse").clock.as_deref(), Some("linux/monotonic-coarse"));
}

#[test]
fn without_a_vdso_every_read_is_a_system_call() {
    let report = judged(machines::no_vdso());
    assert_eq!(found(&report), ["no-vdso"]);
    assert!(advice(&report, "interval").why.contains("no vDSO"));
    assert_eq!(advice(&report, "micro").clock.as_deref(), Some("x86/lfence-rdtsc"));
}

#[test]
fn an_emulated_machine_says_so_and_trusts_no_counter() {
    let report = judged(machines::emulated());
    assert_eq!(found(&report), ["emulated-cpu", "tsc-variant"]);
    assert_eq!(advice(&report, "micro").clock.as_deref(), Some("posix/monotonic"));
    assert!(advice(&report, "trace").why.contains("emulated"));
}

#[test]
fn a_clock_that_falls_back_is_found_by_its_cost() {
    let mut report = machines::tsc();
    for clock in &mut report.clocks {
        if clock.id == "linux/monotonic-raw" {
            clock.cost.throughput = Some(machines::estimate(155.0, 0.5));
        }
    }
    // If the call for this clock was not measured, that for another one shows it.
    for (own, raw) in [(true, "150 ns"), (false, "151 ns")] {
        report.clocks.retain(|clock| own || clock.id != "linux/monotonic-raw-syscall");
        let report = judged(report.clone());
        assert_eq!(found(&report), ["clock-not-in-vdso"]);
        // No language wraps it.
        assert_eq!(report.findings[0].level, Level::Info);
        let evidence = format!("155 ns through the library, and a raw system call {raw}");
        assert!(report.findings[0].evidence[0].contains(&evidence), "{evidence}");
    }
}

/// The C library's function for any system call costs more than the instruction, with which the
/// vDSO falls back.
#[test]
fn the_cheapest_system_call_shows_a_fallback() {
    let report = |with_bare: bool| {
        let mut report = machines::tsc();
        let costs = [("linux/monotonic-raw", 155.0), ("linux/monotonic-raw-syscall", 230.0)];
        for (id, ns) in costs {
            let clock = report.clocks.iter_mut().find(|clock| clock.id == id);
            clock.expect("one of them").cost.throughput = Some(machines::estimate(ns, 0.5));
        }
        if with_bare {
            let bare = clock("linux/monotonic-raw-bare", "", Kind::Monotonic, 150.0, 1.0);
            report.clocks.push(bare);
        }
        judged(report)
    };
    assert_eq!(found(&report(false)), Vec::<&str>::new());
    assert_eq!(found(&report(true)), ["clock-not-in-vdso"]);
}

#[test]
fn a_fallback_of_a_clock_that_languages_wrap_is_a_warning() {
    let mut report = machines::tsc();
    for clock in &mut report.clocks {
        if clock.id == "posix/monotonic" {
            clock.cost.throughput = Some(machines::estimate(155.0, 0.5));
        }
    }
    let report = judged(report);
    assert_eq!(found(&report), ["clock-not-in-vdso"]);
    assert_eq!(report.findings[0].level, Level::Warning);
}

#[test]
fn a_busy_hardware_thread_is_found_and_named_on_bare_metal() {
    let mut report = machines::tsc();
    let shared_from = |report: &mut Report, share| {
        report.ruler.as_mut().expect("a ruler").noise.shared = Some(share);
    };
    shared_from(&mut report, 0.02);
    assert!(found(&judged(report.clone())).is_empty());

    shared_from(&mut report, 0.4);
    let cost = report.clocks[0].cost.throughput.as_mut().expect("a cost");
    cost.shared_ns = Some(cost.value_ns * 1.6);
    report.environment.hypervisor = None;
    report.ruler.as_mut().expect("a ruler").siblings = vec![5];
    let metal = judged(report.clone());
    assert_eq!(found(&metal), ["smt-sibling-busy"]);
    let evidence = metal.findings[0].evidence.join("\n");
    assert!(evidence.contains("CPU 5") && evidence.contains("40.0 %"), "{evidence}");
    assert!(evidence.contains(&report.clocks[0].id), "{evidence}");
    assert_eq!(metal.findings[0].level, Level::Info);

    report.environment.hypervisor = Some(Default::default());
    let cost = report.clocks[0].cost.throughput.as_mut().expect("a cost");
    cost.only_shared = true;
    let guest = judged(report);
    let finding = guest.findings.iter().find(|f| f.id == "smt-sibling-busy");
    let finding = finding.expect("found");
    assert!(finding.evidence.join("\n").contains("another tenant"));
    assert_eq!(finding.level, Level::Warning);
}

/// CLOCK_REALTIME_ALARM, for example, which the vDSO has never supported.
#[test]
fn a_clock_that_is_only_a_system_call_is_not_a_finding() {
    let mut report = machines::tsc();
    let mut alarm = clock("posix/realtime", "", Kind::Wall, 155.0, 1.0);
    alarm.facts = clocks::find("linux/realtime-syscall").map(|entry| entry.facts);
    let mut raw = alarm.clone();
    (alarm.id, raw.id) = ("linux/alarm".into(), "linux/alarm-syscall".into());
    raw.alternative_to = Some(alarm.id.clone());
    report.clocks.extend([alarm, raw]);
    assert_eq!(found(&judged(report)), Vec::<&str>::new());
}

#[test]
fn every_other_fault_needs_its_evidence() {
    let with = |change: fn(&mut Report)| {
        let mut report = machines::tsc();
        change(&mut report);
        judged(report).findings.into_iter().map(|f| f.id).collect::<Vec<_>>()
    };
    let source = |name: &str| {
        let mut report = machines::tsc();
        if let Some(cs) = &mut report.environment.clocksource {
            cs.current = name.into();
        }
        judged(report).findings.into_iter().map(|f| f.id).collect::<Vec<_>>()
    };
    assert_eq!(source("acpi_pm"), ["slow-clocksource-acpi-pm"]);
    assert_eq!(source("jiffies"), ["slow-clocksource-jiffies"]);
    assert_eq!(source("xen"), ["slow-clocksource-xen"]);
    assert_eq!(
        with(|r| {
            if let Some(tsc) = &mut r.environment.tsc {
                tsc.rates[2].hz = Some(2.602e9);
            }
        }),
        ["tsc-rate-mismatch"]
    );
    // Leaf 0x16 is nominal.
    assert!(
        with(|r| {
            if let Some(tsc) = &mut r.environment.tsc {
                tsc.rates[1].hz = Some(2.7e9);
            }
        })
        .is_empty()
    );
    assert_eq!(
        with(|r| {
            if let Some(tsc) = &mut r.environment.tsc {
                tsc.kind = TscKind::Constant;
            }
        }),
        ["tsc-variant"]
    );
    assert_eq!(
        with(|r| {
            if let Some(ruler) = &mut r.ruler {
                ruler.noise.disturbed = 9_000;
            }
        }),
        ["noisy-machine"]
    );
    assert_eq!(
        with(|r| {
            if let Some(ruler) = &mut r.ruler {
                ruler.noise.steal_ms = Some(840.0);
            }
        }),
        ["noisy-neighbour"]
    );
    assert_eq!(
        with(|r| {
            if let Some(core) = r.ruler.as_mut().and_then(|r| r.noise.core.as_mut()) {
                core.low_hz = core.hz * 0.9;
            }
        }),
        ["frequency-changed"]
    );
    assert_eq!(with(|r| r.environment.power.source = Some("battery".into())), ["on-battery"]);
    assert_eq!(
        with(|r| r.environment.power.governor = Some("powersave".into())),
        ["governor-powersave"]
    );
    assert!(
        with(|r| {
            r.environment.power.governor = Some("powersave".into());
            r.environment.power.frequency_driver = Some("intel_pstate".into());
        })
        .is_empty()
    );
}

#[test]
fn every_finding_has_evidence_and_a_fix() {
    for report in [machines::hpet(), machines::no_vdso(), machines::emulated()] {
        for finding in judged(report).findings {
            assert!(!finding.evidence.is_empty(), "{}", finding.id);
            assert!(!finding.fix.is_empty() && !finding.reference.is_empty());
        }
    }
    for fault in faults::ALL {
        let page = fault.page();
        let texts = [page.title, page.about, page.how, page.act];
        assert!(!texts.contains(&"") && !page.references.is_empty(), "{}", fault.id);
    }
}

#[test]
fn extreme_figures_do_not_panic() {
    for ns in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
        let mut report = machines::tsc();
        for clock in &mut report.clocks {
            clock.cost.throughput = Some(machines::estimate(ns, ns));
            clock.cost.latency = None;
            clock.wraps_after_s = Some(ns);
            if let Some(resolution) = &mut clock.resolution {
                resolution.tick_ns = Some(ns);
            }
        }
        let report = judged(report);
        let on_clocks = advise::PURPOSES.iter();
        let on_clocks = on_clocks.filter(|purpose| !purpose.is_of_waits());
        let first = report.advice.iter().filter(|advice| advice.languages.is_empty());
        assert_eq!(first.count(), on_clocks.count());
    }
}
