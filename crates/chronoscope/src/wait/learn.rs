//! Learns how late this thread wakes.
//!
//! How late a sleep wakes depends on how deeply a CPU sleeps, and so on how long: each power of two
//! has a class of its own. Within a class, consecutive wakes resemble each other, because the
//! machine is in a regime that lasts: recorded wakes have a lag-1 correlation of 0.3 to 0.5
//! (`tests/data`). So the margin is a moving average of the lateness, which follows the regime, and
//! what a histogram of the residuals adds to it. The histogram is there because the residuals are
//! skewed: with a standard deviation, all waits after a single bad sample would spin. Old samples
//! fade towards a guess, by number and by time, so a bad period is forgotten even if nothing is
//! learnt because every wait is spun through.

use super::cause::Watch;

/// Classes of durations: from below 32 us, by powers of two, to above 16 s.
const CLASSES: usize = 20;
const FIRST_CLASS: u32 = 15;

/// Buckets on either side of zero: one for less than a microsecond (2^10 ns), then quarters of a
/// power of two up to 2 ms (2^21 ns).
const SIDE: usize = 1 + (11 << PARTS);
const BUCKETS: usize = 2 * SIDE;
const FIRST_BIT: u32 = 10;
const PARTS: u32 = 2;

/// The weight of a new sample in the moving average. For the recorded wakes, 0.1 to 0.3 are equally
/// good, and 0.05 is worse.
const FOLLOW: f32 = 0.2;

/// How far a sample moves the average at most, as a share of the longest margin: as if it had been
/// 37.5 us off (Linux). Single wakes that are much later than the rest say nothing about the next.
const SWING: f32 = 0.25;

/// The weight that is left of a residual after the next one: some 300 samples count.
const FADE: f32 = 0.997;

/// The most that a sample adds. Then all weights are made small again, long before they overflow.
const LARGEST_UNIT: f32 = 1e6;

/// Nanoseconds after which a sample has half its weight.
const HALF_LIFE_NS: f32 = 10e9;

/// The guess before anything is known, with the weight of one sample: 60 us, the usual wake-up
/// delay of a virtual machine.
const GUESS_NS: f32 = 60_000.0;

/// A class with less weight than one sample borrows from the nearest with at least this weight, and
/// gives what it borrowed the weight of so many samples.
const LENDS: f32 = 8.0;
const BORROWED: f32 = 4.0;

/// A shorter sleep than this does not pay: the sleep and its wake take 9 to 55 us of CPU time
/// (docs/RESULTS.md).
pub const SHORTEST_SLEEP_NS: u64 = 20_000;

/// Of the waits that are too short to sleep in, one in so many sleeps all the same, so that they
/// are learnt from: the regime may have changed to one in which they are not.
const PROBE_EVERY: u8 = 64;
/// The shortest wait that does, and for how long it sleeps. Most of the wait is left for the wake.
const PROBED_NS: u64 = 50_000;
const PROBE_NS: u64 = 10_000;

/// How much CPU time may be spent on being on time.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// The share of wakes that the margin must cover.
    pub quantile: f32,
    /// The most that may be spun on average, in nanoseconds; takes precedence.
    pub spin: f32,
}

#[derive(Clone, Copy, Debug)]
struct Class {
    /// The moving average of the lateness, in nanoseconds.
    mean: f32,
    /// How often the lateness differed from the average before it by so much, in `unit`s.
    residuals: [f32; BUCKETS],
    /// The samples that count, faded: the sum of the residuals.
    weight: f32,
    /// What a sample of now adds. It grows in place of the fading of all others, which would be
    /// some ninety multiplications for each wake.
    unit: f32,
    /// When the weights were last faded by time, in nanoseconds of the monotonic clock.
    at: u64,
}

/// What a thread knows about its wake-ups.
#[derive(Clone, Debug)]
pub struct Memory {
    classes: [Class; CLASSES],
    noted: Option<Wake>,
    /// Counts waits that were too short to sleep in.
    short: u8,
    /// How late the last sleep that was planned was expected to wake, in nanoseconds.
    pub expected: u64,
    pub watch: Watch,
}

/// A sleep in a wait of about `duration`, begun at `at`, that woke `late` nanoseconds late, of
/// which no more than `cap` matters.
#[derive(Clone, Copy, Debug)]
struct Wake {
    duration: u64,
    late: u64,
    cap: u64,
    at: u64,
}

/// What to do with the time that is left of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Spin.
    Spin,
    /// Sleep, to be woken so many nanoseconds before the deadline.
    Sleep { margin: u64 },
}

impl Memory {
    pub const NEW: Self = Self {
        classes: [Class::NEW; CLASSES],
        noted: None,
        short: 0,
        expected: 0,
        watch: Watch::NEW,
    };

    /// The class of a duration, faded to now. An empty one has borrowed.
    fn class(&mut self, duration: u64, now: u64) -> &mut Class {
        let bits = duration.max(1).ilog2().saturating_sub(FIRST_CLASS) as usize;
        let wanted = bits.min(CLASSES - 1);
        self.classes[wanted].fade(now);
        if self.classes[wanted].weight < 1.0 {
            self.borrow(wanted, now);
        }
        &mut self.classes[wanted]
    }

    #[cold]
    fn borrow(&mut self, wanted: usize, now: u64) {
        let mut lender: Option<(usize, f32)> = None;
        for (i, class) in self.classes.iter_mut().enumerate() {
            class.fade(now);
            let weight = class.weight;
            let near = |other: &(usize, f32)| wanted.abs_diff(other.0) <= wanted.abs_diff(i);
            if weight >= LENDS && !lender.as_ref().is_some_and(near) {
                lender = Some((i, weight));
            }
        }
        if let Some((lender, _)) = lender {
            let mut class = self.classes[lender];
            class.weigh(BORROWED);
            self.classes[wanted] = class;
        }
    }

    /// Stores a wake-up to be learnt before the next sleep: just after a wake there may be no time
    /// left, and all of this is cold.
    pub fn note(&mut self, duration: u64, late: u64, cap: u64, at: u64) {
        self.learn_noted();
        self.noted = Some(Wake { duration, late, cap, at });
    }

    fn learn_noted(&mut self) {
        if let Some(wake) = self.noted.take() {
            let (late, cap) = (wake.late.min(wake.cap) as f32, wake.cap as f32);
            self.class(wake.duration, wake.at).learn(late, cap * SWING);
        }
    }

    /// How long before its deadline a wait of `duration` should be woken, at most `cap`.
    fn margin(&mut self, duration: u64, aim: Aim, cap: u64, now: u64) -> u64 {
        self.learn_noted();
        let class = self.class(duration, now);
        let expected = class.expected();
        let margin = expected + class.residual(aim);
        self.expected = expected as u64;
        (margin.max(0.0) as u64).min(cap)
    }

    /// What to do with the `remaining` nanoseconds of a wait, of which `first` says whether nothing
    /// has been done yet.
    pub fn plan(&mut self, remaining: u64, first: bool, aim: Aim, cap: u64, now: u64) -> Plan {
        let margin = self.margin(remaining, aim, cap, now);
        if remaining >= margin.saturating_add(SHORTEST_SLEEP_NS) {
            return Plan::Sleep { margin };
        }
        if !first || remaining < PROBED_NS {
            return Plan::Spin;
        }
        self.short = (self.short + 1) % PROBE_EVERY;
        if self.short == 0 {
            let margin = remaining - PROBE_NS;
            return Plan::Sleep { margin };
        }
        Plan::Spin
    }
}

impl Class {
    const NEW: Self = Self { mean: 0.0, residuals: [0.0; BUCKETS], weight: 0.0, unit: 1.0, at: 0 };

    fn learn(&mut self, late: f32, swing: f32) {
        let expected = self.expected();
        self.keep(FADE);
        self.residuals[bucket((late - expected) as i64)] += self.unit;
        self.weight += 1.0;
        self.mean = expected + FOLLOW * (late - expected).clamp(-swing, swing);
    }

    fn fade(&mut self, now: u64) {
        let passed = now.saturating_sub(self.at) as f32;
        // Below a hundredth of the half-life, it is not worthwhile.
        if passed < HALF_LIFE_NS / 100.0 {
            return;
        }
        self.at = now;
        self.keep((-passed / HALF_LIFE_NS).exp2());
    }

    /// Keeps a share of the weight of each sample.
    fn keep(&mut self, share: f32) {
        self.weight *= share;
        self.unit /= share;
        if self.unit > LARGEST_UNIT {
            self.weigh(self.weight);
        }
    }

    /// Gives all samples together a weight, and makes a unit one again.
    #[cold]
    fn weigh(&mut self, weight: f32) {
        let whole: f32 = self.residuals.iter().sum();
        let factor = if whole > 0.0 { weight / whole } else { 0.0 };
        for residual in &mut self.residuals {
            *residual *= factor;
        }
        self.weight = weight;
        self.unit = 1.0;
    }

    /// The moving average, and the guess as one more sample.
    fn expected(&self) -> f32 {
        (self.weight * self.mean + GUESS_NS) / (self.weight + 1.0)
    }

    /// The residual that a share of all is below, or the one up to which an average wait spins as
    /// long as is allowed, whichever is less. The guess is one more residual, of zero.
    ///
    /// If a nanosecond of lateness is as bad as λ nanoseconds of spinning, the best margin is the
    /// quantile λ / (1 + λ) (the "newsvendor", Arrow, Harris and Marschak 1951). With a margin m,
    /// a wake that is u < m late is followed by m − u of spinning: on average the integral of the
    /// distribution function from its lower end to m.
    fn residual(&self, aim: Aim) -> f32 {
        let whole = (self.weight + 1.0) * self.unit;
        let (share, spin) = (aim.quantile * whole, aim.spin * whole);
        let (mut below, mut spun) = (0.0, 0.0);
        for (i, &residual) in self.residuals.iter().enumerate() {
            let here = residual + if i == SIDE { self.unit } else { 0.0 };
            let width = EDGES[i + 1] - EDGES[i];
            // The distribution rises within a bucket, so half of it counts for the whole width.
            let more = (below + here / 2.0) * width;
            let mut part = f32::INFINITY;
            if here > 0.0 && below + here >= share {
                part = (share - below) / here;
            }
            if more > 0.0 && spun + more >= spin {
                part = part.min((spin - spun) / more);
            }
            if part < f32::INFINITY {
                return EDGES[i] + width * part.clamp(0.0, 1.0);
            }
            spun += more;
            below += here;
        }
        EDGES[BUCKETS]
    }
}

fn bucket(residual: i64) -> usize {
    let size = residual.unsigned_abs().max(1);
    let bit = size.ilog2();
    let from_zero = if bit < FIRST_BIT {
        0
    } else {
        let part = (size >> (bit - PARTS)) & ((1 << PARTS) - 1);
        1 + (((bit - FIRST_BIT) << PARTS) as usize + part as usize).min(SIDE - 2)
    };
    if residual < 0 { SIDE - 1 - from_zero } else { SIDE + from_zero }
}

/// The lower ends of the buckets, in nanoseconds, and the upper end of the last.
const EDGES: [f32; BUCKETS + 1] = {
    let mut edges = [0.0; BUCKETS + 1];
    let mut from_zero = 1;
    while from_zero <= SIDE {
        let quarters = from_zero - 1;
        let bit = FIRST_BIT + (quarters >> PARTS) as u32;
        let part = quarters as u64 & ((1 << PARTS) - 1);
        let size = (((1 << PARTS) + part) << (bit - PARTS)) as f32;
        edges[SIDE + from_zero] = size;
        edges[SIDE - from_zero] = -size;
        from_zero += 1;
    }
    edges
};

#[cfg(test)]
mod tests {
    use super::*;

    const CAP: u64 = 150_000;
    const MS: u64 = 1_000_000;
    const ECONOMY: Aim = aim(0.5, f32::MAX);
    const BALANCED: Aim = aim(0.99, 14_000.0);
    const PRECISE: Aim = aim(0.999, f32::MAX);

    const fn aim(quantile: f32, spin: f32) -> Aim {
        Aim { quantile, spin }
    }

    impl Memory {
        fn learn(&mut self, duration: u64, late: u64, at: u64) {
            self.note(duration, late, CAP, at);
            self.learn_noted();
        }
    }

    #[test]
    fn buckets_and_edges_agree() {
        for (i, ends) in EDGES.windows(2).enumerate() {
            assert!(ends[0] < ends[1]);
            assert_eq!(bucket(((ends[0] + ends[1]) / 2.0) as i64), i);
        }
        assert_eq!(bucket(0), SIDE);
        assert_eq!(bucket(-1), SIDE - 1);
        assert_eq!(bucket(i64::MAX), BUCKETS - 1);
        assert_eq!(bucket(i64::MIN), 0);
    }

    #[test]
    fn the_margin_is_the_average_and_the_quantile_of_the_residuals() {
        let mut memory = Memory::NEW;
        for i in 0..2000u64 {
            memory.learn(MS, 20_000 + i * 617 % 100 * 100, 0);
        }
        let economy = memory.margin(MS, ECONOMY, CAP, 0);
        let balanced = memory.margin(MS, BALANCED, CAP, 0);
        let precise = memory.margin(MS, PRECISE, CAP, 0);
        assert!((22_000..28_000).contains(&economy), "{economy}");
        assert!((27_000..40_000).contains(&balanced), "{balanced}");
        assert!(balanced <= precise && precise <= CAP);
    }

    #[test]
    fn a_wait_spins_no_more_than_allowed() {
        for budget in [5_000.0, 14_000.0, 30_000.0] {
            let mut memory = Memory::NEW;
            let (mut spun, mut state) = (0, 1u64);
            for i in 0..4000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let late = if state >> 63 == 0 { 10_000 } else { 140_000 };
                let margin = memory.margin(MS, aim(0.99, budget), CAP, 0);
                spun += if i < 1000 { 0 } else { margin.saturating_sub(late) };
                memory.learn(MS, late, 0);
            }
            let mean = spun as f32 / 3000.0;
            assert!((0.7..1.1).contains(&(mean / budget)), "{budget}: {mean}");
        }
    }

    /// The weights that are kept and those of the samples agree, however long it has been.
    #[test]
    fn the_weight_is_that_of_the_samples() {
        let mut class = Class::NEW;
        for i in 0..20_000u64 {
            class.learn(20_000.0 + (i % 7) as f32 * 9_000.0, 37_500.0);
            if i % 3000 == 0 {
                class.fade(i * 4_000_000);
            }
            let sum: f32 = class.residuals.iter().sum();
            let apart = (sum / class.unit - class.weight).abs();
            // A tenth of what the quantile of a precise wait leaves.
            assert!(apart < 1e-4 * class.weight, "{i}: {apart}");
        }
        assert!(class.unit <= LARGEST_UNIT && class.weight > 100.0);
        class.fade(u64::MAX);
        assert!(class.weight < 1e-3 && class.residuals.iter().all(|weight| weight.is_finite()));
        class.learn(20_000.0, 37_500.0);
        assert!((class.weight - 1.0).abs() < 1e-3);
    }

    /// The margin follows within some twenty wakes; a quantile over 300 would take a hundred.
    #[test]
    fn the_margin_follows_a_new_regime() {
        let mut memory = Memory::NEW;
        for _ in 0..500 {
            memory.learn(MS, 20_000, 0);
        }
        for _ in 0..20 {
            memory.learn(MS, 90_000, 0);
        }
        assert!(memory.margin(MS, BALANCED, CAP, 0) > 80_000);
        for _ in 0..20 {
            memory.learn(MS, 20_000, 0);
        }
        assert!(memory.margin(MS, BALANCED, CAP, 0) < 60_000);
    }

    #[test]
    fn one_bad_sample_moves_the_margin_by_little_and_not_for_long() {
        let mut memory = Memory::NEW;
        for _ in 0..500 {
            memory.learn(MS, 10_000, 0);
        }
        let before = memory.margin(MS, BALANCED, CAP, 0);
        memory.learn(MS, 140_000, 0);
        let after = memory.margin(MS, BALANCED, CAP, 0);
        assert!(after - before < 130_000 / 10, "{before} {after}");
        for _ in 0..20 {
            memory.learn(MS, 10_000, 0);
        }
        let later = memory.margin(MS, BALANCED, CAP, 0);
        assert!(later < before + 10_000, "{before} {later}");
    }

    #[test]
    fn a_bad_period_is_forgotten_by_time_alone() {
        let mut memory = Memory::NEW;
        for _ in 0..500 {
            memory.learn(150_000, 149_000, 0);
        }
        let bad = memory.margin(150_000, PRECISE, CAP, 0);
        let later = memory.margin(150_000, ECONOMY, CAP, 600_000_000_000);
        assert!(bad > 130_000);
        assert!(later < 90_000, "{later}");
    }

    #[test]
    fn a_class_without_samples_borrows_from_the_nearest() {
        let mut memory = Memory::NEW;
        let guess = memory.margin(MS, ECONOMY, CAP, 0);
        for _ in 0..100 {
            memory.learn(200_000, 20_000, 0);
            memory.learn(64 * MS, 120_000, 0);
        }
        let (short, long) =
            (memory.margin(MS / 2, ECONOMY, CAP, 0), memory.margin(32 * MS, ECONOMY, CAP, 0));
        assert!(short < guess && guess < long, "{short} {guess} {long}");
        // And its own samples soon outweigh what it borrowed.
        for _ in 0..20 {
            memory.learn(MS / 2, 90_000, 0);
        }
        assert!(memory.margin(MS / 2, ECONOMY, CAP, 0) > 70_000);
    }

    /// Without probes, waits that begin as too short to sleep in would stay that for ever.
    #[test]
    fn one_in_64_waits_that_are_too_short_to_sleep_in_sleeps() {
        let mut memory = Memory::NEW;
        for _ in 0..100 {
            memory.learn(70_000, 140_000, 0);
        }
        let mut count = |remaining, first| {
            let plan = |_| memory.plan(remaining, first, BALANCED, CAP, 0);
            (0..640).map(plan).filter(|plan| *plan != Plan::Spin).count()
        };
        assert_eq!(count(100_000, true), 10);
        assert_eq!(count(100_000, false), 0);
        assert_eq!(count(40_000, true), 0);
        assert_eq!(count(MS, true), 640);
    }

    #[test]
    fn every_input_has_a_class_and_a_margin_below_the_cap() {
        let mut memory = Memory::NEW;
        for duration in [0, 1, 32_767, 32_768, 1 << 40, u64::MAX] {
            for late in [0, 1, 2047, 2048, u64::MAX] {
                memory.learn(duration, late, u64::MAX);
                assert!(memory.margin(duration, PRECISE, CAP, 0) <= CAP);
            }
        }
    }
}
