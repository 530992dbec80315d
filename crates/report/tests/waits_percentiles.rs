//! No format shows a percentile above the largest wait.

use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::Grid;
use chronoscope_model::{Report, Wait};
use chronoscope_report::format;
use chronoscope_report::section::{Detail, waits};
use chronoscope_report::text::{self, Style};

/// A row as older versions wrote it, in which each percentile is the top of its bucket.
fn report() -> Report {
    let mut hdr = histogram::empty();
    hdr.record(1_468_898).expect("in range");
    let overshoot = Histogram::of(&hdr);
    assert_eq!(overshoot.p99_ns, 1_469_439);
    let wait = Wait {
        id: "rust/thread-sleep".into(),
        available: true,
        requested_ns: Some(1_000_000),
        period_ns: Some(1_000_000),
        samples: 1,
        min_ns: 1_468_898,
        mean_ns: 1_468_898.0,
        max_ns: 1_468_898,
        grid: Some(Grid {
            missed: 0,
            corrected: overshoot.clone(),
        }),
        overshoot,
        notes: vec!["the load was incomplete".into()],
        ..Wait::default()
    };
    Report {
        waits: vec![wait],
        ..Report::default()
    }
}

fn written(id: &str) -> String {
    let mut out = Vec::new();
    let format = format::find(id).expect("a format");
    (format.write)(&report(), &mut out).expect("a vector");
    String::from_utf8(out).expect("text")
}

#[test]
fn csv_is_capped_and_has_the_notes_of_a_row() {
    let text = written("csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().expect("heads").clone();
    let row = reader.records().next().expect("a row").expect("of CSV");
    for (head, field) in heads.iter().zip(&row) {
        match head {
            "p50_ns" | "p90_ns" | "p99_ns" | "p99_9_ns" | "max_ns" => assert_eq!(field, "1468898"),
            "notes" => assert_eq!(field, "the load was incomplete"),
            _ => {}
        }
    }
    assert!(heads.iter().any(|head| head == "p99_9_ns"), "{heads:?}");
}

#[test]
fn tables_and_lines_are_capped() {
    let markdown = written("markdown");
    assert!(markdown.contains("the load was incomplete"), "{markdown}");
    let style = Style::default();
    let screen = text::section(&waits::SECTION, &report(), Detail::Full, &style);
    for text in [markdown, screen, written("cyclictest")] {
        let larger = ["1469", "1.469", "1470", "1.4694"];
        assert!(!larger.iter().any(|n| text.contains(n)), "{text}");
    }
}
