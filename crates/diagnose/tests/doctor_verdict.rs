//! The sentence that doctor opens with.

use crate::machines;

use chronoscope_diagnose::{examine, faults};
use chronoscope_model::clock::Reads;
use chronoscope_model::environment::ClockSource;
use chronoscope_model::timekeeping::LibraryClock;
use chronoscope_model::{About, Certainty, Finding, Level, Report, change};

/// The verdict on a machine with findings of these levels only.
fn on(mut report: Report, levels: &[Level]) -> String {
    examine(&mut report);
    let finding = |(nth, level): (usize, &Level)| Finding {
        id: format!("fault-{nth}"),
        level: *level,
        ..Finding::default()
    };
    report.findings = levels.iter().enumerate().map(finding).collect();
    faults::verdict(&report)
}

#[test]
fn it_names_the_clock_source_its_path_its_cost_and_the_gravest_finding() {
    use Level::{Error, Info, Warning};
    let good = "Clock source tsc, read in user space, 18.0 ns: good";
    let none = format!("{good}.");
    assert_eq!(on(machines::tsc(), &[]), none);
    assert_eq!(on(machines::tsc(), &[Info]), format!("{good}. One thing to know."));
    assert_eq!(on(machines::tsc(), &[Info, Info]), format!("{good}. Two things to know."));
    let one = format!("{good}, but one warning, fault-0. One thing to know.");
    assert_eq!(on(machines::tsc(), &[Warning, Info]), one);
    let hpet = "Clock source hpet, read by a system call, 790 ns:";
    let two = format!("{hpet} two warnings, fault-0 and fault-1.");
    assert_eq!(on(machines::hpet(), &[Warning; 2]), two);
    let broken = format!("{hpet} broken, one error, fault-0. Two warnings, one thing to know.");
    assert_eq!(on(machines::hpet(), &[Error, Warning, Warning, Info]), broken);
    assert!(on(machines::hpet(), &[Warning; 12]).ends_with(" 12 warnings."));
}

#[test]
fn what_is_unknown_or_about_the_run_is_not_counted() {
    let mut report = machines::tsc();
    examine(&mut report);
    let verdict = faults::verdict(&Report { findings: Vec::new(), ..report.clone() });
    let finding = Finding { level: Level::Warning, ..Finding::default() };
    let unknown = Finding { certainty: Certainty::Unknown, ..finding.clone() };
    let run = Finding { about: About::Run, ..finding };
    report.findings = vec![unknown];
    assert_eq!(faults::verdict(&report), verdict);
    report.findings.push(run);
    assert_eq!(faults::verdict(&report), format!("{verdict} The run was disturbed."));
}

#[test]
fn nothing_is_called_good_that_was_not_measured() {
    assert_eq!(
        on(Report::default(), &[]),
        "No clock was measured: nothing wrong was found in what is known."
    );
    let mut facts = Report::default();
    let available = vec!["tsc".into()];
    facts.environment.clocksource = Some(ClockSource { current: "tsc".into(), available });
    assert_eq!(
        on(facts, &[]),
        "Clock source tsc, not measured: nothing wrong was found in what is known."
    );
}

/// Other systems do not name a clock source.
#[test]
fn elsewhere_the_clock_itself_is_named() {
    let mut report = machines::tsc();
    report.environment.os = "macOS 15".into();
    report.environment.clocksource = None;
    report.clocks.retain(|clock| clock.id == "posix/monotonic");
    assert_eq!(on(report, &[]), "System clock posix/monotonic, read in user space, 18.0 ns: good.");
}

#[test]
fn it_begins_with_what_makes_the_figures_those_of_something_else() {
    let begins = |change: fn(&mut Report), words: &str| {
        let mut report = machines::tsc();
        change(&mut report);
        examine(&mut report);
        let verdict = faults::verdict(&report);
        assert!(verdict.starts_with(words), "{verdict}");
        assert!(!verdict.contains("good"), "{verdict}");
        report
    };
    begins(
        |it| it.environment.emulated = Some("Valgrind (x)".into()),
        "The figures are an emulator's",
    );
    let report = begins(
        |it| {
            let keeping = it.environment.keeping.get_or_insert_default();
            keeping.library_clock = Some(LibraryClock {
                pace_percent: Some(200),
                preloaded: vec!["libfaketime.so.1".into()],
                ..LibraryClock::default()
            });
        },
        "The C library's clock is not the kernel's but a library's, libfaketime.so.1",
    );
    let found = report.findings.iter().find(|it| it.id == "library-clock");
    assert!(found.is_some_and(|it| it.evidence[0].contains("200 %")), "{found:?}");
    begins(
        |it| {
            let [fact, before, after] = [change::CLOCK_SOURCE, "tsc", "hpet"].map(Into::into);
            it.run.changed = vec![change::Change { fact, before, after }];
        },
        "Clock source tsc, and later hpet",
    );
}

#[test]
fn a_glance_judges_clocks_that_are_read_by_system_calls() {
    let mut report = machines::tsc();
    (report.run.quick, report.trust) = (true, None);
    for clock in &mut report.clocks {
        let ns = if clock.reads(Reads::SystemCall) { 240.0 } else { 251.0 };
        if clock.reads(Reads::SystemCall) || clock.reads(Reads::Vdso) {
            clock.cost.throughput = Some(machines::estimate(ns, 0.5));
        }
    }
    examine(&mut report);
    let found = report.findings.iter().find(|it| it.id == "clock-not-in-vdso");
    assert!(found.is_some_and(|it| it.level == Level::Warning), "{:?}", report.findings);
    assert!(faults::verdict(&report).contains("read by a system call"));
}
