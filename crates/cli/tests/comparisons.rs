//! The reports that the repository holds, of every command and of several systems, each compared
//! with each.

use crate::checked_in;
use crate::common;

use chronoscope_diagnose::compare::{compare, one_machine};
use chronoscope_model::Report;
use chronoscope_model::compare::{Change, Compared, Key, Row, Verdict};
use chronoscope_report::section::Detail;
use chronoscope_report::text::{self, Style};
use chronoscope_report::{compare as view, json};
use serde_json::Value;

type Named = (String, Report);

fn reports() -> Vec<Named> {
    let read = |bytes: &[u8]| json::read(bytes).expect("a report");
    checked_in::all().into_iter().map(|(file, bytes)| (file, read(&bytes))).collect()
}

fn change(a: &Named, b: &Named) -> Change {
    compare(&[a.clone(), b.clone()]).change.expect("a change")
}

/// Calls `check` with every two reports, once.
fn each_pair(mut check: impl FnMut(&Named, &Named)) {
    let reports = reports();
    for (at, a) in reports.iter().enumerate() {
        for b in &reports[at + 1..] {
            check(a, b);
        }
    }
}

/// Every command has a report here: a new one needs a line in `cargo xtask cross --samples`.
#[test]
fn every_command_that_measures_has_a_report() {
    let reports = reports();
    let sections = |report: &Report| -> Vec<&str> {
        let all = chronoscope_report::section::measured(report);
        all.iter().map(|section| section.id).collect()
    };
    let held: Vec<&str> = reports.iter().flat_map(|(_, report)| sections(report)).collect();
    for id in ["clocks", "deltas", "calls", "overhead", "waits", "runtimes", "trust", "sweep"] {
        assert!(held.contains(&id), "{id}: {held:?}");
    }
    assert!(reports.iter().any(|(_, report)| !report.checks.is_empty()));
    assert!(reports.iter().any(|(_, report)| !report.clocks_under_load.is_empty()));
}

#[test]
fn a_comparison_has_no_figure_that_is_none() {
    each_pair(|a, b| {
        let compared = compare(&[a.clone(), b.clone()]);
        let json: Value = serde_json::from_slice(&json::comparison(&compared).expect("JSON"))
            .expect("it is JSON");
        // The last digit of a figure may be lost.
        let again: Compared = serde_json::from_value(json).expect("it can be read back");
        let rows = |it: &Compared| it.change.as_ref().map(|it| (it.rows.len(), it.counts));
        assert_eq!(rows(&again), rows(&compared), "{} {}", a.0, b.0);
        for row in compared.change.iter().flat_map(|it| &it.rows) {
            let of = [row.change_low, row.change, row.change_high, row.at_most];
            assert!(of.iter().all(|share| share.is_finite()), "{} {}: {row:?}", a.0, b.0);
            assert!(of[..3].is_sorted(), "{} {}: {row:?}", a.0, b.0);
            assert!(row.p.is_none_or(|p| (0.0..=1.0).contains(&p)), "{} {}: {row:?}", a.0, b.0);
            let cannot_tell = row.verdict == Verdict::CannotTell;
            assert_eq!(cannot_tell, row.why.is_some(), "{} {}: {row:?}", a.0, b.0);
        }
    });
}

#[test]
fn a_comparison_can_be_shown_at_any_width_and_in_any_format() {
    each_pair(|a, b| {
        let compared = compare(&[a.clone(), b.clone()]);
        for (width, detail) in [(60, Detail::Full), (80, Detail::Full), (120, Detail::Everything)] {
            let style = Style { width, ..Style::default() };
            let text = text::detailed(view::view(&compared, detail), detail, &style);
            let most = text.lines().map(|line| line.chars().count()).max();
            assert!(most <= Some(width), "{} {} at {width}:\n{text}", a.0, b.0);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{} {}:\n{text}", a.0, b.0);
        }
        assert_eq!(view::FORMATS.map(|(id, _)| id), ["markdown", "csv"]);
        for (id, written) in view::FORMATS {
            let text = String::from_utf8(written(&compared).expect(id)).expect(id);
            assert!(!text.contains("NaN") && !text.contains("inf,"), "{} {}:\n{text}", a.0, b.0);
        }
    });
}

#[test]
fn the_order_of_two_reports_changes_only_the_direction() {
    each_pair(|a, b| {
        let (there, back) = (change(a, b), change(b, a));
        let names = format!("{} {}", a.0, b.0);
        assert_eq!(there.counts.worse, back.counts.better, "{names}");
        assert_eq!(there.counts.better, back.counts.worse, "{names}");
        assert_eq!(there.counts.same, back.counts.same, "{names}");
        assert_eq!(there.counts.cannot_tell, back.counts.cannot_tell, "{names}");
        assert_eq!(there.rows.len(), back.rows.len(), "{names}");
        for row in &there.rows {
            // Waits under different loads have the load of A.
            let of = |row: &Row| Key { load: None, ..row.key.clone() };
            let same = |it: &&Row| of(it) == of(row) && (it.a, it.b) == (row.b, row.a);
            let other = back.rows.iter().find(same).expect("the same row");
            let product = (1.0 + row.change) * (1.0 + other.change);
            assert!((product - 1.0).abs() < 1e-6, "{names}: {row:?} {other:?}");
            assert!((row.at_most - other.at_most).abs() <= 1e-6 * row.at_most.abs(), "{names}");
        }
        let lists = |change: &Change| {
            [&change.environment, &change.findings, &change.verdicts, &change.trust].map(Vec::len)
        };
        assert_eq!(lists(&there), lists(&back), "{names}");
    });
}

#[test]
fn a_report_does_not_differ_from_itself() {
    for report in reports() {
        let change = change(&report, &report);
        assert_eq!((change.counts.worse, change.counts.better), (0, 0), "{}", report.0);
        assert!(change.rows.iter().all(|row| row.change == 0.0), "{}", report.0);
        assert!(change.environment.iter().all(|it| it.is_same()), "{}", report.0);
        let lists = [&change.findings, &change.verdicts, &change.trust];
        assert!(lists.iter().all(|list| list.is_empty()) && change.shared.is_empty());
    }
}

#[test]
fn on_another_machine_nothing_is_worse_or_better() {
    let mut pairs = 0;
    each_pair(|a, b| {
        let machine = one_machine(&a.1, &b.1);
        let rows = change(a, b).rows;
        let has = |verdicts: [Verdict; 2]| rows.iter().any(|row| verdicts.contains(&row.verdict));
        let foreign = if machine {
            [Verdict::Higher, Verdict::Lower]
        } else {
            pairs += 1;
            [Verdict::Worse, Verdict::Better]
        };
        assert!(!has(foreign), "{} {}", a.0, b.0);
    });
    assert!(pairs > 10, "{pairs}");
}

/// Through the command line: the first of each command with the main report, and up to four.
#[test]
fn the_command_compares_what_it_can_and_says_why_not() {
    let reports = reports();
    let files: Vec<&str> = reports.iter().map(|(file, _)| file.as_str()).collect();
    let native = |file: &&str| file.ends_with("x86_64-unknown-linux-gnu.json");
    let (main, others) = (files.iter().find(|it| native(it)).expect("a report"), &files);
    for other in others.iter().filter(|it| native(it)) {
        let output = common::run(&["compare", main, other, "--json"]);
        match output.status.code() {
            Some(0) => {
                let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
                assert_eq!(json["schema"], "chronoscope.comparison/1");
            }
            code => {
                let line = String::from_utf8_lossy(&output.stderr);
                assert_eq!((code, line.lines().count()), (Some(2), 1), "{line}");
            }
        }
    }
    for number in 2..=4 {
        let clocks = files.iter().filter(|file| file.contains("clocks")).take(number);
        let output = common::run(&[vec!["compare"], clocks.copied().collect()].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}
