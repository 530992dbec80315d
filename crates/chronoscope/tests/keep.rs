//! A calibration that is kept in the background.

use std::time::{Duration, Instant};

use chronoscope::Clock;

/// However short a period is asked for, the thread has something else to do than to look.
#[test]
fn a_keeper_looks_no_more_often_than_is_good_for_anything() {
    static CLOCK: Clock = Clock::new();
    let before = CLOCK.describe();
    let start = Instant::now();
    let keeper = CLOCK.keep(Duration::ZERO).unwrap();
    std::thread::sleep(Duration::from_millis(30));
    drop(keeper);
    let millis = start.elapsed().as_millis();
    let after = CLOCK.describe();
    let looks = u64::from(after.samples.saturating_sub(before.samples)) + after.rejected;
    // The one that was under way when the keeper was dropped, and one that a jump led to.
    assert!(u128::from(looks) <= millis + 2, "{looks} in {millis} ms");
}
