//! Displaces the contents of the caches and the branch predictor, so that the next read is cold.

use std::hint::black_box;

/// A cache line, or less.
const LINE: usize = 64;

/// What is needed to make reads cold.
pub struct Displacer {
    memory: Vec<u8>,
    pattern: u64,
}

impl Displacer {
    /// Displaces what is in caches of up to this many bytes.
    pub fn new(bytes: usize) -> Self {
        Self {
            // Not zeros: pages that were never written to may all be one physical page.
            memory: vec![1; bytes],
            pattern: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// The memory that the displacer walks, in bytes.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// Loads every cache line of the memory and takes several thousand branches in an order that
    /// has not occurred before.
    pub fn displace(&mut self) {
        let lines = black_box(&self.memory).iter().step_by(LINE);
        black_box(lines.fold(0, |sum: u8, line| sum.wrapping_add(*line)));
        self.pattern = branches(self.pattern);
    }
}

/// 2048 separate branches in 64 KiB of code or more, decided by the bits of a xorshift generator
/// (Marsaglia 2003): more than a first-level instruction cache and the branch predictor hold.
#[inline(never)]
fn branches(mut state: u64) -> u64 {
    macro_rules! branch {
        ($salt:expr) => {
            state ^= state << 13;
            state ^= state >> 7;
            if state & 1 == 0 {
                state = black_box(state ^ $salt);
            }
        };
    }
    macro_rules! eight {
        ($salt:expr) => {
            branch!($salt);
            branch!($salt + 1);
            branch!($salt + 2);
            branch!($salt + 3);
            branch!($salt + 4);
            branch!($salt + 5);
            branch!($salt + 6);
            branch!($salt + 7);
        };
    }
    macro_rules! sixty_four {
        ($salt:expr) => {
            eight!($salt);
            eight!($salt + 8);
            eight!($salt + 16);
            eight!($salt + 24);
            eight!($salt + 32);
            eight!($salt + 40);
            eight!($salt + 48);
            eight!($salt + 56);
        };
    }
    macro_rules! two_thousand {
        ($($salt:expr),*) => { $( sixty_four!($salt); )* };
    }
    two_thousand!(
        0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960, 1024, 1088,
        1152, 1216, 1280, 1344, 1408, 1472, 1536, 1600, 1664, 1728, 1792, 1856, 1920, 1984
    );
    state | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_never_repeats() {
        let mut displacer = Displacer::new(1 << 20);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..50 {
            displacer.displace();
            assert!(displacer.pattern != 0 && seen.insert(displacer.pattern));
        }
    }
}
