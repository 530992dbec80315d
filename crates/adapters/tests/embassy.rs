//! embassy's timers with our driver, on a small executor that polls it while it is idle.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use chronoscope::Clock;
use chronoscope_adapters::embassy::Driver;
use embassy_time::{Duration, Instant, TICK_HZ, Timer, with_timeout};

embassy_time_driver::time_driver_impl!(static DRIVER: Driver = Driver::new());

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// Must come before the first moment: until then it is zero o'clock.
fn start() {
    DRIVER.start(Clock::global().scale());
}

/// Polls a future whenever it was woken, and returns its output.
fn run<T>(future: impl Future<Output = T>) -> T {
    let woken = Arc::new(Woken(AtomicBool::new(true)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut future = pin!(future);
    loop {
        if woken.0.swap(false, Ordering::Acquire)
            && let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker))
        {
            return output;
        }
        DRIVER.poll();
    }
}

#[test]
fn a_timer_is_never_early() {
    start();
    for micros in [0, 1, 30, 300, 3000] {
        let (start, time) = (Instant::now(), Duration::from_micros(micros));
        run(Timer::after(time));
        assert!(start.elapsed() >= time);
    }
}

#[test]
fn the_shorter_of_two_times_counts() {
    start();
    let long = Timer::after(Duration::from_secs(600));
    assert!(run(with_timeout(Duration::from_millis(1), long)).is_err());
    let short = Timer::after(Duration::from_millis(1));
    assert!(run(with_timeout(Duration::from_secs(600), short)).is_ok());
}

/// embassy's clock does not go back, and advances at the rate of the system's.
#[test]
fn time_passes_as_it_does_elsewhere() {
    start();
    let outer = std::time::Instant::now();
    let start = Instant::now();
    let mut last = start;
    while outer.elapsed().as_millis() < 50 {
        let now = Instant::now();
        assert!(now >= last);
        last = now;
    }
    let (ours, theirs) = (last.duration_since(start).as_micros(), outer.elapsed().as_micros());
    assert!(u128::from(ours) <= theirs + theirs / 1000 + 1, "{ours} {theirs}");
    assert_eq!(TICK_HZ, 1_000_000);
}
