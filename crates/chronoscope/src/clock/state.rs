//! What a clock knows, as words that are published together.
//!
//! The choice of a source in one word, which one compare-exchange publishes.

use super::{COUNTER, OS, STOP, Ticks, UNSET};
use crate::calibrate::{Estimator, Rate, Sample};
use crate::choose::{Reason, Source};
use crate::convert::{SHIFT, Scale};
use crate::machine::{Kernel, Name};

/// All words of a state.
pub const WORDS: usize = 63;

/// The words at the beginning that conversions need; see [`Known`].
pub const KNOWN: usize = 12;

/// What a single check cannot decide: whether the counter jumped at the previous rate, or changed
/// its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// The rate known before.
    pub before: Rate,
    /// The rate, if nothing jumped.
    pub since: Rate,
    /// The jump, if the rate is unchanged, in nanoseconds; negative if backwards.
    pub ahead_ns: f64,
    /// Where the counter should have been then; readers may have seen it there.
    pub due: u64,
}

/// Where the reference seems to have moved to: samples that are all behind an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    pub first: Sample,
    /// The counter at the last look that counts.
    pub last: u64,
    /// How many looks agree on it; zero if nothing seems to have moved.
    pub looks: u32,
}

impl Moved {
    pub const NO: Self = Self { first: Sample::NONE, last: 0, looks: 0 };
}

/// How large a jump no check would have noticed, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slack {
    /// Between the last two checks, the first of which was at these ticks.
    pub gap: u64,
    pub gap_from: u64,
    /// Between any two checks since these ticks.
    pub recent: u64,
    pub recent_from: u64,
    /// Between any two checks since the estimate began.
    pub whole: u64,
}

impl Slack {
    /// Adds the time between two checks, the first of which was at ticks `from`.
    pub fn add(&mut self, from: u64, slack: u64) {
        (self.gap, self.gap_from) = (slack, from);
        self.whole = self.whole.max(slack);
        // A single long pause must not widen what begins later.
        if slack < self.recent / 2 {
            (self.recent, self.recent_from) = (slack, from);
        } else {
            self.recent = self.recent.max(slack);
        }
    }

    /// How far a difference that begins at `earlier` can be off without anyone knowing. It may
    /// begin and end in the middle of the time between two checks.
    pub fn since(&self, earlier: u64) -> u64 {
        if earlier >= self.gap_from {
            self.gap
        } else if earlier >= self.recent_from {
            self.recent.saturating_mul(2)
        } else {
            self.whole.saturating_mul(2)
        }
    }
}

/// What conversions need to know.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub scale: Scale,
    /// How many nanoseconds of a nanosecond the scale can be off, rounded up.
    pub error: Scale,
    /// Where the system's clock took over: ticks, and nanoseconds of the reference.
    pub takeover: (u64, u64),
    /// Spans of at least this many ticks are converted only after a recent check.
    pub limit: u64,
    /// The counter at the last check.
    pub checked: u64,
    pub source: Source,
    /// The counter when something last happened that no rate explains.
    pub disturbed: Option<u64>,
    pub slack: Slack,
}

impl Known {
    pub fn from_words(words: [u64; KNOWN]) -> Self {
        let [multiplier, error, ticks, ns, limit, checked, packed, rest @ ..] = words;
        let [gap, gap_from, recent, recent_from, disturbed] = rest;
        Self {
            scale: Scale::from_atomic(multiplier),
            error: Scale::from_atomic(error),
            takeover: (ticks, ns),
            limit,
            checked,
            source: source(packed as u8),
            // The one word is either: no counter reaches its last value.
            disturbed: disturbed.checked_sub(1),
            slack: Slack { gap, gap_from, recent, recent_from, whole: packed >> 8 },
        }
    }

    /// The relative error of the scale.
    pub fn bound(&self) -> f64 {
        self.error.ns_per_tick()
    }

    pub fn is_disturbed_since(&self, ticks: Ticks) -> bool {
        self.disturbed.is_some_and(|at| at >= ticks.0)
    }
}

/// The whole state.
#[derive(Clone, Copy, Debug)]
pub struct State {
    pub source: Source,
    pub reason: Reason,
    /// Why the counter was given up.
    pub given_up: Reason,
    pub kernel: Kernel,
    /// Whether the kernel was asked what it does with the counter.
    pub asked: bool,
    /// Nanoseconds per read of the counter and of the system's clock.
    pub costs: (u32, u32),
    pub hint: Option<Name>,
    pub ignored: Option<Name>,
    pub estimator: Estimator,
    pub takeover: (u64, u64),
    pub rejected: u64,
    pub jumps: u64,
    pub rate_changes: u64,
    /// How often the reference has moved for good.
    pub moves: u32,
    pub moved: Moved,
    /// The hypervisor's marker at the last check, if it has one.
    pub marker: Option<u64>,
    /// How often it has changed.
    pub disruptions: u32,
    pub disturbed: Option<u64>,
    pub doubt: Option<Doubt>,
    pub slack: Slack,
    /// No read before the last check exceeds this, even if the counter was set back unnoticed.
    pub horizon: u64,
}

impl State {
    pub const NEW: Self = Self {
        source: Source::Os,
        reason: Reason::Unknown,
        given_up: Reason::Unknown,
        kernel: Kernel::Unasked,
        asked: false,
        costs: (0, 0),
        hint: None,
        ignored: None,
        estimator: Estimator::EMPTY,
        takeover: (0, 0),
        rejected: 0,
        jumps: 0,
        rate_changes: 0,
        moves: 0,
        moved: Moved::NO,
        marker: None,
        disruptions: 0,
        disturbed: None,
        doubt: None,
        slack: Slack { gap: 0, gap_from: 0, recent: 0, recent_from: 0, whole: 0 },
        horizon: 0,
    };

    /// Adds what went unnoticed, in nanoseconds, up to a check at these ticks.
    pub fn add_slack(&mut self, unnoticed: u64, ticks: u64) {
        // What was read before the check before must not pass for what was read after it.
        self.slack.add(self.horizon, unnoticed);
        let back = unnoticed as f64 / self.estimator.rate().best;
        self.horizon = self.horizon.max(ticks.saturating_add(back as u64));
    }

    /// Notes that something happened by these ticks that no rate explains.
    pub fn disturb(&mut self, ticks: u64) {
        self.disturbed = Some(ticks.max(self.disturbed.unwrap_or(0)));
        self.slack = Slack::default();
        self.horizon = ticks;
    }

    /// The words, with the scale that converts reads and the span up to which it does so without
    /// another check.
    pub fn to_words(self, scale: Scale, limit: u64) -> [u64; WORDS] {
        let bound = match self.source {
            Source::Os => 0.0,
            Source::Counter | Source::OsInstead => self.estimator.bound(),
        };
        let mut out = Out { words: [0; WORDS], at: 0 };
        out.put(&[
            scale.multiplier(),
            error(bound).multiplier(),
            self.takeover.0,
            self.takeover.1,
            limit,
            self.estimator.last().ticks,
            u64::from(code(self.source)) | self.slack.whole.min(u64::MAX >> 8) << 8,
            self.slack.gap,
            self.slack.gap_from,
            self.slack.recent,
            self.slack.recent_from,
            self.disturbed.map_or(0, |at| at.saturating_add(1)),
        ]);
        let (kernel, name) = kernel_code(self.kernel);
        out.put(&[u64::from_le_bytes([
            self.reason as u8,
            self.given_up as u8,
            kernel,
            self.asked.into(),
            self.hint.is_some().into(),
            self.ignored.is_some().into(),
            self.doubt.is_some().into(),
            0,
        ])]);
        out.put(&[u64::from(self.costs.0) << 32 | u64::from(self.costs.1)]);
        out.put(&name.to_words());
        out.put(&self.hint.unwrap_or(Name::EMPTY).to_words());
        out.put(&self.ignored.unwrap_or(Name::EMPTY).to_words());
        out.put(&[self.rejected, self.jumps, self.rate_changes, self.horizon]);
        out.put(&self.estimator.to_words());
        let Moved { first, last, looks } = self.moved;
        let counts = u64::from(self.moves) << 32 | u64::from(looks);
        out.put(&[first.ticks, first.low, first.high, last, counts]);
        let told = u64::from(self.disruptions) << 32 | u64::from(self.marker.is_some());
        out.put(&[self.marker.unwrap_or(0), told]);
        if let Some(doubt) = self.doubt {
            let rates = [doubt.before, doubt.since];
            for rate in rates {
                out.put(&[rate.low, rate.best, rate.high].map(f64::to_bits));
            }
            out.put(&[doubt.ahead_ns.to_bits(), doubt.due]);
        }
        out.words
    }

    pub fn from_words(words: &[u64; WORDS]) -> Self {
        let mut rest = In { words, at: 0 };
        let known = Known::from_words(rest.take());
        let [flags] = rest.take();
        let [reason, given_up, kernel, asked, hint, ignored, doubt, _] = flags.to_le_bytes();
        let [costs] = rest.take();
        let name = Name::from_words(rest.take());
        let [told_by, text] = [(); 2].map(|()| Name::from_words(rest.take()));
        let [rejected, jumps, rate_changes, horizon] = rest.take();
        let estimator = Estimator::from_words(rest.take());
        let [from, low, high, last, counts] = rest.take();
        let [marker, told] = rest.take();
        // All samples of one clock have the same step.
        let first = Sample { ticks: from, ticks_step: estimator.last().ticks_step, low, high };
        let [before, since] = [(); 2].map(|()| {
            let [low, best, high] = rest.take().map(f64::from_bits);
            Rate { low, best, high }
        });
        let [ahead, due] = rest.take();
        Self {
            source: known.source,
            reason: Reason::from_code(reason),
            given_up: Reason::from_code(given_up),
            kernel: match kernel {
                0 => Kernel::Uses(name),
                1 => Kernel::Offers(name),
                2 => Kernel::Dropped(name),
                3 => Kernel::Silent,
                _ => Kernel::Unasked,
            },
            asked: asked != 0,
            costs: ((costs >> 32) as u32, costs as u32),
            hint: (hint != 0).then_some(told_by),
            ignored: (ignored != 0).then_some(text),
            estimator,
            takeover: known.takeover,
            rejected,
            jumps,
            rate_changes,
            moves: (counts >> 32) as u32,
            moved: Moved { first, last, looks: counts as u32 },
            marker: (told & 1 != 0).then_some(marker),
            disruptions: (told >> 32) as u32,
            disturbed: known.disturbed,
            doubt: (doubt != 0).then_some(Doubt {
                before,
                since,
                ahead_ns: f64::from_bits(ahead),
                due,
            }),
            slack: known.slack,
            horizon,
        }
    }
}

/// A relative error as a scale, which an integer multiplication applies. One of 1024 or more, which
/// no rate in use has, becomes 1024.
pub fn error(bound: f64) -> Scale {
    Scale::from_atomic((bound * (1u64 << SHIFT) as f64).ceil() as u64)
}

fn code(source: Source) -> u8 {
    match source {
        Source::Counter => 1,
        Source::OsInstead => 2,
        Source::Os => 0,
    }
}

fn source(code: u8) -> Source {
    match code {
        1 => Source::Counter,
        2 => Source::OsInstead,
        _ => Source::Os,
    }
}

fn kernel_code(kernel: Kernel) -> (u8, Name) {
    match kernel {
        Kernel::Uses(name) => (0, name),
        Kernel::Offers(name) => (1, name),
        Kernel::Dropped(name) => (2, name),
        Kernel::Silent => (3, Name::EMPTY),
        Kernel::Unasked => (4, Name::EMPTY),
    }
}

/// Writes words one after the other.
struct Out {
    words: [u64; WORDS],
    at: usize,
}

impl Out {
    fn put(&mut self, words: &[u64]) {
        for (place, word) in self.words.iter_mut().skip(self.at).zip(words) {
            *place = *word;
        }
        self.at += words.len();
    }
}

/// Reads them again.
struct In<'w> {
    words: &'w [u64; WORDS],
    at: usize,
}

impl In<'_> {
    fn take<const N: usize>(&mut self) -> [u64; N] {
        let from = self.at;
        self.at += N;
        std::array::from_fn(|i| self.words.get(from + i).copied().unwrap_or(0))
    }
}

/// The mode, the reason, and for a counter its first rate with a bound. Of the multiplier, the
/// upper 42 bits are kept, which is 2 parts in 10^9 at the highest rate and less at others; the
/// bound covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice(u64);

const META_BITS: u32 = 22;
const REASON_SHIFT: u32 = 4;
const BOUND_SHIFT: u32 = 10;

/// Steps of the bound's exponent in a factor of two.
const BOUND_PARTS: f64 = 8.0;

/// What is lost of the multiplier, relative to the smallest one (see [`crate::convert::MAX_HZ`]).
const LOST: f64 = (1u64 << META_BITS) as f64 / ((1u64 << SHIFT) as f64 * 0.099);

impl Choice {
    pub const NONE: Self = Self(0);

    pub fn os(reason: Reason) -> Self {
        let multiplier = Scale::NANOSECOND.multiplier();
        Self(multiplier | (reason as u64) << REASON_SHIFT | u64::from(OS))
    }

    /// A counter of this scale, whose relative error is at most `bound`.
    pub fn counter(reason: Reason, scale: Scale, bound: f64, has_stop: bool) -> Self {
        let kept = scale.multiplier() >> META_BITS << META_BITS;
        let exponent = -BOUND_PARTS * (bound.max(0.0) + LOST).min(1.0).log2();
        let mode = COUNTER | if has_stop { STOP } else { 0 };
        let meta = (exponent as u64) << BOUND_SHIFT | (reason as u64) << REASON_SHIFT;
        Self(kept | meta | u64::from(mode))
    }

    pub fn from_word(word: u64) -> Self {
        Self(word)
    }

    pub fn word(self) -> u64 {
        self.0
    }

    pub fn mode(self) -> u8 {
        self.0 as u8 & (COUNTER | STOP | OS)
    }

    pub fn is_made(self) -> bool {
        self.mode() != UNSET
    }

    pub fn reason(self) -> Reason {
        Reason::from_code((self.0 >> REASON_SHIFT) as u8 & 0x3f)
    }

    pub fn scale(self) -> Scale {
        Scale::from_atomic(self.0 >> META_BITS << META_BITS)
    }

    /// The relative error of the scale.
    pub fn bound(self) -> f64 {
        if self.mode() & COUNTER == 0 {
            return 0.0;
        }
        let exponent = (self.0 >> BOUND_SHIFT & 0xfff) as f64;
        (-exponent / BOUND_PARTS).exp2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_survives_as_words() {
        let sample = |ticks| Sample { ticks, ticks_step: 3, low: ticks * 2, high: ticks * 2 + 7 };
        let rate = Rate { low: 1.5, best: 2.0, high: 2.25 };
        let mut estimator = Estimator::new(sample(1_000), rate, 1e-8);
        estimator.accept(sample(5_000));
        let state = State {
            source: Source::OsInstead,
            reason: Reason::RateGone,
            given_up: Reason::FellBehind,
            kernel: Kernel::Offers("kvm-clock".into()),
            asked: true,
            costs: (7, 9),
            hint: Some("a hint".into()),
            ignored: Some("sundial".into()),
            estimator,
            takeover: (11, 12),
            rejected: 13,
            jumps: 14,
            rate_changes: 15,
            moves: 24,
            moved: Moved { first: sample(25), last: 26, looks: 27 },
            marker: Some(28),
            disruptions: 29,
            disturbed: Some(0),
            doubt: Some(Doubt { before: rate, since: rate, ahead_ns: -3.0, due: 16 }),
            slack: Slack { gap: 17, gap_from: 18, recent: 19, recent_from: 20, whole: 21 },
            horizon: 23,
        };
        let words = state.to_words(Scale::NANOSECOND, 22);
        let again = State::from_words(&words);
        assert_eq!(format!("{state:?}"), format!("{again:?}"));
        let error = error(estimator.bound()).multiplier();
        assert_eq!(words[..2], [Scale::NANOSECOND.multiplier(), error]);
        // All words are needed, and the last one is used.
        assert_eq!(words[WORDS - 1], 16);
    }
}

#[cfg(test)]
mod choice_tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_choice_keeps_the_rate_within_its_bound(
            hz in 1_000_000u64..=10_000_000_000,
            bound in prop::sample::select(vec![0.0, 1e-9, 5e-8, 2.56e-4, 0.1, 1.0, 7.0]),
            has_stop: bool,
        ) {
            let scale = Scale::from_hz(hz).unwrap();
            let choice = Choice::counter(Reason::Compared, scale, bound, has_stop);
            let off = (choice.scale().ns_per_tick() / scale.ns_per_tick() - 1.0).abs();
            let most = bound.min(0.99);
            prop_assert!(off <= 2.4e-9 && choice.bound() >= most, "{off} {:?}", choice.bound());
            prop_assert!(choice.bound() <= bound * 1.1 + 4e-9);
            prop_assert_eq!(choice.reason(), Reason::Compared);
            prop_assert_eq!(choice.mode(), COUNTER | if has_stop { STOP } else { 0 });
            prop_assert_eq!(Choice::from_word(choice.word()), choice);
        }
    }

    #[test]
    fn the_systems_clock_has_no_error_of_its_own() {
        let choice = Choice::os(Reason::RateGone);
        assert_eq!((choice.bound(), choice.scale()), (0.0, Scale::NANOSECOND));
        assert_eq!((choice.mode(), choice.reason()), (OS, Reason::RateGone));
        assert!(choice.is_made() && !Choice::NONE.is_made());
    }
}
