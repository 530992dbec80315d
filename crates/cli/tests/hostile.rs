//! Reports that are cut off, damaged, or made to harm: reading one gives a report or one clear
//! line, and what was read can be judged, shown and compared.
//!
//! `CHRONOSCOPE_FUZZ=600 cargo test --release -p chronoscope-cli --test all hostile` goes on for
//! that many seconds with changes at random, and keeps what made it panic.

use crate::checked_in;
use crate::mutate;

use chronoscope_diagnose::compare::compare;
use chronoscope_model::Report;
use chronoscope_report::page::{self, Input, embed};
use chronoscope_report::section::{self, Detail};
use chronoscope_report::text::{self, Style};
use chronoscope_report::{compare as view, format, json};
use fastrand::Rng;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How long the random changes go on for without [`VARIABLE`].
const SHORT: Duration = Duration::from_secs(2);
const VARIABLE: &str = "CHRONOSCOPE_FUZZ";

/// Reads the bytes, and does with a report what the commands do with a file.
fn read(bytes: &[u8], other: &Report) -> bool {
    let held = embed::held(bytes).unwrap_or_else(|| Ok(vec![("".into(), json::read(bytes)?)]));
    let mut report = match held {
        Ok(mut held) => held.swap_remove(0).1,
        Err(error) => {
            let line = error.to_string();
            assert!(!line.is_empty() && line.lines().count() == 1, "{line:?}");
            assert!(line.chars().count() < 400 && !line.contains('\u{1b}'), "{line:?}");
            return false;
        }
    };
    for reports in [[&report, &report], [&report, other], [other, &report]] {
        let named = reports.map(|it| ("file".to_owned(), it.clone()));
        let compared = compare(&named);
        for detail in [Detail::Brief, Detail::Full, Detail::Everything] {
            text::detailed(view::view(&compared, detail), detail, &Style::default());
        }
        let bytes = json::comparison(&compared).expect("JSON");
        let json: Value = serde_json::from_slice(&bytes).expect("it is JSON");
        let rows = json["rows"].as_array().into_iter().flatten();
        for row in rows {
            for key in ["change", "change_low", "change_high", "at_most"] {
                assert!(row[key].is_number(), "{key} is not finite: {row}");
            }
        }
        for (id, written) in view::FORMATS {
            written(&compared).expect(id);
        }
        page::comparison(&compared, &[], &mut Vec::new()).expect("a page");
    }
    let same = compare(&[("a".into(), report.clone()), ("b".into(), report.clone())]);
    let counts = same.change.map(|it| (it.counts.worse, it.counts.better));
    assert_eq!(counts, Some((0, 0)), "it differs from itself");
    let style = Style { width: 60, ..Style::default() };
    text::summary(&report, &style);
    text::everything(&report, &style);
    for section in section::ALL {
        text::section(section, &report, Detail::Full, &style);
    }
    for format in format::ALL {
        // A format may refuse what it cannot hold.
        (format.write)(&report, &mut Vec::new()).ok();
    }
    chronoscope_diagnose::judge(&mut report);
    true
}

/// Reports that are small enough to be changed thousands of times, with the names of their files.
fn small() -> Vec<(String, Vec<u8>)> {
    checked_in::all().into_iter().filter(|(_, bytes)| bytes.len() < 60_000).collect()
}

/// The page of a report.
fn page_of(name: &str, bytes: &[u8]) -> Vec<u8> {
    let (report, mut page) = (json::read(bytes).expect("a report"), Vec::new());
    page::write(&[Input { name, report: &report }], &mut page).expect("room");
    page
}

fn other() -> Report {
    let all = checked_in::all();
    let main = all.iter().find(|(file, _)| file.contains("main."));
    json::read(&main.expect("the main command's").1).expect("a report")
}

#[test]
fn a_report_that_is_cut_off_is_refused_in_one_line() {
    for (file, bytes) in checked_in::all() {
        let step = (bytes.len() / 20).max(1);
        for length in (0..bytes.len() - 1).step_by(step) {
            let line = json::read(&bytes[..length]).expect_err(&file).to_string();
            assert!(line.lines().count() == 1 && line.contains("not valid JSON"), "{line}");
        }
    }
}

#[test]
fn a_value_that_does_not_fit_is_refused_in_one_line_or_shown() {
    let (mut rng, other) = (Rng::with_seed(1), other());
    let (mut read_some, mut refused) = (false, false);
    for (_, bytes) in small() {
        let report: Value = serde_json::from_slice(&bytes).expect("JSON");
        let keys: Vec<String> = report.as_object().expect("an object").keys().cloned().collect();
        for key in keys {
            let mut report = report.clone();
            report[&key] = mutate::odd(&mut rng);
            let done = read(report.to_string().as_bytes(), &other);
            read_some |= done;
            refused |= !done;
        }
    }
    assert!(read_some && refused);
}

#[test]
fn a_long_text_a_deep_nest_and_a_key_that_stands_twice_do_no_harm() {
    let other = other();
    let (_, bytes) = small().swap_remove(0);
    let mut report: Value = serde_json::from_slice(&bytes).expect("JSON");
    report["environment"]["cpu"]["model"] = json!("x".repeat(1 << 18));
    assert!(read(report.to_string().as_bytes(), &other));
    let text = String::from_utf8(bytes).expect("text");
    // What a key that is unknown holds is skipped; what a known one holds is not.
    for (key, skipped) in [("unknown", true), ("environment", false)] {
        let deep = format!("{{\"{key}\":{}{},", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(text.replacen('{', &deep, 1).as_bytes(), &other), skipped);
    }
    let twice = text.replacen('{', "{\"findings\":[],\"findings\":[],", 1);
    assert!(!read(twice.as_bytes(), &other));
    assert!(!read(
        text.replace("chronoscope.report/1", "chronoscope.report/99").as_bytes(),
        &other
    ));
}

#[test]
fn random_changes_do_no_harm() {
    let time = match std::env::var(VARIABLE) {
        Ok(seconds) => Duration::from_secs(seconds.parse().expect("seconds")),
        Err(_) => SHORT,
    };
    let (reports, other) = (small(), other());
    let values: Vec<Value> =
        reports.iter().map(|(_, bytes)| serde_json::from_slice(bytes).expect("JSON")).collect();
    let pages: Vec<Vec<u8>> = reports.iter().map(|(name, bytes)| page_of(name, bytes)).collect();
    let (began, mut tried, mut read_in, mut seed) = (Instant::now(), 0_u64, 0_u64, 0);
    if time > SHORT {
        seed = fastrand::u64(..);
        println!("from seed {seed}");
    }
    while began.elapsed() < time {
        let mut rng = Rng::with_seed(seed.wrapping_add(tried));
        let at = rng.usize(..reports.len());
        let bytes = if rng.u32(0..8) == 0 {
            let mut bytes = pages[at].clone();
            mutate::text(&mut bytes, &mut rng);
            bytes
        } else if rng.u32(0..4) > 0 {
            let mut report = values[at].clone();
            mutate::value(&mut report, &mut rng);
            report.to_string().into_bytes()
        } else {
            let mut bytes = reports[at].1.clone();
            mutate::text(&mut bytes, &mut rng);
            bytes
        };
        match catch_unwind(AssertUnwindSafe(|| read(&bytes, &other))) {
            Ok(done) => read_in += u64::from(done),
            Err(_) => {
                let path = std::env::temp_dir().join(format!("hostile-{tried}.json"));
                std::fs::write(&path, &bytes).expect("it can be kept");
                panic!("{} of {} does harm", path.display(), reports[at].0);
            }
        }
        tried += 1;
    }
    println!("{tried} reports, of which {read_in} could be read");
    // Under an emulator and a load, few are tried.
    assert!(tried < 50 || read_in > 0);
}
