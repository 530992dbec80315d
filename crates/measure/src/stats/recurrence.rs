//! Whether events recur at a given period: the Rayleigh test on their phases.

/// How events relate to a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recurrence {
    /// The periods in which an event took place at the usual phase, one event in each.
    pub count: u64,
    /// The periods between the first and the last event.
    pub periods: u64,
    /// The probability that events at random times concentrate at a phase as much as these do.
    pub chance: f64,
}

/// The number of periods after which the phase may have drifted, if another clock times the timer.
const BLOCK: f64 = 32.0;
/// Events closer than this share of a period count as one, because what happens to a program comes
/// in bursts.
const BURST: f64 = 0.1;
/// How far from the usual phase an event may be, in periods.
const NEAR: f64 = 0.125;
/// The fewest periods that an answer needs.
const FEWEST: u64 = 8;
/// The share of the periods that must have an event, and of the events that must be near the phase.
const MOST_OF: f64 = 0.5;
const SHARE: f64 = 1.0 / 3.0;

/// Tests whether events at these ascending times recur at a period, which must be in the same unit.
///
/// In blocks of 32 periods, each event is a point on a circle. With the length `R` of the mean of
/// `n` points, `n R²` is distributed as Exp(1) if the points are uniform (Rayleigh's test: Mardia
/// and Jupp, *Directional Statistics*, 2000, 6.3.1), and the sum over `B` blocks as Gamma(B), which
/// gives the chance.
///
/// `None` if there are too few events; if fewer than half of the periods have one near the phase,
/// as for a fraction of the true period; or if most events are elsewhere.
pub fn recurrence(times: &[f64], period: f64) -> Option<Recurrence> {
    let usable = period.is_finite() && period > 0.0 && times.iter().all(|time| time.is_finite());
    let mut cycles: Vec<f64> = times.iter().map(|time| time / period).collect();
    cycles.dedup_by(|next, kept| *next - *kept < BURST);
    let (first, last) = (*cycles.first()?, *cycles.last()?);
    let periods = (last - first).round();
    if !usable || periods < FEWEST as f64 || periods * MOST_OF > cycles.len() as f64 {
        return None;
    }
    let (mut count, mut near, mut sum, mut blocks) = (0u64, 0usize, 0.0, 0u32);
    for block in
        cycles.chunk_by(|a, b| ((a - first) / BLOCK).floor() == ((b - first) / BLOCK).floor())
    {
        let (length, phase) = resultant(block);
        sum += block.len() as f64 * length * length;
        blocks += 1;
        let mut seen = f64::NAN;
        for &at in block {
            let turn = (at - phase).round();
            if (at - phase - turn).abs() <= NEAR {
                near += 1;
                count += u64::from(turn != seen);
                seen = turn;
            }
        }
    }
    let fits = count as f64 >= periods * MOST_OF && near as f64 >= cycles.len() as f64 * SHARE;
    fits.then(|| Recurrence {
        count,
        // A whole number of periods lies between events, but the two ends may be a little apart.
        periods: (periods as u64 + 1).max(count),
        chance: gamma_survival(blocks, sum),
    })
}

/// The length of the mean of points on a circle, 0 to 1, and its phase in cycles.
fn resultant(cycles: &[f64]) -> (f64, f64) {
    let turns = |cycle: &f64| std::f64::consts::TAU * cycle.fract();
    let cos = cycles.iter().map(|cycle| turns(cycle).cos()).sum::<f64>();
    let sin = cycles.iter().map(|cycle| turns(cycle).sin()).sum::<f64>();
    let phase = sin.atan2(cos) / std::f64::consts::TAU;
    (sin.hypot(cos) / cycles.len() as f64, phase)
}

/// The probability that a Gamma variable with this whole shape and scale 1 exceeds `x`: that of
/// fewer than `shape` events of a Poisson process with mean `x`.
fn gamma_survival(shape: u32, x: f64) -> f64 {
    // In logarithms, because both factors leave the range of f64 for thousands of events.
    let mut log_term = -x;
    let mut sum = 0.0;
    for k in 0..shape {
        sum += log_term.exp();
        log_term += x.ln() - f64::from(k + 1).ln();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events at random times, about this many per millisecond, for this many milliseconds.
    fn random(rng: &mut fastrand::Rng, per_ms: f64, ms: f64) -> Vec<f64> {
        let mut now = 0.0;
        let times = std::iter::from_fn(|| {
            now += -(1.0 - rng.f64()).ln() / per_ms;
            (now < ms).then_some(now)
        });
        times.collect()
    }

    #[test]
    fn a_timer_is_recognised_among_other_events_and_only_at_its_own_period() {
        let mut rng = fastrand::Rng::with_seed(1);
        for true_period in [0.9765625, 1.0, 10.0 / 3.0, 4.0, 10.0, 15.625] {
            // A clock that is 50 ppm off, ticks that are late by up to 3 %, and one in five too
            // short to be seen.
            let mut times: Vec<f64> = (0..200)
                .filter(|at| at % 5 != 0)
                .map(|at| (f64::from(at) + 0.03 * rng.f64()) * true_period * 1.000_05 + 7.3)
                .collect();
            times.extend(random(&mut rng, 0.3 / true_period, 200.0 * true_period));
            times.sort_unstable_by(f64::total_cmp);
            let found = recurrence(&times, true_period).expect("the timer");
            assert!((150..=165).contains(&found.count), "{found:?}");
            assert!(found.count <= found.periods && found.periods <= 207, "{found:?}");
            assert!(found.chance < 1e-9, "{found:?}");
            for other in [0.5, 0.25, 0.1, 0.31, 1.7] {
                let wrong = recurrence(&times, true_period * other);
                assert!(wrong.is_none_or(|it| it.chance > 1e-3), "{other} {wrong:?}");
            }
        }
    }

    #[test]
    fn random_events_seldom_seem_to_recur() {
        let mut rng = fastrand::Rng::with_seed(2);
        let mut named = 0;
        let mut tried = 0;
        for per_period in [0.3, 0.6, 1.0, 3.0, 10.0, 100.0] {
            for _ in 0..200 {
                let times = random(&mut rng, per_period, 100.0);
                named += u32::from(recurrence(&times, 1.0).is_some_and(|it| it.chance < 1e-3));
                tried += 1;
            }
        }
        assert!(named <= 2, "{named} of {tried}");
    }

    #[test]
    fn bursts_do_not_count_as_a_period() {
        let mut rng = fastrand::Rng::with_seed(3);
        let bursts = random(&mut rng, 0.8, 100.0);
        let times: Vec<f64> = bursts
            .iter()
            .flat_map(|start| (0..30).map(move |at| start + f64::from(at) * 1e-3))
            .collect();
        let found = recurrence(&times, 1.0);
        assert!(found.is_none_or(|it| it.chance > 1e-3), "{found:?}");
    }

    #[test]
    fn no_events_and_no_period_are_no_recurrence() {
        let times: Vec<f64> = (0..100).map(f64::from).collect();
        for (times, period) in [(&times[..0], 1.0), (&times[..5], 1.0), (&times, 0.0)] {
            assert_eq!(recurrence(times, period), None);
        }
        assert_eq!(recurrence(&times, f64::NAN), None);
        assert_eq!(recurrence(&[f64::INFINITY; 50], 1.0), None);
        assert!(recurrence(&times, 1.0).is_some());
    }

    #[test]
    fn the_survival_function_is_that_of_the_gamma_distribution() {
        assert!((gamma_survival(1, 3.0) - (-3.0f64).exp()).abs() < 1e-12);
        // e^-9.2 (1 + 9.2 + 9.2^2 / 2 + 9.2^3 / 6)
        assert!((gamma_survival(4, 9.2) - 0.018_418).abs() < 1e-4);
        assert!(gamma_survival(3, 0.0) == 1.0 && gamma_survival(900, 5000.0) < 1e-300);
    }
}
