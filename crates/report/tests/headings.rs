//! Headings and legends say what the figures below them are of.

use crate::samples;

use chronoscope_model::clock::Kind;
use chronoscope_model::{Estimate, Report};
use chronoscope_report::section::{Detail, Section, calls, runtimes, sweep};
use chronoscope_report::text::{self, Style};

fn shown(section: &Section, report: &Report) -> String {
    text::section(section, report, Detail::Full, &Style { width: 120, ..Style::default() })
}

#[test]
fn figures_without_a_load_are_called_so_next_to_those_with_one() {
    let mut alone = samples::under_load();
    let loaded = shown(&calls::SECTION, &alone);
    assert!(loaded.contains("In seconds, by the clock  without a load\n"), "{loaded}");
    alone.calls.truncate(1);
    let alone = shown(&calls::SECTION, &alone);
    assert!(alone.contains("In seconds, by the clock\n"), "{alone}");
}

#[test]
fn a_resolution_is_the_tick_and_the_benchmark_of_that_name_has_a_column_of_its_own() {
    let stored = include_str!("../../../docs/reports/sweep-runtimes-vm.json");
    let report: Report = serde_json::from_str(stored).expect("a report");
    let text = shown(&sweep::SECTION, &report);
    let (_, table) = text.split_once("Runtime, system, timer").expect("a table");
    assert!(table.contains("resolution  Resolution()"), "{table}");
    let mut finer = 0;
    for line in table.lines().filter(|line| line.contains(" ns ") && !line.contains('≈')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        // The runtime, its unit, its tick, latency and StdDev, and the resolution.
        assert_eq!(words[3..5], words[9..11], "{line}");
        finer += usize::from(words[9..11] != words[11..13]);
    }
    assert!(finer > 0, "{table}");
}

/// A benchmark's median is another statistic of the same batches.
#[test]
fn a_latency_is_the_cost_of_its_row_whatever_the_benchmark_has() {
    let mut report = samples::runtimes::some();
    let clocks = report.runtimes.iter_mut().flat_map(|runtime| &mut runtime.clocks);
    for benchmark in clocks.filter_map(|clock| clock.benchmark.as_mut()) {
        benchmark.latency.iter_mut().for_each(|latency| latency.median_ns *= 1.1);
    }
    let text = shown(&runtimes::SECTION, &report);
    let (_, table) = text.split_once("Runtime, system, timer").expect("a table");
    let mut rows = 0;
    for runtime in &report.runtimes {
        let Some(clock) = runtime.clocks.iter().find(|clock| clock.tick_ns.is_some()) else {
            continue;
        };
        let cost = clock.throughput.as_ref().and_then(Estimate::human).expect("a cost");
        let id = format!("{} ", runtime.id);
        // Of builds that differ only in level, one has a row.
        let row = table.lines().find(|line| line.trim_start().starts_with(&id));
        assert!(row.is_none_or(|row| row.contains(&format!(" {cost} "))), "{cost}: {table}");
        rows += usize::from(row.is_some());
    }
    assert!(rows > 1, "{table}");
}

#[test]
fn the_multiple_of_c_names_the_clock_that_cpu_time_is_compared_with() {
    let mut report = samples::runtimes::some();
    let told = "of C's clock of CPU time";
    assert!(!shown(&runtimes::SECTION, &report).contains(told));
    let clocks = report.runtimes.iter_mut().flat_map(|runtime| &mut runtime.clocks);
    clocks.filter(|clock| clock.call == "time.time()").for_each(|clock| clock.kind = Kind::Cpu);
    let text = shown(&runtimes::SECTION, &report);
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{text}");
}
