//! Sleeps while a test has paused tokio's clock.

use std::time::Duration;

use chronoscope_tokio::sleep;
use tokio::time::Instant as Theirs;

const HOUR: Duration = Duration::from_secs(3600);

/// Also without the feature, as the sleep is longer than what is handed over.
#[tokio::test(start_paused = true)]
async fn a_long_sleep_ends_at_once() {
    let (start, real) = (Theirs::now(), std::time::Instant::now());
    sleep(HOUR).await;
    assert!(start.elapsed() >= HOUR);
    assert!(real.elapsed() < HOUR / 2);
}

#[cfg(feature = "test-util")]
mod with_the_feature {
    use super::*;
    use chronoscope_tokio::{Missed, interval, sleep_until};
    use std::time::Instant;

    /// tokio rounds to milliseconds.
    const TICK: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn sleeps_end_in_the_order_of_their_deadlines() {
        let start = Theirs::now();
        let (send, mut ended) = tokio::sync::mpsc::unbounded_channel();
        for millis in [5000, 2, 70, 900] {
            let send = send.clone();
            tokio::spawn(async move {
                sleep(Duration::from_millis(millis)).await;
                send.send(millis).unwrap();
            });
        }
        for expected in [2, 70, 900, 5000] {
            assert_eq!(ended.recv().await, Some(expected));
            let late = start.elapsed() - Duration::from_millis(expected);
            assert!(late <= TICK, "{late:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_moment_is_as_far_away_as_it_was() {
        let start = Theirs::now();
        sleep_until(chronoscope::Instant::now() + HOUR).await;
        // The moment came closer while this thread was held up.
        assert!(start.elapsed() >= HOUR - HOUR / 10 && start.elapsed() <= HOUR + TICK);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tick_comes_every_period() {
        let (start, real) = (Theirs::now(), Instant::now());
        for missed in [Missed::Burst, Missed::Delay, Missed::Skip] {
            let mut hours = interval(HOUR).unwrap();
            hours.set_missed(missed);
            for number in 1..=100 {
                let before = Theirs::now();
                let tick = hours.tick().await;
                assert_eq!((tick.number, tick.missed), (number, 0));
                assert!(before.elapsed() + TICK >= HOUR && before.elapsed() <= HOUR + TICK);
            }
        }
        assert!(start.elapsed() >= 299 * HOUR);
        assert!(real.elapsed() < HOUR);
    }

    #[tokio::test]
    async fn a_clock_that_runs_is_not_taken_for_a_paused_one() {
        for _ in 0..50 {
            let (start, real) = (Theirs::now(), Instant::now());
            sleep(Duration::from_micros(1500)).await;
            assert!(real.elapsed() >= Duration::from_micros(1500));
            assert!(start.elapsed() >= Duration::from_micros(1500));
        }
    }

    #[tokio::test]
    async fn a_clock_can_be_paused_between_sleeps() {
        sleep(TICK).await;
        tokio::time::pause();
        let real = Instant::now();
        sleep(HOUR).await;
        assert!(real.elapsed() < HOUR);
        tokio::time::resume();
        let real = Instant::now();
        sleep(TICK).await;
        assert!(real.elapsed() >= TICK);
    }
}
