//! criterion with our measurement.

use std::path::Path;
use std::time::Duration;

use chronoscope::{Instant, wait};
use chronoscope_adapters::criterion::{CounterTime, Undisturbed};
use criterion::measurement::Measurement;
use criterion::{BatchSize, Criterion};

#[test]
fn a_time_contains_what_was_timed_and_is_inside_of_what_contains_it() {
    for micros in [1, 50, 1500] {
        let outer = Instant::start();
        let start = CounterTime.start();
        wait::sleep(Duration::from_micros(micros));
        let time = CounterTime.end(start);
        let outer = Instant::stop().duration_since(outer);
        let ns = Duration::from_nanos(1);
        assert!(time + ns >= Duration::from_micros(micros) && time <= outer + ns, "{time:?}");
        assert_eq!(CounterTime.add(&time, &CounterTime.zero()), time);
        assert_eq!(CounterTime.to_f64(&time), time.as_nanos() as f64);
    }
}

/// criterion goes from its warm-up to its estimates with times of ours, in each kind of batch.
#[test]
fn criterion_measures_with_it() {
    let mut calls = 0_u64;
    let mut criterion = Criterion::default()
        .with_measurement(CounterTime)
        .sample_size(10)
        .warm_up_time(Duration::from_millis(5))
        .measurement_time(Duration::from_millis(20))
        .output_directory(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("criterion"));
    criterion.bench_function("iter", |bencher| bencher.iter(|| calls += 1));
    criterion.bench_function("each", |bencher| {
        bencher.iter_batched(|| 1, |one| calls += one, BatchSize::PerIteration);
    });
    assert!(calls > 20);
    let before = calls;
    criterion.bench_function("undisturbed", |bencher| bencher.iter_undisturbed(|| calls += 1));
    assert!(calls > before + 20);
    let formatter = CounterTime.formatter();
    assert_eq!(formatter.format_value(20.0), "20.000 ns");
}
