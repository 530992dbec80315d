//! Which process this is: its ID, which is a number of its own as long as its ancestors live.

/// A number that differs from that of every living process that this one was forked from; never
/// zero.
pub fn number() -> u64 {
    // Nothing forks there, and the standard library has no number.
    if cfg!(target_family = "wasm") {
        return 1;
    }
    u64::from(std::process::id()).max(1)
}
