//! What keeps the kernel's clock synchronised, from adjtimex(2). Nothing is set.

use chronoscope_model::comparison::Discipline;

/// The kernel's answer, or `None` if it gives none: a sandbox may not have the call.
pub fn read() -> Option<Discipline> {
    // SAFETY: timex is made of numbers, for which zero is valid. Its field `modes` is then zero,
    // which asks for everything and sets nothing.
    let mut found: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the call fills the structure, which outlives it.
    let state = unsafe { libc::adjtimex(&raw mut found) };
    (state >= 0).then(|| put(&found))
}

/// In this project's units.
#[allow(
    clippy::useless_conversion,
    reason = "the fields have 32 bits on some targets"
)]
fn put(found: &libc::timex) -> Discipline {
    const US: f64 = 1e3;
    // `freq` is in parts per million with a fraction of 16 bits. `tick` is the length of one of 100
    // ticks per second in microseconds, which chronyd changes for large corrections.
    let tick = i64::from(found.tick) as f64 / 10_000.0;
    let freq = i64::from(found.freq) as f64 / 65_536.0;
    Discipline {
        synchronised: found.status & libc::STA_UNSYNC == 0,
        max_error_ns: i64::from(found.maxerror).max(0) as f64 * US,
        estimated_error_ns: i64::from(found.esterror).max(0) as f64 * US,
        correction_ppm: freq + (tick - 1.0) * 1e6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_units_are_converted() {
        // SAFETY: as in `read`.
        let mut found: libc::timex = unsafe { std::mem::zeroed() };
        (found.maxerror, found.esterror) = (1_500, 20);
        (found.freq, found.tick) = (-65_536 * 12 - 32_768, 10_000);
        let seen = put(&found);
        assert!(seen.synchronised);
        assert_eq!((seen.max_error_ns, seen.estimated_error_ns), (1.5e6, 2e4));
        assert_eq!(seen.correction_ppm, -12.5);
        (found.status, found.tick) = (libc::STA_UNSYNC, 10_001);
        let seen = put(&found);
        assert!(!seen.synchronised && (seen.correction_ppm - 87.5).abs() < 1e-6);
    }

    #[test]
    fn asking_sets_nothing() {
        let (first, second) = (read(), read());
        assert_eq!(
            first.map(|it| it.synchronised),
            second.map(|it| it.synchronised)
        );
    }
}
