//! Which of several rows is the best for a goal, and which cannot be told apart from it.
//!
//! A choice must be the same in the next run on the same machine. So nothing is decided by the
//! order of two noisy figures: rows that cannot be told apart stay together until a later criterion
//! separates them, and the last criterion has no noise.

use chronoscope_model::advice::Goal;
use chronoscope_model::quantile::{Percentile, Quantile};
use chronoscope_model::waits::{Kind, Wait};

/// Rows with fewer waits are not judged: 29 is the least that supports a 90th percentile.
pub(super) const LEAST_WAITS: u64 = 30;

/// The least number of waits of a row that is judged for a goal. The usual choice needs a median
/// alone, so that a short run on a busy machine has one.
pub(super) const fn least_waits(goal: Goal) -> u64 {
    match goal {
        Goal::Usual => Percentile::P50.least(),
        Goal::Accuracy | Goal::Cpu | Goal::Load => LEAST_WAITS,
    }
}

/// One overshoot is later than another only if it is so by this factor, whatever the intervals say:
/// they describe one run, and the state of a machine differs more between runs.
pub(super) const LATER: f64 = 2.0;

/// A wait that sleeps is not the usual choice if the 95 % interval of its median is above the least
/// median by more than this, in nanoseconds, and that of another is not.
const WORTH_NS: u64 = 10_000;

/// A sleep followed by a spin counts as a wait that sleeps if it uses less than this part of the
/// CPU time of a spin. If the time is too short to sleep first, it uses as much.
const SLEEPING: f64 = 0.5;

/// Shorter overshoots count as this, in nanoseconds: reading the clock and returning from the wait
/// take about as long.
const FLOOR_NS: u64 = 100;

/// CPU times within this factor of the least count as equal if the least is asked for.
pub(super) const NEAR_CPU: f64 = 1.2;
/// The factor if CPU time only breaks a tie: a simpler method is worth a little CPU time.
pub(super) const TIED_CPU: f64 = 1.5;

#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) wait: &'a Wait,
    pub(super) p50: Quantile,
    /// Absent if there are too few waits.
    pub(super) p90: Option<Quantile>,
    /// The row's place in the report, which follows the catalogue: the most common methods first.
    place: usize,
}

impl<'a> Candidate<'a> {
    /// The row, if it has enough waits for this goal and its histogram can be read.
    pub(super) fn of(wait: &'a Wait, place: usize, goal: Goal) -> Option<Self> {
        if wait.samples < least_waits(goal) {
            return None;
        }
        let hdr = wait.overshoot.decode().ok()?;
        let of = |percentile| {
            let found = Quantile::of(&hdr, percentile)?;
            // The top of a bucket may lie above the largest wait.
            let largest = u64::try_from(wait.max_ns).unwrap_or(0);
            Some(Quantile {
                value: found.value.min(largest),
                low: found.low.min(largest),
                high: found.high.min(largest),
            })
        };
        Some(Self { wait, p50: of(Percentile::P50)?, p90: of(Percentile::P90), place })
    }

    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// The order of preference if nothing else decides, smallest first: what needs no event loop,
    /// what needs no setting, then a sleep before a sleep with a spin before a spin, then the order
    /// of the catalogue.
    fn simplicity(&self) -> (bool, bool, u8, usize) {
        let wait = self.wait;
        let in_loop = wait.code.contains("await ");
        let set = wait.timer_period_ms.is_some()
            || wait.slice_ns.is_some()
            || wait.slack_ns.is_some() && !wait.default_slack;
        let kind = match wait.kind {
            Kind::Sleep => 0,
            Kind::Hybrid => 1,
            Kind::Busy => 2,
        };
        (in_loop, set, kind, self.place)
    }
}

/// The chosen row, and those that the goal itself could not tell apart from it.
pub(super) struct Choice<'a> {
    pub(super) best: Candidate<'a>,
    pub(super) equal: Vec<Candidate<'a>>,
    /// The best spin, if a wait that sleeps is the usual choice.
    pub(super) spin: Option<Candidate<'a>>,
}

/// Chooses for a goal; none if there is no candidate, or if none of them sleeps and the goal is not
/// accuracy: only that is worth a CPU.
///
/// The usual choice follows the median alone: on a busy machine all methods share the tail of the
/// machine, and a sleep and a spin would win in turn.
///
/// The tail comes before the median, because a program that must not be late is not helped by a
/// good median. The median then tells methods apart whose tails are those of the machine, but only
/// if accuracy is all that is asked for: otherwise little evidence should lead to what is cheap and
/// simple, and not to what happened to be better.
pub(super) fn choose<'a>(goal: Goal, all: &[Candidate<'a>]) -> Option<Choice<'a>> {
    let least_late = |all: &[Candidate<'a>]| not_later(all, |row| row.p90);
    let (sleeping, spinning) = apart(all);
    let mut spin = None;
    let (equal, last) = match goal {
        Goal::Usual => {
            spin = spinning.iter().copied().min_by_key(|row| row.p50.value);
            let least = all.iter().map(|row| row.p50.value).min().unwrap_or(0);
            let mut near = sleeping.clone();
            near.retain(|row| row.p50.low <= least.saturating_add(WORTH_NS));
            let near = if near.is_empty() { sleeping } else { near };
            let equal = not_later(&near, |row| Some(row.p50));
            let last = least_cpu(&equal, TIED_CPU);
            (equal, last)
        }
        Goal::Accuracy => {
            let equal = not_later(&least_late(all), |row| Some(row.p50));
            let last = least_cpu(&equal, TIED_CPU);
            (equal, last)
        }
        Goal::Load => {
            let equal = least_late(&sleeping);
            let last = least_cpu(&equal, TIED_CPU);
            (equal, last)
        }
        Goal::Cpu => {
            let equal = least_cpu(&sleeping, NEAR_CPU);
            let last = least_late(&equal);
            (equal, last)
        }
    };
    let best = last.into_iter().min_by_key(Candidate::simplicity)?;
    let is_other = |other: &Candidate| other.simplicity() != best.simplicity();
    Some(Choice { best, equal: equal.into_iter().filter(is_other).collect(), spin })
}

/// The waits that sleep, and those that only spin.
fn apart<'a>(all: &[Candidate<'a>]) -> (Vec<Candidate<'a>>, Vec<Candidate<'a>>) {
    let share = |row: &Candidate| row.wait.cpu_share.filter(|share| share.is_finite());
    let spins = all.iter().filter(|row| row.wait.kind == Kind::Busy);
    let most = SLEEPING * spins.filter_map(share).reduce(f64::max).unwrap_or(1.0);
    all.iter().copied().partition(|row| match row.wait.kind {
        Kind::Sleep => true,
        Kind::Hybrid => share(row).is_none_or(|share| share < most),
        Kind::Busy => false,
    })
}

/// Whether one quantile is later than another: their intervals do not overlap, and the difference
/// matters.
fn is_later(this: Quantile, than: Quantile) -> bool {
    let at_least = |ns: u64| ns.max(FLOOR_NS);
    at_least(this.low) > at_least(than.high)
        && at_least(this.value) as f64 > LATER * at_least(than.value) as f64
}

/// The candidates whose quantile is not later than that of another candidate.
fn not_later<'a>(
    all: &[Candidate<'a>],
    of: fn(&Candidate) -> Option<Quantile>,
) -> Vec<Candidate<'a>> {
    let later = |this: &Candidate| {
        let mut pairs = all.iter().filter_map(|other| of(this).zip(of(other)));
        pairs.any(|(this, other)| is_later(this, other))
    };
    all.iter().copied().filter(|this| !later(this)).collect()
}

/// The candidates within a factor of the least CPU time; all of them if none was measured.
fn least_cpu<'a>(all: &[Candidate<'a>], within: f64) -> Vec<Candidate<'a>> {
    let of = |row: &Candidate| row.wait.cpu_ns.filter(|ns| ns.is_finite());
    let Some(least) = all.iter().filter_map(of).min_by(f64::total_cmp) else {
        return all.to_vec();
    };
    let near = |row: &Candidate| of(row).is_some_and(|ns| ns <= within * least);
    all.iter().copied().filter(near).collect()
}
