//! Whether a test has paused tokio's clock.

/// tokio does not report this, but a clock that runs advances within a microsecond. It is checked
/// only with the feature, that is, in tests.
#[cfg(feature = "test-util")]
pub fn paused() -> bool {
    let (theirs, ours) = (tokio::time::Instant::now(), chronoscope::Instant::now());
    while ours.elapsed_ns() < 1000 {
        std::hint::spin_loop();
    }
    tokio::time::Instant::now() == theirs
}

/// Without tokio's feature there is no way to pause.
#[cfg(not(feature = "test-util"))]
pub fn paused() -> bool {
    false
}
