//! The table of many calls (`clocks --calls`), and headings that state what figures are against.

use crate::machines;

use chronoscope_model::Report;
use chronoscope_model::clock::Period;
use chronoscope_model::environment::{ArmCounter, Rate, RateKind};
use chronoscope_report::section::{Detail, clocks, machine};
use chronoscope_report::text::{self, Style};

fn style(width: usize) -> Style {
    Style { width, ..Style::default() }
}

fn clocks_of(report: &Report, width: usize) -> String {
    text::section(&clocks::SECTION, report, Detail::Full, &style(width))
}

fn measured(hz: f64) -> Vec<Rate> {
    let source = "measured".into();
    vec![Rate { source, kind: RateKind::Measured, hz: Some(hz), ..Rate::default() }]
}

#[test]
fn the_counter_that_was_measured_is_named() {
    let mut report = machines::with_bulk(machines::tsc());
    let x86 = clocks_of(&report, 80);
    assert!(x86.contains("kHz (the TSC's measured rate)"), "{x86}");
    let env = &mut report.environment;
    env.tsc = None;
    env.counter = Some(ArmCounter { rates: measured(62.5e6), ..ArmCounter::default() });
    for (arch, name) in [("aarch64", "cntvct_el0"), ("arm", "CNTVCT")] {
        report.environment.arch = arch.into();
        let arm = clocks_of(&report, 80);
        let line = format!("Counter: 62500 kHz (the measured rate of {name}, the generic timer)");
        assert!(arm.contains(&line) && !arm.contains("TSC's"), "{arm}");
    }
    report.environment.counter = None;
    let none = clocks_of(&report, 80);
    assert!(none.contains("really made") && !none.contains("kHz ("), "{none}");
}

#[test]
fn eighty_columns_have_the_columns_of_the_time_functions_table() {
    let report = machines::with_bulk(machines::tsc());
    let text = clocks_of(&report, 80);
    let (_, table) = text.split_once("really made").expect("the table");
    let (first, second) = table.split_once("Speed").expect("a further table");
    for name in ["Function", "Difference", "(100 ms)", "Time", "Example", "(ms)", "34003245"] {
        assert!(first.contains(name), "{name}: {first}");
    }
    assert!(second.contains("Compatible") && second.contains("ns per call"), "{second}");
}

#[test]
fn a_count_without_a_cast_names_its_period() {
    let mut report = machines::with_bulk(machines::tsc());
    assert!(!clocks_of(&report, 80).contains("period"));
    for clock in &mut report.clocks {
        let nominal_ns = clock.resolution.as_ref().and_then(|it| it.nominal_ns).unwrap_or_default();
        clock.period = Some(Period { num: nominal_ns as u64, den: 1_000_000_000 });
    }
    let text = clocks_of(&report, 160);
    assert!(text.contains("is in the clock's period"), "{text}");
}

#[test]
fn the_source_that_rates_are_against_is_named_in_full() {
    let mut report = machines::tsc();
    let named = ["kernel log, detected", "CPUID 0x40000010", "device tree"];
    for source in named {
        let tsc = report.environment.tsc.as_mut().expect("a TSC");
        let rate = Rate { source: source.into(), hz: Some(2.6e9), ..Rate::default() };
        tsc.rates = vec![rate];
        for width in [80, 120] {
            let text = text::section(&machine::SECTION, &report, Detail::Full, &style(width));
            for word in source.split(", ") {
                // Once in the row, and once in the heading.
                assert!(text.matches(word).count() >= 2, "{source} at {width}: {text}");
            }
        }
    }
}
