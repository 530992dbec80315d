//! A measurement for criterion, and a way to time without what was disturbed.

use std::hint::black_box;
use std::time::Duration;

use chronoscope::Instant;
use chronoscope::witness::{Level, Witness};
use criterion::Bencher;
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

/// `iter` without what was disturbed, for `WallTime` and [`CounterTime`].
///
/// ```
/// use chronoscope_adapters::criterion::Undisturbed;
/// use criterion::Criterion;
/// fn bench(criterion: &mut Criterion) {
///     criterion.bench_function("sum", |bencher| {
///         bencher.iter_undisturbed(|| (0..100).sum::<u64>());
///     });
/// }
/// criterion::criterion_group!(benches, bench);
/// # let _ = benches;
/// ```
pub trait Undisturbed {
    /// Times `routine` in parts of some 50 microseconds, each with a [`Witness`]: a part in which
    /// the thread lost its CPU, was moved or handled a signal is run again, up to as many runs as
    /// criterion asks for. Do not use it for what waits.
    fn iter_undisturbed<O>(&mut self, routine: impl FnMut() -> O);
}

impl<M: Measurement<Value = Duration>> Undisturbed for Bencher<'_, M> {
    fn iter_undisturbed<O>(&mut self, mut routine: impl FnMut() -> O) {
        let mut witness = Witness::new(Level::Marks);
        self.iter_custom(|runs| witness.time(runs, || drop(black_box(routine()))).took);
    }
}
