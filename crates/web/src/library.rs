//! What a test calls to time a page by the library.

use chronoscope::{Bounded, Instant};
use std::cell::Cell;

thread_local! {
    static START: Cell<Option<Instant>> = const { Cell::new(None) };
    static LAST: Cell<(u64, &str)> = const { Cell::new((0, "")) };
}

/// Begins.
#[unsafe(no_mangle)]
pub extern "C" fn start() {
    START.set(Some(Instant::now()));
}

/// Nanoseconds since then.
#[unsafe(no_mangle)]
pub extern "C" fn took() -> f64 {
    let Some(start) = START.get() else { return f64::NAN };
    let Bounded { ns, bound_ns, clock, .. } = start.elapsed_bounded();
    LAST.set((bound_ns, clock));
    ns as f64
}

/// How far that may be off, in nanoseconds.
#[unsafe(no_mangle)]
pub extern "C" fn bound() -> f64 {
    LAST.get().0 as f64
}

/// Whether that was by the clock of browsers.
#[unsafe(no_mangle)]
pub extern "C" fn of_browser() -> bool {
    LAST.get().1 == "performance.now()"
}
