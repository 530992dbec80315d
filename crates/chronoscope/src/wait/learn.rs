//! Learns how late this thread wakes.
//!
//! How late a sleep wakes is a distribution that depends on how deeply a CPU sleeps, and so on how
//! long: each power of two has its own. It is kept as a histogram rather than a mean with a
//! deviation, because after a single bad sample in a mean all later waits would spin. Old samples
//! fade towards a guess, by number and by time, so a bad period is forgotten even if nothing is
//! learnt because every wait is spun through.

use super::Effort;

/// Classes of durations: from below 32 us, by powers of two, to above 16 s.
const CLASSES: usize = 20;
const FIRST_CLASS: u32 = 15;

/// Buckets of an eighth of a power of two, from 2 us (2^11 ns) to 2 ms (2^21 ns).
const BUCKETS: usize = 80;
const FIRST_BIT: u32 = 11;
const PARTS: u32 = 3;

/// The weight that is left of a sample after the next one: some 300 samples count.
const FADE: f32 = 0.997;

/// Nanoseconds after which a sample has half its weight.
const HALF_LIFE_NS: f32 = 10e9;

/// The guess before anything is known, with the weight of one sample: 60 us, the usual wake-up
/// delay of a virtual machine.
const GUESS_NS: u64 = 60_000;

/// The most that a balanced wait spins on average, as a share of what a precise one may spin: 14 us
/// on Linux. That is less CPU time than the sleep and its wake-up cost themselves, so a wait costs
/// less than twice a plain sleep. It is more on systems whose timers are later, where 14 us would
/// hardly make a wait end on time.
const BALANCED_PART: f32 = 7.0 / 75.0;

#[derive(Clone, Copy, Debug)]
struct Lateness {
    weights: [f32; BUCKETS],
    /// When the weights were last faded by time, in nanoseconds of the monotonic clock.
    at: u64,
}

/// What a thread knows about its wake-ups.
#[derive(Clone, Debug)]
pub struct Memory {
    classes: [Lateness; CLASSES],
    noted: Option<Wake>,
}

/// A sleep of about `duration`, begun at `at`, that woke `late` nanoseconds late.
#[derive(Clone, Copy, Debug)]
struct Wake {
    duration: u64,
    late: u64,
    at: u64,
}

impl Memory {
    pub const NEW: Self = Self {
        classes: [Lateness {
            weights: [0.0; BUCKETS],
            at: 0,
        }; CLASSES],
        noted: None,
    };

    fn class(&mut self, duration: u64) -> &mut Lateness {
        let bits = duration.max(1).ilog2().saturating_sub(FIRST_CLASS) as usize;
        &mut self.classes[bits.min(CLASSES - 1)]
    }

    /// Stores a wake-up to be learnt before the next sleep: just after a wake there may be no time
    /// left, and all of this is cold.
    pub fn note(&mut self, duration: u64, late: u64, at: u64) {
        self.learn_noted();
        self.noted = Some(Wake { duration, late, at });
    }

    fn learn_noted(&mut self) {
        if let Some(Wake { duration, late, at }) = self.noted.take() {
            self.learn(duration, late, at);
        }
    }

    fn learn(&mut self, duration: u64, late: u64, now: u64) {
        let class = self.class(duration);
        class.fade(now);
        for weight in &mut class.weights {
            *weight *= FADE;
        }
        class.weights[bucket(late)] += 1.0;
    }

    /// How long before its deadline a wait of `duration` should be woken: the quantile of lateness
    /// at which a little more spinning and a little more lateness weigh the same.
    ///
    /// If a nanosecond of lateness is as bad as λ nanoseconds of spinning, the best margin is the
    /// quantile λ / (1 + λ) (the "newsvendor", Arrow, Harris and Marschak 1951); λ is the effort.
    pub fn margin(&mut self, duration: u64, effort: Effort, cap: u64, now: u64) -> u64 {
        self.learn_noted();
        let class = self.class(duration);
        class.fade(now);
        let margin = match effort {
            Effort::Economy => class.quantile(0.5),
            Effort::Balanced => {
                let spin = cap as f32 * BALANCED_PART;
                class.quantile(0.99).min(class.affordable(spin))
            }
            Effort::Precise => class.quantile(0.999),
        };
        margin.min(cap)
    }
}

impl Lateness {
    fn fade(&mut self, now: u64) {
        let passed = now.saturating_sub(self.at) as f32;
        // Below a hundredth of the half-life, the multiplications are not worthwhile.
        if passed < HALF_LIFE_NS / 100.0 {
            return;
        }
        self.at = now;
        let left = (-passed / HALF_LIFE_NS).exp2();
        for weight in &mut self.weights {
            *weight *= left;
        }
    }

    /// The weights including the guess.
    fn guessed(&self) -> [f32; BUCKETS] {
        let mut weights = self.weights;
        weights[bucket(GUESS_NS)] += 1.0;
        weights
    }

    fn quantile(&self, share: f32) -> u64 {
        let weights = self.guessed();
        let target = share * weights.iter().sum::<f32>();
        let mut below = 0.0;
        for (i, here) in weights.into_iter().enumerate() {
            if below + here >= target {
                let part = if here > 0.0 {
                    (target - below) / here
                } else {
                    1.0
                };
                return edge(i) + (width(i) as f32 * part.clamp(0.0, 1.0)) as u64;
            }
            below += here;
        }
        edge(BUCKETS)
    }

    /// The margin for which `spin` nanoseconds are spun on average.
    ///
    /// With a margin m, a wake that is u < m late is followed by m − u of spinning: on average the
    /// integral of the distribution function from 0 to m.
    fn affordable(&self, spin: f32) -> u64 {
        let weights = self.guessed();
        let target = spin * weights.iter().sum::<f32>();
        let (mut below, mut spun) = (0.0, 0.0);
        for (i, here) in weights.into_iter().enumerate() {
            // The distribution rises within a bucket, so half of it counts for the whole width.
            let more = (below + here / 2.0) * width(i) as f32;
            if spun + more >= target {
                let part = if more > 0.0 {
                    (target - spun) / more
                } else {
                    1.0
                };
                return edge(i) + (width(i) as f32 * part.clamp(0.0, 1.0)) as u64;
            }
            spun += more;
            below += here;
        }
        edge(BUCKETS)
    }
}

fn bucket(late: u64) -> usize {
    let bit = late.max(1).ilog2();
    if bit < FIRST_BIT {
        return 0;
    }
    let part = (late >> (bit - PARTS)) & ((1 << PARTS) - 1);
    ((((bit - FIRST_BIT) << PARTS) as u64 + part) as usize).min(BUCKETS - 1)
}

/// The lower end of a bucket, in nanoseconds.
fn edge(bucket: usize) -> u64 {
    let bit = FIRST_BIT + (bucket as u32 >> PARTS);
    ((1 << PARTS) + (bucket as u64 & ((1 << PARTS) - 1))) << (bit - PARTS)
}

fn width(bucket: usize) -> u64 {
    edge(bucket + 1) - edge(bucket)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAP: u64 = 150_000;

    #[test]
    fn buckets_and_edges_agree() {
        for i in 0..BUCKETS {
            assert_eq!(bucket(edge(i)), i);
            assert_eq!(bucket(edge(i + 1) - 1), i);
        }
        assert_eq!(bucket(0), 0);
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn the_margin_is_the_quantile() {
        let mut memory = Memory::NEW;
        for i in 0..2000u64 {
            memory.learn(1_000_000, 20_000 + i % 100 * 100, 0);
        }
        let economy = memory.margin(1_000_000, Effort::Economy, CAP, 0);
        let balanced = memory.margin(1_000_000, Effort::Balanced, CAP, 0);
        let precise = memory.margin(1_000_000, Effort::Precise, CAP, 0);
        assert!((22_000..28_000).contains(&economy), "{economy}");
        assert!((27_000..40_000).contains(&balanced), "{balanced}");
        assert!(balanced <= precise && precise <= CAP);
    }

    #[test]
    fn a_balanced_wait_spins_no_more_than_allowed() {
        let mut memory = Memory::NEW;
        let late = |i: u64| if i % 2 == 0 { 10_000 } else { 140_000 };
        for i in 0..2000 {
            memory.learn(1_000_000, late(i), 0);
        }
        let margin = memory.margin(1_000_000, Effort::Balanced, CAP, 0);
        let spun: u64 = (0..2000).map(|i| margin.saturating_sub(late(i))).sum();
        let mean = spun as f32 / 2000.0;
        assert!(
            (0.8..1.1).contains(&(mean / (CAP as f32 * BALANCED_PART))),
            "{mean}"
        );
    }

    #[test]
    fn one_bad_sample_does_not_spoil_the_margin() {
        let mut memory = Memory::NEW;
        for _ in 0..500 {
            memory.learn(1_000_000, 10_000, 0);
        }
        let before = memory.margin(1_000_000, Effort::Balanced, CAP, 0);
        memory.learn(1_000_000, 140_000, 0);
        let after = memory.margin(1_000_000, Effort::Balanced, CAP, 0);
        assert!(after.abs_diff(before) < before / 10, "{before} {after}");
    }

    #[test]
    fn a_bad_period_is_forgotten_by_time_alone() {
        let mut memory = Memory::NEW;
        for _ in 0..500 {
            memory.learn(150_000, 149_000, 0);
        }
        let bad = memory.margin(150_000, Effort::Precise, CAP, 0);
        let later = memory.margin(150_000, Effort::Economy, CAP, 600_000_000_000);
        assert!(bad > 130_000);
        assert!(later < 90_000, "{later}");
    }

    #[test]
    fn every_input_has_a_class_and_a_margin_below_the_cap() {
        let mut memory = Memory::NEW;
        for duration in [0, 1, 32_767, 32_768, 1 << 40, u64::MAX] {
            for late in [0, 1, 2047, 2048, u64::MAX] {
                memory.learn(duration, late, u64::MAX);
                assert!(memory.margin(duration, Effort::Precise, CAP, 0) <= CAP);
            }
        }
    }
}
