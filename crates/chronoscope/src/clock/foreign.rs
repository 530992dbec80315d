//! What a header in another language needs in order to read the clock by itself.

use std::sync::atomic::AtomicU8;

use super::{COUNTER, Clock, STOP};

impl Clock {
    /// The bit of [`Clock::mode_byte`] that lets the counter be read.
    #[doc(hidden)]
    pub const READS_COUNTER: u8 = COUNTER;

    /// The bit that lets it be read by the instruction for the end of a region.
    #[doc(hidden)]
    pub const READS_STOP: u8 = STOP;

    /// What decides at each read how it is done. It is for `chronoscope-capi`, whose inline reads
    /// look at the same byte as ours, so that they never disagree about the source.
    #[doc(hidden)]
    pub fn mode_byte(&self) -> &AtomicU8 {
        &self.mode
    }
}
