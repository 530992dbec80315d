//! Waits of many kinds.

use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::quantile::Intervals;
use chronoscope_model::waits::{
    ByClock, Censored, Gap, Grid, Kind, Load, LoadProcess, LoadRun, Moment, Plan, Throttled, Wait,
    WaitSpec,
};
use chronoscope_model::why::{Cause, Culprit, Idle, Interrupts, Known, Later, Part, Why, Worst};
use chronoscope_model::{Report, Ruler, Run};
use std::time::Duration;

/// How many waits had each of the overshoots.
const EACH: u64 = 10;

fn wait(id: &str, load: Load, ns: u64, overshoots: &[u64]) -> Wait {
    let mut hdr = histogram::empty();
    for &ns in overshoots {
        hdr.record_n(ns, EACH).expect("in range");
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
        samples: hdr.len(),
        min_ns: overshoots.iter().copied().min().unwrap_or(0) as i64,
        mean_ns: hdr.mean(),
        max_ns: overshoots.iter().copied().max().unwrap_or(0) as i64,
        overshoot: Histogram::of(&hdr),
        intervals: Intervals::of(&hdr, 0),
        cpu_share: Some(0.0213),
        cpu_ns: Some(21_300.0),
        voluntary_switches: Some(3),
        involuntary_switches: Some(0),
        by_clock: Some(ByClock { clock: "CLOCK_MONOTONIC".into(), ..ByClock::default() }),
        ..Wait::default()
    }
}

fn process(cpu: usize, cpu_s: f64) -> LoadProcess {
    LoadProcess { cpu, cpu_s, ended_s: None }
}

/// Waits with and without a load, and methods that are not available.
pub fn report() -> Report {
    let mut early = wait("busy/tsc", Load::None, 1_000_000, &[70, 80, 900]);
    early.early = 1;
    early.slack_ns = None;
    early.cpu_share = Some(1.0);
    let mut loaded = wait("linux/nanosleep", Load::Normal, 1_000_000, &[56_000, 3_900_000]);
    loaded.load_run = Some(LoadRun {
        load: Load::Normal,
        scheduling: "as the tool itself".into(),
        about: "computes for about 20 ms, then sleeps for 100 us, over and over".into(),
        seconds: 2.0,
        processes: vec![process(0, 1.5), process(1, 2.0)],
        notes: vec![],
    });
    loaded.throttled = Some(Throttled { periods: 3, ns: 140_000_000 });
    loaded.censored = Some(Censored { count: 1, late_ns: 301_000_000 });
    let mut sliced = loaded.clone();
    (sliced.slice_ns, sliced.slack_ns, sliced.default_slack) = (Some(100_000), Some(1), false);
    let absent = Wait {
        id: "busy/tpause".into(),
        unavailable_reason: Some("this processor has none".into()),
        ..Wait::default()
    };
    let elsewhere = Wait {
        id: "windows/sleep".into(),
        unavailable_reason: Some("exists on Windows only".into()),
        elsewhere: true,
        ..Wait::default()
    };
    Report {
        ruler: Some(Ruler {
            id: "lfence-rdtsc".into(),
            is_counter: true,
            hz: 2.6e9,
            hz_error_ppm: 0.8,
            ..Ruler::default()
        }),
        waits: vec![
            wait("linux/nanosleep", Load::None, 1_000_000, &[55_000, 56_000, 90_000]),
            early,
            loaded,
            sliced,
            absent,
            elsewhere,
        ],
        run: Run { complete: true, ..Run::default() },
        ..Report::default()
    }
}

/// A row on a grid, with a gap, that ended at an overshoot.
pub fn gridded() -> Wait {
    let mut row = wait("linux/nanosleep", Load::None, 1_000_000, &[55_000, 2_700_000]);
    row.period_ns = Some(1_000_000);
    row.work_ns = Some(200_000);
    let mut hdr = row.overshoot.decode().expect("its own");
    hdr.record(1_700_000).expect("in range");
    row.grid = Some(Grid { missed: 1, frames_per_s: Some(666.7), corrected: Histogram::of(&hdr) });
    row.gaps =
        vec![Gap { cause: "stopped".into(), at_s: 3.0, late_ns: 1_500_000_000, missed: 1500 }];
    row.moment = Some(Moment {
        at_s: 4.5,
        overshoot_ns: 2_700_000,
        limit_ns: 500_000,
        cpu: Some(1),
        interrupts: vec![Interrupts {
            id: "LOC".into(),
            name: "Local timer interrupts".into(),
            count: 12,
            ns: None,
        }],
        last_ns: vec![55_000, 2_700_000],
        ..Moment::default()
    });
    row
}

/// Everything that the screen of waits can show.
pub fn everything() -> Report {
    let mut report = report();
    report.waits.push(gridded());
    report
}

/// What a run shows whose selection the tool made.
pub fn chosen() -> Report {
    let mut waits = Vec::new();
    for load in [Load::None, Load::Normal] {
        for (ns, cpu) in [(100_000, 0.11), (1_000_000, 0.02), (10_000_000, 0.0025)] {
            let rows = [
                ("linux/clock_nanosleep-abs", Kind::Sleep, Some(50_000), [75e3, 79e3, 96e3], cpu),
                ("linux/clock_nanosleep-abs", Kind::Sleep, Some(1), [24e3, 28e3, 41e3], cpu),
                ("busy/monotonic", Kind::Busy, None, [60.0, 80.0, 210.0], 0.99),
                ("chronoscope/wait", Kind::Hybrid, None, [90.0, 160.0, 330.0], cpu * 1.7),
                ("chronoscope/wait-economy", Kind::Hybrid, None, [400.0, 1e3, 13e3], cpu * 1.3),
                ("chronoscope/wait-precise", Kind::Hybrid, None, [70.0, 110.0, 300.0], cpu * 3.0),
            ];
            waits.extend(rows.map(|(id, kind, slack_ns, late, cpu)| {
                let late = late.map(|ns: f64| match load {
                    Load::None => ns as u64,
                    _ => ns as u64 * 30,
                });
                Wait {
                    kind,
                    slack_ns,
                    default_slack: slack_ns == Some(50_000),
                    cpu: Some(1),
                    cpu_share: Some(cpu),
                    cpu_ns: Some(cpu * ns as f64),
                    load_run: (load != Load::None).then(|| LoadRun {
                        load,
                        seconds: 9.3,
                        processes: vec![process(0, 9.0), process(1, 4.5)],
                        ..LoadRun::default()
                    }),
                    ..wait(id, load, ns, &late)
                }
            }));
        }
    }
    let mut report = Report {
        waits,
        waits_plan: Some(Plan {
            spec: WaitSpec {
                wait: [100, 1_000, 10_000].map(Duration::from_micros).to_vec(),
                duration: Some(Duration::from_millis(9_300)),
                load: vec![Load::None, Load::Normal],
                ..WaitSpec::default()
            },
            chosen: true,
            left_out: 21,
            ..Plan::default()
        }),
        ..report()
    };
    report.advice = chronoscope_diagnose::advise::advise(&report);
    report
}

/// Waits of a single method, at one duration and at several.
pub fn one() -> Report {
    let mut report = report();
    let row = report.waits[0].clone();
    let loaded = Wait { load: Load::Normal, ..row.clone() };
    let longer = Wait { requested_ns: Some(10_000_000), ..row.clone() };
    report.waits = vec![row, longer, loaded];
    report
}

fn later(than_ns: u64, waits: u64, parts: &[(Cause, u64)]) -> Later {
    let parts: Vec<Part> = parts.iter().map(|&(cause, ns)| Part { cause, ns }).collect();
    Later { than_ns, waits, late_ns: parts.iter().map(|part| part.ns).sum(), parts }
}

/// A run with --why: a sleep, a sleep next to a load, and a spin that was on time.
pub fn explained() -> Report {
    let mut report = report();
    let usual = later(
        50_000,
        30,
        &[(Cause::TimerSlack, 1_380_000), (Cause::IdleExit, 930_000), (Cause::Return, 180_000)],
    );
    let tail = later(
        2_000_000,
        10,
        &[(Cause::RunQueue, 28_100_000), (Cause::Throttled, 9_400_000), (Cause::IdleExit, 310_000)],
    );
    let worst = |late_ns: u64, parts: &[(Cause, u64)]| Worst {
        at_s: 1.25,
        late_ns,
        parts: later(0, 1, parts).parts,
        cpu: Some(1),
        moved: true,
        idle: Some("C6".into()),
        ..Worst::default()
    };
    let task = |name: &str, pid, ns| Culprit {
        name: Some(name.into()),
        pid,
        tid: pid,
        policy: Some("SCHED_FIFO".into()),
        priority: Some(50),
        ns,
        wake_ups: 1,
        known: Known::Seen,
        other_user: false,
    };
    let culprits = vec![task("rustc", 812, 3_700_000), task("sh", 7, 200_000)];
    report.waits[0].why = Some(Why {
        later: vec![usual.clone()],
        worst: vec![worst(93_000, &[(Cause::TimerSlack, 50_000), (Cause::IdleExit, 43_000)])],
        examined: 30,
        apart: 0,
        idle: vec![Idle { name: "C6".into(), exit_ns: 133_000, waits: 30 }],
        ..Why::default()
    });
    report.waits[1].why =
        Some(Why { later: vec![later(0, 30, &[(Cause::Return, 3_000)])], ..Why::default() });
    report.waits[2].why = Some(Why {
        later: vec![later(50_000, 20, &[(Cause::RunQueue, 29_000_000)]), tail],
        worst: vec![Worst {
            culprits: culprits.clone(),
            ..worst(3_900_000, &[(Cause::RunQueue, 3_100_000), (Cause::Preempted, 800_000)])
        }],
        culprits,
        examined: 20,
        apart: 1,
        ..Why::default()
    });
    report
}
