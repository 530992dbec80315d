//! Whether two estimates differ by more than their own uncertainty.

use super::estimate::ModeEstimate;

/// Whether `a` and `b` differ.
///
/// They differ if the distance of their values exceeds the root of the sum of their squared
/// half-widths. For two independent 95 % intervals that is the 95 % interval of the difference
/// (Goldstein and Healy 1995, *The graphical presentation of a collection of means*, JRSS A 158),
/// so two series of the same thing are found to differ in at most 5 of 100 trials.
/// This is a sharper test than whether the intervals overlap. An estimate that is not finite
/// differs from nothing, because nothing is known about it.
pub fn differ(a: &ModeEstimate, b: &ModeEstimate) -> bool {
    (a.value - b.value).abs() > a.half_width().hypot(b.half_width())
}

#[cfg(test)]
mod tests {
    use super::super::estimate::{Estimator, Scratch};
    use super::super::synthetic::Noise;
    use super::*;

    fn estimate(value: f64, half: f64) -> ModeEstimate {
        ModeEstimate { value, low: value - half, high: value + half, second: None }
    }

    #[test]
    fn follows_the_root_of_the_sum_of_squares() {
        assert!(!differ(&estimate(10.0, 3.0), &estimate(14.9, 4.0)));
        assert!(differ(&estimate(10.0, 3.0), &estimate(15.1, 4.0)));
        assert!(!differ(&estimate(1.0, 0.0), &estimate(1.0, 0.0)));
        assert!(!differ(&estimate(f64::NAN, 1.0), &estimate(1.0, 0.0)));
    }

    #[test]
    fn two_series_of_the_same_thing_seldom_differ() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut scratch = Scratch::default();
        let mut samples = vec![0.0; 100];
        let trials = 300;
        let mut called = 0;
        for _ in 0..trials {
            let [a, b] = [(); 2].map(|()| {
                Noise::Delayed { share: 0.1, mean: 10.0 }.fill(&mut samples, &mut rng);
                Estimator::default().estimate(&samples, &mut rng, &mut scratch).unwrap()
            });
            called += usize::from(differ(&a, &b));
        }
        // 5 % of 300 is 15; 27 is more than three of its standard deviations above.
        assert!(called <= 27, "{called} of {trials}");
    }
}
