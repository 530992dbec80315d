//! A rate limiter with our clock allows what its quota says.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use chronoscope::{Steady, wait};
use chronoscope_adapters::governor::SteadyClock;
use governor::clock::{Clock, Reference};
use governor::{Quota, RateLimiter};

const PERIOD: Duration = Duration::from_micros(500);
const BURST: u32 = 7;

fn quota() -> Quota {
    Quota::with_period(PERIOD).unwrap().allow_burst(NonZeroU32::new(BURST).unwrap())
}

#[test]
fn threads_together_get_no_more_than_the_quota() {
    let start = Steady::now();
    let limiter = RateLimiter::direct_with_clock(quota(), SteadyClock);
    let allowed = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while Steady::now() - start < 50_000_000 {
                    let passed = limiter.check().is_ok();
                    allowed.fetch_add(passed.into(), Ordering::Relaxed);
                }
            });
        }
    });
    let periods = (Steady::now() - start) / PERIOD.as_nanos() as u64;
    let allowed = allowed.into_inner();
    assert!((BURST.into()..=u64::from(BURST) + periods + 1).contains(&allowed), "{allowed}");
}

/// A limiter says how long to wait, and our wait is never early.
#[test]
fn whoever_waits_as_long_as_asked_is_allowed() {
    let limiter = RateLimiter::direct_with_clock(quota(), SteadyClock);
    for _ in 0..40 {
        if let Err(denied) = limiter.check() {
            let left = denied.wait_time_from(SteadyClock.now());
            assert!(left <= PERIOD, "{left:?}");
            wait::sleep(left + Duration::from_micros(1));
            assert!(limiter.check().is_ok());
        }
    }
}

#[test]
fn moments_never_go_back() {
    let mut last = SteadyClock.now();
    for _ in 0..100_000 {
        let now = SteadyClock.now();
        assert!(now >= last);
        assert_eq!(last.duration_since(now).as_u64(), 0);
        last = now;
    }
}

/// What one thread has handed over is not later than what another reads then.
#[test]
fn moments_of_threads_never_go_back() {
    let (last, step_back) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..300_000 {
                    let seen = last.load(Ordering::Acquire);
                    let now = SteadyClock.now().as_u64();
                    step_back.fetch_max(seen.saturating_sub(now), Ordering::Relaxed);
                    last.store(now, Ordering::Release);
                }
            });
        }
    });
    assert_eq!(step_back.into_inner(), 0);
}
