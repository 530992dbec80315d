//! `Instant` on this machine.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chronoscope::{Clock, Instant, Source, Wall, counter};

/// Miri takes a thousand times as long.
fn rounds(natively: u32) -> u32 {
    if cfg!(miri) { 20 } else { natively }
}

#[test]
fn it_agrees_with_std() {
    let (ours, theirs) = (Instant::start(), std::time::Instant::now());
    std::thread::sleep(Duration::from_millis(30));
    let least = theirs.elapsed();
    let found = ours.elapsed_bounded();
    let most = theirs.elapsed();
    // The clock of std may be slewed; this one may be off by its stated bound.
    let (ns, bound) = (Duration::from_nanos(found.ns), Duration::from_nanos(found.bound_ns));
    assert!(ns + bound >= least.mul_f64(0.9995), "{found:?} {least:?}");
    assert!(ns <= most.mul_f64(1.0005) + bound + Duration::from_millis(20), "{found:?} {most:?}");
}

/// Ensures that a run meant to test the counter does not test the system's clock.
#[test]
fn a_requested_counter_is_read() {
    let asked = std::env::var_os("CHRONOSCOPE_SOURCE").is_some_and(|source| source == "counter");
    if asked && counter::is_hardware() {
        let told = Clock::global().describe();
        assert_eq!(told.source, Source::Counter, "{told}");
    }
}

#[test]
fn arithmetic_matches_std() {
    let moment = Instant::now();
    let second = Duration::from_secs(1);
    // A moment is a whole number of ticks, so an added time is rounded up to the next: if the
    // counter is slow, a tick is longer than a nanosecond. The other nanosecond is truncated.
    let rounding = Duration::from_nanos(Clock::global().scale().ns_per_tick().ceil() as u64 + 1);
    let like = |found: Duration, right: Duration| found.abs_diff(right) <= rounding;
    assert!(like((moment + second) - moment, second));
    assert_eq!(moment - (moment + second), Duration::ZERO);
    assert_eq!(moment.checked_duration_since(moment + second), None);
    let since = (moment + second).checked_duration_since(moment);
    assert!(like(since.unwrap(), second));
    assert_eq!(moment.saturating_duration_since(moment + second), Duration::ZERO);
    assert_eq!(moment.checked_add(Duration::MAX), None);
    assert_eq!(moment.checked_sub(Duration::MAX), None);
    assert_eq!(moment.saturating_add(Duration::MAX).ticks(), u64::MAX);
    assert_eq!(moment.saturating_sub(Duration::MAX).ticks(), 0);
    assert_eq!(Instant::from_ticks(moment.ticks()), moment);
    let mut other = moment;
    other += second;
    other -= second;
    let off = moment.max(other).duration_since(moment.min(other));
    assert!(off <= rounding, "{off:?}");
    assert!(HashSet::from([moment]).contains(&moment));
    assert_eq!(size_of::<Option<Instant>>(), 16);
}

/// A moment that never comes is the deadline of waits without end.
#[test]
fn the_last_possible_moment_is_in_the_future() {
    let now = Instant::now();
    for never in [now.saturating_add(Duration::MAX), Instant::from_ticks(u64::MAX - 1)] {
        assert_eq!((never.elapsed_ns(), never.elapsed()), (0, Duration::ZERO));
        assert_eq!(now.duration_since(never), Duration::ZERO);
        assert!(never.duration_since(now) > Duration::from_secs(1 << 30));
    }
}

#[test]
#[should_panic(expected = "overflow")]
fn adding_too_much_panics_as_std_does() {
    let _ = Instant::now() + Duration::MAX;
}

#[test]
fn conversions_are_within_their_error() {
    for distance in [Duration::ZERO, Duration::from_millis(20)] {
        let ours = Instant::now() + distance;
        let (theirs, error) = ours.to_std().unwrap();
        let (back, more) = Instant::from_std(theirs).unwrap();
        let off = back.max(ours).duration_since(back.min(ours));
        assert!(off <= error + more, "{off:?} {error:?} {more:?}");
    }
}

/// A read handed to another thread is not later than what that thread reads then.
#[test]
fn ordered_reads_never_go_back_between_threads() {
    static LATEST: AtomicU64 = AtomicU64::new(0);
    let threads: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                for _ in 0..rounds(200_000) {
                    let seen = LATEST.load(Ordering::Acquire);
                    let now = Instant::now_ordered().ticks();
                    assert!(now >= seen, "{now} after {seen}");
                    LATEST.fetch_max(now, Ordering::AcqRel);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// What replaces std's type keeps its order between threads, and its arithmetic.
#[test]
fn the_replacement_for_std_is_ordered() {
    use chronoscope::ordered::Instant as Replacement;
    let start = Replacement::now();
    let handed = std::thread::spawn(Replacement::now).join().unwrap();
    assert!(handed >= start && Replacement::now() >= handed);
    let later = start + Duration::from_secs(2);
    // Other tests correct the rate meanwhile.
    assert!((later - start).abs_diff(Duration::from_secs(2)) < Duration::from_millis(2));
    assert_eq!((start - later, later.elapsed()), (Duration::ZERO, Duration::ZERO));
    assert_eq!(start.checked_duration_since(later), None);
    assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
    let mut moved = later;
    // No further back than `start`: the machine may have started within the last hour.
    moved -= Duration::from_secs(1);
    moved += Duration::from_secs(1);
    assert!(Instant::from(moved) >= Instant::from(start));
    assert_eq!(Replacement::from(Instant::from(start)), start);
}

/// A bound with a name, and no disturbance where nothing happens.
#[test]
fn a_bound_says_what_it_refers_to() {
    let found = Instant::start().elapsed_bounded();
    assert!(!found.clock.is_empty());
    let told = Clock::global().describe();
    let (low, high) = told.hz_range;
    assert!(low <= told.hz && told.hz <= high, "{told:?}");
    assert_eq!(told.calibrated_at.is_some(), told.source == Source::Counter);
}

/// Calibration by many threads at once, while others read.
#[test]
fn reads_and_calibrations_do_not_disturb_each_other() {
    std::thread::scope(|scope| {
        for i in 0..4 {
            scope.spawn(move || {
                let start = Instant::now();
                let mut last = start;
                for _ in 0..rounds(2000) {
                    if i % 2 == 0 {
                        Clock::global().sync();
                        Wall::sync();
                    }
                    let now = Instant::now();
                    assert!(now >= last);
                    last = now;
                    assert!(start.elapsed_bounded().bound_ns < 1_000_000_000);
                    assert!(Wall::now() > 1_600_000_000_000_000_000);
                }
            });
        }
    });
}

#[test]
fn the_wall_clock_agrees_with_the_systems() {
    // Windows truncates the time to whole steps of this.
    let step = 100;
    for _ in 0..rounds(1000) {
        let since = |time: std::time::SystemTime| {
            time.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as i128
        };
        let before = since(std::time::SystemTime::now());
        let told = Wall::now_bounded();
        let after = since(std::time::SystemTime::now());
        // Only the library's own part; the kernel's may be seconds.
        assert!(i128::from(told.now) + i128::from(told.tracking) >= before);
        assert!(i128::from(told.now) - i128::from(told.tracking) <= after + step);
    }
}

#[test]
fn a_start_and_a_stop_enclose_a_region() {
    for _ in 0..rounds(1000) {
        let (start, stop) = (Instant::start(), Instant::stop());
        assert!(stop >= start);
    }
}
