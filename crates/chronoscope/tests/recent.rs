//! The time that a thread keeps up to date. There is one per process, so the tests take turns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use chronoscope::{Instant, Upkeep, UpkeepError};

fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

const PERIOD: Duration = Duration::from_millis(1);

/// Waits until the thread has stored another time.
fn next_store(after: Instant) -> Instant {
    loop {
        let recent = Instant::recent();
        if recent > after {
            return recent;
        }
        thread::yield_now();
    }
}

#[test]
fn without_an_upkeep_it_is_a_read() {
    let _turn = turn();
    for _ in 0..1000 {
        let before = Instant::now_ordered();
        let recent = Instant::recent();
        assert!(before <= recent && recent <= Instant::now_ordered());
    }
}

#[test]
fn it_stands_between_stores_and_never_goes_back() {
    let _turn = turn();
    let upkeep = Upkeep::start(PERIOD).unwrap();
    let start = Instant::recent();
    let (mut last, mut same) = (start, 0);
    while last.duration_since(start) < 20 * PERIOD {
        let recent = Instant::recent();
        assert!(recent >= last, "{recent:?} after {last:?}");
        assert!(recent <= Instant::now_ordered());
        same += u32::from(recent == last);
        last = recent;
    }
    assert!(same > 0);
    drop(upkeep);
    assert!(Instant::recent() > last);
}

/// The age of what was read is at most the longest gap that is reported afterwards.
#[test]
fn the_longest_gap_covers_the_age_of_every_read() {
    let _turn = turn();
    let upkeep = Upkeep::start(PERIOD).unwrap();
    let mut oldest = Duration::ZERO;
    let start = Instant::now();
    while start.elapsed() < 30 * PERIOD {
        // In this order, the age is at most what it was in between.
        let now = Instant::now_ordered();
        oldest = oldest.max(now.duration_since(Instant::recent()));
    }
    let longest = upkeep.longest_gap();
    // The rate may have been calibrated in between.
    assert!(oldest.mul_f64(0.999) <= longest, "{oldest:?} {longest:?}");
    assert!(longest >= PERIOD);
}

#[test]
fn a_second_upkeep_is_refused_until_the_first_has_ended() {
    let _turn = turn();
    for _ in 0..20 {
        let upkeep = Upkeep::start(PERIOD).unwrap();
        assert!(matches!(Upkeep::start(PERIOD), Err(UpkeepError::Running)));
        next_store(Instant::recent());
        drop(upkeep);
    }
}

#[test]
fn of_many_threads_that_start_one_a_single_one_succeeds() {
    let _turn = turn();
    for _ in 0..20 {
        let started: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| Upkeep::start(PERIOD).ok())).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert_eq!(started.iter().flatten().count(), 1);
    }
}

/// Values are handed over with a mutex, so each thread must see at least what the one before saw.
#[test]
fn it_never_goes_back_between_threads() {
    let _turn = turn();
    let _upkeep = Upkeep::start(Duration::ZERO).unwrap();
    let (latest, done) = (Mutex::new(Instant::recent()), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let mut latest = latest.lock().unwrap();
                    let recent = Instant::recent();
                    assert!(recent >= *latest);
                    *latest = recent;
                }
            });
        }
        thread::sleep(20 * PERIOD);
        done.store(true, Ordering::Relaxed);
    });
}

/// The time of the parent stands still in the child, which must not use it.
#[cfg(all(target_os = "linux", not(miri)))]
#[test]
fn a_child_reads_the_clock_and_can_start_its_own() {
    let _turn = turn();
    let mut upkeep = Some(Upkeep::start(PERIOD).unwrap());
    for _ in 0..50 {
        let parents = next_store(Instant::recent());
        // SAFETY: the child calls only what this library allows there, and ends with `_exit`.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let before = Instant::now_ordered();
            let real = Instant::recent() >= before && before >= parents;
            // The thread that this would wait for does not exist.
            drop(upkeep.take());
            let own = Upkeep::start(PERIOD);
            let started = own.is_ok();
            next_store(Instant::recent());
            drop(own);
            // SAFETY: ends the process without running what belongs to the parent.
            unsafe { libc::_exit(if real && started { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: waits for the child, and writes its status to a valid place.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }
    drop(upkeep);
}
