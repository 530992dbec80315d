//! The library and ClockBound's own client read the same segment, and say the same of it.
#![cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]

use chronoscope::wall::{BoundBy, WallClock};
use chronoscope::{Clock, WallInterval, WallState, counter};
use clock_bound::client::{ClockBoundClient, ClockBoundNowResult, ClockStatus};
use std::path::PathBuf;

const SECOND: i64 = 1_000_000_000;
const AS_OF: i64 = 1_700_000_000;

/// A segment as version 3 of the daemon writes it, which goes with its test.
struct Segment(PathBuf);

struct Values {
    status: u32,
    as_of_tsc: u64,
    void_after: i64,
    /// In seconds.
    period: f64,
    period_error: f64,
    error_ns: i64,
    drift_ppb: u32,
}

/// As `PeriodFrac` of ClockBound has it.
fn fraction(value: f64) -> (u64, u8) {
    let shift = if value == 0.0 { 0 } else { (1.0 / value).log2() as u8 };
    ((value * 2f64.powi(64 + i32::from(shift))) as u64, shift)
}

impl Segment {
    fn new(name: &str, values: &Values) -> Self {
        let ([period, error], [period_shift, error_shift]) = {
            let (one, other) = (fraction(values.period), fraction(values.period_error));
            ([one.0, other.0], [one.1, other.1])
        };
        let mut bytes = Vec::new();
        for word in [0x414d_5a4e_u32, 0x4342_0200, 104] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(0x0303_u16.to_le_bytes());
        bytes.extend(2_u16.to_le_bytes());
        let (from, after) = ([AS_OF as u64, 5], [values.void_after as u64, 0]);
        let words = [values.as_of_tsc, from[0], from[1], after[0], after[1], period, error];
        for word in words.into_iter().chain([values.error_ns as u64, 0]) {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(values.drift_ppb.to_le_bytes());
        bytes.extend(values.status.to_le_bytes());
        bytes.extend([0, period_shift, error_shift, 0, 0, 0, 0, 0]);
        assert_eq!(bytes.len(), 104);
        let path = std::env::temp_dir().join(format!("clockbound-{name}-{}", std::process::id()));
        std::fs::write(&path, bytes).expect("a folder for temporary files");
        Self(path)
    }

    fn both(&self) -> (ClockBoundClient, WallClock) {
        let path = self.0.to_str().expect("a plain path");
        let theirs = ClockBoundClient::new_with_path(path).expect("a segment");
        let ours = WallClock::new();
        ours.bound_by(BoundBy::ClockBound(&self.0)).expect("a segment");
        (theirs, ours)
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn state(of: &ClockBoundNowResult) -> WallState {
    match of.clock_status {
        ClockStatus::Unknown => WallState::Unknown,
        ClockStatus::Synchronized => WallState::Synchronised,
        ClockStatus::FreeRunning => WallState::FreeRunning,
        ClockStatus::Disrupted => WallState::Disrupted,
    }
}

fn ends(of: &ClockBoundNowResult) -> [u64; 2] {
    [of.earliest, of.latest].map(|it| (it.tv_sec() * SECOND + it.tv_nsec()) as u64)
}

/// Both ends of theirs, which are rounded to a nanosecond, are between those of ours.
fn between(before: &WallInterval, theirs: &ClockBoundNowResult, after: &WallInterval) {
    let [low, high] = ends(theirs);
    let fits = before.earliest <= low + 1 && low <= after.earliest + 1;
    assert!(fits && before.latest <= high + 1 && high <= after.latest + 1, "{before:?} {theirs:?}");
}

/// The counter of this machine, if the library reads it.
fn clock() -> Option<Clock> {
    let clock = Clock::new();
    clock.now();
    (clock.describe().source == chronoscope::Source::Counter).then_some(clock)
}

/// The period is so short that reads one after the other give the same nanosecond.
#[test]
fn intervals_and_states_are_equal() {
    let Some(clock) = clock() else { return };
    let ticks = counter::now_ordered();
    for (nth, passed) in [0.0, 1e-3, 0.5, 59.0, 61.0, 1e3, 1e5].into_iter().enumerate() {
        for (status, void_after) in [0, 1, 2, 3].into_iter().flat_map(|it| [(it, 3600), (it, 100)])
        {
            let values = Values {
                status,
                as_of_tsc: 0,
                void_after: AS_OF + void_after,
                period: passed / ticks as f64,
                period_error: 1e-6,
                error_ns: 12_345,
                drift_ppb: 2_000,
            };
            let segment = Segment::new(&format!("{nth}-{status}-{void_after}"), &values);
            let (mut theirs, ours) = segment.both();
            let before = ours.now_bounded(&clock);
            let theirs = theirs.now().expect("a time");
            let after = ours.now_bounded(&clock);
            assert_eq!(before.state, state(&theirs), "{passed} {status} {void_after}");
            match before.state {
                WallState::Synchronised | WallState::FreeRunning => {
                    between(&before, &theirs, &after)
                }
                _ => assert_eq!((before.earliest, before.latest), (0, u64::MAX)),
            }
        }
    }
}

/// At the counter's own rate, theirs is between two of ours.
#[test]
fn a_read_of_theirs_is_between_two_of_ours() {
    let Some(clock) = clock() else { return };
    let values = Values {
        status: 1,
        as_of_tsc: counter::now_ordered(),
        void_after: AS_OF + 1000,
        period: 1.0 / clock.describe().hz,
        period_error: 1e-7,
        error_ns: 1_000,
        drift_ppb: 1_000,
    };
    let segment = Segment::new("running", &values);
    let (mut theirs, ours) = segment.both();
    for _ in 0..10_000 {
        let before = ours.now_bounded(&clock);
        let theirs = theirs.now().expect("a time");
        between(&before, &theirs, &ours.now_checked(&clock));
    }
}
