//! What the screen of waits shows.

mod samples;

#[path = "../../diagnose/tests/machines/mod.rs"]
mod machines;

use chronoscope_model::Report;
use chronoscope_model::waits::Grid;
use chronoscope_report::section::{Detail, waits};
use chronoscope_report::text::{self, Style};
use samples::waits::{gridded, report};

fn render(report: &Report, width: usize, detail: Detail) -> String {
    let style = Style {
        width,
        ..Style::default()
    };
    text::section(&waits::SECTION, report, detail, &style)
}

#[test]
fn there_is_a_table_for_each_load() {
    let text = render(&report(), 80, Detail::Full);
    assert_eq!(text.matches("Waits, load").count(), 2, "{text}");
    for part in [
        "wait 1 ms",
        "56 us",
        "3.9 ms",
        "1.75 CPUs",
        "this processor has none",
        "1 method exists only on other systems",
    ] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(!text.contains("windows/sleep"));
}

#[test]
fn wide_screens_have_every_statistic() {
    let text = render(&report(), 140, Detail::Full);
    for head in ["min", "mean", "p90", "p99.9", "own/forced"] {
        assert!(text.contains(head), "no '{head}' in\n{text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 140),
        "{text}"
    );
}

#[test]
fn nothing_is_cut_off_at_any_width() {
    let mut rows = report().waits;
    for (nth, cpu) in [(0, 0), (0, 17)] {
        let mut row = rows[nth].clone();
        (row.samples, row.voluntary_switches) = (3_532_000, Some(3_526_000));
        (row.min_ns, row.mean_ns) = (-9_980, 23_100.0);
        row.id = "linux/clock_nanosleep-abs".into();
        row.cpu = Some(cpu);
        row.period_ns = row.requested_ns;
        row.involuntary_switches = Some(1_234);
        row.grid = Some(Grid {
            missed: 23_390,
            ..Grid::default()
        });
        rows.push(row);
    }
    let report = Report {
        waits: rows,
        ..Report::default()
    };
    for width in [60, 71, 72, 80, 96, 117, 118, 160] {
        for detail in [Detail::Full, Detail::Everything] {
            let text = render(&report, width, detail);
            let cut = |line: &&str| line.chars().count() > width || line.contains(['…', '~']);
            assert_eq!(text.lines().find(cut), None, "{width}\n{text}");
            for head in ["p50", "max", "early", "missed"] {
                assert!(text.contains(head), "no '{head}' at {width} in\n{text}");
            }
            let all = ["min", "mean", "p90", "p99.9", "own/forced", "waits"];
            let whole = all.iter().all(|head| text.contains(head));
            assert!(
                whole || !(detail == Detail::Everything || width >= 118),
                "{width}\n{text}"
            );
        }
    }
}

#[test]
fn grids_gaps_and_moments_are_shown() {
    let report = Report {
        waits: vec![gridded()],
        ..Report::default()
    };
    let text = render(&report, 80, Detail::Full);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "period 1 ms",
        "missed",
        "corrected",
        "Gap:",
        "stopped",
        "missed 1,500 deadlines",
        "above the limit of 500 us",
        "12 x LOC",
        "55 us, 2.7 ms",
    ] {
        assert!(flat.contains(part), "no '{part}' in\n{text}");
    }
}

#[test]
fn the_table_of_ticks_is_in_ticks_of_the_reference() {
    let text = text::blocks(waits::ticks(&report()), &Style::default());
    assert!(
        text.starts_with("lfence-rdtsc is 2600000000 Hz, 0.385 ns tick\n"),
        "{text}"
    );
    assert!(
        text.contains("### TEST OF 3 x 1 ms wait routine runs"),
        "{text}"
    );
    let row = text
        .lines()
        .find(|l| l.starts_with("linux/nanosleep"))
        .expect("a row");
    let figures: Vec<&str> = row.split_whitespace().skip(1).collect();
    // 1 ms and 55 us, and so on, at 2.6 ticks per nanosecond.
    assert_eq!(figures[0], "2743000");
    assert_eq!(figures[2..], ["2834000", "234000"]);
}

#[test]
fn an_incomplete_load_is_named_at_its_rows() {
    let mut report = report();
    let row = &mut report.waits[2];
    let run = row.load_run.as_mut().expect("a load");
    run.processes[1].ended_s = Some(1.04);
    let loss = run.loss().expect("one ended");
    row.notes = vec![loss.clone()];
    let text = render(&report, 80, Detail::Full);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(flat.matches(&loss).count(), 1, "{text}");
    let rows = text.lines().filter(|l| l.contains("load incomplete"));
    assert_eq!(rows.count(), 1, "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn an_empty_report_says_so() {
    assert!(render(&Report::default(), 80, Detail::Full).contains("No wait"));
}
