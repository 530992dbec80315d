//! The cost of a call: a timestamp, a line, a span, a check of a rate limiter.

use std::fmt;
use std::hint::black_box;
use std::io;
use std::num::NonZeroU32;
use std::sync::LazyLock;

use chronoscope_adapters::governor::SteadyClock;
use chronoscope_adapters::tracing_subscriber::{SpanTimes, WallTime};
use governor::clock::{Clock, MonotonicClock, QuantaClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tracing::{Dispatch, dispatcher, info, info_span};
use tracing_subscriber::fmt::format::{FmtSpan, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::prelude::*;

use crate::interleave::{Cost, Entry, compare};

const CALLS: u32 = 200;

/// Takes what is written, as the line of an event does, and drops it.
struct Sink;

impl fmt::Write for Sink {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        black_box(text);
        Ok(())
    }
}

fn stamp(timer: &impl FormatTime, calls: u32) {
    for _ in 0..calls {
        let _ = timer.format_time(&mut Writer::new(&mut Sink));
    }
}

/// A timestamp, written to nowhere.
pub fn stamps(rounds: usize) -> Vec<Cost> {
    let entries = [
        Entry { name: "SystemTime, microseconds", batch: |calls| stamp(&SystemTime, calls) },
        Entry { name: "WallTime, nanoseconds", batch: |calls| stamp(&WallTime, calls) },
    ];
    compare(&entries, rounds, CALLS)
}

/// Events of the subscriber that writes lines.
fn events(of: &LazyLock<Dispatch>, calls: u32) {
    dispatcher::with_default(of, || (0..calls).for_each(|call| info!(call, "done")));
}

/// Spans that are made, entered, left and closed.
fn enter(of: &LazyLock<Dispatch>, calls: u32) {
    dispatcher::with_default(of, || {
        for _ in 0..calls {
            info_span!("span").in_scope(|| black_box(()));
        }
    });
}

/// A line with a timestamp, to nowhere.
pub fn lines(rounds: usize) -> Vec<Cost> {
    fn writes(timer: impl FormatTime + Send + Sync + 'static) -> Dispatch {
        tracing_subscriber::fmt().with_writer(io::sink).with_timer(timer).into()
    }
    static THEIRS: LazyLock<Dispatch> = LazyLock::new(|| writes(SystemTime));
    static OURS: LazyLock<Dispatch> = LazyLock::new(|| writes(WallTime));
    static NONE: LazyLock<Dispatch> = LazyLock::new(|| writes(()));
    let entries = [
        Entry { name: "with SystemTime", batch: |calls| events(&THEIRS, calls) },
        Entry { name: "with WallTime", batch: |calls| events(&OURS, calls) },
        Entry { name: "without a timestamp", batch: |calls| events(&NONE, calls) },
    ];
    compare(&entries, rounds, CALLS)
}

/// A span whose time is known in the end.
pub fn spans(rounds: usize) -> Vec<Cost> {
    static THEIRS: LazyLock<Dispatch> = LazyLock::new(|| {
        let lines = tracing_subscriber::fmt().with_writer(io::sink).without_time();
        lines.with_span_events(FmtSpan::CLOSE).into()
    });
    static OURS: LazyLock<Dispatch> = LazyLock::new(|| {
        let times = SpanTimes::new(|_, time| {
            black_box(time);
        });
        tracing_subscriber::registry().with(times).into()
    });
    static NONE: LazyLock<Dispatch> = LazyLock::new(|| tracing_subscriber::registry().into());
    let entries = [
        Entry { name: "a line of `FmtSpan::CLOSE`", batch: |calls| enter(&THEIRS, calls) },
        Entry { name: "a call by `SpanTimes`", batch: |calls| enter(&OURS, calls) },
        Entry { name: "not reported", batch: |calls| enter(&NONE, calls) },
    ];
    compare(&entries, rounds, CALLS)
}

type Limiter<C> = RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;

fn limiter<C: Clock>(clock: C) -> Limiter<C> {
    RateLimiter::direct_with_clock(Quota::per_second(NonZeroU32::MAX), clock)
}

fn check<C: Clock>(limiter: &Limiter<C>, calls: u32) {
    for _ in 0..calls {
        let _ = black_box(limiter.check());
    }
}

/// A check of a rate limiter that allows it.
pub fn checks(rounds: usize) -> Vec<Cost> {
    static QUANTA: LazyLock<Limiter<QuantaClock>> =
        LazyLock::new(|| limiter(QuantaClock::default()));
    static STD: LazyLock<Limiter<MonotonicClock>> = LazyLock::new(|| limiter(MonotonicClock));
    static OURS: LazyLock<Limiter<SteadyClock>> = LazyLock::new(|| limiter(SteadyClock));
    let entries = [
        Entry { name: "`QuantaClock`, the default", batch: |calls| check(&QUANTA, calls) },
        Entry { name: "`SteadyClock`", batch: |calls| check(&OURS, calls) },
        Entry { name: "`MonotonicClock`", batch: |calls| check(&STD, calls) },
    ];
    compare(&entries, rounds, CALLS)
}
