//! The shape of the estimating function of [`super::estimate`], and its moments.
//!
//! With `u` the distance from the estimate in scales, the estimating function is
//!
//! ```text
//! psi(u) = u (1 - b u^2) w(u),    w(u) = (1 - u^2/k^2)^3 for |u| < k, else 0
//! ```
//!
//! `w` is Tukey's smooth redescending kind of weight: beyond `k` a sample has no weight at all. `b`
//! is chosen so that the integral of `psi(u) Phi(u)` is zero, `Phi` being the Gaussian distribution
//! function. Delays that are long compared with the noise add a density proportional to `Phi(u)`
//! around the core (the core convolved with a flat one-sided delay), and they do not move an
//! estimating function that is orthogonal to it. That costs variance but removes the bias, which
//! no narrowing of the window does: the mode itself is moved by such a background.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// Panels of Simpson's rule. The integrands are smooth, and with 64 the error is below 1e-5.
const PANELS: usize = 64;

/// The longest reach, in scales: the Gaussian mass beyond it is below 1e-30.
const WIDEST: f64 = 12.0;

/// An estimating function of a given reach, with its moments under a standard Gaussian.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Reach `k`, in scales.
    pub reach: f64,
    /// Factor `b` of the cubic term.
    bend: f64,
    /// Mean weight, `E w(u)`.
    pub mass: f64,
    /// Weighted mean square, `E u^2 w / E w`, which the scale is matched to.
    pub square: f64,
    /// `E psi' / E w`: how fast the mean of `psi` falls as the estimate moves.
    pub slope: f64,
}

impl Shape {
    pub fn with_reach(reach: f64) -> Self {
        let reach = reach.clamp(1.0, WIDEST);
        let step = reach / PANELS as f64;
        let density = |u: f64| 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (-0.5 * u * u).exp();
        // Odd functions see only the odd part of Phi, so half of the line is enough. `above` is
        // Phi(u) - 1/2, accumulated along the way by the trapezoidal rule.
        let (mut m0, mut m2, mut m4, mut ramp1, mut ramp3) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let (mut above, mut before) = (0.0, density(0.0));
        for i in 0..=PANELS {
            let u = i as f64 * step;
            let here = density(u);
            if i > 0 {
                above += 0.5 * step * (here + before);
            }
            before = here;
            let simpson = match i {
                0 | PANELS => 1.0,
                _ if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let square = u * u;
            let part = simpson * step / 3.0 * weight(square, reach);
            m0 += part * here;
            m2 += part * here * square;
            m4 += part * here * square * square;
            ramp1 += part * above * u;
            ramp3 += part * above * u * square;
        }
        let bend = ramp1 / ramp3;
        // E psi' = E u psi under a standard Gaussian (Stein's identity).
        Self { reach, bend, mass: 2.0 * m0, square: m2 / m0, slope: (m2 - bend * m4) / m0 }
    }

    /// `(psi(u), w(u))`.
    pub fn at(&self, u: f64) -> (f64, f64) {
        let weight = weight(u * u, self.reach);
        (u * (1.0 - self.bend * u * u) * weight, weight)
    }
}

fn weight(square: f64, reach: f64) -> f64 {
    let rest = (1.0 - square / (reach * reach)).max(0.0);
    rest * rest * rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An integral over the whole line by a fine sum, as an independent way to the moments.
    fn integral(f: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let step = 1e-3;
        let mut below = 0.0;
        let mut sum = 0.0;
        for i in -12_000..=12_000 {
            let u = f64::from(i) * step;
            let density = (-0.5 * u * u).exp() / (2.0 * std::f64::consts::PI).sqrt();
            below += 0.5 * step * density;
            sum += step * f(u, density, below);
            below += 0.5 * step * density;
        }
        sum
    }

    #[test]
    fn moments_agree_with_a_direct_sum() {
        for reach in [3.0, 4.2, 6.0, 9.0] {
            let shape = Shape::with_reach(reach);
            let mass = integral(|u, density, _| shape.at(u).1 * density);
            let square = integral(|u, density, _| u * u * shape.at(u).1 * density) / mass;
            let slope = integral(|u, density, _| u * shape.at(u).0 * density) / mass;
            assert!((shape.mass - mass).abs() < 1e-4, "{reach}");
            assert!((shape.square - square).abs() < 1e-4, "{reach}");
            assert!((shape.slope - slope).abs() < 1e-4, "{reach}");
        }
    }

    #[test]
    fn a_flat_one_sided_background_does_not_move_the_estimate() {
        let shape = Shape::with_reach(4.2);
        let pull = integral(|u, _, below| shape.at(u).0 * below);
        let without = integral(|u, _, below| u * shape.at(u).1 * below);
        assert!(pull.abs() < 2e-3 * without, "{pull} of {without}");
    }
}
