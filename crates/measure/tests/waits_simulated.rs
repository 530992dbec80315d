//! Waits in simulated time, from the plan to the rows of the report.

use chronoscope_measure::waits::{FakeMethod, Plan, Slack, WaitSpec, simulate};
use chronoscope_model::Wait;
use chronoscope_model::quantile::Percentile;
use chronoscope_model::waits::StoppedBy;
use chronoscope_probes::waits::find;
use std::time::Duration;

type Overshoot = fn(u64, u64) -> Result<i64, i32>;

fn method(id: &str, overshoot: Overshoot) -> FakeMethod {
    FakeMethod { entry: find(id).expect("a method"), overshoot, cpu_ns: 5_000 }
}

fn spec(durations: &[Duration]) -> WaitSpec {
    WaitSpec { wait: durations.to_vec(), count: Some(1_000), ..WaitSpec::default() }
}

fn of(spec: WaitSpec) -> Plan {
    Plan { spec, seed: 7, ..Plan::default() }
}

fn plan(durations: &[Duration]) -> Plan {
    of(spec(durations))
}

const MS: Duration = Duration::from_millis(1);

#[test]
fn every_figure_of_a_row_matches_the_known_overshoots() {
    let methods = [
        // The overshoots are 1 to 1000 us, once each.
        method("rust/thread-sleep", |n, _| Ok((n as i64 + 1) * 1_000)),
        // Every tenth wait is early.
        method("hybrid/fixed", |n, _| Ok(if n % 10 == 0 { -5_000 } else { 70 })),
    ];
    let rows = simulate(&plan(&[MS]), &methods).expect("a plan");
    let [sleep, hybrid] = rows.as_slice() else { panic!("{} rows", rows.len()) };
    assert_eq!((sleep.samples, sleep.early), (1_000, 0));
    let near = |ns: Option<u64>, expected: f64| {
        (ns.expect("enough waits") as f64 / expected - 1.0).abs() < 2e-3
    };
    assert!(near(sleep.overshoot.p50_ns, 500e3), "{:?}", sleep.overshoot);
    assert!(near(sleep.overshoot.p99_ns, 990e3), "{:?}", sleep.overshoot);
    assert!((sleep.mean_ns / 500.5e3 - 1.0).abs() < 1e-3, "{}", sleep.mean_ns);
    assert!((sleep.min_ns - 1_000).abs() <= 1 && (sleep.max_ns - 1_000_000).abs() <= 1);
    assert_eq!(sleep.cpu_ns, Some(5_000.0));
    assert_eq!(sleep.voluntary_switches, Some(1_000));
    assert_eq!(sleep.stopped_by, StoppedBy::Count);
    assert!(sleep.code.contains("1000000") && sleep.facts.is_some());
    assert_eq!((hybrid.samples, hybrid.early), (1_000, 100));
    let by_clock = hybrid.by_clock.as_ref().expect("measured");
    assert!(by_clock.early == 100 && (by_clock.min_ns + 5_000).abs() <= 20);
}

#[test]
fn a_grid_misses_the_deadlines_that_pass_in_an_overshoot() {
    // Every hundredth wait is 5.5 periods late: five deadlines pass.
    let late =
        method("rust/thread-sleep", |n, _| Ok(if n % 100 == 99 { 5_500_000 } else { 40_000 }));
    let plan = of(WaitSpec { period: Some(MS), ..spec(&[]) });
    let rows = simulate(&plan, &[late]).expect("a plan");
    let row = &rows[0];
    let grid = row.grid.as_ref().expect("a grid");
    assert_eq!((row.samples, grid.missed), (1_000, 50));
    assert_eq!(grid.corrected.count, 1_050);
    assert!(grid.corrected.p99_ns > row.overshoot.p90_ns);
}

#[test]
fn slack_is_set_for_rows_that_have_one() {
    let plan = of(WaitSpec { slack: vec![Slack::Default, Slack::Ns(1)], ..spec(&[MS]) });
    let methods =
        [method("rust/thread-sleep", |_, _| Ok(50_000)), method("chronoscope/wait", |_, _| Ok(80))];
    let rows = simulate(&plan, &methods).expect("a plan");
    let slack = |row: &Wait| (row.id.clone(), row.slack_ns, row.default_slack);
    let slacks: Vec<_> = rows.iter().map(slack).collect();
    let sleep = "rust/thread-sleep".to_owned();
    let expected = [
        (sleep.clone(), Some(50_000), true),
        (sleep, Some(1), false),
        ("chronoscope/wait".into(), None, false),
    ];
    assert_eq!(slacks, expected);
}

#[test]
fn a_slice_makes_rows_of_its_own_for_all_methods_or_for_those_that_are_named() {
    let methods = || {
        [method("rust/thread-sleep", |_, _| Ok(50_000)), method("chronoscope/wait", |_, _| Ok(80))]
    };
    let all = of(WaitSpec {
        slack: vec![Slack::Default, Slack::Ns(1)],
        slice: vec![Slack::Default, Slack::Ns(100_000)],
        ..spec(&[MS])
    });
    let set = |plan: &Plan| {
        let rows = simulate(plan, &methods()).expect("a plan");
        assert!(rows.iter().all(|row| row.samples == 1_000));
        let set = |row: &Wait| (row.id.clone(), row.slack_ns, row.slice_ns);
        rows.iter().map(set).collect::<Vec<_>>()
    };
    let row = |id: &str, slack, slice| (id.to_owned(), slack, slice);
    let (sleep, own, short) = ("rust/thread-sleep", "chronoscope/wait", Some(100_000));
    assert_eq!(
        set(&all),
        [
            row(sleep, Some(50_000), None),
            row(sleep, Some(50_000), short),
            row(sleep, Some(1), None),
            row(sleep, Some(1), short),
            row(own, None, None),
            row(own, None, short),
        ]
    );
    let named = Plan { sliced: vec![sleep.into()], ..all };
    assert_eq!(
        set(&named),
        [
            row(sleep, Some(50_000), None),
            row(sleep, Some(1), None),
            row(sleep, Some(1), short),
            row(own, None, None),
        ]
    );
}

#[test]
fn a_short_wait_is_measured_after_one_that_is_not_recorded() {
    // The first wait after a burst of the other method is late, because that burst has left the
    // core in another state. This wait settles the core, and is not a sample.
    thread_local! {
        static LAST: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }
    let sleep: Overshoot = |_, _| Ok(if LAST.replace(1) == 1 { 20_000 } else { 900_000 });
    let spin: Overshoot = |_, _| {
        LAST.set(2);
        Ok(70)
    };
    let methods = || [method("rust/thread-sleep", sleep), method("hybrid/fixed", spin)];
    let short = |one_thread| Plan { one_thread, ..plan(&[Duration::from_micros(100)]) };
    let largest = |plan: &Plan| simulate(plan, &methods()).expect("a plan")[0].max_ns;
    assert!(largest(&short(true)) > 800_000);
    assert!(largest(&short(false)) < 30_000);
}

#[test]
fn percentiles_have_intervals_that_hold_them() {
    let rows =
        simulate(&plan(&[MS]), &[method("rust/thread-sleep", |n, _| Ok((n as i64 + 1) * 1_000))]);
    let row = &rows.expect("a plan")[0];
    for percentile in [Percentile::P50, Percentile::P90, Percentile::P99] {
        let value = row.percentile(percentile).expect("enough waits");
        let interval = row.intervals.get(percentile).expect("enough waits");
        let high = interval.high_ns.expect("nothing was cut off");
        assert!(interval.low_ns < value && value < high, "{percentile:?}: {interval:?}");
        // Of 1 to 1000 us, 95 % lie within some three per cent of the ranks.
        assert!(high - interval.low_ns < 70_000, "{percentile:?}: {interval:?}");
    }
    assert_eq!((row.intervals.p999, row.censored.clone(), row.throttled), (None, None, None));
}

#[test]
fn a_method_that_fails_ends_with_the_reason_and_the_others_continue() {
    let methods = [
        method("rust/thread-sleep", |n, _| if n < 20 { Ok(1_000) } else { Err(22) }),
        method("hybrid/fixed", |_, _| Ok(70)),
    ];
    let rows = simulate(&plan(&[MS]), &methods).expect("a plan");
    let reason = rows[0].unavailable_reason.as_deref().expect("it failed");
    assert!(reason.contains("std::thread::sleep"), "{reason}");
    assert_eq!((rows[0].samples, rows[0].stopped_by), (20, StoppedBy::Failure));
    assert_eq!(rows[1].samples, 1_000);
}

#[test]
fn a_time_limit_is_kept_and_an_overshoot_above_the_limit_ends_the_run() {
    let slow: Overshoot = |_, _| Ok(100_000);
    let time = Some(Duration::from_millis(500));
    let timed = of(WaitSpec { count: None, duration: time, ..spec(&[MS]) });
    let rows = simulate(&timed, &[method("rust/thread-sleep", slow)]).expect("a plan");
    assert_eq!(rows[0].stopped_by, StoppedBy::Time);
    assert!((400..=455).contains(&rows[0].samples), "{}", rows[0].samples);
    let limit = Some(Duration::from_micros(300));
    let limited = of(WaitSpec { stop_above: limit, ..spec(&[MS]) });
    let spike: Overshoot = |n, _| Ok(if n == 123 { 400_000 } else { 1_000 });
    let rows = simulate(&limited, &[method("rust/thread-sleep", spike)]).expect("a plan");
    assert_eq!((rows[0].stopped_by, rows[0].samples), (StoppedBy::Limit, 124));
}

#[test]
fn a_row_that_failed_begins_again_when_its_run_is_resumed_and_says_so() {
    let some = plan(&[MS]);
    let fails = method("rust/thread-sleep", |n, _| if n < 300 { Ok(50_000) } else { Err(22) });
    let first = simulate(&some, &[fails]).expect("a plan");
    let left_out = first[0].samples;
    assert!(!first[0].available && left_out > 0, "{:?}", first[0]);
    let why = first[0].unavailable_reason.clone().expect("a reason");
    // Nothing of what was before is in its figures, and its note stays when it goes on.
    let works = method("rust/thread-sleep", |_, _| Ok(900_000));
    let mut earlier = first;
    for count in [400, 700] {
        let spec = WaitSpec { count: Some(count), ..some.spec.clone() };
        let row = simulate(&Plan { spec, earlier, ..some.clone() }, &[works]).expect("a plan");
        assert_eq!((row[0].available, row[0].samples), (true, count));
        assert!((row[0].min_ns - 900_000).abs() <= 1, "{}", row[0].min_ns);
        assert_eq!(row[0].voluntary_switches.map(|all| all <= count), Some(true));
        let [note] = &row[0].notes[..] else { panic!("{:?}", row[0].notes) };
        let said = format!("when the run was resumed, its {left_out} waits until then");
        assert!(note.starts_with(&why) && note.contains(&said), "{note}");
        earlier = row;
    }
    // A row that had failed before its first wait leaves nothing out.
    let never = method("rust/thread-sleep", |_, _| Err(22));
    let earlier = simulate(&some, &[never]).expect("a plan");
    let row = simulate(&Plan { earlier, ..some }, &[works]).expect("a plan");
    assert_eq!((row[0].samples, row[0].notes.len()), (1_000, 0));
}
