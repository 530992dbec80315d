//! Reports of clocks that were watched, and of a sweep.

use chronoscope_diagnose::judge;
use chronoscope_model::clock::{Backwards, BuiltOn, Facts, Kind, Orders, Standing};
use chronoscope_model::deltas::Deltas;
use chronoscope_model::ordering::Handed;
use chronoscope_model::sweep::Source;
use chronoscope_model::trust::{
    Anchor, Anchored, Contended, Contention, Course, Gap, HandedAll, Jump, LeftOut, Matrix,
    Migrating, Offset, Outside, Pair, Pause, Paused, RateAgainst, Sandwich, Series, Slew, Step,
    StepSeen, Trap, Trust, VmClock, Wall, Watch, Watched,
};
use chronoscope_model::{Clock, Report};

fn watch(id: &str, kind: Kind, built_on: BuiltOn, handed_back: u64) -> Watch {
    Watch {
        id: id.into(),
        kind,
        facts: Some(Facts {
            built_on,
            orders: if handed_back > 0 { Orders::Nothing } else { Orders::Earlier },
            ..Facts::default()
        }),
        one_thread: Some(Backwards { tries: 12_345_678, ..Backwards::default() }),
        migrating: Some(Migrating { cpus: 2, moves: 9_182, ..Migrating::default() }),
        handed: Some(HandedAll {
            pairs: 1,
            turns: 4_321_000,
            seconds: 1.1,
            backwards: handed_back,
            worst_ns: if handed_back > 0 { 42.3 } else { 0.0 },
            worst_cpus: (handed_back > 0).then_some([0, 1]),
            slowest_per_second: 3_900_000.0,
        }),
        ..Watch::default()
    }
}

fn pair(offset_ns: f64, backwards: u64) -> Pair {
    let offset = |node, uncertainty_ns: f64| Offset {
        node: Some(node),
        offset_ns,
        uncertainty_ns,
        round_trip_ns: 2.0 * uncertainty_ns,
        exchanges: 40_000,
    };
    Pair {
        handed: Handed { cpus: [0, 1], turns: 5_000_000, backwards, worst_ns: 0.0 },
        handed_s: 1.2,
        offsets: vec![offset(0, 47.4), offset(1, 51.0)],
        left_out: None,
    }
}

fn rate(id: &str, against: &str, ppm: f64, standing: Standing) -> RateAgainst {
    RateAgainst {
        id: id.into(),
        against: against.into(),
        ppm,
        low_ppm: ppm - 0.004,
        high_ppm: ppm + 0.004,
        pairs: 500,
        seconds: 9.9,
        standing,
        why: "the clock source tsc is this counter".into(),
    }
}

/// A sound machine whose rate nothing outside it can check.
pub fn sound() -> Trust {
    let counter = "lfence-rdtsc-lfence/rdtscp-lfence";
    let costs = |id: &str| Contention {
        id: id.into(),
        points: [(1, 18.1), (2, 18.4)]
            .map(|(threads, ns)| Contended { threads, ns, low_ns: ns - 0.2, high_ns: ns + 0.4 })
            .into(),
    };
    Trust {
        asked_s: 10.0,
        seconds: 10.02,
        clocks: vec![
            watch("x86/rdtsc-intrinsic", Kind::Counter, BuiltOn::Counter, 1_204),
            watch("posix/monotonic", Kind::Monotonic, BuiltOn::ClockSource, 0),
            watch("posix/realtime", Kind::Wall, BuiltOn::ClockSource, 0),
        ],
        matrix: Matrix {
            id: counter.into(),
            pairs: vec![pair(-3.2, 0)],
            possible: 1,
            left_out: None,
        },
        rates: vec![
            rate(counter, "linux/monotonic-raw", 0.0, Standing::SameOscillator),
            rate("posix/monotonic", "linux/monotonic-raw", 12.5, Standing::SameOscillator),
        ],
        outside: vec![Outside {
            id: "linux/ptp".into(),
            used: false,
            text: "there is no PTP hardware clock (no /dev/ptp0)".into(),
        }],
        wall: Some(Wall {
            looks: 990,
            slew: Some(Slew { ppm: 12.5, error_ppm: 0.004, most_ppm: 12.6 }),
            suspended_ns: Some(0.0),
            ..Wall::default()
        }),
        sandwiches: vec![Sandwich {
            id: "posix/monotonic".into(),
            system_call: "linux/monotonic-syscall".into(),
            tries: 480_000,
            ..Sandwich::default()
        }],
        contention: vec![costs("x86/rdtsc-intrinsic"), costs("posix/monotonic")],
        traps: vec![Trap {
            id: "counter-trapped".into(),
            trapped: Some(false),
            evidence: "a read of the counter takes 8.2 ns".into(),
        }],
        watched: Watched {
            looks: 990,
            longest_ns: 12.3e6,
            no_vmclock: Some("no /dev/vmclock0".into()),
            ..Watched::default()
        },
        left_out: Vec::new(),
        series: Some(Series {
            started: "2026-01-02T03:04:05.123456789Z".into(),
            against: "linux/monotonic-raw".into(),
            spacing_s: 1.0,
            at_s: vec![0.0, 1.003, 2.01],
            clocks: vec![
                course(counter, &[0.0, -12.3, 4.5], &[-0.0123, 0.0167]),
                course("posix/monotonic", &[0.0, 12_540.1, 25_125.4], &[12.5026, 12.4978]),
                course("linux/ptp", &[0.0, -7.5], &[-0.0074]),
            ],
        }),
        anchor: Some(Anchor {
            boot: "b00t".into(),
            counter: counter.into(),
            tick_ns: 0.4,
            looks: [1_000_000, 26_000_000_000],
            clocks: vec![Anchored {
                id: "posix/monotonic".into(),
                read: [25_999_999_990, 10_400_125_000, 26_000_000_010],
                ahead_ns: 125_000.3,
                stepped_ns: 0.0,
            }],
        }),
    }
}

/// How a clock ran up to the third point.
fn course(id: &str, offset_ns: &[f64], rate_ppm: &[f64]) -> Course {
    Course {
        id: id.into(),
        first: 3 - offset_ns.len(),
        offset_ns: offset_ns.into(),
        stepped_ns: Vec::new(),
        rate_ppm: rate_ppm.into(),
    }
}

/// A machine with every fault that a run can see.
pub fn faulty() -> Trust {
    let mut trust = sound();
    trust.clocks[1].one_thread =
        Some(Backwards { tries: 1_000_000, violations: 3, worst_ns: 812.0 });
    trust.clocks.push(Watch {
        id: "linux/tai".into(),
        unavailable_reason: Some("a sandbox refuses it".into()),
        ..Watch::default()
    });
    trust.matrix.pairs[0] = pair(1_830.0, 77);
    trust.matrix.pairs[0].handed.worst_ns = 1_790.0;
    trust.matrix.left_out = Some("1 of 3 pairs were compared; CPUs 0 and 2: it was busy".into());
    trust.matrix.possible = 3;
    trust.rates[0].standing = Standing::Independent;
    trust.outside[0].used = true;
    let wall = trust.wall.as_mut().expect("a wall clock");
    wall.steps = vec![Step { at_s: 4.2, by_ns: -1.5e9, seen: StepSeen::Both }];
    wall.suspended_ns = Some(3e9);
    wall.left_out = vec!["adjtimex(2) is refused".into()];
    trust.sandwiches[0].below = 4;
    trust.sandwiches[0].worst_ns = 150.0;
    trust.traps[0].trapped = Some(true);
    trust.contention[1].points[1].ns = 90.0;
    trust.watched.jumps = vec![Jump {
        at_s: 7.0,
        id: trust.matrix.id.clone(),
        against: "linux/monotonic-raw".into(),
        ns: 2e9,
        tolerance_ns: 7e3,
    }];
    trust.watched.gaps = vec![Gap { at_s: 3605.0, seconds: 3600.0 }];
    trust.watched.pauses = vec![Pause {
        at_s: 7.0,
        ns: 2e9,
        steal_ns: Some(1.9e9),
        run_queue_ns: None,
        paused: Paused::Machine,
    }];
    trust.watched.vmclock = Some(VmClock {
        disruption_marker: [1, 2],
        generation: None,
        status: "synchronised".into(),
    });
    trust.left_out = vec![LeftOut { what: "contention".into(), why: "CPU 2 is offline".into() }];
    trust
}

/// The report of a run that watched this.
pub fn watched(trust: Trust) -> Report {
    let mut report = Report { trust: Some(trust), ..Report::default() };
    report.run.complete = true;
    judge(&mut report);
    report
}

/// A sweep over two sources, of which one could not be used.
pub fn swept(clocks: &[Clock], deltas: &[Deltas]) -> Report {
    let source = |name: &str, left_out: Option<&str>| Source {
        name: name.into(),
        original: name == "tsc",
        left_out: left_out.map(str::to_owned),
        clocks: clocks.to_vec(),
        deltas: deltas.to_vec(),
    };
    let mut report = Report {
        sweep: vec![
            source("tsc", None),
            source("hpet", None),
            Source {
                clocks: Vec::new(),
                deltas: Vec::new(),
                ..source("acpi_pm", Some("it is no longer available"))
            },
        ],
        ..Report::default()
    };
    report.run.complete = true;
    report
}

/// Three servers, of which one is wrong, and a device that is not there.
pub fn against() -> Report {
    use chronoscope_model::against::{Against, Apart, Contradiction, Interval, Known, Set, Source};
    let interval = |low, best, high| Some(Interval { low, best, high });
    let source = |id: &str, [low, high]: [f64; 2], agrees| Source {
        id: id.into(),
        requests: 36,
        answers: 35,
        round_trip_ns: Some(620_000.0),
        root_distance_ns: Some(15_200.0),
        stratum: Some(2),
        seconds: 58.0,
        wall_ns: interval(low, low, high),
        counter_ppm: interval(11.5, 12.4, 13.3),
        agrees: Some(agrees),
        series: vec![
            Known { at_s: 1.0, low_ns: low - 9e4, high_ns: high + 3e4 },
            Known { at_s: 58.0, low_ns: low, high_ns: high },
        ],
        ..Source::default()
    };
    let mut report = super::full();
    report.against = Some(Against {
        asked_s: 60.0,
        seconds: 60.1,
        wall_ns: interval(1.53e6, 1.8e6, 2.15e6),
        counter_ppm: interval(11.5, 12.4, 13.3),
        sources: vec![
            Source {
                contradictions: vec![Contradiction {
                    at_s: 2.0,
                    low_ns: 6.39e10,
                    high_ns: 6.41e10,
                }],
                ..source("ntp:one.example", [1.53e6, 2.15e6], true)
            },
            Source {
                says: Some("a leap second is inserted at the end of the day".into()),
                ..source("ntp:two.example", [1.4e6, 2.4e6], true)
            },
            source("ntp:three.example", [9.1e7, 9.2e7], false),
            Source {
                id: "vmclock".into(),
                host: true,
                unavailable_reason: Some("no /dev/vmclock0".into()),
                ..Source::default()
            },
        ],
        apart: vec![Apart {
            id: "ntp:one.example".into(),
            of: "ntp:three.example".into(),
            ahead_ns: Interval { low: 8.885e7, best: 8.966e7, high: 9.047e7 },
        }],
        set: vec![Set { at_s: 30.0, by_ns: -2.5e6 }],
        ..Against::default()
    });
    report
}
