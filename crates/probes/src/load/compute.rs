//! Plain computation, which is the same on every system.

use std::hint::black_box;

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
