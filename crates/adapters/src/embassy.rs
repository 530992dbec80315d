//! A time driver for embassy, also without an operating system.

use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering};
use core::task::Waker;

use chronoscope::convert::Scale;
use chronoscope::counter;
use critical_section::Mutex;
use embassy_time_driver::TICK_HZ;
use embassy_time_queue_utils::Queue;

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// The processor's counter as embassy's clock, whose timers end when [`Driver::poll`] is called.
///
/// It has neither a thread nor an interrupt, so whatever the executor does while it is idle must
/// call `poll`: a loop on a core of its own, or the handler of a timer that is set for the moment
/// that `poll` returns. Without the features of the other adapters it needs no operating system, on
/// x86-64 and AArch64, whose counter programs can read. On a host it works for other processors
/// too.
///
/// Before [`Driver::start`], it is zero o'clock.
///
/// ```
/// use chronoscope_adapters::embassy::Driver;
/// embassy_time_driver::time_driver_impl!(static DRIVER: Driver = Driver::new());
/// DRIVER.start(chronoscope::Clock::global().scale());
/// let start = embassy_time::Instant::now();
/// while start.elapsed() < embassy_time::Duration::from_micros(50) {}
/// assert_eq!(DRIVER.poll(), None); // no timer
/// ```
#[derive(Debug)]
pub struct Driver {
    queue: Mutex<RefCell<Queue>>,
    /// The [`Scale::multiplier`] of the counter; zero before the start.
    multiplier: AtomicU64,
}

impl Default for Driver {
    fn default() -> Self {
        Self::new()
    }
}

impl Driver {
    /// Makes a driver, to be registered by `embassy_time_driver::time_driver_impl`.
    ///
    /// ```
    /// use chronoscope_adapters::embassy::Driver;
    /// use embassy_time_driver::Driver as _;
    /// assert_eq!(Driver::new().now(), 0);
    /// ```
    pub const fn new() -> Self {
        let queue = Mutex::new(RefCell::new(Queue::new()));
        Self { queue, multiplier: AtomicU64::new(0) }
    }

    /// Begins with the counter's rate, which is not determined here: without an operating system
    /// there is no other clock to compare it with. On AArch64 it is in `CNTFRQ_EL0`, on many x86-64
    /// in leaf 15h of CPUID. A second call does nothing, because time must not go back.
    ///
    /// ```
    /// use chronoscope::convert::Scale;
    /// use chronoscope_adapters::embassy::Driver;
    /// let driver = Driver::new();
    /// driver.start(Scale::from_hz(62_500_000).unwrap());
    /// ```
    pub fn start(&self, counter: Scale) {
        let (multiplier, order) = (counter.multiplier(), Ordering::Relaxed);
        let _ = self.multiplier.compare_exchange(0, multiplier, order, order);
    }

    /// Wakes the tasks whose time has come, and returns the moment of the next in embassy's ticks;
    /// `None` if no task waits.
    ///
    /// ```
    /// use chronoscope_adapters::embassy::Driver;
    /// assert_eq!(Driver::new().poll(), None);
    /// ```
    pub fn poll(&self) -> Option<u64> {
        use embassy_time_driver::Driver as _;
        let next =
            critical_section::with(|cs| self.queue.borrow_ref_mut(cs).next_expiration(self.now()));
        (next != u64::MAX).then_some(next)
    }
}

impl embassy_time_driver::Driver for Driver {
    fn now(&self) -> u64 {
        let multiplier = self.multiplier.load(Ordering::Relaxed);
        let Some(counter) = Scale::from_multiplier(multiplier) else { return 0 };
        let ns = counter.ns(counter::now_ordered());
        if NANOS_PER_SEC.is_multiple_of(TICK_HZ) {
            return ns / (NANOS_PER_SEC / TICK_HZ);
        }
        (u128::from(ns) * u128::from(TICK_HZ) / u128::from(NANOS_PER_SEC)) as u64
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|cs| self.queue.borrow_ref_mut(cs).schedule_wake(at, waker));
    }
}
