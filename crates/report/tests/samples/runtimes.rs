//! Runtimes of two machines, with everything that can be wrong with them.

use super::machines;
use chronoscope_model::clock::Kind;
use chronoscope_model::runtimes::{
    Allocates, Benchmark, Called, Ratio, Runtime, RuntimeClock, RuntimeSleep, Setting, Spread,
    Stopwatch, WarmUp, Watched,
};
use chronoscope_model::{Estimate, Report};

fn cost(value_ns: f64) -> Estimate {
    Estimate {
        value_ns,
        low_ns: value_ns * 0.995,
        high_ns: value_ns * 1.005,
        ..Estimate::default()
    }
}

fn spread(median_ns: f64, iterations: u64) -> Spread {
    Spread { mean_ns: median_ns * 1.01, median_ns, sd_ns: median_ns * 0.02, iterations }
}

fn clock(id: &str, call: &str, read_ns: f64, tick_ns: f64) -> RuntimeClock {
    let (own, c) = (cost(read_ns), cost(21.3));
    RuntimeClock {
        id: id.into(),
        call: call.into(),
        kind: Kind::Monotonic,
        unit_ns: 1.0,
        claimed_ns: Some(tick_ns),
        tick_ns: Some(tick_ns),
        resolution_ns: Some(tick_ns.max(read_ns)),
        latency: Some(cost(read_ns * 1.1)),
        benchmark: Some(Benchmark {
            latency: Some(spread(read_ns, 60)),
            resolution: Some(spread(tick_ns.max(2.0 * read_ns), 15)),
        }),
        relative: Ratio::of(&own, &c),
        throughput: Some(own),
        median_delta_ns: Some(read_ns),
        watched: Some(Watched { reads: 200_000, longest_ns: 51_000.0, ..Watched::default() }),
        calls: Some(vec![Called { call: "clock_gettime(CLOCK_MONOTONIC)".into(), per_read: 1.0 }]),
        counted_by: "LD_PRELOAD".into(),
        allocates: Some(Allocates { bytes: Some(24.0), objects: None }),
        ..RuntimeClock::default()
    }
}

fn sleep(id: &str, call: &str, early: u64) -> RuntimeSleep {
    RuntimeSleep {
        id: id.into(),
        call: call.into(),
        asked_ns: 1e6,
        unit_ns: 1e6,
        count: 30,
        early,
        earliest_ns: 669_000.0 * early.min(1) as f64,
        median_ns: 61_000.0,
        p90_ns: 80_000.0,
        max_ns: 212_000.0,
    }
}

fn runtime(id: &str, name: &str, language: &str, clocks: Vec<RuntimeClock>) -> Runtime {
    Runtime {
        id: id.into(),
        name: name.into(),
        language: language.into(),
        system: "Linux 6.12.9".into(),
        hardware_timer: "tsc".into(),
        processor: "AMD EPYC 7R13".into(),
        version: Some("3.11.7".into()),
        build: Some("GCC 12.2.0".into()),
        program: Some("/usr/bin/program".into()),
        stopwatch: Some(Stopwatch {
            call: "now()".into(),
            hz: 1e9,
            fast_ppm: Some(-3.0),
            fast_error_ppm: Some(if id == "python" { 4.2 } else { 1.1 }),
        }),
        warm_up: Some(WarmUp { seconds: 0.31, batches: 140, settled: true, speed_up: 8.4 }),
        processes: 3,
        relative_to: Some("clock_gettime(CLOCK_MONOTONIC, &t)".into()),
        clocks,
        settings: vec![Setting {
            name: "--jitless".into(),
            effect: "Interprets everything.".into(),
        }],
        ..Runtime::default()
    }
}

/// The rows of a sweep: two runtimes under two sources, and one that could not be started under
/// either.
pub fn swept() -> Vec<Runtime> {
    let under = |timer: &str, python_ns: f64, tick_ns: f64| {
        let call = "time.perf_counter_ns()";
        let of_python = clock("perf-counter-ns", call, python_ns, tick_ns);
        let monotonic = "clock_gettime(CLOCK_MONOTONIC, &t)";
        let of_c = clock("monotonic", monotonic, python_ns - 27.0, tick_ns);
        let failed = Runtime {
            reason: Some("java not found: apt install default-jdk-headless".into()),
            ..runtime("java", "Java", "Java", Vec::new())
        };
        let all = [
            runtime("c:gcc-O2", "C", "C", vec![of_c]),
            runtime("python", "CPython", "Python", vec![of_python]),
            failed,
        ];
        all.map(|row| Runtime { hardware_timer: timer.into(), ..row })
    };
    let [tsc, hpet] = [under("tsc", 48.1, 1.0), under("hpet", 1040.0, 70.0)];
    tsc.into_iter().chain(hpet).collect()
}

/// C in two builds, two other runtimes, one from a machine with another hardware timer, and two
/// that failed.
pub fn some() -> Report {
    let monotonic = "clock_gettime(CLOCK_MONOTONIC, &t)";
    let c = |id| {
        let clocks =
            vec![clock("monotonic", monotonic, 21.3, 1.0), clock("time", "time(NULL)", 1.2, 1e9)];
        runtime(id, "C", "C", clocks)
    };
    let mut python = runtime(
        "python",
        "CPython",
        "Python",
        vec![
            clock("perf-counter-ns", "time.perf_counter_ns()", 48.1, 1.0),
            clock("time", "time.time()", 44.0, 238.4),
        ],
    );
    python.sleeps = vec![sleep("sleep", "time.sleep(seconds)", 0)];
    let mut node = runtime(
        "node",
        "Node.js",
        "JavaScript",
        vec![clock("hrtime-bigint", "process.hrtime.bigint()", 49.8, 1.0)],
    );
    node.sleeps = vec![sleep("set-timeout", "setTimeout(f, ms)", 7)];
    let mut slow = python.clone();
    slow.hardware_timer = "hpet".into();
    let failed = |id: &str, reason: &str| Runtime {
        reason: Some(reason.into()),
        clocks: Vec::new(),
        ..runtime(id, id, id, Vec::new())
    };
    Report {
        runtimes: vec![
            c("c:gcc-O0"),
            c("c:gcc-O2"),
            c("c:gcc-O3"),
            python,
            node,
            slow,
            failed("java", "java not found: apt install default-jdk-headless"),
            failed("go", "no answer to batch within 10.0 s"),
        ],
        ..machines::tsc()
    }
}
