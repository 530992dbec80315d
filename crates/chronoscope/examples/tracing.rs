//! Adds timestamps from `Wall` to the lines of `tracing`: with all digits of the clock, at the cost
//! of a read of the counter.

use std::fmt;
use std::time::Duration;

use chronoscope::{Instant, Wall};
use tracing::{info, info_span};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

/// Seconds since 1970, to the nanosecond.
struct WallTime;

impl FormatTime for WallTime {
    fn format_time(&self, line: &mut Writer<'_>) -> fmt::Result {
        let now = Duration::from_nanos(Wall::now());
        write!(line, "{}.{:09}", now.as_secs(), now.subsec_nanos())
    }
}

fn main() {
    tracing_subscriber::fmt().with_timer(WallTime).init();
    let _span = info_span!("work").entered();
    let start = Instant::now();
    let sum: u64 = (0..1_000_000).sum();
    info!(sum, elapsed_ns = start.elapsed_ns(), "done");
}
