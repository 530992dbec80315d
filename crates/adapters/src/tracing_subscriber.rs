//! Timestamps of lines and times of spans for tracing-subscriber.

use std::fmt;
use std::time::Duration;

use chronoscope::{Bounded, Instant};
use jiff::Timestamp;
use tracing_core::span::{Attributes, Id};
use tracing_core::{Metadata, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

/// Writes the wall clock's time in UTC by RFC 3339, with nanoseconds:
/// `2026-11-25T22:13:48.646010651Z`.
///
/// The time is that of [`chronoscope::Wall::now`], which follows a step of the system's clock
/// within 100 ms and may go back by some nanoseconds.
///
/// ```
/// use chronoscope_adapters::tracing_subscriber::WallTime;
/// tracing_subscriber::fmt().with_timer(WallTime).init();
/// tracing::info!("on time");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct WallTime;

impl FormatTime for WallTime {
    fn format_time(&self, line: &mut Writer<'_>) -> fmt::Result {
        write!(line, "{:.9}", Timestamp::from(chronoscope::WallTime::now()))
    }
}

/// How long ago the last check of the clock may be when a span closes, before another is made.
const CHECKED: Duration = Duration::from_millis(10);

/// How long a span took.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SpanTime {
    /// From when the span was made until it was closed, with the bound of its error. The clock is
    /// checked if the last check is more than 10 ms old; see
    /// [`chronoscope::Instant::elapsed_bounded_within`].
    pub total: Bounded,
    /// How long at least one thread was inside.
    pub busy: Duration,
}

/// A layer that reports how long each span took, when it is closed. A subscriber may have one.
///
/// ```
/// use chronoscope_adapters::tracing_subscriber::SpanTimes;
/// use tracing_subscriber::prelude::*;
/// let times = SpanTimes::new(|span, time| {
///     println!("{}: {} ± {} ns", span.name(), time.total.ns, time.total.bound_ns);
/// });
/// tracing_subscriber::registry().with(times).init();
/// tracing::info_span!("request").in_scope(|| println!("answered"));
/// ```
#[derive(Debug)]
pub struct SpanTimes<F>(F);

impl<F: Fn(&'static Metadata<'static>, SpanTime)> SpanTimes<F> {
    /// Makes a layer that calls `report` in the thread that closes a span.
    ///
    /// ```
    /// use chronoscope_adapters::tracing_subscriber::SpanTimes;
    /// let _layer = SpanTimes::new(|span, time| println!("{}: {:?}", span.name(), time.busy));
    /// ```
    pub fn new(report: F) -> Self {
        Self(report)
    }
}

/// What is known of a span that is open. Its moments may be compared with those of other threads.
struct Open {
    made: Instant,
    /// When the first of the threads that are inside entered.
    entered: Instant,
    inside: u32,
    busy_ns: u64,
}

impl<S, F> Layer<S> for SpanTimes<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    F: Fn(&'static Metadata<'static>, SpanTime) + 'static,
{
    fn on_new_span(&self, _: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let made = Instant::now_ordered();
            span.extensions_mut().replace(Open { made, entered: made, inside: 0, busy_ns: 0 });
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            if open.inside == 0 {
                open.entered = Instant::now_ordered();
            }
            open.inside += 1;
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            open.inside = open.inside.saturating_sub(1);
            if open.inside == 0 {
                open.busy_ns += Instant::now_ordered().ns_since(open.entered);
            }
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let open = span.extensions_mut().remove::<Open>();
        if let Some(Open { made, busy_ns, .. }) = open {
            let total = made.elapsed_bounded_within(CHECKED);
            (self.0)(span.metadata(), SpanTime { total, busy: Duration::from_nanos(busy_ns) });
        }
    }
}
