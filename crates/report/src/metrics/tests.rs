use super::*;
use chronoscope_model::clock::{Cost, Facts};
use chronoscope_model::environment::{ClockSource, Cpu, Hypervisor};
use chronoscope_model::estimate::Estimate;
use chronoscope_model::finding::{Certainty, Finding, Level};
use chronoscope_model::histogram;
use chronoscope_model::waits::Throttled;
use chronoscope_model::why::{Cause, Later, Part};

fn environment() -> Environment {
    Environment {
        kernel: Some("6.1.0".into()),
        arch: "x86_64".into(),
        c_library: Some("glibc 2.36".into()),
        cpu: Cpu {
            model: Some("A \"quoted\\\" CPU\u{1b}[31m\nof two lines".into()),
            ..Cpu::default()
        },
        hypervisor: Some(Hypervisor { name: "KVM".into(), ..Hypervisor::default() }),
        ..Environment::default()
    }
}

fn clock(id: &str, reads: Reads, ns: f64) -> Clock {
    Clock {
        id: id.into(),
        available: true,
        facts: Some(Facts { reads, ..Facts::default() }),
        cost: Cost {
            throughput: Some(Estimate { value_ns: ns, ..Estimate::default() }),
            ..Cost::default()
        },
        ..Clock::default()
    }
}

fn clocks(clocks: Vec<Clock>) -> Report {
    Report { environment: environment(), clocks, ..Report::default() }
}

fn wait(late_ns: &[u64], throttled_periods: u64) -> Report {
    let mut hdr = histogram::empty();
    for &ns in late_ns {
        hdr.record(ns).expect("in range");
    }
    let all =
        Later { parts: vec![Part { cause: Cause::RunQueue, ns: 250_000 }], ..Later::default() };
    let wait = Wait {
        id: "sleep".into(),
        available: true,
        requested_ns: Some(1_000_000),
        samples: late_ns.len() as u64,
        overshoot: histogram::Histogram::of(&hdr),
        throttled: Some(Throttled { periods: throttled_periods, ns: 0 }),
        why: Some(Why { later: vec![all], ..Why::default() }),
        ..Wait::default()
    };
    Report { environment: environment(), waits: vec![wait], ..Report::default() }
}

fn finding(id: &str, about: About) -> Finding {
    Finding {
        id: id.into(),
        level: Level::Warning,
        certainty: Certainty::Measured,
        about,
        ..Finding::default()
    }
}

/// The lines of a metric, without its name.
fn rows(metrics: &Metrics, name: &str) -> Vec<String> {
    let text = metrics.text();
    let rows = text.lines().filter_map(|line| line.strip_prefix(name));
    rows.filter(|rest| rest.starts_with(['{', ' '])).map(|rest| rest.trim().to_owned()).collect()
}

#[test]
fn the_path_of_a_read_is_what_its_cost_shows() {
    let metrics = Metrics::of(&clocks(vec![
        clock("tsc", Reads::Counter, 10.0),
        clock("fast", Reads::Vdso, 25.0),
        clock("slow", Reads::Vdso, 260.0),
        Clock { alternative_to: Some("fast".into()), ..clock("raw", Reads::SystemCall, 250.0) },
    ]));
    assert_eq!(
        rows(&metrics, "chronoscope_read_duration_seconds"),
        [
            "{clock=\"fast\",path=\"vdso\"} 2.5e-8",
            "{clock=\"raw\",path=\"syscall\"} 2.5e-7",
            "{clock=\"slow\",path=\"syscall\"} 2.6e-7",
            "{clock=\"tsc\",path=\"instruction\"} 1e-8",
        ]
    );
    let fallen = rows(&metrics, "chronoscope_vdso_fallback");
    assert_eq!(fallen, ["{clock=\"fast\"} 0", "{clock=\"slow\"} 1"]);
    // The next report replaces all of it.
    metrics.report(&clocks(vec![clock("slow", Reads::Vdso, 30.0)]));
    assert_eq!(rows(&metrics, "chronoscope_read_duration_seconds").len(), 1);
    assert_eq!(rows(&metrics, "chronoscope_vdso_fallback"), ["{clock=\"slow\"} 0"]);
}

#[test]
fn waits_add_up_and_those_under_a_quota_are_counted_only() {
    let metrics = Metrics::new(&environment());
    metrics.report(&wait(&[50_000, 60_000, 3_000_000], 0));
    metrics.report(&wait(&[70_000], 0));
    metrics.report(&wait(&[90_000_000, 80_000_000], 2));
    let name = "chronoscope_wait_overshoot_seconds";
    let labels = "method=\"sleep\",requested=\"0.001\"";
    assert_eq!(rows(&metrics, &format!("{name}_count")), [format!("{{{labels}}} 4")]);
    let buckets = rows(&metrics, &format!("{name}_bucket"));
    assert_eq!(buckets.len(), 14);
    assert_eq!(buckets[3], format!("{{le=\"0.0001\",{labels}}} 3"));
    assert_eq!(buckets[13], format!("{{le=\"+Inf\",{labels}}} 4"));
    let skipped = rows(&metrics, "chronoscope_skipped_total");
    assert_eq!(skipped, ["{reason=\"budget\"} 0", "{reason=\"throttled\"} 2"]);
    let late = rows(&metrics, "chronoscope_wait_late_seconds_total");
    assert_eq!(late, ["{cause=\"run-queue\"} 0.0005"]);
}

#[test]
fn a_fault_lasts_until_what_found_it_no_longer_does() {
    let metrics = Metrics::new(&environment());
    let of_run = finding("core-shared", About::Run);
    let mut slow = clocks(vec![clock("slow", Reads::Vdso, 260.0)]);
    slow.findings = vec![finding("clock-not-in-vdso", About::Machine), of_run];
    metrics.report(&slow);
    metrics.report(&wait(&[50_000], 0));
    let found = "{id=\"clock-not-in-vdso\",level=\"warning\"}";
    assert_eq!(rows(&metrics, "chronoscope_fault"), [format!("{found} 1")]);
    let mut doctor = Report { environment: environment(), ..Report::default() };
    doctor.checks = vec![Check::default(); 3];
    metrics.report(&doctor);
    assert_eq!(rows(&metrics, "chronoscope_fault"), [format!("{found} 1")]);
    assert!(rows(&metrics, "chronoscope_checks").contains(&"{status=\"unknown\"} 3".into()));
    slow.findings.clear();
    metrics.report(&slow);
    assert_eq!(rows(&metrics, "chronoscope_fault"), [format!("{found} 0")]);
}

#[test]
fn labels_from_outside_are_escaped() {
    let metrics = Metrics::new(&environment());
    let row = rows(&metrics, "chronoscope_machine_info").remove(0);
    assert!(row.contains("cpu=\"A \\\"quoted\\\\\\\" CPU [31m of two lines\""), "{row}");
    assert!(row.contains(" · KVM · 6.1.0\",cpu="), "{row}");
}

/// The names and values of all rows of a text.
fn all_rows(text: &[u8]) -> BTreeSet<(String, String)> {
    let text = std::str::from_utf8(text).expect("UTF-8");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let pair = |line: &str| {
        let (row, value) = line.rsplit_once(' ').expect("a row has a value");
        let value: f64 = value.parse().expect("a number");
        (row.to_owned(), value.to_string())
    };
    rows.map(pair).collect()
}

#[test]
fn the_encodings_hold_the_same_rows() {
    let metrics = Metrics::new(&environment());
    metrics.report(&clocks(vec![clock("tsc", Reads::Counter, 10.0)]));
    metrics.report(&wait(&[50_000, 60_000, 3_000_000, 0], 0));
    metrics.last("clocks", 1_795_000_000.5);
    let Answers { open_metrics, text, protobuf } = metrics.answers();
    assert!(open_metrics.ends_with(b"# EOF\n"));
    assert_eq!(all_rows(&open_metrics), all_rows(&text));
    let has = |name: &str| protobuf.windows(name.len()).any(|bytes| bytes == name.as_bytes());
    assert!(has("chronoscope_wait_overshoot_seconds") && has("chronoscope_steps_total"));
}

/// Rows of every shape that the encoders tell apart, next to each other.
fn rows_of_every_shape() -> Table {
    let mut table = Table::default();
    for (i, value) in [0.0, 1.0, 2.5e-8, 1e-6, 123_456.789, 1e15, 1e21, 1e22].iter().enumerate() {
        *table.number(&READ, label("clock", &format!("clock{i}"))) = *value;
    }
    *table.number(&OFFSET, Labels::new()) = -1.25e-7;
    *table.number(&STALL, Labels::new()) = 0.0;
    *table.number(&SUSPEND, Labels::new()) = 3.0;
    *table.number(&STEPS, label("direction", "")) = 7.0;
    let labels = vec![("kind", "a \"b\\\" ·\nc".to_owned()), ("cpu", "é".repeat(100))];
    *table.number(&MACHINE, labels) = 1.0;
    *table.number(&LAST, label("measurement", "clocks")) = 1_795_000_000.5;
    let method = |name| [label("method", name), label("requested", "0.001")].concat();
    table.histogram(&OVERSHOOT, method("a-none"));
    table.histogram(&OVERSHOOT, method("b-zero")).add(0.0, 3);
    let many = table.histogram(&OVERSHOOT, method("c-many"));
    for exponent in -29..12 {
        let seconds = f64::from(exponent).exp2();
        many.add(seconds, (exponent + 30) as u64 % 7 * 1000);
        many.add(seconds * 1.1, 1);
    }
    table.histogram(&OVERSHOOT, method("d-most")).add(0.25, u64::MAX);
    table
}

/// The files are what prometheus-client 0.25.2 wrote for these rows, and the text format 0.0.4 of
/// the same time: Prometheus has read all three.
#[test]
fn the_bytes_are_those_of_the_official_client() {
    let Answers { open_metrics, text, protobuf } = rows_of_every_shape().answers();
    let same = |bytes: Vec<u8>, client: &str| {
        assert_eq!(String::from_utf8(bytes).expect("UTF-8"), client);
    };
    same(open_metrics, include_str!("../../tests/data/metrics/client.om"));
    same(text, include_str!("../../tests/data/metrics/client.prom"));
    assert!(protobuf == include_bytes!("../../tests/data/metrics/client.pb"));
}

#[test]
fn the_page_of_a_fleet_lists_every_metric() {
    let page = include_str!("../../../../docs/FLEET.md");
    for family in ALL {
        let row =
            format!("| `{}` | {} | {} |\n", family.full_name(), family.kind.name(), family.help);
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn what_is_pending_and_the_clock_source_are_shown_and_every_level_has_a_series() {
    let mut report = clocks(Vec::new());
    report.environment.clocksource =
        Some(ClockSource { current: "hpet".into(), ..ClockSource::default() });
    let levels = [Level::Info, Level::Warning, Level::Error];
    report.findings =
        levels.map(|level| Finding { level, ..finding(level.name(), About::Machine) }).to_vec();
    let metrics = Metrics::new(&report.environment);
    assert_eq!(rows(&metrics, "chronoscope_clock_source_info"), ["{source=\"hpet\"} 1"]);
    ["clocks", "waits"].iter().for_each(|it| metrics.pending(it));
    assert_eq!(rows(&metrics, "chronoscope_pending").len(), 2);
    metrics.report(&report);
    metrics.last("clocks", 1.0);
    metrics.last("waits", 1.0);
    assert!(rows(&metrics, "chronoscope_pending").is_empty());
    assert_eq!(rows(&metrics, "chronoscope_fault").len(), levels.len());
    // The kernel has changed it.
    report.environment.clocksource =
        Some(ClockSource { current: "tsc".into(), ..ClockSource::default() });
    metrics.report(&report);
    assert_eq!(rows(&metrics, "chronoscope_clock_source_info"), ["{source=\"tsc\"} 1"]);
}
