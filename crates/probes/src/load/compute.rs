//! Plain computation, which is the same on every system.

use std::hint::black_box;

/// What [`compute`] does, in words.
pub const COMPUTES: &str = "computes for about 20 ms (10 million steps of additions and shifts)";

/// About 20 ms of additions and shifts (a xorshift generator, Marsaglia 2003). It calls nothing, so
/// a child made by fork(2) may run it.
pub fn compute(turn: u64) {
    let mut state = turn | 1;
    for _ in 0..10_000_000u32 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}
