//! The formats: what they guarantee, and what can be read back.

use crate::machines;
use crate::samples;

use chronoscope_model::waits::Load;
use chronoscope_model::{Report, Wait};
use chronoscope_report::format::{ALL, json};
use chronoscope_report::json::ReadError;
use chronoscope_report::text::{self, Style};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn written(id: &str, report: &Report) -> String {
    let format = chronoscope_report::format::find(id).expect("it is a format");
    let mut out = Vec::new();
    (format.write)(report, &mut out).expect("a vector can be written to");
    String::from_utf8(out).expect("formats are text")
}

fn reports() -> Vec<Report> {
    vec![Report::default(), machines::tsc(), samples::full(), samples::troubled()]
}

#[test]
fn reports_are_read_back_whole() {
    for report in reports().into_iter().filter(|report| !report.schema.is_empty()) {
        assert_eq!(json::read(written("json", &report).as_bytes()), Ok(report));
    }
}

#[test]
fn what_a_terminal_obeys_or_hides_reaches_no_format() {
    let hostile = "\u{9b}31m\u{7f}\u{1b}]0;x\u{7}\u{202e}\u{200b}\u{e0041}";
    let mut report = samples::full();
    report.run.argv.push(hostile.into());
    report.environment.kernel = Some(hostile.into());
    for id in report.clocks.iter_mut().map(|it| &mut it.id) {
        id.push_str(hostile);
    }
    for id in report.waits.iter_mut().map(|it| &mut it.id) {
        id.push_str(hostile);
    }
    for format in ALL {
        let text = written(format.id, &report);
        let found =
            text.chars().find(|c| *c >= ' ' && hostile.contains(*c) && !c.is_ascii_graphic());
        assert_eq!(found, None, "{}", format.id);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{}", format.id);
    }
    assert_eq!(json::read(written("json", &report).as_bytes()), Ok(report));
}

#[test]
fn anything_but_a_report_is_refused_in_one_line() {
    let why = |text: &str| match json::read(text.as_bytes()) {
        Ok(_) => panic!("{text} was taken for a report"),
        Err(error) => {
            let line = error.to_string();
            assert!(!line.chars().any(char::is_control), "{line:?}");
            assert!(line.len() < 400, "{line}");
            (error, line)
        }
    };
    assert!(matches!(why("").0, ReadError::NotJson { .. }));
    assert!(matches!(why("\u{1b}[2J").0, ReadError::NotJson { .. }));
    assert!(matches!(why("{\"schema\":").0, ReadError::NotJson { .. }));
    assert!(matches!(
        why(&"[".repeat(100_000)).0,
        ReadError::NotAReport { .. } | ReadError::NotJson { .. }
    ));
    assert!(matches!(why("[]").0, ReadError::NotAReport { .. }));
    assert!(matches!(why("{}").0, ReadError::NotAReport { .. }));
    assert!(matches!(why("{\"schema\":\"other/1\"}").0, ReadError::NotAReport { .. }));
    assert!(matches!(why("{\"schema\":\"chronoscope.report/0\"}").0, ReadError::NotAReport { .. }));
    assert!(matches!(why("{\"schema\":\"chronoscope.report/1\"}").0, ReadError::NotAReport { .. }));
    assert!(matches!(
        why("{\"schema\":\"\\u001b[31mchronoscope.report/1\"}").0,
        ReadError::NotAReport { .. }
    ));
    let (newer, line) = why("{\"schema\":\"chronoscope.report/2\",\"everything\":\"else\"}");
    assert_eq!(newer, ReadError::Newer { schema: "chronoscope.report/2".into() });
    assert!(line.contains("newer chronoscope"), "{line}");
    let large = vec![b' '; json::LARGEST + 1];
    assert_eq!(json::read(&large), Err(ReadError::TooLarge { bytes: large.len() }));
    let mut bytes = b"{\"schema\": \"".to_vec();
    bytes.extend([0xff, 0xfe]);
    assert!(json::read(&bytes).is_err());
}

#[test]
fn keys_of_later_versions_are_ignored() {
    let mut value = serde_json::to_value(machines::tsc()).expect("it is a report");
    value["added_later"] = 1.into();
    value["clocks"][0]["added_later"] = "x".into();
    let text = value.to_string();
    assert_eq!(json::read(text.as_bytes()), Ok(machines::tsc()));
}

/// Clocks without facts, rates without a kind, and notes under keys that nothing knows.
#[test]
fn a_report_without_optional_keys_is_read_and_shown() {
    let bare = include_bytes!("samples/report-without-facts.json");
    let report = json::read(bare).expect("a report");
    for format in ALL {
        assert!(!written(format.id, &report).is_empty(), "{}", format.id);
    }
    let again = written("json", &report);
    assert_eq!(json::read(again.as_bytes()), Ok(report.clone()));
    let screen = text::summary(&report, &Style::default());
    assert!(screen.contains("posix/monotonic"), "{screen}");
}

/// Reports that were written as records, one after the other.
fn read_back(records: &str) -> Vec<Report> {
    let mut reader = json::Records::default();
    let ended = records.lines().filter_map(|line| reader.add(line.as_bytes()).expect("a record"));
    let mut all: Vec<Report> = ended.collect();
    all.extend(reader.end().expect("a report"));
    all
}

#[test]
fn records_are_read_back_as_the_reports_that_they_are() {
    for report in reports().into_iter().filter(|report| !report.schema.is_empty()) {
        let text = written("ndjson", &report);
        let same = read_back(&text);
        assert_eq!(same.len(), 1);
        // Floating-point numbers that are no number are written as texts.
        let value = |it: &Report| written("json", it);
        assert_eq!(value(&same[0]), value(&report));
        let twice = text.repeat(2);
        assert_eq!(read_back(&twice).len(), 2, "another run begins with its record");
    }
}

#[test]
fn what_is_no_record_is_refused() {
    let refused = |line: &str| {
        let mut reader = json::Records::default();
        let added = reader.add(line.as_bytes());
        added.and_then(|_| reader.end()).expect_err("no report").to_string()
    };
    assert!(refused("{\"record\":\"moon\",\"run_id\":\"1\"}").contains("no record \"moon\""));
    assert!(refused("{\"record\":\"clock\",\"id\":1}").contains("schema"));
    assert!(refused("[]").contains("not a chronoscope report"));
}

#[test]
fn ndjson_has_one_record_per_line() {
    let report = samples::full();
    let text = written("ndjson", &report);
    let records: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let of = |kind: &str| records.iter().filter(|r| r["record"] == kind).count();
    assert_eq!((of("run"), of("environment"), of("ruler")), (1, 1, 1));
    assert_eq!(of("clock"), report.clocks.len());
    assert_eq!(of("advice"), report.advice.len());
    let mut waiting = report.clone();
    waiting.waits = vec![Wait::default(); 2];
    let waits = written("ndjson", &waiting);
    assert_eq!(waits.matches("\"record\":\"wait\"").count(), 2);
    assert!(records.iter().all(|r| r["run_id"] == report.run.id.as_str()));
    assert_eq!(records[0]["schema"], report.schema.as_str());
}

#[test]
fn csv_has_the_table_of_what_was_measured() {
    let rows = |report: &Report| -> Vec<Vec<String>> {
        let text = written("csv", report);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        // The reader rejects rows of unequal length.
        reader
            .records()
            .map(|r| r.expect("rows are equally long").iter().map(String::from).collect())
            .collect()
    };
    let clocks = rows(&machines::tsc());
    assert_eq!(clocks.len(), machines::tsc().clocks.len() + 1);
    assert_eq!(clocks[0][7], "throughput_ns");
    // Several tables are one, unless the report was made for, or is shown on, a screen.
    let mut full = samples::full();
    full.waits = samples::waits::report().waits;
    let all = rows(&full);
    assert_eq!(all[0][0], "table");
    let of = |table: &str| all.iter().filter(|row| row[0] == table).count();
    assert_eq!((of("clocks"), of("waits")), (full.clocks.len(), full.waits.len()));
    assert_eq!(of("deltas"), full.deltas[0].rows.len());
    let column = |head: &str| all[0].iter().position(|it| it == head).expect(head);
    let wait = all.iter().find(|row| row[0] == "waits").expect("a wait");
    assert_eq!(wait[column("id")], full.waits[0].id);
    assert!(wait[column("throughput_ns")].is_empty(), "{wait:?}");
    for (screen, number) in [("waits", full.waits.len()), ("ticks", full.waits.len()), ("calls", 3)]
    {
        full.run.screen = Some(screen.into());
        assert_eq!(rows(&full).len(), number + 1, "{screen}");
    }
    full.run.screen = Some("summary".into());
    assert_eq!(rows(&full), all);

    // If nothing was measured, the table is that of the machine.
    let mut machine = machines::tsc();
    machine.clocks.clear();
    machine.environment.not_known("power", "=1+1");
    let facts = rows(&machine);
    assert_eq!(facts[0], ["section", "key", "value", "unit", "basis"]);
    let source = ["kernel", "clock source", "tsc", ""];
    assert!(facts.len() > 10 && facts.iter().any(|fact| fact[..4] == source));
    assert!(facts.iter().any(|fact| fact[2] == "'=1+1"));
    assert!(written("markdown", &machine).contains("- clock source: **tsc**"));

    let mut evil = machines::tsc();
    evil.clocks[0].call = "=cmd|' /C calc'!A0".into();
    evil.clocks[1].example = Some("\t-1+1\u{1b}[2J".into());
    let text = written("csv", &evil);
    assert!(text.contains("'=cmd"));
    assert!(text.contains("'-1+1"));
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn markdown_is_escaped() {
    let mut evil = samples::full();
    evil.environment.cpu.model = Some("<script>|x|`".into());
    let text = written("markdown", &evil);
    assert!(text.contains("\\<script\\>\\|x\\|\\`"));
    assert!(text.contains("| ▸ `posix/monotonic` | 18.0 ±0.1 |"), "{text}");
    evil.clocks[0].id = "a | b ` c".into();
    assert!(written("markdown", &evil).contains("`a \\| b ' c`"));
}

#[test]
fn markdown_counts_the_methods_of_other_systems_once_and_has_no_row_for_them() {
    let mut report = samples::waits::report();
    for load in [Load::None, Load::Low] {
        report.waits.push(Wait {
            id: "elsewhere/sleep".into(),
            load,
            elsewhere: true,
            unavailable_reason: Some("exists on another system only".into()),
            ..Wait::default()
        });
    }
    let text = written("markdown", &report);
    assert!(text.contains("2 methods exist only on other systems"), "{text}");
    assert!(!text.contains("elsewhere/sleep"), "{text}");
}

#[test]
fn no_two_rows_of_waits_have_the_same_label() {
    let mut report = samples::waits::report();
    let first = report.waits[0].clone();
    for (slack_ns, default_slack) in [(50_000, true), (50_000, false), (1, false)] {
        report.waits.push(Wait {
            slack_ns: Some(slack_ns),
            default_slack,
            requested_ns: Some(7_000_000),
            ..first.clone()
        });
    }
    for format in ["cyclictest", "cyclictest-json", "hdr"] {
        let text = written(format, &report);
        let names = text.lines().filter(|line| match format {
            "cyclictest" => line.contains(" is ") && line.starts_with("# T"),
            "cyclictest-json" => line.contains("\"label\""),
            _ => line.starts_with("Tag="),
        });
        let name = |line: &str| match format {
            "cyclictest" => line.split_once(" is ").map(|(_, name)| name.to_owned()),
            "hdr" => line.split(',').next().map(str::to_owned),
            _ => Some(line.to_owned()),
        };
        let names: Vec<String> = names.filter_map(name).collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        assert!(names.len() >= 5, "{text}");
        assert_eq!(distinct.len(), names.len(), "{format}: {names:?}");
    }
}

/// A writer that is full from the start, or whose other end is closed.
struct Broken(std::io::ErrorKind);

impl std::io::Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn errors_of_the_writer_are_passed_on() {
    for kind in [std::io::ErrorKind::BrokenPipe, std::io::ErrorKind::StorageFull] {
        for format in ALL {
            let error = (format.write)(&samples::full(), &mut Broken(kind));
            let got = error.expect_err("nothing could be written").kind();
            assert_eq!(got, kind, "{}", format.id);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(64),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_figure_breaks_a_format(
        text in ".{0,40}",
        figure in prop_oneof![any::<f64>(), Just(f64::NAN), Just(f64::INFINITY), Just(f64::MAX)],
        whole in any::<u64>(),
    ) {
        let report = samples::extreme(&text, figure, whole);
        for format in ALL {
            let out = written(format.id, &report);
            let escape = out.contains('\u{1b}');
            prop_assert!(!escape);
            // JSON has neither NaN nor infinity, so what can be read back contains none.
            prop_assert!(format.id != "json" || json::read(out.as_bytes()).is_ok());
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(json::read(&bytes).is_err());
    }
}

/// What a program that knows the JSON of `cyclictest --json` reads: every key that version 2.40
/// writes, and nothing else is asked for.
#[derive(serde::Deserialize)]
struct Cyclictest {
    file_version: u32,
    #[serde(rename = "cmdline:")]
    cmdline: String,
    #[serde(rename = "rt_test_version:")]
    version: String,
    start_time: String,
    end_time: String,
    return_code: i32,
    sysinfo: std::collections::BTreeMap<String, serde_json::Value>,
    num_threads: usize,
    resolution_in_ns: u32,
    thread: std::collections::BTreeMap<String, CyclictestThread>,
}

#[derive(serde::Deserialize)]
struct CyclictestThread {
    histogram: std::collections::BTreeMap<String, u64>,
    cycles: u64,
    min: i64,
    max: i64,
    avg: f64,
    cpu: i64,
    node: i64,
}

/// Reads such a file and checks what holds of each, whoever wrote it.
fn cyclictest(text: &str) -> Cyclictest {
    let file: Cyclictest = serde_json::from_str(text).expect("the keys of cyclictest");
    assert_eq!((file.file_version, file.resolution_in_ns), (1, 0));
    assert!(!file.cmdline.is_empty() && !file.version.is_empty());
    assert_eq!(file.return_code, 0);
    let keys: Vec<&str> = file.sysinfo.keys().map(String::as_str).collect();
    assert_eq!(keys, ["machine", "nodename", "realtime", "release", "sysname", "version"]);
    assert_eq!(file.sysinfo["sysname"], "Linux");
    for time in [&file.start_time, &file.end_time] {
        jiff::fmt::strtime::parse("%a, %d %b %Y %H:%M:%S %z", time).expect(time);
    }
    assert_eq!(file.thread.len(), file.num_threads);
    for nth in 0..file.num_threads {
        let thread = &file.thread[&nth.to_string()];
        let counted: u64 = thread.histogram.values().sum();
        // What is beyond its last line is in no line.
        assert!(counted <= thread.cycles && thread.cycles > 0);
        assert!(thread.min as f64 <= thread.avg && thread.avg <= thread.max as f64 + 1.0);
        let lines = thread.histogram.keys().map(|us| us.parse::<i64>().expect(us));
        assert!(lines.min().is_none_or(|least| least == thread.min.max(0)));
        assert!(thread.cpu >= -1 && thread.node >= -1);
    }
    file
}

#[test]
fn one_reader_accepts_the_json_of_cyclictest_and_of_this_tool() {
    let theirs = cyclictest(include_str!("samples/cyclictest-2.40.json"));
    assert_eq!((theirs.num_threads, theirs.version.as_str()), (2, "2.40"));

    let mut hdr = chronoscope_model::histogram::empty();
    for ns in [55_300, 57_100, 57_900, 9_100_000] {
        hdr.record(ns).expect("in range");
    }
    let wait = |cpu| Wait {
        id: "linux/clock_nanosleep-abs".into(),
        requested_ns: Some(1_000_000),
        cpu,
        samples: 4,
        min_ns: 55_300,
        mean_ns: 2_317_575.0,
        max_ns: 9_100_000,
        overshoot: chronoscope_model::histogram::Histogram::of(&hdr),
        ..Wait::default()
    };
    let mut report = machines::tsc();
    report.run.argv = vec!["chronoscope".into(), "waits".into()];
    report.run.started = "2026-11-20T10:00:00Z".into();
    report.run.finished = "2026-11-20T10:00:04.25Z".into();
    report.run.complete = true;
    report.waits = vec![wait(Some(1)), wait(None), Wait::default()];
    let ours = cyclictest(&written("cyclictest-json", &report));
    assert_eq!(ours.start_time, "Fri, 20 Nov 2026 10:00:00 +0000");
    // A row without waits is not a thread.
    assert_eq!(ours.num_threads, 2);
    let thread = &ours.thread["0"];
    assert_eq!((thread.cycles, thread.min, thread.max), (4, 55, 9100));
    assert_eq!((thread.avg, thread.cpu), (2317.58, 1));
    assert_eq!(thread.histogram["57"], 2);
    assert_eq!(ours.thread["1"].cpu, -1);
}
