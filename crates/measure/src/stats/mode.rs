//! The half-sample mode: where the samples are densest.

/// The half-sample mode of `sorted` (ascending, finite), in the unit of the samples.
///
/// The densest half of the samples is kept, then the densest half of that, until at most three
/// are left (Robertson and Cryer 1974, *An iterative procedure for estimating the mode*, JASA 69;
/// the rules for the last three from Bickel and Frühwirth 2006, *On a fast, robust estimator of
/// the mode*, CSDA 50). The work is linear, because each pass takes half of the one before.
///
/// Ties: if several halves are equally dense, the middle one of them is kept. So a symmetric sample
/// has its mode in the middle, and negating the samples negates the mode (up to one place if the
/// number of ties is even). Duplicates make a half of width zero, which wins, as it should: the
/// value that is repeated most often is the mode of a discrete clock.
///
/// `None` if `sorted` is empty or has a value that is not finite at either end.
pub fn half_sample_mode(sorted: &[f64]) -> Option<f64> {
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    if !first.is_finite() || !last.is_finite() {
        return None;
    }
    let mut rest = sorted;
    while rest.len() > 3 {
        rest = densest(rest, rest.len().div_ceil(2));
    }
    match *rest {
        [only] => Some(only),
        [low, high] => Some(middle(low, high)),
        [low, mid, high] => {
            let (left, right) = (mid - low, high - mid);
            Some(if left < right {
                middle(low, mid)
            } else if right < left {
                middle(mid, high)
            } else {
                mid
            })
        }
        _ => None,
    }
}

/// The narrowest run of `count` neighbours in `sorted`; of equally narrow runs, the middle one.
pub(crate) fn densest(sorted: &[f64], count: usize) -> &[f64] {
    let count = count.clamp(1, sorted.len().max(1));
    if sorted.len() <= count {
        return sorted;
    }
    let width = |at: usize| sorted[at + count - 1] - sorted[at];
    let starts = 0..=sorted.len() - count;
    let mut least = f64::INFINITY;
    let mut ties = 0;
    for at in starts.clone() {
        let here = width(at);
        if here < least {
            (least, ties) = (here, 1);
        } else if here == least {
            ties += 1;
        }
    }
    let chosen = starts.filter(|&at| width(at) == least).nth(ties / 2).unwrap_or(0);
    &sorted[chosen..chosen + count]
}

/// The middle between two values, without the overflow of adding them first.
fn middle(low: f64, high: f64) -> f64 {
    low * 0.5 + high * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_samples_follow_the_published_rules() {
        assert_eq!(half_sample_mode(&[]), None);
        assert_eq!(half_sample_mode(&[f64::NAN]), None);
        assert_eq!(half_sample_mode(&[7.0]), Some(7.0));
        assert_eq!(half_sample_mode(&[1.0, 2.0]), Some(1.5));
        assert_eq!(half_sample_mode(&[1.0, 2.0, 4.0]), Some(1.5));
        assert_eq!(half_sample_mode(&[1.0, 3.0, 4.0]), Some(3.5));
        assert_eq!(half_sample_mode(&[1.0, 2.0, 3.0]), Some(2.0));
    }

    #[test]
    fn repeated_values_win() {
        assert_eq!(half_sample_mode(&[1.0, 5.0, 5.0, 5.0, 5.0, 9.0, 11.0]), Some(5.0));
        assert_eq!(half_sample_mode(&[4.0; 50]), Some(4.0));
    }

    #[test]
    fn a_long_upper_tail_does_not_move_the_mode() {
        let mut samples: Vec<f64> = (0..60).map(|i| 100.0 + f64::from(i) * 0.01).collect();
        samples.extend((0..40).map(|i| 200.0 + f64::from(i * i)));
        let mode = half_sample_mode(&samples).unwrap();
        assert!((100.0..=100.6).contains(&mode), "{mode}");
    }

    #[test]
    fn the_widest_finite_range_does_not_overflow() {
        let mode = half_sample_mode(&[f64::MIN, f64::MAX]).unwrap();
        assert!(mode.is_finite());
    }

    proptest! {
        #[test]
        fn the_mode_is_within_the_samples(
            mut samples in prop::collection::vec(any::<f64>(), 0..60),
        ) {
            samples.retain(|x| x.is_finite());
            samples.sort_by(f64::total_cmp);
            match half_sample_mode(&samples) {
                Some(mode) => {
                    prop_assert!(samples[0] <= mode && mode <= samples[samples.len() - 1])
                }
                None => prop_assert!(samples.is_empty()),
            }
        }

        // Whole numbers and powers of two keep the arithmetic exact, so equality can be required.
        #[test]
        fn the_mode_shifts_and_scales_with_the_samples(
            whole in prop::collection::vec(-1000i32..1000, 1..80),
            shift in -1000i32..1000,
            power in -4i32..5,
        ) {
            let mut samples: Vec<f64> = whole.into_iter().map(f64::from).collect();
            samples.sort_by(f64::total_cmp);
            let (shift, scale) = (f64::from(shift), 2f64.powi(power));
            let moved: Vec<f64> = samples.iter().map(|x| x * scale + shift).collect();
            let mode = half_sample_mode(&samples).unwrap();
            prop_assert_eq!(half_sample_mode(&moved).unwrap(), mode * scale + shift);
        }
    }
}
