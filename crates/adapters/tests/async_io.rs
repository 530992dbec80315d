//! A timer is never early, and a dropped one is cancelled.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use async_io::block_on;
use chronoscope_adapters::async_io::{MARGIN, Timer};

const MICRO: Duration = Duration::from_micros(1);

#[test]
fn a_timer_is_never_early() {
    thread::scope(|scope| {
        for i in 0..4 {
            scope.spawn(move || {
                for micros in [0, 1, 59, 61, 300, 1000, 5000] {
                    let time = MICRO * (micros + i);
                    let start = Instant::now();
                    let deadline = block_on(Timer::after(time));
                    assert!(start.elapsed() >= time && deadline >= start + time);
                    let deadline = Instant::now() + time;
                    assert_eq!(block_on(Timer::at(deadline, i * MARGIN)), deadline);
                    assert!(Instant::now() >= deadline);
                }
            });
        }
    });
}

#[test]
fn a_moment_that_has_passed_is_not_waited_for() {
    let now = Instant::now();
    assert_eq!(block_on(Timer::at(now, Duration::MAX)), now);
}

/// Of two timers, the shorter ends, whether the longer has a deadline or not.
#[test]
fn a_longer_timer_is_cancelled() {
    for long in [Duration::from_secs(600), Duration::MAX] {
        let (mut short, mut long) = (pin!(Timer::after(500 * MICRO)), pin!(Timer::after(long)));
        block_on(poll_fn(|context| {
            assert!(long.as_mut().poll(context).is_pending());
            short.as_mut().poll(context).map(drop)
        }));
        assert!(matches!(block_on(poll_fn(|c| Poll::Ready(long.as_mut().poll(c)))), Poll::Pending));
    }
}
