//! How fast the core ran in each round. A core that changes its frequency changes nearly every cost
//! by the same factor, which no batch can detect. So the frequency is gauged in each round,
//! reported, and taken out of the scatter of all costs that follow it.

use crate::stats::summary::quantile;
use chronoscope_model::run::Core;

/// A frequency further than this from the usual one counts as a different one: multipliers change
/// in steps of 25 to 100 MHz, and the gauge itself scatters by one or two in a thousand.
const SAME: f64 = 0.01;

#[derive(Clone, Debug, Default)]
pub struct Pace {
    /// Cycles per tick of the ruler in each round; absent if unknown.
    rounds: Vec<Option<f64>>,
    usual: Option<f64>,
}

impl Pace {
    pub fn push(&mut self, pace: Option<f64>) {
        self.rounds.push(pace);
    }

    /// Determines the usual frequency of the rounds so far.
    pub fn judge(&mut self) {
        self.usual = usual(&sorted(&self.rounds));
    }

    /// Cycles per tick of the ruler at the usual frequency.
    pub fn usual(&self) -> Option<f64> {
        self.usual
    }

    /// The factor that turns a cost in that round into the cost at the usual frequency, if the cost
    /// follows the frequency. 1 if unknown.
    pub fn factor(&self, round: u32) -> f64 {
        match (self.rounds.get(round as usize), self.usual) {
            (Some(Some(pace)), Some(usual)) => pace / usual,
            _ => 1.0,
        }
    }

    /// The standard deviation of the usual frequencies of processes, which begin with these rounds,
    /// as a share of the usual frequency: how far the usual frequency of another run may be from
    /// this one's. 0 with fewer than two processes, or if unknown.
    pub fn drift(&self, starts: &[u32]) -> f64 {
        let ends = starts.iter().skip(1).copied().chain([self.rounds.len() as u32]);
        let known = |(from, to)| {
            let rounds = self.rounds.get(from as usize..to as usize)?;
            usual(&sorted(rounds))
        };
        let each: Vec<f64> = starts.iter().copied().zip(ends).filter_map(known).collect();
        let Some(usual) = self.usual.filter(|_| each.len() > 1) else {
            return 0.0;
        };
        let center = each.iter().sum::<f64>() / each.len() as f64;
        let squares: f64 = each.iter().map(|one| (one - center).powi(2)).sum();
        (squares / (each.len() - 1) as f64).sqrt() / usual
    }

    /// The frequencies as the report contains them, by the ruler's rate. `None` if no round
    /// determined a frequency.
    pub fn core(&self, ruler_hz: f64) -> Option<Core> {
        let sorted = sorted(&self.rounds);
        let usual = self.usual?;
        let others = sorted.iter().filter(|p| (**p / usual - 1.0).abs() > SAME);
        Some(Core {
            hz: usual * ruler_hz,
            low_hz: quantile(&sorted, 0.01)? * ruler_hz,
            high_hz: quantile(&sorted, 0.99)? * ruler_hz,
            elsewhere: others.count() as f64 / sorted.len() as f64,
        })
    }
}

fn sorted(rounds: &[Option<f64>]) -> Vec<f64> {
    let mut sorted: Vec<f64> = rounds.iter().copied().flatten().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The mean of the frequencies that count as the median one. A median alone would be one of the few
/// values that a coarse ruler can show. It stands alone between two that are far apart.
fn usual(sorted: &[f64]) -> Option<f64> {
    let median = quantile(sorted, 0.5)?;
    let same = sorted.iter().filter(|pace| (**pace / median - 1.0).abs() <= SAME);
    let (count, sum) = same.fold((0.0, 0.0), |(count, sum), pace| (count + 1.0, sum + pace));
    Some(if count > 0.0 { sum / count } else { median })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(ghz: impl IntoIterator<Item = Option<f64>>) -> Pace {
        let mut pace = Pace::default();
        for ghz in ghz {
            pace.push(ghz.map(|ghz| ghz / 2.6));
        }
        pace.judge();
        pace
    }

    #[test]
    fn a_steady_core_changes_nothing_and_its_frequency_is_reported() {
        let pace = pace((0..200).map(|_| Some(3.5)));
        assert!((0..200).all(|round| (pace.factor(round) - 1.0).abs() < 1e-12));
        let core = pace.core(2.6e9).expect("gauged");
        assert!((core.hz / 3.5e9 - 1.0).abs() < 1e-3, "{}", core.hz);
        assert_eq!(core.elsewhere, 0.0);
    }

    #[test]
    fn a_cost_that_follows_the_frequency_is_scaled_to_the_usual_one() {
        let ghz = |i: u32| if i.is_multiple_of(4) { 3.3 } else { 3.5 };
        let pace = pace((0..200).map(|i| Some(ghz(i))));
        for round in 0..200 {
            let cost = 70.0 / ghz(round);
            assert!((cost * pace.factor(round) - 20.0).abs() < 0.02);
        }
        let core = pace.core(2.6e9).expect("gauged");
        assert!((core.elsewhere - 0.25).abs() < 1e-9);
        assert!(core.low_hz < 3.31e9 && core.high_hz > 3.49e9);
    }

    #[test]
    fn the_usual_frequency_lies_between_the_values_that_a_coarse_ruler_can_show() {
        let pace = pace((0..200).map(|i| Some(if i % 10 < 7 { 3.5 } else { 3.51 })));
        assert!((pace.usual().expect("gauged") * 2.6 - 3.503).abs() < 1e-9);
        assert!(
            (self::pace([Some(3.0), Some(3.5)]).usual().expect("gauged") * 2.6 - 3.25).abs() < 1e-9
        );
    }

    #[test]
    fn the_drift_is_that_between_processes_and_not_between_rounds() {
        let starts: Vec<u32> = (0..8).map(|process| process * 100).collect();
        let steady = pace((0..800).map(|i| Some(if i % 2 == 0 { 3.5 } else { 3.51 })));
        assert!(steady.drift(&starts) < 1e-9, "{}", steady.drift(&starts));
        let moving = pace((0..800).map(|i| Some(if i / 100 % 2 == 0 { 3.5 } else { 3.57 })));
        assert!((moving.drift(&starts) - 0.0107).abs() < 1e-3, "{}", moving.drift(&starts));
        assert_eq!((moving.drift(&starts[..1]), moving.drift(&[])), (0.0, 0.0));
        assert_eq!(pace([None, None]).drift(&[0, 1]), 0.0);
    }

    #[test]
    fn rounds_without_a_frequency_change_nothing() {
        let pace = pace([None, None, None]);
        assert!((0..5).all(|round| pace.factor(round) == 1.0));
        assert_eq!(pace.core(2.6e9), None);
    }
}
