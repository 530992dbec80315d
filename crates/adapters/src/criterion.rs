//! A measurement for criterion.

use std::time::Duration;

use chronoscope::Instant;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};

/// Times from [`Instant::start`] to [`Instant::stop`], in place of criterion's `WallTime`: what is
/// timed neither begins before the first read nor goes on after the second.
///
/// Reports are as those of `WallTime`, and benchmarks with `iter_custom` need no change.
///
/// ```
/// use chronoscope_adapters::criterion::CounterTime;
/// use criterion::Criterion;
/// fn bench(criterion: &mut Criterion<CounterTime>) {
///     criterion.bench_function("sum", |bencher| bencher.iter(|| (0..100).sum::<u64>()));
/// }
/// criterion::criterion_group! {
///     name = benches;
///     config = Criterion::default().with_measurement(CounterTime);
///     targets = bench
/// }
/// # let _ = benches;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CounterTime;

impl Measurement for CounterTime {
    type Intermediate = Instant;
    type Value = Duration;

    fn start(&self) -> Instant {
        Instant::start()
    }

    fn end(&self, start: Instant) -> Duration {
        Instant::stop().duration_since(start)
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}
