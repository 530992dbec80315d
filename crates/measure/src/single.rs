//! Reads that are timed one at a time: cold reads, and the first read in a process.

use crate::engine::figure::{FINEST_NS, Figure};
use crate::engine::host::{Batches, Fresh, Mode, Rate};
use crate::engine::rounds::RELATIVE;
use crate::engine::subject::Spec;
use crate::engine::time::Limit;
use crate::stats::estimate::{Estimator, ModeEstimate, Scratch};
use crate::stats::summary::Summary;
use chronoscope_model::Estimate;
use chronoscope_model::estimate::StoppedBy;
use std::time::Duration;

/// Samples of single reads, in ticks of the ruler.
#[derive(Clone, Debug, Default)]
pub struct Singles {
    samples: Vec<f64>,
    disturbed: u64,
}

/// Reads each subject cold, in rounds of random order, together with the cold empty loops of all
/// languages. Returns the samples by number of subject.
pub fn cold<H: Batches>(
    host: &mut H,
    specs: &[Spec],
    subjects: &[usize],
    rounds: u64,
    budget: Duration,
    rng: &mut fastrand::Rng,
) -> Vec<Singles> {
    let mut order: Vec<usize> = subjects.to_vec();
    order.extend(empties(specs).filter(|empty| !subjects.contains(empty)));
    let mut found = vec![Singles::default(); specs.len()];
    let mut limit = Limit::new(host, budget, rounds);
    while !limit.reached(host) {
        rng.shuffle(&mut order);
        for &subject in &order {
            let batch = host.batch(subject, Mode::Cold, 1);
            if batch.disturbed {
                found[subject].disturbed += 1;
            } else {
                found[subject].samples.push(batch.ticks as f64);
            }
        }
    }
    found
}

/// After this many processes the time that one takes is known. The quickest of them counts, because
/// the first may have to be loaded from a disk.
const PILOT: u64 = 3;

/// Reads each subject once in each of several new processes.
///
/// # Errors
/// Processes start too slowly here to give every subject enough samples for an estimate within the
/// budget. Returns the time that one process takes, and the time that all would take, in seconds.
pub fn first<H: Fresh>(
    host: &mut H,
    subjects: &[usize],
    processes: u64,
    budget: Duration,
    specs: usize,
) -> Result<Vec<Singles>, (f64, f64)> {
    let mut found = vec![Singles::default(); specs];
    let all = processes * subjects.len() as u64;
    let mut limit = Limit::new(host, budget, all);
    let (mut before, mut made, mut quickest) = (host.elapsed(), 0, Duration::MAX);
    for _ in 0..processes {
        for &subject in subjects {
            if limit.reached(host) {
                return Ok(found);
            }
            found[subject]
                .samples
                .extend(host.first(subject).map(|ticks| ticks as f64));
            made += 1;
            let now = host.elapsed();
            quickest = quickest.min(now.saturating_sub(before));
            before = now;
            if made == PILOT {
                let each = quickest.as_secs_f64();
                let whole = each * all as f64;
                if whole > budget.as_secs_f64() {
                    return Err((each, whole));
                }
            }
        }
    }
    Ok(found)
}

/// The empty loops, one per language.
fn empties(specs: &[Spec]) -> impl Iterator<Item = usize> {
    (0..specs.len()).filter(|&subject| specs[subject].baseline == subject)
}

/// Estimates from single reads.
pub struct Estimates<'a> {
    /// The ruler's rate.
    pub rate: Rate,
    /// The source of randomness for the bootstrap.
    pub rng: &'a mut fastrand::Rng,
    scratch: Scratch,
}

/// What is subtracted from a read.
#[derive(Clone, Copy, Debug)]
pub struct Empty {
    mode: ModeEstimate,
    /// How far it may be off, in addition to its interval.
    spread: f64,
}

impl<'a> Estimates<'a> {
    /// An estimator without any estimates yet.
    pub fn new(rate: Rate, rng: &'a mut fastrand::Rng) -> Self {
        Self {
            rate,
            rng,
            scratch: Scratch::default(),
        }
    }

    fn mode(&mut self, samples: &[f64]) -> Option<ModeEstimate> {
        // One read per sample, so a step is a whole tick.
        let estimator = Estimator {
            quantum: 1.0,
            ..Estimator::default()
        };
        estimator.estimate(samples, self.rng, &mut self.scratch)
    }

    /// The cold empty loop of each subject's language. The loops have the same instructions and the
    /// same cost when warm. When cold they differ by where the loader put them; the reads differ as
    /// much for the same reason, and no interval of a single loop shows it.
    pub fn empties(&mut self, specs: &[Spec], cold: &[Singles]) -> Vec<Option<Empty>> {
        let modes: Vec<(usize, ModeEstimate)> = empties(specs)
            .filter_map(|empty| Some((empty, self.mode(&cold[empty].samples)?)))
            .collect();
        let values = || modes.iter().map(|(_, mode)| mode.value);
        let spread = values().fold(0.0, f64::max) - values().fold(f64::INFINITY, f64::min);
        let of = |spec: &Spec| {
            let (_, mode) = modes.iter().find(|(empty, _)| *empty == spec.baseline)?;
            Some(Empty {
                mode: *mode,
                spread,
            })
        };
        specs.iter().map(of).collect()
    }

    /// The estimate of a cold read, with the empty loop subtracted. It is never reported as cheaper
    /// than a warm read, `warm_ns`: if it seems to be, its cost is too small to be resolved.
    pub fn cold(
        &mut self,
        own: &Singles,
        empty: Option<Empty>,
        warm_ns: Option<f64>,
    ) -> Option<Estimate> {
        let mut estimate = self.estimate(own, empty?)?;
        let warm_ns = warm_ns.unwrap_or(0.0);
        if estimate.value_ns < warm_ns {
            estimate.below_resolution = true;
            estimate.high_ns = estimate.high_ns.max(warm_ns);
        }
        Some(estimate)
    }

    /// The estimate of a first read. The process that made the read has already subtracted the cost
    /// of the empty loop.
    pub fn first(&mut self, own: &Singles) -> Option<Estimate> {
        let nothing = ModeEstimate {
            value: 0.0,
            low: 0.0,
            high: 0.0,
            second: None,
        };
        let nothing = Empty {
            mode: nothing,
            spread: 0.0,
        };
        self.estimate(own, nothing)
    }

    fn estimate(&mut self, own: &Singles, empty: Empty) -> Option<Estimate> {
        let summary = Summary::of(&own.samples)?;
        let mode = self.mode(&own.samples)?;
        let base = empty.mode;
        let value = mode.value - base.value;
        let below = (mode.value - mode.low)
            .hypot(base.high - base.value)
            .hypot(empty.spread);
        let above = (mode.high - mode.value)
            .hypot(base.value - base.low)
            .hypot(empty.spread);
        let figure = Figure {
            own: mode,
            empty: base,
            value,
            low: value - below,
            high: value + above,
        };
        let found = figure.in_ns(&summary, self.rate);
        let narrow = (found.value_ns.abs() * RELATIVE).max(FINEST_NS);
        Some(Estimate {
            batches: own.samples.len() as u64,
            reads_per_batch: 1,
            disturbed: own.disturbed,
            stopped_by: if found.high_ns - found.low_ns <= narrow {
                StoppedBy::Precision
            } else {
                StoppedBy::Budget
            },
            ..found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fake::{Disturbance, Fake, FakeClock};

    /// A few samples around a value, in ticks.
    fn around(ticks: f64) -> Singles {
        Singles {
            samples: (0..101).map(|i| ticks + f64::from(i % 3) - 1.0).collect(),
            disturbed: 0,
        }
    }

    /// Two languages whose cold empty loops cost 100 and 140 ns, and a clock of the first language.
    fn cold(read_ns: f64, warm_ns: f64) -> Estimate {
        let mut specs = Fake::new(vec![FakeClock::default()], Disturbance::default(), 1).specs();
        let mut other = specs[1].clone();
        other.baseline = 2;
        specs.push(other);
        let rate = Rate {
            hz: 1e9,
            error_ppm: 0.1,
            is_tsc: true,
        };
        let mut rng = fastrand::Rng::with_seed(1);
        let mut estimates = Estimates::new(rate, &mut rng);
        let samples = [around(100.0 + read_ns), around(100.0), around(140.0)];
        let empties = estimates.empties(&specs, &samples);
        estimates
            .cold(&samples[0], empties[0], Some(warm_ns))
            .expect("there are samples")
    }

    #[test]
    fn the_interval_includes_the_difference_between_the_empty_loops() {
        let estimate = cold(700.0, 20.0);
        assert!((estimate.value_ns - 700.0).abs() < 2.0, "{estimate:?}");
        assert!(estimate.low_ns <= 660.0 && estimate.high_ns >= 740.0);
        assert!(!estimate.below_resolution);
    }

    #[test]
    fn a_cold_read_is_never_reported_as_cheaper_than_a_warm_one() {
        let estimate = cold(-5.0, 60.0);
        assert!(
            estimate.below_resolution && estimate.high_ns >= 60.0,
            "{estimate:?}"
        );
        let estimate = cold(50.0, 60.0);
        assert!(
            estimate.below_resolution && estimate.high_ns >= 90.0,
            "{estimate:?}"
        );
    }
}
