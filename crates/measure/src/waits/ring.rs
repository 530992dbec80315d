//! The last overshoots. One thread writes them, and any thread may read them.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// The number of overshoots that are returned.
const LAST: u64 = 1000;
/// The number of overshoots that are kept: a power of two, so that the position of one is found
/// without a division.
const KEPT: usize = (LAST as usize).next_power_of_two();

pub(super) struct Ring {
    overshoots: Box<[AtomicI64; KEPT]>,
    written: AtomicU64,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            overshoots: Box::new([const { AtomicI64::new(0) }; KEPT]),
            written: AtomicU64::new(0),
        }
    }
}

impl Ring {
    #[inline]
    pub(super) fn push(&self, ns: i64) {
        let n = self.written.load(Relaxed);
        self.overshoots[n as usize % KEPT].store(ns, Relaxed);
        self.written.store(n + 1, Relaxed);
    }

    /// Returns the last overshoots, oldest first.
    pub(super) fn last(&self) -> Vec<i64> {
        let n = self.written.load(Relaxed);
        (n.saturating_sub(LAST)..n)
            .map(|i| self.overshoots[i as usize % KEPT].load(Relaxed))
            .collect()
    }

    pub(super) fn newest(&self) -> Option<i64> {
        let n = self.written.load(Relaxed).checked_sub(1)?;
        Some(self.overshoots[n as usize % KEPT].load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_keeps_the_last_thousand_in_order() {
        let ring = Ring::default();
        assert_eq!((ring.last(), ring.newest()), (vec![], None));
        for n in 0..2500 {
            ring.push(n);
        }
        assert_eq!(ring.last(), (1500..2500).collect::<Vec<_>>());
        assert_eq!(ring.newest(), Some(2499));
    }
}
