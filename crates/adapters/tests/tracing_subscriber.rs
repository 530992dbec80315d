//! Timestamps and times of spans are within the bounds that the library states.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use chronoscope::{Instant, Wall, wait};
use chronoscope_adapters::tracing_subscriber::{SpanTime, SpanTimes, WallTime};
use jiff::Timestamp;
use tracing::{info_span, subscriber::with_default};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::prelude::*;

#[test]
fn a_timestamp_is_the_wall_clocks_time_in_rfc_3339() {
    for _ in 0..1000 {
        let before = Wall::now_checked();
        let mut text = String::new();
        WallTime.format_time(&mut Writer::new(&mut text)).unwrap();
        let after = Wall::now_checked();
        assert!(text.len() == "2026-11-25T22:13:48.646010651Z".len(), "{text}");
        let stamp: Timestamp = text.parse().unwrap();
        let stamp = u64::try_from(stamp.as_nanosecond()).unwrap();
        let (error, ends) = (before.tracking.max(after.tracking), (before.now, after.now));
        assert!(stamp + error >= ends.0 && stamp <= ends.1 + error, "{stamp} {ends:?} ± {error}");
    }
}

/// Runs this with the layer, and returns the times of the spans in the order in which they closed.
fn times(run: impl FnOnce()) -> Vec<(&'static str, SpanTime)> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let times = Arc::clone(&seen);
    let layer = SpanTimes::new(move |span, time| times.lock().unwrap().push((span.name(), time)));
    with_default(tracing_subscriber::registry().with(layer), run);
    std::mem::take(&mut seen.lock().unwrap())
}

#[test]
fn a_span_takes_no_less_than_its_content_and_no_more_than_what_contains_it() {
    const CONTENT: Duration = Duration::from_millis(1);
    let (mut inner, mut outer) = (0, 0);
    let times = times(|| {
        let start = Instant::start();
        let span = info_span!("outer");
        span.in_scope(|| {
            info_span!("inner").in_scope(|| {
                let start = Instant::start();
                wait::sleep(CONTENT);
                inner = Instant::stop().ns_since(start);
            });
        });
        wait::sleep(CONTENT);
        drop(span);
        outer = Instant::stop().ns_since(start);
    });
    let [("inner", in_), ("outer", out)] = times[..] else { panic!("{times:?}") };
    // Two times of the same clock differ by a nanosecond of rounding and what their rates may have
    // been corrected by meanwhile.
    let error = in_.total.bound_ns + out.total.bound_ns + 2;
    assert!(in_.total.ns + error >= inner && out.total.ns <= outer + error, "{times:?}");
    for time in [in_, out] {
        assert!(time.busy.as_nanos() as u64 <= time.total.ns + error, "{time:?}");
    }
    let busy = out.busy + CONTENT;
    assert!(in_.busy <= out.busy + Duration::from_nanos(error), "{times:?}");
    assert!(busy.as_nanos() as u64 <= out.total.ns + error, "{times:?}");
}

/// A span that threads enter together and again is busy once, not twice.
#[test]
fn threads_that_are_inside_together_count_once() {
    let times = times(|| {
        let span = info_span!("shared");
        thread::scope(|scope| {
            for _ in 0..2 {
                let subscriber = tracing::dispatcher::get_default(Clone::clone);
                let span = &span;
                scope.spawn(move || {
                    tracing::dispatcher::with_default(&subscriber, || {
                        for _ in 0..20 {
                            let _twice = (span.enter(), span.enter());
                            wait::sleep(Duration::from_micros(100));
                        }
                    });
                });
            }
        });
    });
    let [("shared", time)] = times[..] else { panic!("{times:?}") };
    let error = u128::from(time.total.bound_ns) + 100;
    assert!(time.busy >= Duration::from_millis(2), "{time:?}");
    assert!(time.busy.as_nanos() <= u128::from(time.total.ns) + error, "{time:?}");
}
