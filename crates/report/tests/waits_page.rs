//! The waits on a page: charts, strips and the sentence with the finding.

use crate::samples;

use chronoscope_diagnose::judge;
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::{Grid, Kind, Load, Wait};
use chronoscope_model::why::{Cause, Later, Part, Why, Worst};
use chronoscope_model::{Advice, Report};
use chronoscope_report::block::chart::{Chart, Drawn, Hue, Plane, Shape, What};
use chronoscope_report::block::{Block, Table, Value};
use chronoscope_report::page::Input;
use chronoscope_report::section;
use std::path::Path;

fn page(reports: &[&Report]) -> Vec<Block> {
    let names: Vec<String> = (0..reports.len()).map(|nth| format!("{nth}.json")).collect();
    let inputs = names.iter().zip(reports);
    let inputs: Vec<Input> = inputs.map(|(name, report)| Input { name, report }).collect();
    let blocks = section::waits::SECTION.page.expect("a page")(&inputs);
    assert!(matches!(blocks.first(), Some(Block::Heading { .. })), "{blocks:?}");
    for chart in charts(&blocks) {
        check(chart);
    }
    blocks
}

fn charts(blocks: &[Block]) -> impl Iterator<Item = &Chart> {
    blocks.iter().filter_map(|block| match block {
        Block::Chart(chart) => Some(chart),
        _ => None,
    })
}

fn plane(chart: &Chart) -> &Plane {
    match &chart.drawn {
        Drawn::Plane(plane) => plane,
        Drawn::Cells(_) => panic!("waits have no cells"),
    }
}

fn tables(blocks: &[Block]) -> impl Iterator<Item = &Table> {
    blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    })
}

/// Every place is finite and on its axis, or close to it, and curves never turn back.
fn check(chart: &Chart) {
    assert!(!chart.title.is_empty() && !chart.alt.is_empty());
    let plane = plane(chart);
    let on = |x: f64, y: f64| {
        for (axis, value) in [(&plane.x, x), (&plane.y, y)] {
            let at = axis.scale.at(value);
            assert!(value.is_finite(), "{}: {value}", chart.title);
            assert!((-1e-6..=1.0 + 1e-6).contains(&at), "{}: {value} at {at}", chart.title);
        }
    };
    for series in &plane.series {
        let places = match &series.shape {
            Shape::Curve { through, sure } => {
                assert!(sure.is_finite() && (0.0..1.0).contains(sure), "{sure}");
                through
            }
            Shape::Steps(places) => places,
            Shape::Points { at, .. } => at,
            other => panic!("{other:?}"),
        };
        assert!(!places.is_empty(), "{}: {}", chart.title, series.name);
        places.iter().for_each(|place| on(place.x, place.y));
        if !matches!(series.shape, Shape::Points { .. }) {
            assert!(places.windows(2).all(|pair| pair[0].x <= pair[1].x), "{}", chart.title);
        }
        if matches!(series.shape, Shape::Curve { .. }) {
            assert!(places.windows(2).all(|pair| pair[0].y <= pair[1].y), "{}", chart.title);
        }
    }
    plane.notes.iter().for_each(|note| on(note.x, note.y));
}

fn curves(blocks: &[Block]) -> usize {
    let series = charts(blocks).flat_map(|chart| &plane(chart).series);
    series.filter(|series| matches!(series.shape, Shape::Curve { .. })).count()
}

fn measured(report: &Report) -> usize {
    report.waits.iter().filter(|wait| wait.samples > 0 && wait.requested_ns.is_some()).count()
}

fn wait(id: &str, kind: Kind, load: Load, overshoots: &[u64], each: u64) -> Wait {
    let mut hdr = histogram::empty();
    overshoots.iter().for_each(|ns| hdr.record_n(*ns, each).expect("in range"));
    Wait {
        id: id.into(),
        kind,
        load,
        available: true,
        requested_ns: Some(1_000_000),
        default_slack: true,
        samples: hdr.len(),
        max_ns: overshoots.iter().copied().max().unwrap_or(0) as i64,
        overshoot: Histogram::of(&hdr),
        cpu_share: Some(0.039),
        ..Wait::default()
    }
}

fn of(waits: Vec<Wait>) -> Report {
    Report { waits, ..Report::default() }
}

#[test]
fn every_row_with_waits_has_a_curve() {
    let mut chosen = samples::waits::chosen();
    judge(&mut chosen);
    for report in [samples::waits::report(), samples::waits::explained(), chosen] {
        assert_eq!(curves(&page(&[&report])), measured(&report));
        assert_eq!(curves(&page(&[&report, &report])), 2 * measured(&report));
        assert_eq!(curves(&page(&[&report; 6])), 6 * measured(&report));
    }
}

#[test]
fn a_curve_ends_at_the_last_wait_and_says_from_where_it_is_only_an_indication() {
    let report = of(vec![wait("a/sleep", Kind::Sleep, Load::None, &[10, 20, 30, 40_000], 25)]);
    let blocks = page(&[&report]);
    // In the words of the screen: others may have been busy.
    assert!(charts(&blocks).any(|it| it.title.ends_with(", nothing else started by the tool")));
    let series = charts(&blocks).flat_map(|chart| &plane(chart).series);
    let Some(Shape::Curve { through, sure }) = series.map(|it| &it.shape).next() else {
        panic!("a curve comes first");
    };
    let last = through.last().expect("places");
    assert_eq!((last.x, last.y), (0.995, 40_000.0));
    assert!((sure - 0.05f64.powf(0.01)).abs() < 1e-12, "{sure}");
    assert_eq!(last.words, "a/sleep · p99.500 40 us");
    assert!(through.first().expect("places").x <= 0.005);
}

#[test]
fn the_sentence_names_an_ordinary_sleep_and_the_choice_for_accuracy() {
    let rows = || {
        vec![
            wait("a/sleep", Kind::Sleep, Load::None, &[83_200], 50),
            wait("a/spin", Kind::Hybrid, Load::None, &[329], 50),
            wait("a/sleep", Kind::Sleep, Load::Normal, &[100_000], 50),
        ]
    };
    let remark = |blocks: &[Block]| match &blocks[0] {
        Block::Heading { title, remark } => (title.clone(), remark.plain()),
        other => panic!("{other:?}"),
    };
    let said = "a/sleep is 83.2 us late in the median, a/spin 329 ns for 3.9 % of a CPU. A curve \
                is faint where 50 waits say little.";
    let title = "How late a wait of 1 ms ends".to_owned();
    assert_eq!(remark(&page(&[&of(rows())])), (title, said.to_owned()));
    let mut judged = of(rows());
    judge(&mut judged);
    let of_accuracy = |advice: &Advice| advice.wait.is_some() && advice.clock.is_some();
    assert!(judged.advice.iter().any(of_accuracy));
    let blocks = page(&[&judged]);
    assert_eq!(remark(&blocks).1, said);
    // What is advised is the only thing in that colour, and drawn last.
    let first = plane(charts(&blocks).next().expect("curves"));
    let hues: Vec<(&str, Hue)> = first.series.iter().map(|it| (it.name.as_str(), it.hue)).collect();
    assert_eq!(hues, [("a/sleep", Hue::Sleep(0)), ("a/spin", Hue::Accent)]);
    let few = of(vec![wait("a/sleep", Kind::Sleep, Load::None, &[83_200], 5)]);
    assert_eq!(remark(&page(&[&few])).1, "A curve is faint where 5 waits say little.");
}

#[test]
fn strips_have_the_figures_of_their_row_and_their_words() {
    let report = samples::waits::report();
    let blocks = page(&[&report]);
    let table = tables(&blocks).next().expect("figures");
    let strip = |row: usize| {
        let row = table.rows().nth(row).expect("a row");
        row.cells.iter().find_map(|cell| match &cell.value {
            Value::Strip(marks) => Some(marks.clone()),
            _ => None,
        })
    };
    let marks = strip(0).expect("marks");
    let whats: Vec<What> = marks.iter().map(|mark| mark.what).collect();
    // Thirty waits have no 99th percentile.
    assert_eq!(whats, [What::Median, What::P90, What::Worst]);
    assert!(marks[0].words.starts_with("linux/nanosleep · p50 56 us, 95 %: "), "{marks:?}");
    assert_eq!(marks[2].words, "linux/nanosleep · worst 90 us");
    for mark in marks {
        assert!(mark.low <= mark.value && mark.value <= mark.high, "{mark:?}");
    }
}

#[test]
fn causes_are_the_parts_of_bars() {
    let report = samples::waits::explained();
    let blocks = page(&[&report]);
    let cells = tables(&blocks).flat_map(Table::rows).flat_map(|row| &row.cells);
    let stacks = cells.filter_map(|cell| match &cell.value {
        Value::Stack(shares) => Some(shares),
        _ => None,
    });
    let mut any = false;
    for shares in stacks {
        any = true;
        let sum: f64 = shares.iter().map(|share| share.share).sum();
        assert!(sum > 0.0 && sum <= 1.0 + 1e-9, "{shares:?}");
        for share in shares {
            let cause = Cause::ALL.iter().find(|cause| cause.words() == share.name);
            let nth = *cause.expect("a cause") as usize;
            assert_eq!(share.hue, Hue::Part(nth));
        }
    }
    assert!(any);
}

#[test]
fn hostile_figures_are_drawn_on_their_axes() {
    let mut zeros = wait("a/early", Kind::Busy, Load::None, &[0], 400);
    zeros.max_ns = i64::MIN;
    let mut giant = wait("a/giant", Kind::Sleep, Load::High, &[1, 3_600_000_000_000], 400);
    (giant.cpu_share, giant.mean_ns, giant.max_ns) = (Some(1e308), f64::NAN, i64::MAX);
    (giant.requested_ns, giant.slack_ns) = (Some(u64::MAX), Some(u64::MAX));
    let mut unreadable = wait("a/unreadable", Kind::Sleep, Load::None, &[5], 40);
    unreadable.overshoot.hdr = "</script>".into();
    let mut lies = wait("</script><script>'\"\u{1b}[2J", Kind::Hybrid, Load::Io, &[5, 7], 400);
    (lies.cpu_share, lies.max_ns) = (Some(f64::NAN), -5);
    lies.overshoot.p90_ns = Some(u64::MAX);
    let part = |cause, ns| Part { cause, ns };
    let parts = vec![part(Cause::Steal, u64::MAX), part(Cause::Steal, u64::MAX)];
    let later = |than_ns| Later { than_ns, waits: 9, late_ns: 5_000, parts: parts.clone() };
    lies.why = Some(Why {
        later: vec![later(0), later(2_000)],
        worst: vec![Worst { at_s: 1e308, late_ns: u64::MAX, parts, ..Worst::default() }],
        examined: u64::MAX,
        apart: u64::MAX,
        lost: u64::MAX,
        ..Why::default()
    });
    let mut second = lies.clone();
    second.slice_ns = Some(u64::MAX);
    let mut grid = wait("a/grid", Kind::Sleep, Load::None, &[10], 40);
    grid.period_ns = Some(0);
    grid.work_ns = Some(u64::MAX);
    grid.grid = Some(Grid {
        missed: u64::MAX,
        frames_per_s: Some(f64::MAX),
        corrected: Histogram::default(),
    });
    let one = wait("a/one", Kind::Sleep, Load::None, &[77], 1);
    let mut claims = Wait { samples: u64::MAX, ..wait("a/claims", Kind::Busy, Load::None, &[], 0) };
    claims.requested_ns = Some(0);
    let waits = vec![zeros, giant, unreadable, lies, second, grid, one, claims];
    for wait in &waits {
        page(&[&of(vec![wait.clone()])]);
    }
    let all = of(waits);
    page(&[&all]);
    page(&[&all, &samples::waits::everything(), &all]);
    page(&[&Report::default()]);
    page(&[]);
}

#[test]
fn reports_of_every_kind_have_a_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut reports = vec![samples::full(), samples::waits::everything()];
    for folder in ["docs/reports", "crates/cli/tests/data/reports"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder").flatten() {
            if entry.path().extension().is_some_and(|it| it == "json") {
                let text = std::fs::read_to_string(entry.path()).expect("a file");
                reports.extend(serde_json::from_str::<Report>(&text));
            }
        }
    }
    assert!(reports.len() > 10);
    for report in &reports {
        let rows = report.waits.iter().filter(|wait| wait.samples > 0);
        let readable = rows.filter(|wait| wait.overshoot.decode().is_ok()).count();
        assert_eq!(curves(&page(&[report])), readable);
    }
    let together: Vec<&Report> = reports.iter().collect();
    page(&together);
}
