//! What a header in another language needs to read the clock by itself.

use std::sync::atomic::AtomicU8;

use super::{COUNTER, Clock, STOP};

impl Clock {
    /// The bit of [`Clock::mode_byte`] that allows reading the counter.
    #[doc(hidden)]
    pub const READS_COUNTER: u8 = COUNTER;

    /// The bit that allows reading it with the instruction for the end of a region.
    #[doc(hidden)]
    pub const READS_STOP: u8 = STOP;

    /// What decides how each read is done. It is for `chronoscope-capi`, whose inline reads check
    /// the same byte as the library's own, so that they never disagree about the source.
    #[doc(hidden)]
    pub fn mode_byte(&self) -> &AtomicU8 {
        &self.mode
    }
}
