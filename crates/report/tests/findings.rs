//! Findings on every screen: counts are those of what is listed, and summaries stay short.

use crate::machines;

use chronoscope_diagnose::{examine, faults};
use chronoscope_model::{About, Certainty, Finding, Level, Report};
use chronoscope_report::section::findings::{SECTION, diagnosis};
use chronoscope_report::section::{Detail, machine};
use chronoscope_report::text::{self, Style};
use chronoscope_report::{json, markdown};

fn style(width: usize) -> Style {
    Style { width, ..Style::default() }
}

/// The screen of doctor.
fn doctor(report: &Report, detail: Detail) -> String {
    let blocks = diagnosis(report, &faults::verdict(report), detail);
    text::detailed(blocks, detail, &style(120))
}

/// Machines with findings of every kind, as doctor examines them.
fn examined() -> Vec<Report> {
    let mut busy = machines::tsc();
    busy.run.seconds = 12.0;
    busy.ruler.as_mut().expect("a ruler").noise.run_queue_ms = Some(4_100.0);
    let all = [machines::tsc(), machines::hpet(), machines::kvm_clock(), busy, Report::default()];
    all.map(|mut report| {
        examine(&mut report);
        report
    })
    .to_vec()
}

/// The report as a document.
fn document(report: &Report) -> String {
    let mut bytes = Vec::new();
    markdown::write(report, &mut bytes).expect("a document");
    String::from_utf8(bytes).expect("text")
}

/// The lines under a heading.
fn under<'a>(screen: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = screen.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
    lines.take_while(|line| line.starts_with(' ')).collect()
}

/// How many faults the header of doctor counts as that.
fn counted(screen: &str, what: &str) -> usize {
    let line = screen.lines().find(|line| line.contains(" faults: ")).expect("a line of counts");
    let mut counts = line.split(": ").nth(1).expect("counts").split(';').next();
    let counts = counts.take().expect("counts").split(", ");
    let found = counts.filter_map(|count| count.strip_suffix(&format!(" {what}"))).next();
    found.map_or(0, |number| number.parse().expect("a number"))
}

/// How many findings of a block are listed: each begins with its level.
fn listed(screen: &str, heading: &str) -> usize {
    let levels = ["info ", "warning ", "error "];
    let heads = under(screen, heading).into_iter().filter_map(|line| line.strip_prefix("  "));
    heads.filter(|line| levels.iter().any(|level| line.starts_with(level))).count()
}

#[test]
fn what_doctor_counts_is_what_it_lists() {
    for report in examined() {
        for allowed in 0..=report.findings.len() {
            let mut report = report.clone();
            report.findings.drain(..allowed);
            let screen = doctor(&report, Detail::Full);
            let found = listed(&screen, "Findings") + listed(&screen, "This run");
            assert_eq!(counted(&screen, "found"), found, "{screen}");
            assert_eq!(counted(&screen, "allowed"), allowed, "{screen}");
            let parts = ["found", "allowed", "ruled out", "unknown", "of other machines"];
            let all: usize = parts.iter().map(|part| counted(&screen, part)).sum();
            assert_eq!(all, faults::ALL.len(), "{screen}");
            let unknown = under(&screen, "Unknown").join(" ");
            let of = faults::ALL.iter().filter(|fault| unknown.contains(fault.id)).count();
            assert_eq!(counted(&screen, "unknown"), of, "{screen}");
        }
    }
}

#[test]
fn what_could_not_be_examined_is_not_found() {
    let mut report = machines::tsc();
    report.environment.keeping.get_or_insert_default().adjtimex_refused = Some("EPERM".into());
    examine(&mut report);
    let screen = doctor(&report, Detail::Full);
    assert!(!under(&screen, "Findings").join(" ").contains("adjtimex-denied"), "{screen}");
    assert!(under(&screen, "Unknown").join(" ").contains("adjtimex-denied"), "{screen}");
    assert!(doctor(&report, Detail::Everything).contains("adjtimex: EPERM"));
    let document = document(&report);
    let (_, unknown) = document.split_once("\n## Unknown\n").expect("a heading");
    assert!(unknown.contains("`adjtimex-denied`"), "{document}");
}

/// A finding of every fault, the worst first.
fn every_fault() -> Report {
    let mut report = machines::tsc();
    chronoscope_diagnose::judge(&mut report);
    let levels = [Level::Error, Level::Warning, Level::Info].into_iter().cycle();
    let all = faults::ALL.iter().zip(levels).map(|(fault, level)| Finding {
        id: fault.id.into(),
        level,
        about: fault.about,
        title: fault.page().title.into(),
        evidence: vec!["a line".into(), "and another".into()],
        fix: fault.page().act.into(),
        ..Finding::default()
    });
    report.findings = all.collect();
    report.findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    report
}

#[test]
fn every_fault_at_once_takes_six_lines_of_the_summary() {
    let report = every_fault();
    for width in [60, 80, 120] {
        let screen = text::summary(&report, &style(width));
        let lines = under(&screen, "Findings");
        assert_eq!(lines.len(), 5, "{screen}");
        let heading = screen.lines().find(|line| line.starts_with("Findings"));
        let about_run = report.findings.iter().filter(|it| it.about == About::Run).count();
        let more = report.findings.len() - about_run - 4;
        assert_eq!(heading, Some(&*format!("Findings  {more} more: chronoscope doctor")));
        assert!(lines.iter().take(4).all(|line| line.starts_with("  error ")), "{screen}");
        let run = lines.last().expect("five lines");
        assert!(run.starts_with("  This run: error "), "{run}");
        assert!(width < 80 || run.ends_with(" more"), "{run}");
        // No line names a finding again.
        let end = under(&screen, "Use").join(" ");
        assert!(faults::ALL.iter().all(|fault| !end.contains(fault.id)), "{end}");
    }
}

#[test]
fn other_screens_have_warnings_in_full_and_information_in_a_line_each() {
    let report = every_fault();
    let screen = text::section(&machine::SECTION, &report, Detail::Full, &style(80));
    for (heading, about) in [("Findings", About::Machine), ("This run", About::Run)] {
        let of = report.findings.iter().filter(|finding| finding.about == about);
        assert_eq!(listed(&screen, heading), of.clone().count());
        let lines = under(&screen, heading);
        for finding in of {
            let start = format!("  {} {}  ", finding.level.name(), finding.id);
            let at = lines.iter().position(|line| line.starts_with(&start)).expect("its line");
            let evidence = lines.get(at + 1..at + 4).is_some_and(|next| {
                next.iter()
                    .take_while(|line| line.starts_with("    "))
                    .any(|it| it.contains("line"))
            });
            assert_eq!(evidence, finding.level > Level::Info, "{start}");
        }
    }
}

#[test]
fn exports_show_what_a_finding_is_about() {
    let report = every_fault();
    let document = document(&report);
    let (machine, run) = document.split_once("\n## This run\n").expect("a heading");
    for finding in &report.findings {
        let id = format!("`{}`", finding.id);
        assert_eq!(machine.contains(&id), finding.about == About::Machine, "{id}");
        assert_eq!(run.contains(&id), finding.about == About::Run, "{id}");
    }
    let mut bytes = Vec::new();
    json::write(&report, &mut bytes).expect("a document");
    let read: Report = serde_json::from_slice(&bytes).expect("a report");
    assert_eq!(read.findings, report.findings);
    let ids = text::brief(&report, &style(80));
    let (machine, run) = ids.split_once(", about this run: ").expect("both classes");
    assert!(machine.contains(" tsc-warp") && run.contains("noisy-machine"), "{ids}");
}

/// Reports from before findings had a class.
#[test]
fn a_finding_without_a_class_is_about_the_machine() {
    let text = r#"{"id":"no-vdso","level":"warning","certainty":"evidence","title":"",
                   "evidence":[],"fix":""}"#;
    let finding: Finding = serde_json::from_str(text).expect("a finding");
    assert_eq!((finding.about, finding.certainty), (About::Machine, Certainty::Evidence));
    let again = serde_json::to_value(&finding).expect("a value");
    assert_eq!(again.get("about"), None);
    assert!(
        !(SECTION.view)(&Report { findings: vec![finding], ..Report::default() }, Detail::Brief)
            .is_empty()
    );
}
