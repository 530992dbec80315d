//! Recordings, from the writer to the reader and the report.

use super::samples::{MS, events, late, start, waits, why};
use super::{Reader, Writer, is_recording, report};
use chronoscope_model::histogram::empty;
use chronoscope_model::recording::{Event, LoadSince};
use chronoscope_model::waits::Load;
use proptest::prelude::*;
use std::io;
use std::path::Path;

pub(super) fn written(events: &[Event]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Writer::new(&mut bytes, Path::new("x"), u64::MAX).names(true).write(events);
    bytes
}

pub(super) fn read(bytes: &[u8]) -> io::Result<(Vec<Event>, u64, bool)> {
    let mut reader = Reader::new(bytes)?;
    let mut events = vec![Event::Start(Box::new(reader.start.clone()))];
    while let Some(event) = reader.next()? {
        events.push(event);
    }
    Ok((events, reader.left_out, reader.cut))
}

#[test]
fn what_was_written_is_read_back() {
    let bytes = written(&events());
    assert!(is_recording(&bytes) && !is_recording(b"{\"schema\":"));
    assert_eq!(read(&bytes).expect("its own"), (events(), 0, false));
}

#[test]
fn what_cannot_be_is_left_out_and_the_rest_is_read() {
    let good = written(&[start(), waits(0, 1, &[5])]);
    let with = |line: &str| {
        let mut bytes = good.clone();
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        bytes.extend_from_slice(&written(&[waits(1, 2, &[6])]));
        bytes
    };
    let long = format!("{{\"event\":\"{}\"}}", "x".repeat(17 << 20));
    let again = String::from_utf8(written(&[start()])).expect("JSON");
    let bad = [
        r#"{"event":"waits","row":2,"at_ns":1,"after_ns":[0],"late_ns":[5]}"#,
        r#"{"event":"waits","row":0,"at_ns":1,"after_ns":[0,1],"late_ns":[5]}"#,
        r#"{"event":"waits","row":0,"at_ns":1,"after_ns":[18446744073709551615],"late_ns":[5]}"#,
        r#"{"event":"waits","row":0,"at_ns":1,"after_ns":[0],"late_ns":[NaN]}"#,
        r#"{"event":"waits","row":-1,"at_ns":1,"after_ns":[0],"late_ns":[1e999]}"#,
        r#"{"event":"pause","at_ns":5,"until_ns":4}"#,
        r#"{"event":"gremlins","at_ns":5}"#,
        "\u{fffd}",
        "[[[[[[",
        "",
        &long,
        again.trim(),
    ];
    for line in bad {
        let (events, left_out, cut) = read(&with(line)).expect("a recording");
        assert_eq!((events.len(), left_out, cut), (3, 1, false), "{:.80}", line);
    }
    // The last line may be incomplete, wherever it was cut.
    let whole = written(&[start(), waits(0, 1, &[5]), waits(1, 2, &[6])]);
    let first = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    for end in first..whole.len() {
        let (events, left_out, cut) = read(&whole[..end]).expect("its start is whole");
        let lines = whole[..end].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!((events.len(), left_out, cut), (lines, 0, whole[end - 1] != b'\n'));
    }
    let refused = |bytes: &[u8]| Reader::new(bytes).err().expect("refused").to_string();
    assert!(refused(b"").contains("not a recording"));
    assert!(refused(&whole[..first / 2]).contains("damaged"));
    let newer = String::from_utf8_lossy(&whole).replace("recording/1", "recording/2");
    assert!(refused(newer.as_bytes()).contains("recording/2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_recording_is_read_to_its_end(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        numbers in prop::collection::vec(any::<u64>(), 1..4),
    ) {
        let mut bytes = written(&events());
        for (place, byte) in places {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        // Numbers elsewhere in their range.
        for number in numbers {
            let text = String::from_utf8_lossy(&bytes).replacen("70000", &number.to_string(), 1);
            bytes = text.into_bytes();
        }
        if let Ok(reader) = Reader::new(&bytes[..]) {
            let report = report(reader).expect("memory can be read");
            prop_assert!(report.waits.iter().all(|wait| wait.overshoot.count == wait.samples));
        }
    }

    #[test]
    fn the_report_is_that_of_the_samples(
        lates in prop::collection::vec(prop::collection::vec(-1_000..20_000_000i64, 0..40), 1..30),
    ) {
        let mut recording = vec![start(), Event::Load(LoadSince::default())];
        let mut at_ms = 0;
        for (nth, late) in lates.iter().enumerate() {
            recording.push(waits(nth % 2, at_ms, late));
            at_ms += late.len() as u64;
        }
        let bytes = written(&recording);
        let report = report(Reader::new(&bytes[..]).expect("its own")).expect("memory");
        prop_assert_eq!(report.waits.len(), 2);
        for (row, wait) in report.waits.iter().enumerate() {
            let of_row = lates.iter().skip(row).step_by(2).flatten();
            let all: Vec<i64> = of_row.copied().collect();
            let (mut hdr, mut corrected) = (empty(), empty());
            for late in &all {
                let late = u64::try_from(*late).unwrap_or(0);
                hdr.record(late).expect("in range");
                let missed = (1..=late / MS).map(|n| late - n * MS);
                for ns in [late].into_iter().chain(missed) {
                    corrected.record(ns).expect("in range");
                }
            }
            prop_assert_eq!(wait.samples, all.len() as u64);
            prop_assert_eq!(wait.available, !all.is_empty());
            if all.is_empty() {
                continue;
            }
            prop_assert!(wait.overshoot.decode().expect("its own") == hdr);
            let grid = wait.grid.as_ref().expect("a grid");
            prop_assert!(grid.corrected.decode().expect("its own") == corrected);
            prop_assert_eq!(grid.missed, corrected.len() - hdr.len());
            let early = all.iter().filter(|late| **late < -100).count() as u64;
            prop_assert_eq!(wait.early, early);
            prop_assert_eq!(Some(&wait.min_ns), all.iter().min());
            prop_assert_eq!(Some(&wait.max_ns), all.iter().max());
            let mean = all.iter().sum::<i64>() as f64 / all.len() as f64;
            prop_assert!((wait.mean_ns - mean).abs() <= 1e-6 * mean.abs().max(1.0));
        }
    }
}

#[test]
fn a_report_has_a_row_for_each_load_and_the_reasons_of_all() {
    let mut recording = events();
    recording.extend([late(0, 10, 90_000), why(0, 11, 1, 90_000), why(0, 12, 2, 10_000)]);
    let bytes = written(&recording);
    let report = report(Reader::new(&bytes[..]).expect("its own")).expect("memory");
    let rows: Vec<_> = report.waits.iter().map(|row| (&*row.id, row.load, row.samples)).collect();
    let (sleep, wait) = ("some/sleep", "some/wait");
    let expected = [(sleep, Load::None, 3), (wait, Load::None, 2), (sleep, Load::Normal, 1)];
    assert_eq!(rows, expected);
    let of = |row: usize| report.waits[row].why.as_ref();
    let first = of(0).expect("reasons");
    assert_eq!((first.all().map(|it| it.waits), first.worst.len()), (Some(3), 1));
    let loaded = of(2).expect("reasons");
    assert_eq!(loaded.all().map(|all| (all.waits, all.late_ns)), Some((3, 100_000)));
    assert_eq!((loaded.worst[0].late_ns, of(1)), (90_000, None));
    assert_eq!(report.waits[0].cpu_share, Some(0.25));
    assert!(report.waits[1].notes[0].contains('9'), "{:?}", report.waits[1].notes);
    let notes: Vec<&str> = report.notes.iter().map(|note| &*note.id).collect();
    assert_eq!(notes, ["x", "gaps"]);
    let deltas = &report.deltas[0];
    assert_eq!((&*deltas.id, deltas.load, deltas.reads), ("some/clock", None, 11));
    assert_eq!((deltas.negative, deltas.max_ticks, deltas.zero_share), (2, 3, 0.0));
    let rows: Vec<_> = deltas.rows.iter().map(|row| (row.ticks, row.ns, row.count)).collect();
    assert_eq!(rows, [(2, 20.0, 7), (3, 30.0, 1)]);
    let changes = deltas.changes.expect("some");
    assert_eq!((changes.count, changes.min_ns, changes.median_ns), (8, 20.0, 20.0));
    assert_eq!(changes.mean_ns, 21.25);
    assert_eq!((report.run.seconds, &*report.run.started), (0.011, "2026-09-21T14:13:20.001Z"));
}
