//! The order in which entries are measured within each round.

use fastrand::Rng;

/// Rounds of the subjects `0..n`, each in its own random order, all determined by one seed.
///
/// A slow period then affects all subjects and not always the same one, and no subject always
/// comes after the same other. Endless: take as many rounds as are needed.
#[derive(Clone, Debug)]
pub struct Rounds {
    order: Vec<usize>,
    rng: Rng,
}

impl Rounds {
    /// Rounds over `subjects` subjects; the same seed gives the same orders.
    pub fn new(subjects: usize, seed: u64) -> Self {
        Self { order: (0..subjects).collect(), rng: Rng::with_seed(seed) }
    }

    /// The order of the next round (Fisher and Yates, every order equally likely). It allocates
    /// nothing, so it may be called between timed batches.
    pub fn next_round(&mut self) -> &[usize] {
        self.rng.shuffle(&mut self.order);
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_order_is_equally_likely() {
        let mut rounds = Rounds::new(4, 2024);
        let mut counts = [0u32; 256];
        let times = 24_000;
        for _ in 0..times {
            let code = rounds.next_round().iter().fold(0, |code, i| code * 4 + i);
            counts[code] += 1;
        }
        let seen: Vec<_> = counts.into_iter().filter(|count| *count > 0).collect();
        assert_eq!(seen.len(), 24);
        let expected = f64::from(times) / 24.0;
        let chi: f64 = seen.iter().map(|c| (f64::from(*c) - expected).powi(2) / expected).sum();
        // Chi squared of 23 degrees of freedom exceeds 49.7 once in a thousand seeds.
        assert!(chi < 49.7, "{chi}");
    }

    proptest! {
        #[test]
        fn each_round_has_each_subject_once(subjects in 0usize..40, seed: u64) {
            let (mut a, mut b) = (Rounds::new(subjects, seed), Rounds::new(subjects, seed));
            for _ in 0..3 {
                let mut round = a.next_round().to_vec();
                prop_assert_eq!(&round[..], b.next_round());
                round.sort_unstable();
                prop_assert!(round.into_iter().eq(0..subjects));
            }
        }
    }
}
