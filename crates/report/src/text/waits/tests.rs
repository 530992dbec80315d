use super::super::waits_seed;
use super::*;
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::{
    ByClock, Gap, Grid, Interrupts, Kind, LoadProcess, LoadRun, Moment,
};

fn wait(id: &str, load: Load, ns: u64, overshoots: &[u64]) -> Wait {
    let mut hdr = histogram::empty();
    for &ns in overshoots {
        hdr.record(ns).expect("in range");
    }
    Wait {
        id: id.into(),
        call: format!("{id}()"),
        kind: Kind::Sleep,
        available: true,
        requested_ns: Some(ns),
        slack_ns: Some(50_000),
        default_slack: true,
        load,
        samples: overshoots.len() as u64,
        min_ns: overshoots.iter().copied().min().unwrap_or(0) as i64,
        mean_ns: hdr.mean(),
        max_ns: overshoots.iter().copied().max().unwrap_or(0) as i64,
        overshoot: Histogram::of(&hdr),
        cpu_share: Some(0.0213),
        cpu_ns: Some(21_300.0),
        voluntary_switches: Some(3),
        involuntary_switches: Some(0),
        by_clock: Some(ByClock {
            clock: "CLOCK_MONOTONIC".into(),
            ..ByClock::default()
        }),
        ..Wait::default()
    }
}

fn process(cpu: usize, cpu_s: f64) -> LoadProcess {
    LoadProcess {
        cpu,
        cpu_s,
        ended_s: None,
    }
}

fn report() -> Report {
    let mut early = wait("busy/tsc", Load::None, 1_000_000, &[70, 80, 900]);
    early.early = 1;
    early.slack_ns = None;
    early.cpu_share = Some(1.0);
    let mut loaded = wait(
        "linux/nanosleep",
        Load::Normal,
        1_000_000,
        &[56_000, 3_900_000],
    );
    loaded.load_run = Some(LoadRun {
        load: Load::Normal,
        scheduling: "as the tool itself".into(),
        seconds: 2.0,
        processes: vec![process(0, 1.5), process(1, 2.0)],
        notes: vec![],
    });
    let absent = Wait {
        id: "busy/tpause".into(),
        unavailable_reason: Some("this processor has none".into()),
        ..Wait::default()
    };
    let elsewhere = Wait {
        id: "windows/sleep".into(),
        unavailable_reason: Some("exists on Windows only".into()),
        ..Wait::default()
    };
    Report {
        ruler: Some(Ruler {
            id: "lfence-rdtsc".into(),
            hz: 2.6e9,
            hz_error_ppm: 0.8,
            ..Ruler::default()
        }),
        waits: vec![
            wait(
                "linux/nanosleep",
                Load::None,
                1_000_000,
                &[55_000, 56_000, 90_000],
            ),
            early,
            loaded,
            absent,
            elsewhere,
        ],
        ..Report::default()
    }
}

#[test]
fn there_is_a_table_for_each_load() {
    let text = render(&report(), &Style::default());
    assert_eq!(text.matches("Waits, load").count(), 2, "{text}");
    for part in [
        "wait 1 ms",
        "56 us",
        "3.9 ms",
        "1.75 CPUs",
        "this processor has none",
        "1 method of other",
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
    let style = Style {
        width: 140,
        ..Style::default()
    };
    let text = render(&report(), &style);
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
        for verbose in [false, true] {
            let style = Style {
                width,
                verbose,
                ..Style::default()
            };
            let text = render(&report, &style);
            let cut = |line: &&str| line.chars().count() > width || line.contains(['…', '~']);
            assert_eq!(text.lines().find(cut), None, "{width}\n{text}");
            for head in ["p50", "max", "early", "missed"] {
                assert!(text.contains(head), "no '{head}' at {width} in\n{text}");
            }
            let all = ["min", "mean", "p90", "p99.9", "own/forced", "waits"];
            let whole = all.iter().all(|head| text.contains(head));
            assert!(whole || !(verbose || width >= 118), "{width}\n{text}");
        }
    }
}

/// A row on a grid, with a gap, that ended at an overshoot.
fn gridded() -> Wait {
    let mut row = wait(
        "linux/nanosleep",
        Load::None,
        1_000_000,
        &[55_000, 2_700_000],
    );
    row.period_ns = Some(1_000_000);
    let mut hdr = row.overshoot.decode().expect("its own");
    hdr.record(1_700_000).expect("in range");
    row.grid = Some(Grid {
        missed: 1,
        corrected: Histogram::of(&hdr),
    });
    row.gaps = vec![Gap {
        cause: "stopped".into(),
        at_s: 3.0,
        late_ns: 1_500_000_000,
        missed: 1500,
    }];
    row.moment = Some(Moment {
        at_s: 4.5,
        overshoot_ns: 2_700_000,
        limit_ns: 500_000,
        cpu: Some(1),
        interrupts: vec![Interrupts {
            id: "LOC".into(),
            name: "Local timer interrupts".into(),
            count: 12,
        }],
        last_ns: vec![55_000, 2_700_000],
        ..Moment::default()
    });
    row
}

/// All that the screen of waits can show.
pub(in crate::text) fn everything() -> Report {
    let mut report = report();
    report.waits.push(gridded());
    report
}

#[test]
fn grids_gaps_and_moments_are_told() {
    let report = Report {
        waits: vec![gridded()],
        ..Report::default()
    };
    let text = render(&report, &Style::default());
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "period 1 ms",
        "missed",
        "corrected",
        "Gap:",
        "stopped",
        "1,500 deadlines",
        "above the limit of 500 us",
        "12 x LOC",
        "55 us, 2.7 ms",
    ] {
        assert!(flat.contains(part), "no '{part}' in\n{text}");
    }
}

#[test]
fn the_seeds_table_is_in_ticks_of_the_reference() {
    let text = waits_seed::render(&report(), &Style::default());
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
    // 1 ms and 55 us, and so on, at 2.6 ticks a nanosecond.
    assert_eq!(figures[0], "2743000");
    assert_eq!(figures[2..], ["2834000", "234000"]);
}

#[test]
fn a_load_that_was_not_whole_is_told_at_its_rows() {
    let mut report = report();
    let row = &mut report.waits[2];
    let run = row.load_run.as_mut().expect("a load");
    run.processes[1].ended_s = Some(1.04);
    let loss = run.loss().expect("one ended");
    row.notes = vec![loss.clone()];
    let text = render(&report, &Style::default());
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(flat.matches(&loss).count(), 1, "{text}");
    let rows = text.lines().filter(|l| l.contains("load not whole"));
    assert_eq!(rows.count(), 1, "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn an_empty_report_says_so() {
    assert!(render(&Report::default(), &Style::default()).contains("No wait"));
}
