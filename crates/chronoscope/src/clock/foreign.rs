//! What a header in another language needs to read the clock by itself.

use std::sync::atomic::{AtomicU8, Ordering};

use super::{COUNTER, Clock, STOP};
use crate::machine::Native;

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

    /// What a read of the counter returns, if it may be made in the way of this bit. A library for
    /// C must not be cancelled in what it calls otherwise.
    #[doc(hidden)]
    #[inline(always)]
    pub fn if_counted(&self, way: u8, read: impl FnOnce(&Native) -> u64) -> Option<u64> {
        let counted = self.mode.load(Ordering::Acquire) & way != 0;
        counted.then(|| read(&self.machine))
    }
}
