//! Several words that are read together without a lock and without a write.
//!
//! The algorithm is that of H.-J. Boehm, "Can seqlocks get along with programming language memory
//! models?" (MSPC 2012), figure 6: the data are relaxed atomics, and a fence on either side keeps
//! them between the two reads of the version. `tests/loom.rs` runs this file under loom.

use super::sync::{AtomicU64, Ordering, fence, pause};

/// `N` words and the number of changes made to them, doubled; odd while a change is in progress.
pub struct SeqLock<const N: usize> {
    version: AtomicU64,
    words: [AtomicU64; N],
}

impl<const N: usize> SeqLock<N> {
    /// The caller supplies the atomics, because loom's cannot be made in a constant.
    pub const fn new(version: AtomicU64, words: [AtomicU64; N]) -> Self {
        Self { version, words }
    }

    /// Returns the words as one writer left them.
    #[inline(always)]
    pub fn read(&self) -> [u64; N] {
        self.read_first()
    }

    /// Returns the first `K` of the words, as one writer left them.
    ///
    /// Waits while a writer is between its first and last store; writers do nothing else there.
    #[inline(always)]
    pub fn read_first<const K: usize>(&self) -> [u64; K] {
        const { assert!(K <= N) };
        loop {
            if let Some(words) = self.try_read() {
                return words;
            }
            pause();
        }
    }

    /// Returns the words as [`SeqLock::read_first`] does, or `None` if a writer was active.
    #[inline(always)]
    pub fn try_read<const K: usize>(&self) -> Option<[u64; K]> {
        let before = self.version.load(Ordering::Acquire);
        let words = core::array::from_fn(|i| self.words[i].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let after = self.version.load(Ordering::Relaxed);
        (before == after && before & 1 == 0).then_some(words)
    }

    /// Replaces the words. Callers hold the lock of the calibration, so there is only one writer at
    /// a time.
    pub fn write(&self, words: [u64; N]) {
        let version = self.version.load(Ordering::Relaxed);
        self.version
            .store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        for (place, word) in self.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.version
            .store(version.wrapping_add(2), Ordering::Release);
    }
}
