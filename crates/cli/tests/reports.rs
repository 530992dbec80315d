//! The reports of other targets in the repository can be read.

use std::path::Path;

/// Targets, and what their reports must contain about who ran the tool.
const TARGETS: [(&str, Runner); 4] = [
    ("x86_64-unknown-linux-gnu", Runner::Machine),
    ("x86_64-pc-windows-gnu", Runner::Wine),
    ("aarch64-unknown-linux-gnu", Runner::Emulator),
    ("armv7-unknown-linux-gnueabihf", Runner::Emulator),
];

#[derive(PartialEq)]
enum Runner {
    Machine,
    Wine,
    Emulator,
}

#[test]
fn reports_of_all_targets_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    for (triple, runner) in TARGETS {
        let text = std::fs::read(folder.join(format!("{triple}.json"))).expect(triple);
        assert!(text.len() < 250_000, "{triple}: {} bytes", text.len());
        let report = chronoscope_report::json::read(&text).expect("it is a report");
        assert!(report.run.complete && !report.waits.is_empty(), "{triple}");
        assert_eq!(report.run.argv[0], "chronoscope", "{triple}");
        let environment = &report.environment;
        assert_eq!(environment.emulated.is_some(), runner == Runner::Emulator, "{triple}");
        assert_eq!(environment.os.contains("Wine"), runner == Runner::Wine, "{triple}");
        let measured = report.clocks.iter().filter(|clock| {
            let cost = clock.cost.throughput.as_ref();
            clock.available && cost.is_some_and(|cost| cost.value_ns > 0.0)
        });
        assert!(measured.count() >= 20, "{triple}");
    }
}

#[test]
fn a_rate_that_was_not_measured_is_followed_by_its_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reports");
    for (triple, source) in [(TARGETS[0].0, "(kernel log, detected)"), (TARGETS[2].0, "(CNTFRQ)")] {
        let file = folder.join(format!("{triple}.json")).display().to_string();
        let output = crate::common::run(&["report", &file]);
        let text = String::from_utf8_lossy(&output.stdout);
        let counter = text.lines().find(|line| line.trim_start().starts_with("counter ")).unwrap();
        assert!(counter.ends_with(&format!("Hz {source}")), "{counter}");
    }
}
