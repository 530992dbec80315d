//! Reports of machines that differ in their clocks, to test the conclusions from them and their
//! screens. The figures are invented, but of a size that such machines show.

// Each test crate that includes this module uses its own part of it.
#![allow(dead_code)]

mod environment;

use chronoscope_diagnose::judge;
use chronoscope_model::between::Between;
use chronoscope_model::clock::{
    Backwards, Bulk, Clock, Difference, Displaced, Grade, Kind, Limit, Resolution, TickFrom,
    UntilChange,
};
use chronoscope_model::environment::{ClockSource, TscKind, Vdso};
use chronoscope_model::estimate::SampledTo;
use chronoscope_model::ordering::{After, Handed, Ordering, Work};
use chronoscope_model::run::{Core, Noise};
use chronoscope_model::{Advice, Estimate, Report, Ruler, Run, SCHEMA};
use chronoscope_probes::clocks;
use environment::environment;

const CORE_HZ: f64 = 3.7e9;

pub fn judged(mut report: Report) -> Report {
    judge(&mut report);
    report
}

pub fn advice<'a>(report: &'a Report, purpose: &str) -> &'a Advice {
    let found = report.advice.iter().find(|a| a.purpose == purpose);
    found.unwrap_or_else(|| panic!("no advice for {purpose}"))
}

/// An estimate whose interval extends `half` nanoseconds to either side.
pub fn estimate(value: f64, half: f64) -> Estimate {
    Estimate {
        value_ns: value,
        low_ns: value - half,
        high_ns: value + half,
        min_ns: value * 0.996,
        median_ns: value * 1.003,
        mad_ns: value * 0.002,
        sd_ns: Some(value * 0.02),
        p99_ns: value * 1.31,
        max_ns: value * 4.2,
        raw_ns: value + 0.39,
        empty_ns: 0.39,
        batches: 640,
        reads_per_batch: (20_000.0 / value.max(0.1)).ceil() as u64,
        disturbed: 3,
        stopped_by: SampledTo::Precision,
        cycles: Some(value * 2.6),
        core_cycles: Some(value * CORE_HZ / 1e9),
        processes: Some(8),
        ..Estimate::default()
    }
}

/// A clock of the catalogue as a Linux system has it, before anything is measured.
fn entry(id: &str, call: &str, kind: Kind) -> Clock {
    let entry = clocks::find(id).unwrap_or_else(|| panic!("no clock {id}"));
    let alternative_to = match id {
        "rust/instant" | "cxx/steady_clock" | "cxx/steady_clock-nocast" => Some("posix/monotonic"),
        _ => entry.alternative_to,
    };
    Clock {
        id: id.into(),
        call: call.into(),
        language: entry.language,
        kind,
        facts: Some(entry.facts),
        alternative_to: alternative_to.map(str::to_owned),
        common: entry.common,
        home: entry.home.into(),
        scope: kind.into(),
        ..Clock::default()
    }
}

/// A clock with a cost and a tick, in nanoseconds.
pub fn clock(id: &str, call: &str, kind: Kind, cost: f64, tick: f64) -> Clock {
    let sleeps = kind == Kind::Cpu;
    Clock {
        available: true,
        cost: chronoscope_model::clock::Cost {
            throughput: Some(estimate(cost, cost * 0.003)),
            latency: Some(estimate(cost * 1.34, cost * 0.005)),
            cold: Some(estimate(cost * 3.0 + 120.0, cost * 0.1 + 4.0)),
            displaced: Some(Displaced { bytes: 36 << 20, level: Some(3), last: true }),
            first: Some(estimate(cost * 9.0 + 600.0, cost * 0.5 + 60.0)),
            instructions: None,
        },
        resolution: Some(Resolution {
            nominal_ns: (kind != Kind::Counter).then_some(tick.max(1.0)),
            tick_ns: Some(tick),
            tick_from: Some(if tick > 1.0 { TickFrom::Seen } else { TickFrom::Unit }),
            observed_min_ns: Some(tick.max(cost.round())),
            observed_median_ns: Some(tick.max((cost * 1.1).round())),
            changes: 9_973,
            watched_ns: Some(3e6),
            verdict: if tick > cost { Limit::Tick } else { Limit::Latency },
        }),
        until_change: Some(UntilChange {
            median_ns: tick.max(cost * 1.3),
            mean_ns: tick.max(cost * 1.3) * 1.02,
            sd_ns: cost * 0.1,
            samples: 200,
            changes_per_sample: 64,
        }),
        example_ms: Some(34_003_245.25),
        difference_100ms: Some(Difference {
            reference_ms: 100.063,
            clock_ms: if sleeps { 0.038 } else { 100.063 },
            tolerance_ms: 2.0 * tick / 1e6 + 0.002,
            agrees: !sleeps,
            of_ruler: kind == Kind::Counter,
        }),
        backwards: Some(Backwards { tries: 1_000_000, ..Backwards::default() }),
        wraps_after_s: Some(match kind {
            Kind::Counter => 7.095e9,
            _ => 9.22e9,
        }),
        bits: Some(64),
        example: Some(match kind {
            Kind::Counter => "8915821402117".into(),
            Kind::Wall => "1664399433974".into(),
            Kind::Monotonic => "8914086".into(),
            Kind::Cpu => "2175651".into(),
        }),
        ..entry(id, call, kind)
    }
}

fn absent(id: &str, call: &str, kind: Kind, why: &str) -> Clock {
    Clock { unavailable_reason: Some(why.into()), ..entry(id, call, kind) }
}

fn clocks() -> Vec<Clock> {
    use Kind::{Counter, Cpu, Monotonic, Wall};
    let tsc = 1.0 / 2.6;
    let mut mono_raw = clock(
        "linux/monotonic-raw-syscall",
        "syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &t)",
        Monotonic,
        149.6,
        1.0,
    );
    mono_raw.cost.cold = None;
    vec![
        clock("c/clock", "clock()", Cpu, 171.3, 1000.0),
        clock("c/time", "time(NULL)", Wall, 2.71, 1e9),
        clock("cxx/steady_clock", "std::chrono::steady_clock::now()", Monotonic, 20.31, 1e6),
        clock(
            "cxx/steady_clock-nocast",
            "std::chrono::steady_clock::now().time_since_epoch().count()",
            Monotonic,
            18.62,
            1.0,
        ),
        clock("x86/rdtsc-intrinsic", "__rdtsc()", Counter, 8.0749, tsc),
        clock("x86/rdtscp", "__rdtscp(&aux)", Counter, 14.62, tsc),
        clock("x86/lfence-rdtsc", "_mm_lfence(); __rdtsc()", Counter, 11.91, tsc),
        clock("x86/cpuid-rdtsc", "__cpuid(0, …); __rdtsc()", Counter, 1238.0, tsc),
        absent(
            "x86/serialize-rdtsc",
            "_serialize(); __rdtsc()",
            Counter,
            "the processor has no SERIALIZE (CPUID 7 EDX[14]=0)",
        ),
        clock("posix/realtime", "clock_gettime(CLOCK_REALTIME, &t)", Wall, 18.11, 1.0),
        clock("posix/monotonic", "clock_gettime(CLOCK_MONOTONIC, &t)", Monotonic, 18.04, 1.0),
        clock(
            "linux/monotonic-raw",
            "clock_gettime(CLOCK_MONOTONIC_RAW, &t)",
            Monotonic,
            17.92,
            1.0,
        ),
        clock("linux/boottime", "clock_gettime(CLOCK_BOOTTIME, &t)", Monotonic, 18.33, 1.0),
        clock(
            "linux/monotonic-coarse",
            "clock_gettime(CLOCK_MONOTONIC_COARSE, &t)",
            Monotonic,
            5.23,
            4e6,
        ),
        clock(
            "linux/monotonic-syscall",
            "syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t)",
            Monotonic,
            151.2,
            1.0,
        ),
        mono_raw,
        clock(
            "posix/process-cputime",
            "clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)",
            Cpu,
            168.0,
            1.0,
        ),
        clock(
            "posix/thread-cputime",
            "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)",
            Cpu,
            159.4,
            1.0,
        ),
        absent(
            "linux/perf-mmap",
            "perf_event_mmap_page",
            Monotonic,
            "perf_event_open: permission denied; \
             needs CAP_PERFMON or kernel.perf_event_paranoid at 2 or below",
        ),
        absent("linux/ptp", "clock_gettime(FD_TO_CLOCKID(fd), &t)", Wall, "there is no /dev/ptp0"),
        absent("windows/qpc", "QueryPerformanceCounter(&t)", Monotonic, "only on Windows"),
        absent("mach/absolute_time", "mach_absolute_time()", Monotonic, "only on macOS"),
        clock("rust/instant", "std::time::Instant::now()", Monotonic, 19.42, 1.0),
        clock("chronoscope/instant", "chronoscope::Instant::now()", Counter, 8.12, tsc),
        clock("chronoscope/ordered", "chronoscope::Instant::now_ordered()", Counter, 12.04, tsc),
    ]
}

/// A healthy virtual machine that keeps time by an invariant TSC.
pub fn tsc() -> Report {
    Report {
        schema: SCHEMA.into(),
        run: Run {
            moved: None,
            quick: false,
            id: "5d1f0c2a9b7e4833".into(),
            started: "2026-03-02T09:14:05Z".into(),
            finished: "2026-03-02T09:14:16Z".into(),
            argv: vec!["chronoscope".into()],
            screen: None,
            tool_version: "0.1.0".into(),
            compilers: Vec::new(),
            order_seed: 1_234_567_890,
            complete: true,
            seconds: 11.3,
            changed: Vec::new(),
            disturbed: Vec::new(),
            between: Some(Between::of(&environment())),
        },
        environment: environment(),
        ruler: Some(Ruler {
            id: "lfence-rdtsc-lfence/rdtscp-lfence".into(),
            is_counter: true,
            hz: 2_599_998_140.0,
            hz_error_ppm: 0.42,
            reference: "CLOCK_MONOTONIC_RAW".into(),
            compared: None,
            cost_ns: 16.9,
            tick_ns: 1.0 / 2.6,
            empty_spread_ns: Some(1.5),
            cpu: Some(1),
            fifo: None,
            siblings: Vec::new(),
            noise: Noise {
                batches: 41_207,
                disturbed: 118,
                involuntary_switches: Some(97),
                steal_ms: Some(10.0),
                taken: None,
                run_queue_ms: Some(4.0),
                shared: Some(0.0),
                crowded: None,
                core: Some(Core {
                    hz: CORE_HZ,
                    low_hz: CORE_HZ - 50e6,
                    high_hz: CORE_HZ + 50e6,
                    elsewhere: 0.02,
                }),
            },
        }),
        clocks: clocks(),
        ..Report::default()
    }
}

fn costlier(clock: &mut Clock, factor: f64) {
    let cost = &mut clock.cost;
    for part in [&mut cost.throughput, &mut cost.latency].into_iter().flatten() {
        *part = estimate(part.value_ns * factor, part.value_ns * factor * 0.003);
    }
}

fn system_clocks(report: &mut Report, ns: f64, own: bool) {
    for clock in &mut report.clocks {
        let family = clock.id.split('/').next();
        let counts = family == Some("x86") || (!own && family == Some("chronoscope"));
        let coarse = clock.id.ends_with("-coarse") || clock.id == "c/time";
        if clock.available && !counts && !coarse && clock.kind != Kind::Cpu {
            costlier(clock, ns / clock.cost.throughput.as_ref().map_or(ns, |e| e.value_ns));
        }
    }
}

/// A guest whose clock source is kvm-clock.
pub fn kvm_clock() -> Report {
    let mut report = tsc();
    report.environment.clocksource = Some(ClockSource {
        current: "kvm-clock".into(),
        available: vec!["kvm-clock".into(), "tsc".into()],
    });
    for clock in &mut report.clocks {
        if clock.id.starts_with("posix/") && clock.kind != Kind::Cpu {
            costlier(clock, 1.26);
        }
    }
    report
}

/// A machine whose kernel has abandoned the TSC for the HPET.
pub fn hpet() -> Report {
    let mut report = tsc();
    report.environment.clocksource = Some(ClockSource {
        current: "hpet".into(),
        available: vec!["hpet".into(), "acpi_pm".into()],
    });
    report.environment.hypervisor = None;
    system_clocks(&mut report, 790.0, true);
    report
}

pub fn no_vdso() -> Report {
    let mut report = tsc();
    report.environment.vdso = Some(Vdso::default());
    system_clocks(&mut report, 152.0, false);
    report
}

/// An emulated machine: a TSC that is not invariant, and slow reads.
pub fn emulated() -> Report {
    let mut report = tsc();
    report.environment.emulated = Some("QEMU TCG (CPUID 0x40000000: \"TCGTCGTCGTCG\")".into());
    if let Some(tsc) = &mut report.environment.tsc {
        tsc.kind = TscKind::Variant;
        tsc.evidence = "CPUID 0x80000007 EDX[8]=0".into();
    }
    for clock in report.clocks.iter_mut().filter(|c| c.available) {
        costlier(clock, 11.0);
    }
    report
}

/// The tests of order of an unordered counter, an ordered one and a system clock.
pub fn with_ordering(mut report: Report) -> Report {
    for clock in &mut report.clocks {
        clock.ordering = match clock.id.as_str() {
            "x86/rdtsc-intrinsic" => Some(ordering(1.0, 5012)),
            "x86/rdtscp" | "x86/lfence-rdtsc" | "posix/monotonic" => Some(ordering(0.0, 0)),
            _ => None,
        };
    }
    report
}

/// Tests: reads that overtook this share of the work, and hand-overs that ran backwards.
pub fn ordering(overtakes: f64, backwards: u64) -> Ordering {
    let works = [Work::Load, Work::LoadAndBranch, Work::Chain];
    let after = works.into_iter().zip([130.0, 137.0, 33.0]).map(|(work, takes_ns)| After {
        work,
        takes_ns,
        early_ns: takes_ns * overtakes,
        overtaken_ns: Some(0.3),
        scatter_ns: 0.5,
    });
    Ordering {
        tries: 2900,
        after: after.collect(),
        handed: Some(Handed {
            cpus: [1, 0],
            turns: 40_000,
            backwards,
            worst_ns: if backwards > 0 { 69.0 } else { 0.0 },
        }),
        ..Ordering::default()
    }
}

/// The bulk calls of `--calls 10000000`.
pub fn with_bulk(mut report: Report) -> Report {
    for clock in report.clocks.iter_mut().filter(|c| c.available) {
        let ns = clock.cost.throughput.as_ref().map_or(0.0, |e| e.value_ns);
        clock.bulk = Some(Bulk { calls: 10_000_000, ms: ns * 10.02, speed: None });
    }
    report
}

/// The verdict's grade of a clock in a judged report.
pub fn grade(report: &Report, id: &str) -> Option<Grade> {
    let clock = report.clocks.iter().find(|c| c.id == id)?;
    clock.verdict.as_ref().map(|v| v.grade)
}
