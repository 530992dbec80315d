//! What the sections describe for a page: their sentences, charts and marks, and that nothing in a
//! report makes a figure that cannot be drawn.

use crate::samples;

use chronoscope_model::Report;
use chronoscope_model::trust::{Offset, Pair};
use chronoscope_report::block::chart::{Cells, Chart, Drawn, Mark, Plane, Shape, What};
use chronoscope_report::block::{Block, Table, Value};
use chronoscope_report::page::Input;
use chronoscope_report::section;

const OWN: [&str; 6] = ["deltas", "calls", "overhead", "runtimes", "trust", "sweep"];

fn page(id: &str, reports: &[&Report]) -> Vec<Block> {
    let names: Vec<String> = (0..reports.len()).map(|nth| format!("r{nth}.json")).collect();
    let inputs = reports.iter().zip(&names).map(|(&report, name)| Input { name, report });
    let inputs: Vec<Input> = inputs.collect();
    let found = section::ALL.iter().find(|section| section.id == id).expect("a section");
    found.page.expect("a page")(&inputs)
}

/// The sentence of the first heading.
fn sentence(blocks: &[Block]) -> String {
    match blocks.first() {
        Some(Block::Heading { remark, .. }) => remark.plain(),
        other => panic!("{other:?} is no heading"),
    }
}

fn charts(blocks: &[Block]) -> Vec<&Chart> {
    let charts = blocks.iter().filter_map(|block| match block {
        Block::Chart(chart) => Some(chart),
        _ => None,
    });
    charts.collect()
}

fn plane(chart: &Chart) -> &Plane {
    match &chart.drawn {
        Drawn::Plane(plane) => plane,
        Drawn::Cells(_) => panic!("{} has no axes", chart.title),
    }
}

fn cells(blocks: &[Block]) -> Option<&Cells> {
    charts(blocks).into_iter().find_map(|chart| match &chart.drawn {
        Drawn::Cells(cells) => Some(cells),
        Drawn::Plane(_) => None,
    })
}

fn tables(blocks: &[Block]) -> Vec<&Table> {
    let tables = blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    tables.collect()
}

fn strips(blocks: &[Block]) -> Vec<&Vec<Mark>> {
    let cells = tables(blocks).into_iter().flat_map(Table::rows).flat_map(|row| &row.cells);
    let strips = cells.filter_map(|cell| match &cell.value {
        Value::Strip(marks) => Some(marks),
        _ => None,
    });
    strips.collect()
}

fn assert_is_drawable(blocks: &[Block]) {
    for mark in strips(blocks).into_iter().flatten() {
        assert!(mark.low.is_finite() && mark.high.is_finite(), "{mark:?}");
        assert!(mark.low <= mark.value && mark.value <= mark.high, "{mark:?}");
    }
    for table in tables(blocks) {
        assert!(table.rows().all(|row| row.cells.len() == table.columns.len()));
    }
    for chart in charts(blocks) {
        let Drawn::Plane(plane) = &chart.drawn else { continue };
        for series in &plane.series {
            let figures: Vec<f64> = match &series.shape {
                Shape::Bars(bars) => {
                    bars.iter().flat_map(|bar| [bar.from, bar.to, bar.height]).collect()
                }
                Shape::Curve { through: at, .. } | Shape::Steps(at) | Shape::Points { at, .. } => {
                    at.iter().flat_map(|at| [at.x, at.y]).collect()
                }
                Shape::Band(all) => all.iter().flat_map(|at| [at.x, at.low, at.high]).collect(),
            };
            assert!(figures.iter().all(|figure| figure.abs() < 1e19), "{series:?}");
        }
        assert!(plane.notes.iter().all(|note| note.x.is_finite() && note.y.is_finite()));
        for tick in [&plane.x, &plane.y].iter().flat_map(|axis| axis.scale.ticks()) {
            assert!(tick.at.is_finite(), "{}", chart.title);
        }
    }
}

#[test]
fn hostile_and_empty_reports_are_drawable() {
    let mut reports = vec![Report::default()];
    for figure in [1e308, -1e308, f64::NAN, f64::INFINITY, 0.0, -1.0, 5e-324] {
        for whole in [0, 1, u64::MAX] {
            reports.push(samples::extreme("</script>\"\u{1b}", figure, whole));
        }
    }
    for report in &reports {
        for id in OWN {
            assert_is_drawable(&page(id, &[report]));
            assert_is_drawable(&page(id, &[report, &samples::full()]));
        }
    }
    assert!(OWN.iter().all(|id| page(id, &[]).len() < 4));
}

#[test]
fn deltas_are_two_charts_with_a_sentence() {
    let report = samples::full();
    let blocks = page("deltas", &[&report]);
    assert_is_drawable(&blocks);
    assert_eq!(charts(&blocks).len(), 2);
    let text = sentence(&blocks);
    assert!(text.contains("posix/monotonic") && text.contains("went backwards"), "{text}");
    let all = plane(charts(&blocks)[1]);
    let Shape::Bars(bars) = &all.series[0].shape else { panic!("bars") };
    let positive = report.deltas[0].histogram.decode().expect("its own").len();
    let counted: f64 = bars.iter().map(|bar| bar.height).sum();
    assert!(counted > 0.0 && counted <= positive as f64);
    assert_eq!(charts(&page("deltas", &[&report; 3])).len(), 6);
}

#[test]
fn runtimes_stand_next_to_c() {
    let report = samples::runtimes::some();
    let blocks = page("runtimes", &[&report]);
    assert_is_drawable(&blocks);
    let strips = strips(&blocks);
    let clocks: usize = report.runtimes.iter().map(|runtime| runtime.clocks.len()).sum();
    assert_eq!(strips.len(), clocks);
    let own = |marks: &&&Vec<Mark>| marks.iter().any(|mark| mark.what == What::Read);
    assert!(strips.iter().filter(own).count() > 0);
}

#[test]
fn up_to_four_reports_share_their_strips() {
    let report = samples::full();
    for (id, rows) in [("overhead", 3), ("sweep", 2)] {
        let report = if id == "sweep" { samples::swept() } else { report.clone() };
        let one = strips(&page(id, &[&report])).len();
        assert!(one >= rows, "{id}: {one}");
        let four = page(id, &[&report; 4]);
        assert_is_drawable(&four);
        assert_eq!(strips(&four).len(), one, "{id}");
        let most = strips(&four).iter().map(|marks| marks.len()).max();
        assert_eq!(most, Some(4), "{id}");
        assert_eq!(strips(&page(id, &[&report; 5])).len(), 5 * one, "{id}");
    }
}

#[test]
fn offsets_are_cells_for_any_number_of_cpus() {
    for cpus in [1, 2, 200, 2000] {
        let mut trust = samples::trust::sound();
        trust.matrix.pairs = (1..cpus)
            .map(|cpu| {
                let mut pair = Pair::default();
                pair.handed.cpus = [0, cpu];
                pair.offsets =
                    vec![Offset { offset_ns: 3.0, uncertainty_ns: 40.0, ..Offset::default() }];
                pair
            })
            .collect();
        let blocks = page("trust", &[&samples::trust::watched(trust)]);
        assert_is_drawable(&blocks);
        let drawn = cells(&blocks);
        assert_eq!(drawn.is_some(), (2..=1024).contains(&cpus), "{cpus}");
        if let Some(drawn) = drawn {
            assert_eq!((drawn.rows.len(), drawn.columns.len()), (cpus, cpus));
            assert_eq!((drawn.values[0][1], drawn.values[1][0]), (Some(3.0), Some(-3.0)));
            assert_eq!(drawn.values[0][0], None);
        }
    }
}

#[test]
fn every_section_states_its_finding() {
    let full = samples::full();
    assert!(sentence(&page("overhead", &[&full])).contains("36.2 ns"));
    assert!(sentence(&page("calls", &[&full])).contains("18.1 ns as the mean of 1,000,000 calls"));
    let trust = samples::trust::watched(samples::trust::sound());
    let found = sentence(&page("trust", &[&trust]));
    assert_eq!(found, "Clocks never went back, and CPUs agree within ±51 ns.");
    assert!(sentence(&page("runtimes", &[&samples::runtimes::some()])).contains(" times"));
    assert!(sentence(&page("sweep", &[&samples::swept()])).contains("the source in use"));
}
