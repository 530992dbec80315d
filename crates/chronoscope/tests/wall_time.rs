//! Typed wall time, and what it converts to.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chronoscope::{OutOfRange, WallTime};
use proptest::prelude::*;

/// The standard library counts units of 100 ns on Windows.
const STEP: u64 = if cfg!(windows) { 100 } else { 1 };

proptest! {
    #[test]
    fn system_times_come_back_as_they_went(ns: u64) {
        let time = WallTime::from_ns(ns / STEP * STEP);
        prop_assert_eq!(WallTime::try_from(SystemTime::from(time)), Ok(time));
    }

    #[test]
    fn sums_and_differences_are_exact_or_absent(a: u64, b: u64) {
        let (time, span) = (WallTime::from_ns(a), Duration::from_nanos(b));
        prop_assert_eq!(time.checked_add(span).map(WallTime::ns), a.checked_add(b));
        prop_assert_eq!(time.checked_sub(span).map(WallTime::ns), a.checked_sub(b));
        let other = WallTime::from_ns(b);
        let since = a.checked_sub(b).map(Duration::from_nanos);
        prop_assert_eq!(time.checked_duration_since(other), since);
    }

    #[cfg(feature = "jiff")]
    #[test]
    fn timestamps_of_jiff_come_back_as_they_went(ns: u64) {
        let time = WallTime::from_ns(ns);
        let theirs = jiff::Timestamp::from(time);
        prop_assert_eq!(theirs.as_nanosecond(), i128::from(ns));
        prop_assert_eq!(WallTime::try_from(theirs), Ok(time));
    }

    #[cfg(feature = "jiff")]
    #[test]
    fn every_timestamp_of_jiff_is_converted_or_refused(
        secs in jiff::Timestamp::MIN.as_second()..jiff::Timestamp::MAX.as_second(),
        nanos in 0..1_000_000_000i32,
    ) {
        let theirs = jiff::Timestamp::new(secs, nanos).unwrap();
        let ns = u64::try_from(theirs.as_nanosecond()).map_err(|_| OutOfRange);
        prop_assert_eq!(WallTime::try_from(theirs).map(WallTime::ns), ns);
    }

    #[cfg(feature = "chrono")]
    #[test]
    fn times_of_chrono_come_back_as_they_went(ns: u64) {
        let time = WallTime::from_ns(ns);
        let theirs = chrono::DateTime::<chrono::Utc>::from(time);
        prop_assert_eq!(theirs.timestamp() as u64, ns / 1_000_000_000);
        prop_assert_eq!(u64::from(theirs.timestamp_subsec_nanos()), ns % 1_000_000_000);
        prop_assert_eq!(WallTime::try_from(theirs), Ok(time));
    }
}

#[test]
fn times_out_of_range_are_refused() {
    let before = UNIX_EPOCH - Duration::from_micros(1);
    assert_eq!(WallTime::try_from(before), Err(OutOfRange));
    let last = SystemTime::from(WallTime::from_ns(u64::MAX));
    assert!(WallTime::try_from(last).is_ok());
    assert_eq!(WallTime::try_from(last + Duration::from_micros(1)), Err(OutOfRange));
}

#[cfg(feature = "chrono")]
#[test]
fn a_leap_second_of_chrono_is_the_next_second() {
    let leap = chrono::DateTime::from_timestamp(1_483_228_799, 1_500_000_000).unwrap();
    let time = WallTime::try_from(leap).unwrap();
    assert_eq!(time.ns(), 1_483_228_800_500_000_000);
    for before in
        [chrono::DateTime::<chrono::Utc>::MIN_UTC, chrono::DateTime::<chrono::Utc>::MAX_UTC]
    {
        assert_eq!(WallTime::try_from(before), Err(OutOfRange));
    }
}

#[test]
fn it_is_the_time_of_the_wall_clock() {
    let before = WallTime::from_ns(chronoscope::Wall::now());
    let (earliest, latest) = chronoscope::Wall::now_bounded().times();
    let hour = Duration::from_secs(3600);
    for time in [WallTime::now(), earliest, latest] {
        let off = time.max(before).checked_duration_since(time.min(before));
        assert!(off.unwrap() < hour, "{time} {before}");
    }
}
