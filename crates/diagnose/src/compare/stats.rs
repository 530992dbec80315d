//! The distributions and the correction that changes are judged by.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::erf::erfc;

/// The normal distribution's 97.5th percentile: half a 95 % interval, in standard errors.
pub const Z: f64 = 1.959_964;

/// The probability that a standard normal value is at least this far from 0, on either side.
pub fn normal_p(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The probability that a value of Student's t is at least this far from 0, on either side. Fewer
/// than one degree of freedom, or none that is finite, proves nothing: 1.
pub fn student_p(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    student(freedom).map_or(1.0, |it| 2.0 * it.sf(t.abs())).clamp(0.0, 1.0)
}

/// The value of Student's t that this share lies within, on either side of 0; infinite with fewer
/// than one degree of freedom.
pub fn student_within(share: f64, freedom: f64) -> f64 {
    student(freedom).map_or(f64::INFINITY, |it| it.inverse_cdf(0.5 + share / 2.0))
}

fn student(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok().filter(|_| freedom >= 1.0 && freedom.is_finite())
}

/// Corrects probabilities for their number, so that the chance of any false alarm among them stays
/// below the level that each is compared with, whether they depend on each other or not (Holm 1979,
/// Scandinavian Journal of Statistics 6, 65-70).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut corrected = vec![1.0; p.len()];
    let mut least = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        least = least.max(p[at] * (p.len() - rank) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
    }

    #[test]
    fn probabilities_and_quantiles_are_those_of_tables() {
        near(normal_p(Z), 0.05);
        near(normal_p(-2.575_829), 0.01);
        near(normal_p(6.0), 1.973e-9);
        assert_eq!((normal_p(0.0), normal_p(f64::INFINITY)), (1.0, 0.0));
        // Student's t: Fisher and Yates, Statistical Tables, table III.
        for (freedom, t) in [(1.0, 12.706), (3.0, 3.182), (7.0, 2.365), (30.0, 2.042)] {
            near(student_within(0.95, freedom), t);
            near(student_p(t, freedom), 0.05);
        }
        assert_eq!((student_p(f64::INFINITY, 3.0), student_p(0.0, 3.0)), (0.0, 1.0));
        assert_eq!((student_p(9.0, 0.0), student_within(0.95, 0.0)), (1.0, f64::INFINITY));
        assert_eq!(student_p(9.0, f64::NAN), 1.0);
    }

    #[test]
    fn holm_multiplies_each_by_the_number_that_is_left_and_keeps_the_order() {
        let corrected = holm(&[0.04, 0.01, 0.03, 0.005]);
        for (found, expected) in corrected.iter().zip([0.06, 0.03, 0.06, 0.02]) {
            near(*found, expected);
        }
        assert_eq!(holm(&[0.9, 0.9]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
