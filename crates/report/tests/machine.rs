//! What screens say about the types of cores, and about what a rate was compared with.

use crate::{machines, samples};

use chronoscope_diagnose::judge;
use chronoscope_model::clock::Discipline;
use chronoscope_model::environment::{CoreClass, CoreType, Timer};
use chronoscope_model::{Note, Report};
use chronoscope_report::section::Detail;
use chronoscope_report::text::Style;

/// The screens of this name at a width that wraps nothing, with single spaces.
fn screen(report: &Report, name: &str) -> String {
    let style = Style { width: 400, ..Style::default() };
    let screens = samples::of(report, Detail::Everything, &style);
    let (_, text) = screens.into_iter().find(|(n, _)| *n == name).expect("a screen");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn judged(change: impl FnOnce(&mut Report)) -> Report {
    let mut report = machines::tsc();
    change(&mut report);
    judge(&mut report);
    report
}

#[test]
fn the_types_of_cores_and_the_one_that_was_measured_on_are_shown() {
    let of = |class, name: &str, cpus: std::ops::Range<usize>| CoreType {
        class,
        name: name.into(),
        cpus: cpus.collect(),
        ..CoreType::default()
    };
    let report = judged(|report| {
        report.environment.cpu.logical = 20;
        report.environment.hypervisor = None;
        report.environment.cpu.core_types = vec![
            of(CoreClass::Performance, "Core", 0..16),
            of(CoreClass::Efficiency, "Atom", 16..20),
        ];
        report.ruler.as_mut().expect("a ruler").cpu = Some(17);
        report.notes = vec![Note::default()];
    });
    let brief = screen(&report, "glance");
    assert!(brief.contains("20 CPUs: 16 performance, 4 efficiency"), "{brief}");
    assert!(brief.contains("CPU 17 (efficiency core)"), "{brief}");
    let full = screen(&report, "machine");
    let types = "performance: CPU 0-15 (Core); efficiency: CPU 16-19 (Atom)";
    assert!(full.contains(types), "{full}");
}

#[test]
fn windows_shows_what_its_performance_counter_should_use() {
    let windows = |kernel: &str| {
        let report = judged(|report| {
            report.environment.os = format!("Windows {kernel}");
            report.environment.kernel = Some(kernel.into());
            report.environment.parameters = vec!["useplatformclock=yes".into()];
            let qpc = Timer { name: "QPC".into(), present: Some(true), ..Timer::default() };
            report.environment.timers = vec![qpc];
        });
        screen(&report, "machine")
    };
    let new = windows("10.0.22631");
    for part in [
        "boot parameters useplatformclock=yes",
        "QPC should use the TSC, which is invariant",
        "▸ 10 1809 and later",
        "bcdedit /deletevalue useplatformclock",
    ] {
        assert!(new.contains(part), "{part}: {new}");
    }
    let old = windows("6.0.6002");
    assert!(old.contains("QPC should use the HPET") && old.contains("▸ Vista"), "{old}");
    assert!(!windows("unknown").contains("QPC should use"));
}

#[test]
fn a_system_without_clock_sources_and_a_vdso_is_not_asked_for_them() {
    for (os, timer, evidence, source) in [
        (
            "Windows 6.1 under Wine 8.0 on Linux 6.18",
            "QPC",
            "Wine; one",
            " QPC at 10.0 MHz · Wine ",
        ),
        ("macOS 15.1", "mach_absolute_time", "sysctl", " mach_absolute_time at 10.0 MHz · sysctl "),
        ("FreeBSD 14.1-RELEASE", "HPET", "", ""),
    ] {
        let report = judged(|report| {
            let env = &mut report.environment;
            (env.clocksource, env.vdso, env.os) = (None, None, os.into());
            let (name, evidence) = (timer.into(), evidence.into());
            env.timers = vec![Timer { name, present: Some(true), hz: Some(1e7), evidence }];
        });
        let brief = chronoscope_report::text::brief(&report, &Style::default());
        let text = ["glance", "machine"].map(|name| screen(&report, name)).concat() + &brief;
        assert!(text.contains(source) && brief.contains(os), "{text}");
        assert!(!text.contains("vDSO unk") && !text.contains("clock source unk"), "{text}");
    }
}

#[test]
fn a_hypervisors_claim_is_called_one() {
    let guest = screen(&judged(|_| ()), "machine");
    assert!(guest.contains("KVM's claim"), "{guest}");
    let host = screen(&judged(|report| report.environment.hypervisor = None), "machine");
    assert!(!host.contains("claim"), "{host}");
}

#[test]
fn a_rate_that_was_compared_with_itself_is_called_unverified() {
    let report = judged(|_| ());
    for (name, words) in [("glance", "unverified"), ("machine", "unverified: same oscillator")] {
        let text = screen(&report, name);
        assert!(text.contains(words), "{text}");
    }
    let disciplined = judged(|report| {
        report.environment.discipline = Some(Discipline {
            synchronised: true,
            max_error_ns: 1.2e6,
            correction_ppm: 12.3,
            ..Discipline::default()
        });
    });
    let text = screen(&disciplined, "machine");
    assert!(text.contains("+12.3 ppm by the disciplined clock"), "{text}");
    assert!(!text.contains("unverified") && !screen(&disciplined, "glance").contains("unverified"));
}

#[test]
fn a_counter_that_is_the_ruler_shows_no_check_over_100_ms() {
    let text = screen(&judged(|_| ()), "clocks");
    assert!(text.contains("(ruler)"), "{text}");
}
