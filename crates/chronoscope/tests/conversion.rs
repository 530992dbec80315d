//! The arithmetic of ticks and nanoseconds at every edge.

use chronoscope::convert::{MAX_HZ, MIN_HZ, SHIFT, Scale};
use proptest::prelude::*;

fn any_hz() -> impl Strategy<Value = u64> {
    prop_oneof![MIN_HZ..=MAX_HZ, Just(MIN_HZ), Just(1_000_000_000), Just(MAX_HZ)]
}

/// Zero, one, powers of two and their neighbours, the maximum, and everything in between.
fn any_count() -> impl Strategy<Value = u64> {
    let edge = (0u32..64, -1i64..=1).prop_map(|(bit, by)| (1u64 << bit).wrapping_add_signed(by));
    prop_oneof![any::<u64>(), edge, Just(0), Just(u64::MAX), Just(584 * 31_556_952_000_000_000)]
}

proptest! {
    /// Compared with exact rational arithmetic: the multiplier is rounded, the product is not.
    #[test]
    fn nanoseconds_are_as_exact_as_the_multiplier(hz in any_hz(), ticks in any_count()) {
        let scale = Scale::from_hz(hz).unwrap();
        let exact = u128::from(ticks) * 1_000_000_000 / u128::from(hz);
        let error = u128::from(ticks) >> (SHIFT - 1);
        let found = scale.ns_wide(ticks);
        prop_assert!(found.abs_diff(exact) <= error + 1, "{found} {exact}");
        let narrow = u64::try_from(found).unwrap_or(u64::MAX);
        prop_assert_eq!(scale.ns(ticks), narrow);
    }

    #[test]
    fn more_ticks_are_never_less_time(hz in any_hz(), a in any_count(), b in any_count()) {
        let scale = Scale::from_hz(hz).unwrap();
        let (less, more) = (a.min(b), a.max(b));
        prop_assert!(scale.ns(less) <= scale.ns(more));
    }

    /// The fewest ticks that suffice, and so never early.
    #[test]
    fn ticks_suffice_and_are_not_too_many(hz in any_hz(), ns in any_count()) {
        let scale = Scale::from_hz(hz).unwrap();
        match scale.ticks(ns) {
            Some(ticks) => {
                prop_assert!(scale.ns_wide(ticks) >= u128::from(ns));
                prop_assert!(ticks == 0 || scale.ns_wide(ticks - 1) < u128::from(ns));
            }
            None => prop_assert!(scale.ns_wide(u64::MAX) < u128::from(ns) + 1),
        }
    }

    #[test]
    fn a_fast_counter_keeps_every_nanosecond(hz in 1_000_000_001..=MAX_HZ, ns in 0..u64::MAX / 16) {
        let scale = Scale::from_hz(hz).unwrap();
        prop_assert_eq!(scale.ns(scale.ticks(ns).unwrap()), ns);
    }

    /// Two pieces are never more than the whole, and at most a nanosecond less.
    #[test]
    fn pieces_add_up_to_the_whole(hz in any_hz(), a in 0..u64::MAX / 2, b in 0..u64::MAX / 2) {
        let scale = Scale::from_hz(hz).unwrap();
        let pieces = scale.ns_wide(a) + scale.ns_wide(b);
        let whole = scale.ns_wide(a + b);
        prop_assert!(pieces <= whole && whole <= pieces + 1);
    }

    #[test]
    fn no_ratio_makes_an_impossible_scale(ns in any_count(), ticks in any_count()) {
        if let Some(scale) = Scale::from_ratio(ns, ticks) {
            prop_assert!(scale.hz() > 0.98 * MIN_HZ as f64 && scale.hz() < 1.02 * MAX_HZ as f64);
            prop_assert_eq!(Scale::from_multiplier(scale.multiplier()), Some(scale));
        }
    }

    #[test]
    fn no_number_makes_an_impossible_scale(ns in any::<f64>()) {
        if let Some(scale) = Scale::from_ns_per_tick(ns) {
            prop_assert!((scale.ns_per_tick() / ns - 1.0).abs() < 1e-15);
        }
    }
}

#[test]
fn the_edges_are_right() {
    let one = Scale::from_hz(1_000_000_000).unwrap();
    assert_eq!(one, Scale::NANOSECOND);
    assert_eq!((one.ns(0), one.ns(u64::MAX)), (0, u64::MAX));
    assert_eq!(one.ticks(u64::MAX), Some(u64::MAX));

    let slow = Scale::from_hz(MIN_HZ).unwrap();
    assert_eq!(slow.ns(1), 1000);
    assert_eq!(slow.ns(u64::MAX / 1000 + 1), u64::MAX);
    assert_eq!(slow.ticks(u64::MAX), Some(u64::MAX / 1000 + 1));

    let fast = Scale::from_hz(MAX_HZ).unwrap();
    // A tenth is rounded down in binary: ten ticks are slightly less than a nanosecond.
    assert_eq!(fast.ticks(1), Some(11));
    assert_eq!(fast.ticks(u64::MAX), None);

    for refused in [0, 1, 900_000, 11_000_000_000, u64::MAX] {
        assert_eq!(Scale::from_hz(refused), None);
    }
    for refused in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 1e300] {
        assert_eq!(Scale::from_ns_per_tick(refused), None);
    }
    assert_eq!(Scale::from_ratio(1, 0), None);
    assert_eq!(Scale::from_multiplier(0), None);
}
