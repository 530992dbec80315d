//! Every name that a screen prints has a page.

#[path = "../../diagnose/tests/machines/mod.rs"]
mod machines;
mod samples;

use chronoscope_model::Report;
use chronoscope_report::block::Block;
use chronoscope_report::section::{self, Detail};
use chronoscope_report::term::Term;
use chronoscope_report::terms;
use chronoscope_report::text::{Page, Style, explain};
use std::collections::BTreeSet;

/// The names of columns and facts in everything that sections show, with their pages.
fn names() -> Vec<(String, &'static Term)> {
    let reports = [
        samples::full(),
        samples::troubled(),
        samples::trust::watched(samples::trust::sound()),
        samples::trust::watched(samples::trust::faulty()),
        samples::swept(),
        samples::waits::everything(),
        samples::waits::chosen(),
        samples::waits::one(),
        samples::runtimes::some(),
        samples::waits::explained(),
        Report::default(),
    ];
    let details = [Detail::Brief, Detail::Full, Detail::Everything];
    let views = reports.iter().flat_map(|report| {
        let sections = section::ALL.iter();
        sections.flat_map(move |section| {
            let tables = section.table.iter().map(|table| Block::Table(table(report)));
            let views = details.iter().flat_map(|detail| (section.view)(report, *detail));
            views.chain(tables).collect::<Vec<_>>()
        })
    });
    let mut names = Vec::new();
    for block in views {
        match block {
            Block::Facts(facts) => {
                names.extend(facts.iter().map(|fact| (fact.name.to_string(), fact.term)));
            }
            Block::Table(table) => {
                for column in &table.columns {
                    names.push((column.head.to_string(), column.term));
                    names.extend(column.narrow.map(|head| (head.to_owned(), column.term)));
                }
            }
            _ => {}
        }
    }
    for heads in [["mains", "battery"], ["mains", "mains"]] {
        let reports = heads.map(|power| {
            let mut report = samples::waits::report();
            report.waits.iter_mut().for_each(|wait| wait.power = Some(power.into()));
            report
        });
        for block in section::waits::compared(&reports[0], &reports[1]) {
            let Block::Table(table) = block else { continue };
            let columns = table.columns.iter();
            names.extend(columns.map(|column| (column.head.to_string(), column.term)));
        }
    }
    names
}

#[test]
fn every_name_has_its_page_and_every_page_is_listed() {
    let names = names();
    let shown: BTreeSet<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    for name in ["zeros", "slack", "average", "noise", "verdict"] {
        assert!(shown.contains(name), "{name}");
    }
    for (name, term) in &names {
        assert!(term.has(name), "'{name}' is not a name of {:?}", term.names);
        assert!(
            terms::all().any(|listed| std::ptr::eq(listed, *term)),
            "the page on '{name}' is not listed"
        );
    }
}

#[test]
fn pages_are_readable_in_ascii() {
    let ascii = Style { unicode: false, ..Style::default() };
    for term in terms::all() {
        let page = Page::from(term);
        let text = explain::render(&page, &ascii);
        let questions = explain::render(&page, &Style::default());
        assert!(text.is_ascii(), "{text}");
        assert_eq!(text.matches('?').count(), questions.matches('?').count(), "{text}");
        assert_eq!(text.contains("+/-"), questions.contains('±'), "{text}");
    }
}

#[test]
fn the_names_of_the_rows_of_overhead_have_pages() {
    for name in ["baseline", "timed", "overhead"] {
        assert!(!terms::find(name).is_empty(), "{name}");
    }
}
