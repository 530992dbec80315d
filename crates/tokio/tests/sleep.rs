//! Sleeps and intervals in real time: never early, whatever else happens.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant as StdInstant};

use chronoscope::Instant;
use chronoscope_tokio::{BadPeriod, HANDOVER, Missed, Sleep, interval, sleep, sleep_until};

const MICRO: Duration = Duration::from_micros(1);
const MILLI: Duration = Duration::from_millis(1);

/// Lengths for each way through a sleep.
fn lengths() -> [Duration; 6] {
    [Duration::ZERO, MICRO, 70 * MICRO, MILLI, HANDOVER + 50 * MICRO, 3 * HANDOVER]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sleep_is_never_early() {
    let tasks: Vec<_> = (0..40)
        .flat_map(|i| lengths().map(|length| length + i * 13 * MICRO))
        .enumerate()
        .map(|(i, length)| {
            tokio::spawn(async move {
                let (ours, theirs) = (Instant::now_ordered(), StdInstant::now());
                let sleep = sleep(length);
                let deadline = sleep.deadline();
                assert!(deadline >= ours);
                match i % 2 {
                    0 => sleep.await,
                    _ => sleep.spinning(40 * MICRO).await,
                }
                assert!(theirs.elapsed() >= length);
                assert!(Instant::now_ordered() >= deadline);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_moment_that_has_passed_is_not_waited_for() {
    let now = Instant::now();
    sleep_until(now).await;
    sleep_until(now.saturating_sub(MILLI)).await;
    sleep(Duration::ZERO).await;
}

#[tokio::test]
async fn an_endless_sleep_can_be_cancelled() {
    tokio::select! {
        () = sleep(Duration::MAX) => unreachable!(),
        () = sleep(MILLI) => {}
    }
}

/// Counts how often it is woken.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn poll(sleep: Pin<&mut Sleep>, count: &Arc<Count>) -> Poll<()> {
    sleep.poll(&mut Context::from_waker(&Waker::from(Arc::clone(count))))
}

/// A future may move to another task between polls, and only the last one is woken.
#[test]
fn the_last_waker_is_woken() {
    let counts = [(); 3].map(|()| Arc::new(Count::default()));
    let mut sleep = pin!(sleep(2 * MILLI));
    for count in &counts {
        if poll(sleep.as_mut(), count).is_ready() {
            // This test was held up for longer than the sleep.
            return;
        }
    }
    while counts[2].0.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    assert!(poll(sleep, &counts[2]).is_ready());
    assert_eq!(counts[0].0.load(Ordering::SeqCst), 0);
    assert_eq!(counts[1].0.load(Ordering::SeqCst), 0);
}

/// Deadlines that arrive later, and are earlier, are not held up by one that is waited for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn later_sleeps_may_end_earlier() {
    let long = tokio::spawn(sleep(Duration::from_secs(600)));
    for micros in [50_000, 2_900, 60, 1_200, 20] {
        sleep(micros * MICRO).await;
    }
    assert!(!long.is_finished());
    long.abort();
}

#[tokio::test]
async fn an_interval_keeps_its_grid() {
    let period = 700 * MICRO;
    let mut interval = interval(period).unwrap();
    let start = Instant::now_ordered();
    let mut last = 0;
    for _ in 0..100 {
        let tick = interval.tick().await;
        assert_eq!(tick.number, last + 1 + tick.missed);
        last = tick.number;
        // The beginning of the grid was before `start`, by less than this thread was held up for.
        let since = Instant::now_ordered().duration_since(start) + MILLI;
        assert!(since >= period * u32::try_from(last).unwrap());
    }
}

/// Ticks that are cancelled again and again come all the same, and none is lost.
#[tokio::test]
async fn a_cancelled_tick_is_not_lost() {
    let mut interval = interval(2 * MILLI).unwrap();
    interval.set_missed(Missed::Burst);
    let mut number = 0;
    while number < 20 {
        tokio::select! {
            tick = interval.tick() => {
                number += 1;
                assert_eq!((tick.number, tick.missed), (number, 0));
            }
            () = sleep(300 * MICRO) => {}
        }
    }
}

#[tokio::test]
async fn missed_points_are_treated_as_wanted() {
    for missed in [Missed::Burst, Missed::Delay, Missed::Skip] {
        let mut interval = interval(MILLI).unwrap();
        interval.set_missed(missed);
        std::thread::sleep(5 * MILLI);
        let before = StdInstant::now();
        let tick = interval.tick().await;
        if missed == Missed::Burst {
            assert_eq!((tick.number, tick.missed), (1, 0));
            assert!(tick.late >= 3 * MILLI);
        } else {
            assert!(tick.missed >= 3, "{tick:?}");
        }
        let next = interval.tick().await;
        assert_eq!(next.number, tick.number + 1 + next.missed);
        if missed == Missed::Delay {
            // The grid began anew after this. The two clocks may differ slightly.
            assert!(before.elapsed() + 10 * MICRO >= MILLI);
        }
    }
}

#[test]
fn impossible_periods_are_refused() {
    for period in [Duration::ZERO, Duration::MAX] {
        assert_eq!(interval(period).unwrap_err(), BadPeriod(period));
    }
}

/// Sleeps below the hand-over need no timers of tokio, nor its runtime.
#[test]
fn short_sleeps_run_on_any_runtime() {
    let count = Arc::new(Count::default());
    let mut sleep = pin!(sleep(MILLI));
    while poll(sleep.as_mut(), &count).is_pending() {
        std::thread::yield_now();
    }
}
