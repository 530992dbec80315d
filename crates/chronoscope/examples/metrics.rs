//! Records durations in a histogram of `metrics`, with any recorder; the one installed here prints
//! them.

use std::sync::Arc;

use chronoscope::Instant;
use metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
    histogram,
};

/// Records the time from its creation to its end, in seconds, as `metrics` recommends.
struct Timed {
    start: Instant,
    into: Histogram,
}

impl Timed {
    fn new(into: Histogram) -> Self {
        let start = Instant::now();
        Self { start, into }
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        self.into.record(self.start.elapsed());
    }
}

fn main() {
    if metrics::set_global_recorder(Print).is_err() {
        eprintln!("a recorder is already installed");
    }
    for n in [1_000, 1_000_000u64] {
        let _timed = Timed::new(histogram!("sum_seconds", "n" => n.to_string()));
        std::hint::black_box((0..n).map(std::hint::black_box).sum::<u64>());
    }
}

/// A recorder that prints.
struct Print;

struct Line(Key);

impl HistogramFn for Line {
    fn record(&self, seconds: f64) {
        println!("{}: {:.9} s", self.0, seconds);
    }
}

impl Recorder for Print {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(Arc::new(Line(key.clone())))
    }
}
