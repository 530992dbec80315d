//! A calibration that is maintained in the background.

use std::time::{Duration, Instant};

use chronoscope::Clock;

/// However short the period, the thread does not check all the time.
#[test]
fn a_keeper_checks_no_more_often_than_is_useful() {
    static CLOCK: Clock = Clock::new();
    let before = CLOCK.describe();
    let start = Instant::now();
    let keeper = CLOCK.keep(Duration::ZERO).unwrap();
    std::thread::sleep(Duration::from_millis(30));
    drop(keeper);
    let millis = start.elapsed().as_millis();
    let after = CLOCK.describe();
    let looks = u64::from(after.samples.saturating_sub(before.samples)) + after.rejected;
    // The check in progress when the keeper was dropped, and one that a jump led to.
    assert!(u128::from(looks) <= millis + 2, "{looks} in {millis} ms");
}
