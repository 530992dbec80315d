//! The choice of a source in one word, which one compare-exchange publishes.

use super::{COUNTER, OS, STOP, UNSET};
use crate::choose::Reason;
use crate::convert::Scale;

/// The mode, the reason, and for a counter its first rate with a bound. Of the multiplier, the
/// upper 42 bits are kept, which is 2 parts in 10^9 at the highest rate and less at others; the
/// bound covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice(u64);

const META_BITS: u32 = 22;
const REASON_SHIFT: u32 = 4;
const BOUND_SHIFT: u32 = 10;

/// Steps of the bound's exponent in a factor of two.
const BOUND_PARTS: f64 = 8.0;

/// What is lost of the multiplier, relative to the smallest one (see [`crate::convert::MAX_HZ`]).
const LOST: f64 = (1u64 << META_BITS) as f64 / ((1u64 << crate::convert::SHIFT) as f64 * 0.099);

impl Choice {
    pub const NONE: Self = Self(0);

    pub fn os(reason: Reason) -> Self {
        let multiplier = Scale::NANOSECOND.multiplier();
        Self(multiplier | (reason as u64) << REASON_SHIFT | u64::from(OS))
    }

    /// A counter of this scale, whose relative error is at most `bound`.
    pub fn counter(reason: Reason, scale: Scale, bound: f64, has_stop: bool) -> Self {
        let kept = scale.multiplier() >> META_BITS << META_BITS;
        let exponent = -BOUND_PARTS * (bound.max(0.0) + LOST).min(1.0).log2();
        let mode = COUNTER | if has_stop { STOP } else { 0 };
        let meta = (exponent as u64) << BOUND_SHIFT | (reason as u64) << REASON_SHIFT;
        Self(kept | meta | u64::from(mode))
    }

    pub fn from_word(word: u64) -> Self {
        Self(word)
    }

    pub fn word(self) -> u64 {
        self.0
    }

    pub fn mode(self) -> u8 {
        self.0 as u8 & (COUNTER | STOP | OS)
    }

    pub fn is_made(self) -> bool {
        self.mode() != UNSET
    }

    pub fn reason(self) -> Reason {
        Reason::from_code((self.0 >> REASON_SHIFT) as u8 & 0x3f)
    }

    pub fn scale(self) -> Scale {
        Scale::from_atomic(self.0 >> META_BITS << META_BITS)
    }

    /// The relative error of the scale.
    pub fn bound(self) -> f64 {
        if self.mode() & COUNTER == 0 {
            return 0.0;
        }
        let exponent = (self.0 >> BOUND_SHIFT & 0xfff) as f64;
        (-exponent / BOUND_PARTS).exp2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_choice_keeps_the_rate_within_its_bound(
            hz in 1_000_000u64..=10_000_000_000,
            bound in prop::sample::select(vec![0.0, 1e-9, 5e-8, 2.56e-4, 0.1, 1.0, 7.0]),
            has_stop: bool,
        ) {
            let scale = Scale::from_hz(hz).unwrap();
            let choice = Choice::counter(Reason::Compared, scale, bound, has_stop);
            let off = (choice.scale().ns_per_tick() / scale.ns_per_tick() - 1.0).abs();
            let most = bound.min(0.99);
            prop_assert!(off <= 2.4e-9 && choice.bound() >= most, "{off} {:?}", choice.bound());
            prop_assert!(choice.bound() <= bound * 1.1 + 4e-9);
            prop_assert_eq!(choice.reason(), Reason::Compared);
            prop_assert_eq!(choice.mode(), COUNTER | if has_stop { STOP } else { 0 });
            prop_assert_eq!(Choice::from_word(choice.word()), choice);
        }
    }

    #[test]
    fn the_systems_clock_has_no_error_of_its_own() {
        let choice = Choice::os(Reason::RateGone);
        assert_eq!((choice.bound(), choice.scale()), (0.0, Scale::NANOSECOND));
        assert_eq!((choice.mode(), choice.reason()), (OS, Reason::RateGone));
        assert!(choice.is_made() && !Choice::NONE.is_made());
    }
}
