//! The clocks of a system of which only what the standard library offers is known, and those of a
//! browser, of which the standard library knows nothing.

pub use time::{NAME, WALL_STEP, monotonic, sleep_until, wall};

#[cfg(not(all(feature = "web", target_arch = "wasm32", target_os = "unknown")))]
mod time {
    use std::sync::OnceLock;
    use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

    pub const NAME: &str = "std::time::Instant";

    /// No current system has a coarser time than POSIX' `gettimeofday`.
    pub const WALL_STEP: u64 = 1000;

    /// Nanoseconds since the first read.
    pub fn monotonic() -> u64 {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub fn wall() -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    pub fn sleep_until(_deadline: u64, remaining: u64) {
        std::thread::sleep(Duration::from_nanos(remaining));
    }
}

#[cfg(all(feature = "web", target_arch = "wasm32", target_os = "unknown"))]
mod time {
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance, js_name = now)]
        fn performance_now() -> f64;
        #[wasm_bindgen(js_namespace = Date, js_name = now)]
        fn date_now() -> f64;
    }

    pub const NAME: &str = "performance.now()";

    /// `Date.now()` returns whole milliseconds, which browsers may move by one.
    pub const WALL_STEP: u64 = 2_000_000;

    /// Nanoseconds since the page or the worker began. The cast saturates.
    pub fn monotonic() -> u64 {
        (performance_now() * 1e6) as u64
    }

    pub fn wall() -> u64 {
        (date_now() * 1e6) as u64
    }

    /// The thread of a page may not block, so it spins.
    pub fn sleep_until(deadline: u64, _remaining: u64) {
        while monotonic() < deadline {
            std::hint::spin_loop();
        }
    }
}

/// How far a read may be off, in nanoseconds: elsewhere than in WebAssembly, the unit.
#[cfg(not(target_arch = "wasm32"))]
pub fn step() -> u64 {
    1
}

/// How far a read may be off, in nanoseconds. An engine of WebAssembly may make its clock coarse,
/// and says nowhere how coarse: a browser to between 5 us and 1 ms, and at moments that it moves by
/// up to a step either way. So it is twice the smallest of a few changes, which the first call
/// waits for.
#[cfg(target_arch = "wasm32")]
pub fn step() -> u64 {
    use std::sync::OnceLock;

    /// Two of them do not lie closer together than a step.
    const CHANGES: usize = 5;
    /// A clock that does not change in so many reads stands still; a second is then the step.
    const READS: u32 = 20_000_000;
    const STILL: u64 = 1_000_000_000;

    static STEP: OnceLock<u64> = OnceLock::new();
    *STEP.get_or_init(|| {
        let (mut last, mut least, mut changes) = (monotonic(), STILL, 0);
        for _ in 0..READS {
            let now = monotonic();
            if now != last {
                least = least.min(now.abs_diff(last));
                (last, changes) = (now, changes + 1);
            }
            if changes == CHANGES {
                break;
            }
        }
        least.saturating_mul(2)
    })
}
