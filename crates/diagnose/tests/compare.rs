//! Which clocks work on every machine of several reports.

use crate::machines;

use chronoscope_diagnose::compare;
use chronoscope_model::Report;
use chronoscope_model::clock::{Clock, Grade, Limit, Scope};
use chronoscope_model::compare::{ClockRow, Compared, Problem};
use chronoscope_model::loops::Overhead;

fn machine(change: impl FnOnce(&mut Report)) -> Report {
    let mut report = machines::judged(machines::tsc());
    change(&mut report);
    report
}

fn clock<'a>(report: &'a mut Report, id: &str) -> &'a mut Clock {
    report.clocks.iter_mut().find(|clock| clock.id == id).expect("a clock")
}

/// Compares the reports as those of machines with different processors.
fn of(reports: &[&Report]) -> Compared {
    let named = reports.iter().enumerate().map(|(at, report)| {
        let mut report = (*report).clone();
        report.environment.cpu.model = Some(format!("processor {at}"));
        (format!("{at}.json"), report)
    });
    compare(&named.collect::<Vec<_>>())
}

fn row<'a>(compared: &'a Compared, id: &str) -> &'a ClockRow {
    compared.clocks.iter().find(|row| row.id == id).expect("a row")
}

const ID: &str = "posix/monotonic";

#[test]
fn each_reason_against_a_clock_is_seen() {
    type Change = fn(&mut Clock);
    let cases: [(Problem, Change); 7] = [
        (Problem::NotThere, |clock| clock.available = false),
        (Problem::NotMeasured, |clock| clock.cost = Default::default()),
        (Problem::Off, |clock| clock.difference_100ms.as_mut().unwrap().agrees = false),
        (Problem::NotTested, |clock| clock.difference_100ms = None),
        (Problem::Wraps, |clock| clock.wraps_after_s = Some(2147.0)),
        (Problem::Coarse, |clock| {
            let resolution = clock.resolution.as_mut().unwrap();
            (resolution.tick_ns, resolution.verdict) = (Some(4e6), Limit::Tick);
        }),
        (Problem::Avoid, |clock| clock.verdict.as_mut().unwrap().grade = Grade::Avoid),
    ];
    let sound = machine(|_| ());
    assert!(row(&of(&[&sound, &sound]), ID).works());
    for (problem, change) in cases {
        let other = machine(|report| {
            change(clock(report, ID));
        });
        let compared = of(&[&sound, &other]);
        let row = row(&compared, ID);
        assert_eq!(row.on.iter().map(|it| it.problem).collect::<Vec<_>>(), [None, Some(problem)]);
        assert!(!row.works() && row.mean_ns.is_none());
        assert_eq!(row.exists(), problem != Problem::NotThere);
        assert!(compared.portable.iter().all(|it| it.id != ID), "{problem:?}");
    }
}

#[test]
fn the_choice_is_the_cheapest_by_the_geometric_mean_whatever_the_order() {
    let at = |ns: f64| {
        machine(|report| clock(report, ID).cost.throughput = Some(machines::estimate(ns, 0.01)))
    };
    let (cheap, expensive) = (at(2.0), at(32.0));
    for reports in [[&cheap, &expensive], [&expensive, &cheap]] {
        let compared = of(&reports);
        assert!((row(&compared, ID).mean_ns.expect("a mean") - 8.0).abs() < 1e-9);
        let least = |at: usize| {
            let sound = compared.clocks.iter().filter(|row| row.on[at].problem.is_none());
            sound.filter_map(|row| row.on[at].ratio).fold(f64::INFINITY, f64::min)
        };
        assert_eq!([least(0), least(1)], [1.0, 1.0]);
        for chosen in &compared.portable {
            let rivals = compared.clocks.iter().filter(|row| {
                row.works() && (row.scope, row.language) == (chosen.scope, chosen.language)
            });
            let least = rivals.filter_map(|row| row.mean_ns).fold(f64::INFINITY, f64::min);
            assert!(chosen.mean_ns <= least * 1.05, "{chosen:?}");
        }
        assert!(compared.portable.iter().any(|it| it.scope == Scope::Local));
    }
}

#[test]
fn overhead_of_other_clocks_and_shapes_has_rows_of_its_own() {
    let with = |id: &str, m: u64| Report {
        overhead: vec![Overhead { id: id.into(), samples: 9, n: 9, m, ..Overhead::default() }],
        ..Report::default()
    };
    let [a, b, c] = [with("a", 9), with("a", 99), with("b", 9)];
    let compared = of(&[&a, &b, &a, &c]);
    let on: Vec<Vec<bool>> =
        compared.overhead.iter().map(|row| row.on.iter().map(Option::is_some).collect()).collect();
    assert_eq!(on[0], [true, false, true, false]);
    assert_eq!(on[1], [false, true, false, false]);
    assert_eq!(on[2], [false, false, false, true]);
    // Clocks are compared only if every report has some.
    assert!(of(&[&machine(|_| ()), &a]).clocks.is_empty());
}
