//! How late timers of a millisecond end, and the CPU time that they take.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use chronoscope::{Clock, Instant, wait};
use chronoscope_adapters::embassy::Driver;
// Registers the driver that its feature `std` selects.
use embassy_time as _;
use embassy_time_driver::{Driver as _, TICK_HZ};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

const TIME: Duration = Duration::from_millis(1);

/// Overshoot and CPU time of a wait, in nanoseconds.
#[derive(Serialize)]
pub struct Row {
    name: &'static str,
    p50_ns: u128,
    p90_ns: u128,
    p99_ns: u128,
    /// Of all threads of the process, on average.
    cpu_ns: i64,
}

fn cpu_ns() -> i64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Waits that take turns, in random order within each round.
fn compare(waits: &[(&'static str, fn())], rounds: usize) -> Vec<Row> {
    let mut order: Vec<usize> = (0..waits.len()).collect();
    let mut late = vec![Vec::with_capacity(rounds); waits.len()];
    let mut cpu = vec![0; waits.len()];
    for _ in 0..rounds {
        fastrand::shuffle(&mut order);
        for &at in &order {
            let (before, start) = (cpu_ns(), Instant::now_ordered());
            waits[at].1();
            // A rate that was corrected meanwhile must not make it negative.
            late[at].push(start.elapsed().saturating_sub(TIME).as_nanos());
            cpu[at] += cpu_ns() - before;
        }
    }
    let mut rows = Vec::new();
    for ((&(name, _), mut late), cpu) in waits.iter().zip(late).zip(cpu) {
        late.sort_unstable();
        let [p50_ns, p90_ns, p99_ns] = [50, 90, 99].map(|percent| late[rounds * percent / 100]);
        rows.push(Row { name, p50_ns, p90_ns, p99_ns, cpu_ns: cpu / rounds as i64 });
    }
    rows
}

/// async-io's timer, ours, and the sleep that a thread ends.
pub fn async_io(rounds: usize) -> Vec<Row> {
    use chronoscope_adapters::async_io::Timer;
    let waits: [(_, fn()); 3] = [
        ("`async_io::Timer`", || _ = async_io::block_on(async_io::Timer::after(TIME))),
        ("ours", || _ = async_io::block_on(Timer::after(TIME))),
        ("a task that a thread wakes", || async_io::block_on(chronoscope_tokio::sleep(TIME))),
    ];
    compare(&waits, rounds)
}

static DRIVER: Driver = Driver::new();

/// embassy's driver for hosts, which is the registered one, and ours.
pub fn embassy(rounds: usize) -> Vec<Row> {
    DRIVER.start(Clock::global().scale());
    let waits: [(_, fn()); 2] = [
        ("embassy-time's `std`", || {
            use embassy_time_driver::{now, schedule_wake};
            run(timer(now, schedule_wake), thread::park);
        }),
        ("ours, polled", || {
            let timer = timer(|| DRIVER.now(), |at, waker| DRIVER.schedule_wake(at, waker));
            run(timer, || {
                if let Some(next) = DRIVER.poll() {
                    let ticks = next.saturating_sub(DRIVER.now());
                    wait::sleep(Duration::from_nanos(ticks * (1_000_000_000 / TICK_HZ)));
                }
            });
        }),
    ];
    compare(&waits, rounds)
}

/// What embassy's `Timer` asks of a driver. It rounds up to ticks, and adds one for that
/// in progress.
fn timer(now: impl Fn() -> u64, wake: impl Fn(u64, &Waker)) -> impl Future<Output = ()> {
    let ticks = TIME.as_nanos() as u64 * TICK_HZ / 1_000_000_000;
    let end = now() + ticks + 1;
    poll_fn(move |context| {
        if now() >= end {
            return Poll::Ready(());
        }
        wake(end, context.waker());
        Poll::Pending
    })
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs one task, and calls `idle` while it waits.
fn run(task: impl Future<Output = ()>, idle: impl Fn()) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut task = pin!(task);
    while task.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
        idle();
    }
}
