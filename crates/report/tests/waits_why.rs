//! What screens and tables show of why waits ended late.

use crate::samples;

use chronoscope_report::format;
use chronoscope_report::section::{self, Detail};
use chronoscope_report::text::{self, Style};

fn screen(width: usize) -> String {
    let style = Style { width, ..Style::default() };
    let report = samples::waits::explained();
    text::section(&section::waits::SECTION, &report, Detail::Full, &style)
}

#[test]
fn every_width_has_the_causes_and_the_latest_wake_ups() {
    for width in [60, 80, 120] {
        let screen = screen(width);
        for line in screen.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        let ran = "run queue 3.1 ms, preemption 800 us: rustc, sh";
        let flowing = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(width < 120 || flowing.contains(ran), "{screen}");
        for words in [
            "rustc",
            "Who ran instead",
            "Why waits ended late",
            "timer",
            "run queue",
            "latest",
            "1 more row",
        ] {
            assert!(screen.contains(words), "{width}: no '{words}' in\n{screen}");
        }
    }
}

#[test]
fn a_table_for_programs_has_a_share_for_each_cause() {
    let report = samples::waits::explained();
    let csv = format::ALL.iter().find(|format| format.id == "csv").expect("csv");
    let mut bytes = Vec::new();
    (csv.write)(&report, &mut bytes).expect("memory");
    let text = String::from_utf8(bytes).expect("text");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().expect("headings");
    let first = lines.next().expect("a row");
    let of = |key: &str| {
        let at = head.iter().position(|it| *it == key).expect(key);
        first[at].parse::<f64>().expect("a number")
    };
    assert_eq!((of("why_later_than_ns"), of("why_wake_ups")), (50_000.0, 30.0));
    let shares = head.iter().filter(|key| key.starts_with("why_"));
    let shares = shares.filter(|key| !key.ends_with("_ns") && **key != "why_wake_ups");
    let sum: f64 = shares.map(|key| of(key)).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
}
