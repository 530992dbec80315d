//! Every screen of fixed reports, for the snapshots and for inspection.

// Each test crate that includes this module uses its own part of it.
#![allow(dead_code)]

pub mod recording;
pub mod runtimes;
pub mod trust;
pub mod waits;

use super::machines;
use chronoscope_diagnose::judge;
use chronoscope_model::clock::{Backwards, Bulk, Comparison, Discipline};
use chronoscope_model::deltas::{Changes, Deltas, Nothing, Period, Row};
use chronoscope_model::environment::{CoreType, Unknown};
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::loops::{Calls, Centre, Overhead, Pass, Throughput, ThroughputRow};
use chronoscope_model::waits::{Load, LoadProcess, LoadRun};
use chronoscope_model::{Clock, Environment, Note, Report};
use chronoscope_report::section::{self, Detail};
use chronoscope_report::text::{self, ListRow, Page, Style};

const MONOTONIC: &str = "clock_gettime(CLOCK_MONOTONIC, &t)";

/// A healthy machine, with one of each measurement.
pub fn full() -> Report {
    let mut report = machines::with_bulk(machines::with_ordering(machines::tsc()));
    judge(&mut report);
    report.environment.throughput = Some(throughput());
    report.deltas = vec![deltas()];
    report.calls = vec![Calls {
        id: "posix/monotonic".into(),
        call: Some(MONOTONIC.into()),
        load: None,
        nominal_ns: Some(1.0),
        counts: [1_000_000, 10, 1],
        passes: (0..3)
            .map(|i| Pass {
                delta1_ns: 18.06 + f64::from(i) * 0.011,
                delta2_ns: 22.3,
                delta3_ns: 41.0 - f64::from(i),
                ruler_ns: [18.07, 21.9, 38.46],
            })
            .collect(),
    }];
    let centre = |average_ns: f64, median_ns: f64| Centre {
        average_ns,
        median_ns,
        low_ns: median_ns - 0.21,
        high_ns: median_ns + 0.24,
    };
    report.overhead = vec![Overhead {
        id: "rust/instant".into(),
        call: Some("std::time::Instant::now()".into()),
        load: None,
        samples: 9999,
        n: 999,
        m: 999,
        taken: 9999,
        processes: Some(8),
        cut_short: None,
        baseline: centre(97.31, 88.94),
        timed: centre(136.2, 125.1),
        overhead: centre(38.94, 36.17),
    }];
    report
}

pub fn swept() -> Report {
    let full = full();
    let two: Vec<_> = full.clocks.iter().filter(|clock| clock.available).take(2).cloned().collect();
    let deltas: Vec<_> =
        two.iter().map(|clock| Deltas { id: clock.id.clone(), ..deltas() }).collect();
    trust::swept(&two, &deltas)
}

/// One clock of the same machine, measured again under two loads.
pub fn under_load() -> Report {
    let mut report = full();
    report.clocks.retain(|clock| clock.id == "posix/monotonic");
    let clock = report.clocks[0].clone();
    report.ruler.get_or_insert_default().fifo = Some(5);
    for load in [Load::Normal, Load::Print] {
        let of = Some(load);
        report.clocks_under_load.push(Clock { load: of, ..clock.clone() });
        report.calls.push(Calls { load: of, ..report.calls[0].clone() });
        report.deltas.push(Deltas { load: of, max_ticks: 12_000_000, ..deltas() });
        report.load_runs.push(LoadRun {
            load,
            scheduling: "as the tool itself".into(),
            about: "does something, over and over".into(),
            seconds: 2.0,
            processes: vec![LoadProcess { cpu: 1, cpu_s: 1.0, ended_s: None }],
            notes: Vec::new(),
        });
    }
    report
}

fn deltas() -> Deltas {
    let mut hdr = histogram::empty();
    let mut rows = Vec::new();
    for i in 0..40i64 {
        let ticks = if i < 30 { 22 + i } else { (i - 29) * (i - 29) * 640 };
        let ns = ticks as f64;
        let count = (520_000.0 * (-((i - 12) as f64).powi(2) / 14.0).exp()) as u64 + 1;
        let _ = hdr.record_n(ns as u64, count);
        rows.push(Row { ticks, ns, count });
    }
    Deltas {
        id: "posix/monotonic".into(),
        call: Some(MONOTONIC.into()),
        load: None,
        reads: 1_000_000,
        wanted: None,
        ns_per_tick: 1.0,
        zero_share: 0.000_31,
        shared: Some(0.25),
        max_ticks: rows.last().map_or(0, |r| r.ticks),
        rows,
        rows_left_out: 0,
        negative: 0,
        histogram: Histogram::of(&hdr),
        periods: vec![Period {
            period_ns: 4e6,
            name: "the timer tick at 250 Hz".into(),
            count: 6,
            periods: Some(7),
            chance: Some(1e-9),
        }],
        nothing_measured: Some(Nothing {
            tries: 10_000_000,
            max_ticks: 84_213,
            max_ns: 84_213.0,
            min_ns: 16.0,
            interrupted: None,
        }),
        changes: Some(Changes { count: 999_689, min_ns: 22.0, mean_ns: 36.2, median_ns: 34.0 }),
        ..Deltas::default()
    }
}

pub fn troubled() -> Report {
    let mut report = machines::hpet();
    report.run.complete = false;
    report.notes = vec![Note {
        id: "not-pinned".into(),
        about: None,
        text: "the measuring thread is not pinned: permission denied".into(),
        fix: "choose a CPU with --cpu".into(),
    }];
    report.environment.power.source = Some("battery".into());
    for clock in &mut report.clocks {
        if clock.id == "linux/boottime" {
            clock.backwards =
                Some(Backwards { tries: 1_000_000, violations: 3, worst_ns: 1_204.0 });
        }
    }
    judge(&mut report);
    report
}

/// What a processor with counters of its own shows.
fn throughput() -> Throughput {
    let row = |clock, at_port0| ThroughputRow {
        clock,
        core_cycles: Some(2384.0),
        instructions: Some(100),
        uops: Some(1500),
        by_port: vec![at_port0, 399],
    };
    Throughput {
        instruction: "rdtsc".into(),
        times: 100,
        rows: vec![row(1686, 255), row(1686, 254), row(1690, 255)],
        ports: vec!["p0".into(), "p1".into()],
        cycles_by: "the processor's counter of cycles".into(),
        lacking: String::new(),
    }
}

/// A report with texts and figures that no machine produces.
pub fn extreme(text: &str, figure: f64, whole: u64) -> Report {
    let mut report = full();
    report.environment = Environment {
        os: text.into(),
        kernel: Some(text.into()),
        arch: text.into(),
        unknown: ["", "power"]
            .map(|subject| Unknown { subject: subject.into(), reason: text.into() })
            .to_vec(),
        load: Some([figure; 3]),
        ..report.environment
    };
    let env = &mut report.environment;
    env.cpu.model = Some(text.into());
    env.cpu.logical = whole as usize;
    env.allowed_cpus = vec![whole as usize, 0, usize::MAX];
    env.cpu.core_types = vec![CoreType {
        name: text.into(),
        cpus: vec![whole as usize, 1],
        capacity: Some(whole),
        evidence: text.into(),
        ..CoreType::default()
    }];
    env.discipline = Some(Discipline {
        synchronised: true,
        max_error_ns: figure,
        estimated_error_ns: figure,
        correction_ppm: figure,
    });
    if let Some(found) = &mut env.throughput {
        found.rows[0].clock = whole;
        found.rows[1].core_cycles = Some(figure);
        for text_of in [&mut found.instruction, &mut found.cycles_by, &mut found.lacking] {
            *text_of = text.into();
        }
    }
    let compared = Comparison {
        with: text.into(),
        difference_ppm: Some(figure),
        why: text.into(),
        ..Comparison::default()
    };
    if let Some(hypervisor) = &mut env.hypervisor {
        hypervisor.name = text.into();
    }
    if let Some(source) = &mut env.clocksource {
        source.current = text.into();
        source.available.push(text.into());
    }
    if let Some(tsc) = &mut env.tsc {
        tsc.rdtsc_ns = Some(figure);
        for rate in &mut tsc.rates {
            rate.hz = Some(figure);
            rate.error_ppm = Some(figure);
            rate.note = text.into();
            rate.compared = Some(compared.clone());
        }
    }
    if let Some(ruler) = &mut report.ruler {
        ruler.id = text.into();
        ruler.reference = text.into();
        ruler.compared = Some(compared);
        ruler.hz_error_ppm = figure;
        ruler.cost_ns = figure;
        ruler.noise.batches = whole;
        ruler.noise.disturbed = whole;
        ruler.noise.steal_ms = Some(figure);
    }
    for clock in &mut report.clocks {
        clock.call = text.into();
        clock.example = Some(text.into());
        clock.cost.throughput = Some(machines::estimate(figure, figure));
        clock.cost.latency = Some(machines::estimate(1.0, figure));
        clock.wraps_after_s = Some(figure);
        clock.home = text.into();
        clock.bulk = Some(Bulk { calls: whole, ms: figure, speed: None });
        if let Some(resolution) = &mut clock.resolution {
            resolution.tick_ns = Some(figure);
        }
        if let Some(difference) = &mut clock.difference_100ms {
            difference.clock_ms = figure;
            difference.tolerance_ms = figure;
        }
        if let Some(verdict) = &mut clock.verdict {
            verdict.text = text.into();
        }
    }
    for deltas in &mut report.deltas {
        deltas.reads = whole;
        deltas.ns_per_tick = figure;
        deltas.zero_share = figure;
        deltas.max_ticks = i64::MIN;
        for row in &mut deltas.rows {
            row.ns = figure;
            row.count = whole;
        }
    }
    for calls in &mut report.calls {
        calls.nominal_ns = Some(figure);
        for pass in &mut calls.passes {
            pass.delta1_ns = figure;
        }
    }
    for overhead in &mut report.overhead {
        overhead.samples = whole;
        overhead.baseline.average_ns = figure;
    }
    for advice in &mut report.advice {
        advice.why = text.into();
        advice.code.insert("C".into(), text.into());
    }
    report
}

fn rows(report: &Report) -> Vec<ListRow> {
    report
        .clocks
        .iter()
        .map(|c| ListRow {
            id: c.id.clone(),
            call: c.call.clone(),
            kind: format!("{:?}", c.kind).to_lowercase(),
            language: c.language.name().into(),
            unavailable_reason: c.unavailable_reason.clone(),
            about: "What it is. And more of it, which explain shows.".into(),
            looks_at: String::new(),
            is_peer: c.id.starts_with("quanta/"),
        })
        .collect()
}

fn page() -> Page {
    Page {
        id: "posix/monotonic".into(),
        title: "the system's monotonic clock".into(),
        call: "clock_gettime(CLOCK_MONOTONIC, &t)".into(),
        body: "Seconds and nanoseconds since some moment in the past, on most systems the start \
               of the machine. It is never stepped; NTP slews its rate by 500 ppm at most.\n\nOn \
               Linux it is read in user space through the vDSO, where the clock source allows \
               that, and it stands still while the machine is suspended."
            .into(),
        facts: vec![
            ("kind".into(), "monotonic".into()),
            ("unit".into(), "ns".into()),
            ("where".into(), "Linux, macOS, MinGW".into()),
        ],
        references: vec!["clock_gettime(2)".into(), "Linux lib/vdso/gettimeofday.c".into()],
    }
}

pub fn of(report: &Report, detail: Detail, style: &Style) -> Vec<(&'static str, String)> {
    let mut all = vec![("glance", text::summary(report, style))];
    for section in section::ALL {
        let screen = text::section(section, report, detail, style);
        all.push((section.id, screen));
    }
    all.push(("list", text::list("Clocks", &rows(report), detail, style)));
    all
}

/// Every screen that is inspected.
pub fn screens(detail: Detail, style: &Style) -> Vec<(&'static str, String)> {
    let shown = ["glance", "clocks", "deltas", "calls", "overhead", "machine", "advice", "list"];
    let full = of(&full(), detail, style).into_iter();
    let mut all: Vec<_> = full.filter(|(name, _)| shown.contains(name)).collect();
    let waits = waits::everything();
    let section = |section, report: &Report| text::section(section, report, detail, style);
    all.extend([
        ("clocks-under-load", section(&section::clocks::SECTION, &under_load())),
        ("calls-under-load", section(&section::calls::SECTION, &under_load())),
        ("deltas-under-load", section(&section::deltas::SECTION, &under_load())),
        ("waits", section(&section::waits::SECTION, &waits)),
        ("waits-overview", section(&section::waits::SECTION, &waits::chosen())),
        ("waits-of-one", section(&section::waits::SECTION, &waits::one())),
        ("runtimes", section(&section::runtimes::SECTION, &runtimes::some())),
        ("trust", section(&section::trust::SECTION, &trust::watched(trust::sound()))),
        ("trust-faulty", section(&section::trust::SECTION, &trust::watched(trust::faulty()))),
        ("sweep", section(&section::sweep::SECTION, &swept())),
        (
            "sweep-with-runtimes",
            section(&section::sweep::SECTION, &Report { runtimes: runtimes::swept(), ..swept() }),
        ),
        ("explain", text::explain(&page(), style)),
        ("glance-troubled", text::summary(&troubled(), style)),
        ("clocks-troubled", section(&section::clocks::SECTION, &troubled())),
        ("machine-empty", section(&section::machine::SECTION, &Report::default())),
    ]);
    all
}
