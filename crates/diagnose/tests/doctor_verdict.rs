//! The sentence that doctor opens with.

use crate::machines;

use chronoscope_diagnose::{examine, faults};
use chronoscope_model::environment::ClockSource;
use chronoscope_model::{About, Certainty, Finding, Level, Report};

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
    assert_eq!(on(Report::default(), &[]), "No clock was measured: nothing wrong was found.");
    let mut facts = Report::default();
    let available = vec!["tsc".into()];
    facts.environment.clocksource = Some(ClockSource { current: "tsc".into(), available });
    assert_eq!(on(facts, &[]), "Clock source tsc, not measured: nothing wrong was found.");
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
