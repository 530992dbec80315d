//! The advice on waits that follows from the stored reports: the code of a choice makes the wait
//! whose figures it quotes.

use chronoscope_diagnose::advise;
use chronoscope_model::advice::Goal;
use chronoscope_model::waits::{Kind, Wait};
use chronoscope_model::{Advice, Report};
use chronoscope_report::json;
use std::path::Path;

/// The reports of this project's folder that hold waits; none in a package of the crate alone.
fn stored() -> Vec<Report> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    let files = std::fs::read_dir(folder).into_iter().flatten();
    let paths = files.map(|entry| entry.expect("a file of that folder").path());
    let reports = paths.filter(|path| path.extension().is_some_and(|it| it == "json"));
    let reports = reports.map(|path| {
        let text = std::fs::read_to_string(path).expect("a text");
        json::read(text.as_bytes()).expect("a report")
    });
    reports.filter(|report| !report.waits.is_empty()).collect()
}

/// What the code does, by its calls.
fn kind(code: &str) -> Kind {
    let code: String = code.lines().filter(|line| !line.starts_with(['/', '#'])).collect();
    // The library's waits do both, but their code does not show it.
    if code.contains("chronoscope::wait") || code.contains("waiter.sleep") {
        return Kind::Hybrid;
    }
    let calls = |names: &[&str]| names.iter().any(|name| code.contains(name));
    let sleeps = calls(&[
        "sleep",
        "Thread.Sleep",
        "Timeout",
        "Atomics.wait",
        "WaitFor",
        "Nanosleep",
        "time.Sleep",
        "parkNanos",
    ]);
    match (sleeps, calls(&["while", "SpinWait", "for time.Since"])) {
        (true, false) => Kind::Sleep,
        (true, true) => Kind::Hybrid,
        (false, _) => Kind::Busy,
    }
}

fn row<'a>(report: &'a Report, advice: &Advice) -> Option<&'a Wait> {
    let choice = advice.wait.as_ref()?;
    report.waits.iter().find(|w| Some(&w.id) == advice.clock.as_ref() && choice.is(w))
}

#[test]
fn code_is_of_the_kind_that_was_measured_and_never_spins_for_the_least_cpu_time() {
    let mut seen = 0;
    for report in stored() {
        for advice in advise(&report).iter().filter(|advice| advice.wait.is_some()) {
            let goal = advice.wait.as_ref().expect("a wait").goal;
            for (language, code) in &advice.code {
                let row = row(&report, advice).expect("the quoted row");
                let what = format!("{} in {language}, as {}:\n{code}", advice.title, row.id);
                assert_eq!(kind(code), row.kind, "{what}");
                if goal == Goal::Cpu {
                    assert_ne!(kind(code), Kind::Busy, "{what}");
                    assert!(row.cpu_share.is_none_or(|share| share < 0.5), "{what}");
                }
                seen += 1;
            }
        }
    }
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports").exists();
    assert!(seen > 20 || !there, "{seen}");
}

#[test]
fn code_is_in_the_language_of_the_row_and_each_language_with_rows_has_one_answer() {
    for report in stored() {
        let all = advise(&report);
        let waits = || all.iter().filter_map(|advice| Some((advice, advice.wait.as_ref()?)));
        for (advice, of) in waits().filter(|(advice, _)| advice.clock.is_some()) {
            let own = row(&report, advice).expect("the quoted row").language.name();
            assert_eq!(advice.code.keys().collect::<Vec<_>>(), [own], "{}", advice.title);
            let same = waits().filter(|(other, it)| {
                (it.requested_ns, it.goal) == (of.requested_ns, of.goal)
                    && other.code.contains_key(own)
            });
            assert_eq!(same.count(), 1, "{}: {own}", advice.title);
        }
    }
}
