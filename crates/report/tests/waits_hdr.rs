//! Waits in HdrHistogram's own format, read by HdrHistogram's own reader, and the buckets of NDJSON
//! records next to those of its histograms.

use base64::Engine;
use chronoscope_model::histogram::{self, Histogram};
use chronoscope_model::waits::Grid;
use chronoscope_model::{Report, Wait};
use hdrhistogram::Histogram as Hdr;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use proptest::prelude::*;
use std::time::Duration;

/// Each histogram of a log, with its tag, its length and its maximum.
fn read(log: &str) -> Vec<(String, Duration, f64, Hdr<u64>)> {
    let entries = IntervalLogIterator::new(log.as_bytes());
    let intervals = entries.filter_map(|entry| match entry {
        Ok(LogEntry::Interval(interval)) => Some(interval),
        Ok(_) => None,
        Err(error) => panic!("{error:?} in\n{log}"),
    });
    intervals
        .map(|interval| {
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(interval.encoded_histogram())
                .expect("base64");
            let hdr =
                Deserializer::new().deserialize(&mut bytes.as_slice()).expect("V2, compressed");
            let tag = interval.tag().expect("a tag").as_str().to_owned();
            (tag, interval.duration(), interval.max(), hdr)
        })
        .collect()
}

/// Every bucket that has counts: its value, and its count.
fn buckets(hdr: &Hdr<u64>) -> Vec<(u64, u64)> {
    let buckets = hdr.iter_recorded();
    buckets.map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value())).collect()
}

/// The buckets in the NDJSON record of a wait; null if it has none.
fn in_ndjson(wait: Wait) -> serde_json::Value {
    let report = Report { waits: vec![wait], ..Report::default() };
    let mut text = Vec::new();
    chronoscope_report::json::write_records(&report, &mut text).expect("a vector");
    let records = serde_json::Deserializer::from_slice(&text).into_iter::<serde_json::Value>();
    let mut records = records.map(|record| record.expect("JSON"));
    records.find(|record| record["record"] == "wait").expect("a wait")["buckets"].take()
}

#[test]
fn a_record_of_a_wait_without_a_histogram_has_no_buckets() {
    let foreign = Histogram { hdr: "not ours".into(), ..Histogram::default() };
    for overshoot in [Histogram::default(), foreign] {
        assert!(in_ndjson(Wait { overshoot, ..Wait::default() }).is_null());
    }
}

fn times() -> impl Strategy<Value = Vec<(u64, u64)>> {
    // As many short times as long ones, up to the hour at which the histograms end.
    let time =
        (0..=41u32, any::<u64>()).prop_map(|(bits, n)| (n >> (63 - bits)).min(3_600_000_000_000));
    prop::collection::vec((time, 1..1_000_000_000u64), 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(64),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_buckets_of_a_record_are_those_of_a_histogram_of_two_digits(waits in times()) {
        let mut fine = histogram::empty();
        let mut coarse = Hdr::<u64>::new_with_bounds(1, 3_600_000_000_000, 2).expect("its range");
        for &(ns, n) in &waits {
            fine.record_n(ns, n).expect("in range");
            coarse.record_n(ns, n).expect("in range");
        }
        let wait = Wait { overshoot: Histogram::of(&fine), ..Wait::default() };
        prop_assert_eq!(in_ndjson(wait), serde_json::json!(buckets(&coarse)));
    }

    #[test]
    fn the_log_matches_each_row_to_the_bucket(waits in times(), missed in times()) {
        // The reference is the library alone, without code of this tool.
        let mut plain = Hdr::<u64>::new_with_bounds(1, 3_600_000_000_000, 3).expect("its range");
        for &(ns, n) in &waits {
            plain.record_n(ns, n).expect("in range");
        }
        let mut corrected = plain.clone();
        for &(ns, n) in &missed {
            corrected.record_n(ns, n).expect("in range");
        }
        let wait = Wait {
            id: "linux/nanosleep".into(),
            samples: plain.len(),
            seconds: 12.5,
            requested_ns: Some(1_000_000),
            cpu: Some(3),
            overshoot: Histogram::of(&plain),
            grid: Some(Grid {
                missed: corrected.len() - plain.len(),
                corrected: Histogram::of(&corrected),
                ..Grid::default()
            }),
            ..Wait::default()
        };
        let report = Report { waits: vec![wait, Wait::default()], ..Report::default() };
        let mut log = Vec::new();
        let hdr = chronoscope_report::format::find("hdr").expect("a format");
        (hdr.write)(&report, &mut log).expect("a vector");
        let rows = read(&String::from_utf8(log).expect("text"));

        prop_assert_eq!(rows.len(), 2);
        for ((tag, length, max, hdr), expected) in rows.iter().zip([&plain, &corrected]) {
            prop_assert!(tag.starts_with("linux/nanosleep:1000000ns:none") && tag.contains("cpu3"));
            prop_assert_eq!(*length, Duration::from_millis(12_500));
            prop_assert_eq!(buckets(hdr), buckets(expected));
            prop_assert!((max * 1e6 - expected.max() as f64).abs() <= 1.0);
            for percentile in [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0] {
                let value = |of: &Hdr<u64>| of.value_at_percentile(percentile);
                prop_assert_eq!(value(hdr), value(expected));
            }
        }
        prop_assert!(rows[0].0 != rows[1].0);
    }
}

#[test]
fn the_fullest_histogram_is_written_and_read() {
    let mut every = histogram::empty();
    let mut ns = 1;
    while ns < every.high() {
        every.record_n(ns, ns % 1_000_003 + 1).expect("in range");
        ns = every.next_non_equivalent(ns);
    }
    let wait = Wait { samples: every.len(), overshoot: Histogram::of(&every), ..Wait::default() };
    let report = Report { waits: vec![wait], ..Report::default() };
    let mut log = Vec::new();
    let format = chronoscope_report::format::find("hdr").expect("a format");
    (format.write)(&report, &mut log).expect("a vector");
    let rows = read(&String::from_utf8(log).expect("text"));
    assert_eq!(buckets(&rows[0].3), buckets(&every));
}
