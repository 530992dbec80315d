//! Several words that are read together, and replaced together with one compare-exchange.
//!
//! No one waits here. A writer fills a slot that nobody reads and then makes it the current one; a
//! writer that is interrupted, or that does not exist in a forked child, holds up neither readers
//! nor other writers. A reader tries again only if a complete change was made in the meantime.
//!
//! Readers check that the current slot is still the same after they have read it. The words are
//! relaxed atomics with a fence on either side, as in H.-J. Boehm, "Can seqlocks get along with
//! programming language memory models?" (MSPC 2012), figure 6. Two slots would suffice for a single
//! writer (the "latch" of Linux, include/linux/seqlock.h); more of them allow several.
//! `tests/loom.rs` runs this file under loom.

use super::sync::{AtomicU8, AtomicU64, Ordering, fence};

/// Which words were read: the number of changes before, and the slot. Zero before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(u64);

impl Stamp {
    const SLOT_BITS: u32 = 8;

    #[inline(always)]
    fn slot(self) -> usize {
        (self.0 & ((1 << Self::SLOT_BITS) - 1)) as usize
    }

    fn next(self, slot: usize) -> Self {
        let changes = (self.0 >> Self::SLOT_BITS).wrapping_add(1);
        Self(changes << Self::SLOT_BITS | slot as u64)
    }

    /// Whether nothing has been published yet, so that all words are zero.
    #[inline(always)]
    pub fn is_first(self) -> bool {
        self.0 == 0
    }
}

/// A place for `N` words.
#[repr(align(64))]
pub struct Slot<const N: usize> {
    words: [AtomicU64; N],
    /// The process of which a thread is writing to it; zero if none is.
    owner: AtomicU64,
}

impl<const N: usize> Slot<N> {
    /// The caller supplies the atomics, because loom's cannot be made in a constant.
    pub const fn new(owner: AtomicU64, words: [AtomicU64; N]) -> Self {
        Self { words, owner }
    }
}

/// `N` words in one of `S` slots; up to `S - 1` writers at a time.
pub struct Published<const N: usize, const S: usize> {
    current: AtomicU64,
    slots: [Slot<N>; S],
}

impl<const N: usize, const S: usize> Published<N, S> {
    pub const fn new(current: AtomicU64, slots: [Slot<N>; S]) -> Self {
        const { assert!(S >= 2 && S <= 1 << Stamp::SLOT_BITS) };
        Self { current, slots }
    }

    /// All words are zero.
    #[cfg(not(all(loom, test)))]
    pub const fn zero() -> Self {
        Self::new(
            AtomicU64::new(0),
            [const { Slot::new(AtomicU64::new(0), [const { AtomicU64::new(0) }; N]) }; S],
        )
    }

    /// Returns the words as one writer left them.
    #[inline(always)]
    pub fn read(&self) -> (Stamp, [u64; N]) {
        self.read_first()
    }

    /// Returns the first `K` of the words, as one writer left them.
    #[inline(always)]
    pub fn read_first<const K: usize>(&self) -> (Stamp, [u64; K]) {
        loop {
            // Each further try follows a change that another writer has completed.
            if let Some(found) = self.try_read() {
                return found;
            }
        }
    }

    /// Returns the words as [`Published::read_first`] does, or `None` if they were replaced
    /// meanwhile.
    #[inline(always)]
    pub fn try_read<const K: usize>(&self) -> Option<(Stamp, [u64; K])> {
        const { assert!(K <= N) };
        let stamp = self.current.load(Ordering::Acquire);
        // The slot is below S by construction; the remainder spares a panic.
        let slot = &self.slots[Stamp(stamp).slot() % S];
        let words = core::array::from_fn(|i| slot.words[i].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let same = self.current.load(Ordering::Relaxed) == stamp;
        same.then_some((Stamp(stamp), words))
    }

    /// Lets `take` store the first `K` words where others read them one by one. Whoever publishes
    /// calls this afterwards, and it repeats that if it was overtaken, so that the last publication
    /// prevails.
    pub fn follow<const K: usize>(&self, mut take: impl FnMut([u64; K])) {
        loop {
            let (stamp, words) = self.read_first();
            if stamp.is_first() {
                return;
            }
            // The first keeps the stores behind the publication, the second keeps the load behind
            // the stores: of two threads that store, one sees that the other has published.
            fence(Ordering::SeqCst);
            take(words);
            fence(Ordering::SeqCst);
            if self.current.load(Ordering::Acquire) == stamp.0 {
                return;
            }
        }
    }

    /// Replaces the words that were read with `stamp`. Returns `false` and changes nothing if
    /// another writer was faster, or if every slot is being written to.
    ///
    /// `process` is not zero and differs from that of every process that this one was forked from:
    /// what a thread of theirs was writing is not continued here.
    pub fn replace(&self, stamp: Stamp, words: &[u64; N], process: u64) -> bool {
        let Some(slot) = self.claim(process) else {
            return false;
        };
        // Keeps the words behind the claim: a reader that sees one of them also sees that the slot
        // is no longer the current one.
        fence(Ordering::Release);
        for (place, word) in self.slots[slot].words.iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
        let done = self
            .current
            .compare_exchange(stamp.0, stamp.next(slot).0, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok();
        self.slots[slot].owner.store(0, Ordering::Release);
        done
    }

    /// Takes a slot that is neither the current one nor being written to.
    ///
    /// Only the writer that has taken a slot can make it the current one, so a slot that is not the
    /// current one after it was taken remains unread until its writer publishes it.
    fn claim(&self, process: u64) -> Option<usize> {
        (0..S).find(|&slot| {
            let owner = &self.slots[slot].owner;
            let found = owner.load(Ordering::Relaxed);
            // A writer of this process is still at work. One of another process is not: it was left
            // behind by a fork.
            let taken = found != process
                && owner
                    .compare_exchange(found, process, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok();
            let unread = taken && Stamp(self.current.load(Ordering::Acquire)).slot() != slot;
            if taken && !unread {
                owner.store(0, Ordering::Release);
            }
            unread
        })
    }
}

/// Sets what has not been set yet: whatever is there already is newer. Whoever sees that `last` is
/// set, with [`Ordering::Acquire`], also sees that the others are.
pub fn set_first(places: [(&AtomicU64, u64); 2], last: (&AtomicU8, u8)) {
    for (place, value) in places {
        let _ = place.compare_exchange(0, value, Ordering::Release, Ordering::Relaxed);
    }
    let _ = last.0.compare_exchange(0, last.1, Ordering::Release, Ordering::Relaxed);
}
