//! Every name that a screen prints has a page.

use crate::samples;

use chronoscope_model::environment::Timer;
use chronoscope_model::{Page, Report};
use chronoscope_report::block::Block;
use chronoscope_report::section::{self, Detail};
use chronoscope_report::terms;
use chronoscope_report::text::{self, Style};
use std::collections::BTreeSet;

/// A report with facts that few machines have.
fn rare() -> Report {
    let mut report = samples::full();
    report.environment.tsc = None;
    report.environment.counter = Some(Default::default());
    report.environment.kernel = Some("10.0.22631".into());
    for name in ["QPC", "clock interrupt"] {
        report.environment.timers.push(Timer { name: name.into(), ..Timer::default() });
    }
    report.ruler.get_or_insert_default().noise.taken = Some(Default::default());
    for deltas in &mut report.deltas {
        deltas.nothing_measured.get_or_insert_default().min_ns = -1.0;
        deltas.runtime = Some("Mono 6.8".into());
        deltas.pairs = Some(Default::default());
    }
    report
}

/// The names of columns and facts in everything that sections show, by section.
fn names() -> BTreeSet<(&'static str, String)> {
    let reports = [
        samples::full(),
        samples::under_load(),
        samples::troubled(),
        samples::trust::watched(samples::trust::sound()),
        samples::trust::watched(samples::trust::faulty()),
        samples::trust::against(),
        samples::swept(),
        samples::waits::everything(),
        samples::waits::chosen(),
        samples::waits::one(),
        samples::runtimes::some(),
        samples::waits::explained(),
        rare(),
        Report::default(),
    ];
    let details = [Detail::Brief, Detail::Full, Detail::Everything];
    let mut names = BTreeSet::new();
    for section in section::ALL {
        let mut add = |blocks: Vec<Block>| {
            for block in blocks {
                match block {
                    Block::Facts(facts) => {
                        names.extend(facts.iter().map(|it| (section.id, it.name.to_string())));
                    }
                    Block::Table(table) => {
                        for column in &table.columns {
                            let heads = column.narrow.into_iter().chain([&*column.head]);
                            names.extend(heads.map(|head| (section.id, head.to_owned())));
                        }
                    }
                    _ => {}
                }
            }
        };
        for report in &reports {
            add(section.table.iter().map(|table| Block::Table(table(report))).collect());
            details.iter().for_each(|detail| add((section.view)(report, *detail)));
        }
    }
    names
}

fn pages_of(id: &str) -> Vec<Page> {
    let own = section::ALL.iter().filter(|section| section.id == id);
    own.flat_map(|section| terms::pages(section.terms)).collect()
}

#[test]
fn every_name_has_its_page_next_to_its_section() {
    let names = names();
    for name in ["zeros", "slack", "average", "noise", "verdict"] {
        assert!(names.iter().any(|(_, shown)| shown == name), "{name}");
    }
    for (id, name) in &names {
        // The page on clocks holds for those of runtimes and of a sweep, and advice has a table of
        // waits.
        let ids = match *id {
            _ if name == "resolution" => ["clocks", ""],
            "advice" => ["advice", "waits"],
            id => [id, ""],
        };
        let found = ids.into_iter().flat_map(pages_of).any(|page| terms::has(&page, name));
        assert!(found, "no page in the file of {id} is named '{name}'");
    }
}

/// Names of rows and signs are found in the text of screens.
#[test]
fn no_page_is_unused() {
    let names = names();
    for section in section::ALL {
        let mut text = String::new();
        for report in [samples::full(), samples::waits::everything()] {
            text += &text::section(section, &report, Detail::Everything, &Style::default());
            text += &text::detailed(
                section::waits::ticks(&report, Detail::Everything),
                Detail::Everything,
                &Style::default(),
            );
        }
        for page in terms::pages(section.terms) {
            let shown = names.iter().any(|(id, name)| *id == section.id && terms::has(&page, name));
            let shown = shown || page.names.iter().any(|name| text.contains(name));
            assert!(shown, "no screen of {} shows '{}'", section.id, page.names[0]);
        }
    }
}

#[test]
fn pages_are_readable_in_ascii() {
    let ascii = Style { unicode: false, ..Style::default() };
    for page in terms::all().chain(terms::topics()) {
        let page = text::Page::from(page);
        let text = text::explain(&page, &ascii);
        let questions = text::explain(&page, &Style::default());
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
