//! The rate of a counter, with a proven bound rather than an estimated one.
//!
//! Two brackets (see [`crate::bracket`]) leave an interval of rates for which both can be true:
//! between the shortest and the longest time that the reference can have taken, over the ticks in
//! between. The true rate is in the interval of every pair, so it is in their intersection, which
//! shrinks as the span grows. If the intersection is empty, no single rate explains what was
//! observed: the rate has changed or one of the clocks has jumped. Then the cause is determined
//! rather than averaged over. This is Marzullo's intersection ("Maintaining the time in a
//! distributed system", 1984), of rates instead of times.
//!
//! One moment on two clocks: a read of the counter between two reads of the other clock.

/// The smallest relative half-width that is trusted: how far the reference itself may wander if it
/// is derived from another oscillator than the counter (a quartz at a constant temperature).
pub const WANDER: f64 = 5e-8;

/// The same if the reference is read from this very counter, so that only the rounding of the
/// kernel's multiplier is left.
pub const SAME_CLOCK_WANDER: f64 = 1e-9;

/// An interval of rates, in nanoseconds per tick, and the best guess inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    pub low: f64,
    pub best: f64,
    pub high: f64,
}

impl Rate {
    pub const NONE: Self = Self { low: 0.0, best: 1.0, high: f64::INFINITY };

    /// The interval for a rate in Hz that is accurate to `ppm` parts per million.
    pub fn from_hint(hz: f64, ppm: f64) -> Self {
        let best = 1e9 / hz;
        let off = best * ppm * 1e-6;
        Self { low: best - off, best, high: best + off }
    }

    /// The rates for which both samples can be true. `None` if the counter did not advance.
    pub fn between(first: &Sample, last: &Sample) -> Option<Self> {
        let ticks = last.ticks.checked_sub(first.ticks).filter(|ticks| *ticks > 0)? as f64;
        // A counter that reads k is anywhere between k and its next step, so the difference is off
        // by up to one step.
        let step = first.ticks_step.max(last.ticks_step) as f64;
        let fewest = if ticks > step { ticks - step } else { f64::MIN_POSITIVE };
        // Subtract first, as integers: the values themselves have more digits than an f64.
        let least = last.low.saturating_sub(first.high) as f64;
        let most = last.high.saturating_sub(first.low) as f64;
        let middle = last.middle().saturating_sub(first.middle()) as f64;
        Some(Self { low: least / (ticks + step), best: middle / ticks, high: most / fewest })
    }

    pub fn intersect(&self, other: &Self) -> Option<(f64, f64)> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some((low, high))
    }

    /// How far the true rate can be from the best guess, relative to it.
    pub fn bound(&self) -> f64 {
        (self.high - self.best).max(self.best - self.low) / self.best
    }

    /// Makes it at least as wide as the wander requires.
    fn at_least(mut self, wander: f64) -> Self {
        self.low = self.low.min(self.best * (1.0 - wander));
        self.high = self.high.max(self.best * (1.0 + wander));
        self
    }
}

/// What a sample shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It agrees with all samples before it.
    Agrees,
    /// The counter is behind an earlier sample.
    CounterBack,
    /// The counter stands still while time passes.
    CounterStands,
    /// The reference is behind an earlier sample.
    ReferenceBack,
    /// No rate that was possible so far explains it.
    Disagrees,
}

/// Samples of one period of time in which a single rate held.
#[derive(Clone, Copy, Debug)]
pub struct Estimator {
    first: Sample,
    /// Divides the time since the first one, so that two rates can be compared.
    middle: Sample,
    last: Sample,
    rate: Rate,
    /// The rates that remain possible if the counter jumped once without being noticed, which makes
    /// a rate wrong until another one contradicts it.
    confirmed: (f64, f64),
    /// Uncertainty of `rate.best`, relative; a later pair replaces it only if it is more certain.
    best_width: f64,
    wander: f64,
    samples: u32,
}

impl Estimator {
    pub const EMPTY: Self = Self {
        first: Sample::NONE,
        middle: Sample::NONE,
        last: Sample::NONE,
        rate: Rate::NONE,
        confirmed: (0.0, f64::INFINITY),
        best_width: f64::INFINITY,
        wander: WANDER,
        samples: 0,
    };

    /// Begins a period with one sample and what is already known of the rate.
    pub fn new(first: Sample, rate: Rate, wander: f64) -> Self {
        let best_width = rate.bound();
        let rate = rate.at_least(wander);
        Self {
            first,
            middle: first,
            last: first,
            rate,
            confirmed: (rate.low, rate.high),
            best_width,
            wander,
            samples: 1,
        }
    }

    /// How many words [`Estimator::to_words`] returns.
    pub const WORDS: usize = 18;

    /// For state that is published as words. All samples of one clock have the same step.
    pub fn to_words(self) -> [u64; Self::WORDS] {
        [
            self.first.ticks,
            self.first.low,
            self.first.high,
            self.middle.ticks,
            self.middle.low,
            self.middle.high,
            self.last.ticks,
            self.last.low,
            self.last.high,
            self.last.ticks_step,
            self.rate.low.to_bits(),
            self.rate.best.to_bits(),
            self.rate.high.to_bits(),
            self.confirmed.0.to_bits(),
            self.confirmed.1.to_bits(),
            self.best_width.to_bits(),
            self.wander.to_bits(),
            self.samples.into(),
        ]
    }

    pub fn from_words(words: [u64; Self::WORDS]) -> Self {
        let [from, from_low, from_high, via, via_low, via_high, to, to_low, to_high, rest @ ..] =
            words;
        let [ticks_step, low, best, high, lowest, highest, best_width, wander, samples] = rest;
        let sample = |ticks, low, high| Sample { ticks, ticks_step, low, high };
        Self {
            first: sample(from, from_low, from_high),
            middle: sample(via, via_low, via_high),
            last: sample(to, to_low, to_high),
            rate: Rate {
                low: f64::from_bits(low),
                best: f64::from_bits(best),
                high: f64::from_bits(high),
            },
            confirmed: (f64::from_bits(lowest), f64::from_bits(highest)),
            best_width: f64::from_bits(best_width),
            wander: f64::from_bits(wander),
            samples: samples as u32,
        }
    }

    /// Trusts the rate to this relative half-width from the next sample on, and at once if it must
    /// be wider.
    pub fn set_wander(&mut self, wander: f64) {
        self.wander = wander;
        self.widen();
    }

    /// Makes the rates as wide as the wander requires.
    fn widen(&mut self) {
        self.rate = self.rate.at_least(self.wander);
        let (low, high) = self.confirmed;
        self.confirmed = (low.min(self.rate.low), high.max(self.rate.high));
    }

    pub fn wander(&self) -> f64 {
        self.wander
    }

    /// Narrows the rate to one that was stated, unless they contradict each other.
    pub fn believe(&mut self, stated: &Rate) -> bool {
        let Some((low, high)) = self.rate.intersect(stated) else {
            return false;
        };
        let best = stated.best.clamp(low, high);
        self.best_width = self.best_width.min(stated.bound());
        self.rate = Rate { low, best, high };
        self.confirmed = self.confirmed_within((stated.low, stated.high));
        self.widen();
        true
    }

    /// How far the counter can be off at `sample` without contradicting the last one, in
    /// nanoseconds: a jump of this size would not be noticed.
    pub fn unnoticed(&self, sample: &Sample) -> u64 {
        let ticks = sample.ticks.saturating_sub(self.last.ticks) as f64;
        let (low, high) = self.confirmed;
        let rate = ticks * (high - low);
        let steps = 2.0 * sample.ticks_step as f64 * high;
        (self.last.width() + sample.width()).saturating_add((rate + steps).ceil() as u64)
    }

    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// How far the true rate can be from the best guess, relative to it, even if the counter has
    /// jumped once without being noticed.
    pub fn bound(&self) -> f64 {
        let (low, high) = self.confirmed;
        Rate { low, high, ..self.rate }.bound()
    }

    /// The confirmed rates that another interval leaves.
    fn confirmed_within(&self, (low, high): (f64, f64)) -> (f64, f64) {
        let both = (self.confirmed.0.max(low), self.confirmed.1.min(high));
        if both.0 <= both.1 { both } else { self.confirmed }
    }

    pub fn last(&self) -> Sample {
        self.last
    }

    /// The width in nanoseconds that a bracket has unless something came in between: half as much
    /// again as that of the first sample, which is the narrowest of many.
    pub fn usual_width(&self) -> u64 {
        self.first.width().saturating_add(self.first.width() / 2)
    }

    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// How long the rate was observed, in nanoseconds by the reference.
    pub fn span(&self) -> u64 {
        self.last.middle().saturating_sub(self.first.middle())
    }

    /// Judges a sample without accepting it.
    pub fn judge(&self, sample: &Sample) -> Verdict {
        if sample.ticks < self.last.ticks {
            return Verdict::CounterBack;
        }
        if sample.high < self.last.low {
            return Verdict::ReferenceBack;
        }
        if sample.ticks == self.last.ticks {
            let step = self.rate.high * sample.ticks_step as f64;
            let passed = sample.low.saturating_sub(self.last.high) as f64 > step;
            return if passed { Verdict::CounterStands } else { Verdict::Agrees };
        }
        // `last` rules out a recent jump, and `first` a rate just outside the interval.
        let explains = |earlier: &Sample| {
            Rate::between(earlier, sample).is_none_or(|pair| pair.intersect(&self.rate).is_some())
        };
        if explains(&self.first) && explains(&self.last) {
            Verdict::Agrees
        } else {
            Verdict::Disagrees
        }
    }

    /// Accepts a sample that agrees, and narrows the rate.
    pub fn accept(&mut self, sample: Sample) {
        let Some(pair) = Rate::between(&self.first, &sample) else {
            return;
        };
        let Some((low, high)) = self.rate.intersect(&pair) else {
            return;
        };
        let width = pair.bound();
        if width <= self.best_width {
            self.best_width = width;
            self.rate.best = pair.best;
        }
        self.rate.best = self.rate.best.clamp(low, high);
        self.rate = Rate { low, high, ..self.rate };
        // A jump is either before the middle or after it, so one of these two rates is true.
        let halves =
            (Rate::between(&self.first, &self.middle), Rate::between(&self.middle, &sample));
        if let (Some(one), Some(other)) = halves {
            let either = (one.low.min(other.low), one.high.max(other.high));
            self.confirmed = self.confirmed_within(either);
        }
        self.widen();
        let half = self.middle.middle().saturating_sub(self.first.middle());
        if sample.middle().saturating_sub(self.middle.middle()) >= half {
            self.middle = sample;
        }
        self.last = sample;
        self.samples = self.samples.saturating_add(1);
    }
}

/// The other clock was in `[low, high]` nanoseconds when the counter was at `ticks`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The counter, as read; the true value lies between this and the next step.
    pub ticks: u64,
    /// The size of a step, in ticks.
    pub ticks_step: u64,
    /// The other clock before the counter, as read.
    pub low: u64,
    /// The other clock after the counter; the true value of a read lies between it and the next
    /// step.
    pub high: u64,
}

impl Sample {
    pub const NONE: Self = Self { ticks: 0, ticks_step: 1, low: 0, high: 0 };

    /// The uncertainty of the moment, in nanoseconds.
    pub fn width(&self) -> u64 {
        self.high.saturating_sub(self.low)
    }

    /// The middle, which is the best guess if both reads of the other clock cost the same.
    pub fn middle(&self) -> u64 {
        self.low.saturating_add(self.width() / 2)
    }
}

/// The step in which each of the two clocks advances.
#[derive(Clone, Copy)]
pub struct Steps {
    /// In nanoseconds.
    pub clock: u64,
    /// In ticks.
    pub counter: u64,
}

/// Returns the narrowest of `tries` brackets, or the first that is at most `enough` nanoseconds
/// wide: one that was interrupted is wide and is not chosen.
///
/// `None` if the other clock went backwards between every two reads.
pub fn narrowest(
    clock: impl Fn() -> u64,
    counter: impl Fn() -> u64,
    steps: Steps,
    tries: u32,
    enough: u64,
) -> Option<Sample> {
    let mut best: Option<Sample> = None;
    for _ in 0..tries {
        let low = clock();
        let ticks = counter();
        let high = clock();
        if high < low {
            continue;
        }
        let high = high.saturating_add(steps.clock);
        let sample = Sample { ticks, ticks_step: steps.counter, low, high };
        if best.is_none_or(|best| sample.width() < best.width()) {
            best = Some(sample);
        }
        if sample.width() <= enough {
            break;
        }
    }
    best
}
