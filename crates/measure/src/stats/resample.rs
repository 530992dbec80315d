//! Resampling of samples that are not independent of each other. If they come from several
//! processes, whole processes are resampled: their differences contain the scatter of their rounds,
//! and resampling those too would count it twice (Davison and Hinkley 1997, *Bootstrap Methods and
//! their Application*, section 3.8). If there are too few processes for that, runs of successive
//! rounds are resampled within each process drawn.

use fastrand::Rng;
use std::ops::Range;

/// The fewest processes that are resampled as a whole.
const ENOUGH_GROUPS: usize = 4;

/// How samples depend on each other.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    groups: Vec<Range<usize>>,
    /// The number of successive rounds that are resampled together.
    length: usize,
}

impl Runs {
    /// Groups the samples, each group ending where `ends` says. The length of a run follows from
    /// the correlation of neighbouring `terms`, the first of each pair:
    /// `(2 rho / (1 - rho^2))^(2/3) n^(1/3)` (Carlstein 1986, *Annals of Statistics* 14, for a
    /// first-order autoregression), or one if the correlation is within its own noise.
    pub(super) fn of(terms: &[(f64, f64)], ends: &[usize]) -> Self {
        let mut groups = Vec::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            groups.push(start..end);
            start = end;
        }
        let (mut square, mut product) = (0.0, 0.0);
        for group in &groups {
            let terms = &terms[group.clone()];
            // What is common to a group is resampled with the groups.
            let sum = || terms.iter().map(|term| term.0).sum::<f64>();
            let mean = if ends.len() == 1 { 0.0 } else { sum() / terms.len() as f64 };
            square += terms.iter().map(|t| (t.0 - mean).powi(2)).sum::<f64>();
            let pairs = terms.windows(2);
            product += pairs.map(|p| (p[0].0 - mean) * (p[1].0 - mean)).sum::<f64>();
        }
        let rho = if square > 0.0 { (product / square).min(0.99) } else { 0.0 };
        let count = terms.len() as f64;
        let length = if rho * count.sqrt() <= 2.0 {
            1
        } else {
            let odds = 2.0 * rho / (1.0 - rho * rho);
            ((odds * odds * count).cbrt().ceil() as usize).clamp(1, (terms.len() / 4).max(1))
        };
        Self { groups, length }
    }

    /// Returns the number of groups, each counted by its share of the weights (the second of each
    /// pair in `terms`): `(sum w)^2 / sum w^2` (Kish 1965, *Survey Sampling*). `None` if there is
    /// only one group.
    pub(super) fn groups(&self, terms: &[(f64, f64)]) -> Option<f64> {
        if self.groups.len() < 2 {
            return None;
        }
        let (mut sum, mut squares) = (0.0, 0.0);
        for group in &self.groups {
            let mass = terms[group.clone()].iter().map(|term| term.1).sum::<f64>();
            sum += mass;
            squares += mass * mass;
        }
        (squares > 0.0).then(|| (sum * sum / squares).max(1.5))
    }

    /// Draws one resample: calls `take` with the place of each sample drawn. Each group drawn
    /// contributes as many samples as it has.
    pub(super) fn resample(&self, rng: &mut Rng, mut take: impl FnMut(usize)) {
        for _ in 0..self.groups.len() {
            let group = &self.groups[rng.usize(0..self.groups.len())];
            if self.groups.len() >= ENOUGH_GROUPS {
                group.clone().for_each(&mut take);
                continue;
            }
            let mut left = group.len();
            while left > 0 {
                let run = self.length.min(left);
                left -= run;
                let mut at = rng.usize(group.clone());
                for _ in 0..run {
                    take(at);
                    at = if at + 1 == group.end { group.start } else { at + 1 };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resample_has_whole_groups_and_runs() {
        let terms = vec![(0.0, 1.0); 30];
        let runs = Runs { length: 4, ..Runs::of(&terms, &[10, 20, 30]) };
        let mut rng = Rng::with_seed(3);
        for _ in 0..50 {
            let mut drawn = Vec::new();
            runs.resample(&mut rng, |at| drawn.push(at));
            assert_eq!(drawn.len(), 30);
            for part in drawn.chunks(10) {
                assert!(part.iter().all(|at| at / 10 == part[0] / 10), "{part:?}");
                assert_eq!(part[0] % 10 + 1, if part[1] % 10 == 0 { 10 } else { part[1] % 10 });
            }
        }
        assert!((runs.groups(&terms).expect("three") - 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_shift_of_a_whole_group_is_not_a_correlation_within_it() {
        let mut rng = Rng::with_seed(1);
        let terms: Vec<(f64, f64)> =
            (0..400).map(|at| (f64::from(at / 50 % 2) * 3.0 + rng.f64(), 1.0)).collect();
        let ends: Vec<usize> = (1..=8).map(|group| group * 50).collect();
        assert_eq!(Runs::of(&terms, &ends).length, 1);
        assert!(Runs::of(&terms, &[400]).length > 10);
    }
}
