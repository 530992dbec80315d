//! No format shows a percentile above the largest wait, or one that there are too few waits for.

use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::Grid;
use chronoscope_model::{Report, Wait};
use chronoscope_report::format;
use chronoscope_report::section::{Detail, waits};
use chronoscope_report::text::{self, Style};

/// A row as older versions wrote it, in which each percentile is the top of its bucket.
fn report() -> Report {
    of_waits(3000)
}

/// A report with this many waits, and with all percentiles whatever their number.
fn of_waits(samples: u64) -> Report {
    let mut hdr = histogram::empty();
    hdr.record_n(1_468_898, samples).expect("in range");
    let top = Some(1_469_439);
    let overshoot =
        Histogram { p50_ns: top, p90_ns: top, p99_ns: top, p999_ns: top, ..Histogram::of(&hdr) };
    assert_eq!(overshoot.max_ns, 1_469_439);
    let wait = Wait {
        id: "rust/thread-sleep".into(),
        available: true,
        requested_ns: Some(1_000_000),
        period_ns: Some(1_000_000),
        samples,
        min_ns: 1_468_898,
        mean_ns: 1_468_898.0,
        max_ns: 1_468_898,
        grid: Some(Grid { missed: 0, corrected: overshoot.clone(), ..Grid::default() }),
        overshoot,
        notes: vec!["the load was incomplete".into()],
        ..Wait::default()
    };
    Report { waits: vec![wait], ..Report::default() }
}

fn written(id: &str) -> String {
    written_of(&report(), id)
}

fn written_of(report: &Report, id: &str) -> String {
    let mut out = Vec::new();
    let format = format::find(id).expect("a format");
    (format.write)(report, &mut out).expect("a vector");
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

#[test]
fn ten_waits_have_a_median_and_nothing_above_it() {
    let ten = of_waits(10);
    let style = Style { width: 200, ..Style::default() };
    let screen = text::section(&waits::SECTION, &ten, Detail::Full, &style);
    let of = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
    let lines: Vec<&str> = screen.lines().collect();
    let at = lines.iter().position(|l| l.contains("p99.9")).expect("a head");
    let row = lines.iter().skip(at).find(|l| l.contains("rust/thread-sleep"));
    let fields = of(row.expect("a row"));
    // p90, p99 and p99.9, and the intervals of p50, p90 and p99.
    assert_eq!(fields.iter().filter(|field| *field == "-").count(), 6, "{screen}");

    let text = written_of(&ten, "csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().expect("heads").clone();
    let row = reader.records().next().expect("a row").expect("of CSV");
    for (head, field) in heads.iter().zip(&row) {
        match head {
            "p50_ns" => assert_eq!(field, "1468898"),
            "p90_ns" | "p99_ns" | "p99_9_ns" => assert_eq!(field, "", "{head}"),
            _ => {}
        }
    }
}
