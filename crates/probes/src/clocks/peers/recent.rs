//! The thread that keeps the `recent` clocks up to date.

use std::sync::OnceLock;
use std::time::Duration;

/// How often the clocks are set: rarely enough not to disturb the measurement, and about as often
/// as the kernel updates its own coarse clocks.
pub(super) const PERIOD: Duration = Duration::from_millis(10);

/// The period as the clocks' resolution, in nanoseconds.
#[expect(clippy::unnecessary_wraps, reason = "the type that readers take")]
pub(super) fn resolution() -> Option<f64> {
    Some(PERIOD.as_secs_f64() * 1e9)
}

/// Starts the thread that sets the clocks, unless it already runs. The thread ends with the
/// process.
pub(super) fn keep_fresh() -> Result<(), crate::clocks::Unavailable> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    let started = STARTED.get_or_init(|| {
        set();
        let thread = std::thread::Builder::new().name("recent clocks".into());
        let spawned = thread.spawn(|| {
            loop {
                std::thread::sleep(PERIOD);
                set();
            }
        });
        spawned.map(drop).map_err(|error| error.to_string())
    });
    started.clone().map_err(|error| {
        crate::clocks::Unavailable(format!(
            "cannot start the thread that keeps it up to date: {error}"
        ))
    })
}

fn set() {
    quanta::set_recent(quanta::Instant::now());
    coarsetime::Instant::update();
}
