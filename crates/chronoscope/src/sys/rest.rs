//! Rests in a spin: an instruction that waits for the counter, if the processor has one.
//!
//! It saves power and leaves the core to its other thread. Which one there is, is found before a
//! sleep, because that can take some microseconds in a virtual machine.

use core::sync::atomic::{AtomicU8, Ordering};

use super::{counter, cpu};

/// Not looked for yet.
const UNKNOWN: u8 = 0;

/// There is none, or it is not used any more. Higher numbers are those of the processor.
pub const NONE: u8 = 1;

static INSTRUCTION: AtomicU8 = AtomicU8::new(UNKNOWN);

/// How many rests in a row have ended late.
static LATE: AtomicU8 = AtomicU8::new(0);

/// From so many on, it is not used any more. One may have been interrupted.
const TOO_OFTEN: u8 = 8;

/// Looks for an instruction, once in a process.
#[inline]
pub fn find() {
    if INSTRUCTION.load(Ordering::Relaxed) == UNKNOWN {
        // If another thread has found it meanwhile, it may have given it up, too.
        let (found, order) = (cpu::rests_by(), Ordering::Relaxed);
        let _ = INSTRUCTION.compare_exchange(UNKNOWN, found, order, order);
    }
}

/// Rests until the counter is at `until`, or less long. If several rests in a row have ended after
/// `latest`, or the counter goes back, there are no more. Returns whether there was one.
pub fn until(until: u64, latest: u64) -> bool {
    let instruction = INSTRUCTION.load(Ordering::Relaxed);
    if instruction <= NONE {
        return false;
    }
    let before = counter::now();
    cpu::rest_until(instruction, until);
    let known = LATE.load(Ordering::Relaxed);
    let late = late(known, before, counter::now(), latest);
    if late != known {
        LATE.store(late, Ordering::Relaxed);
    }
    if late >= TOO_OFTEN {
        INSTRUCTION.store(NONE, Ordering::Relaxed);
    }
    true
}

/// How many rests in a row have ended late, after one more.
fn late(known: u8, before: u64, after: u64, latest: u64) -> u8 {
    if after < before {
        TOO_OFTEN
    } else if after > latest {
        known.saturating_add(1)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_end_and_are_made_only_if_the_processor_has_an_instruction() {
        find();
        assert_ne!(INSTRUCTION.load(Ordering::Relaxed), UNKNOWN);
        for length in [0, 1, 100, 10_000, 100_000] {
            let mut rests = 0;
            for _ in 0..100 {
                let end = counter::now() + length;
                while counter::now() < end {
                    rests += u32::from(until(end, u64::MAX));
                }
            }
            assert!(rests == 0 || cpu::rests_by() > NONE);
        }
    }

    #[test]
    fn what_is_late_too_often_or_goes_back_is_given_up() {
        let (before, latest) = (100, 200);
        assert_eq!(late(7, before, 200, latest), 0);
        assert_eq!(late(0, before, before, latest), 0);
        assert_eq!(late(0, before, 201, latest), 1);
        assert_eq!(late(7, before, 201, latest), TOO_OFTEN);
        assert_eq!(late(0, before, 99, latest), TOO_OFTEN);
    }
}
