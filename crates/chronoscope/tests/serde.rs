//! What makes sense outside the process can be stored, and comes back as it was.
#![cfg(feature = "serde")]

use std::time::Duration;

use chronoscope::wait::{Effort, Ticker};
use chronoscope::{Bounded, Clock, Instant, Wall, WallInterval, WallTime};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn values_come_back_as_they_were() {
    let interval: WallInterval = Wall::now_bounded();
    assert_eq!(back(&interval), interval);
    for effort in [Effort::Economy, Effort::Balanced, Effort::Precise] {
        assert_eq!(back(&effort), effort);
    }
    let tick = Ticker::new(Duration::from_micros(200)).unwrap().tick();
    assert_eq!(back(&tick), tick);
}

/// A wall time is its nanoseconds, so that other programs can read it.
#[test]
fn a_wall_time_is_a_number() {
    let time = WallTime::from_ns(u64::MAX);
    assert_eq!(serde_json::to_string(&time).unwrap(), u64::MAX.to_string());
    assert_eq!(back(&time), time);
}

#[test]
fn a_bounded_duration_can_be_written() {
    let bounded: Bounded = Instant::now().elapsed_bounded();
    let written = serde_json::to_value(bounded).unwrap();
    assert_eq!(written["ns"], bounded.ns);
    assert_eq!(written["bound_ns"], bounded.bound_ns);
}

#[test]
fn a_description_can_be_written() {
    let description = Clock::global().describe();
    let written = serde_json::to_value(&description).unwrap();
    assert_eq!(written["name"], description.name);
    assert_eq!(written["source"], format!("{:?}", description.source));
}
