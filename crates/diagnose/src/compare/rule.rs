//! When is a change more than chance, and when are two figures the same? The one judge of all
//! comparisons, and the distributions that it judges by.

use super::Measured;
use chronoscope_model::compare::{Counts, Figure, Key, Quantity, Row, Section, Verdict};
use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::erf::erfc;

/// A change has to be this unlikely without a reason, allowing for all rows that are judged.
pub const ALPHA: f64 = 0.05;
/// The smallest change of a cost that counts, as a share.
pub const SMALL: f64 = 0.01;
/// The smallest change that counts, in nanoseconds.
pub const SMALL_NS: f64 = 0.1;
/// Any change of a cost that is the same is below this share.
pub const SAME: f64 = 0.05;
/// The same for costs that repeat less well, and for the percentiles of waits.
pub const SAME_WIDE: f64 = 0.1;
/// The smallest change of a percentile of waits that counts, as a share.
pub const SMALL_WAIT: f64 = 0.05;

/// What counts as a change, and what as none.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The smallest change that counts, as a share.
    pub small: f64,
    /// The smallest change that counts, in nanoseconds.
    pub small_ns: f64,
    /// Any change of what is the same is below this share.
    pub same: f64,
    /// How unlikely a change has to be without a reason, allowing for all rows that are judged.
    pub level: f64,
}

/// Those of costs.
pub const COSTS: Limits = Limits { small: SMALL, small_ns: SMALL_NS, same: SAME, level: ALPHA };
/// Those of costs that repeat less well: of system calls, and of the clocks of runtimes.
pub const WIDE: Limits = Limits { same: SAME_WIDE, ..COSTS };
/// Those of the percentiles of waits.
pub const WAITS: Limits = Limits { small: SMALL_WAIT, ..WIDE };

impl Limits {
    /// Those of a figure in two reports.
    pub fn of(a: &Measured, b: &Measured) -> Self {
        match a.key.section {
            Section::Waits => WAITS,
            Section::Runtimes => WIDE,
            _ if a.through_kernel() || b.through_kernel() => WIDE,
            _ => COSTS,
        }
    }

    /// Those of a figure in runs, whose spread shows how well it repeats.
    pub fn of_runs(key: &Key) -> Self {
        match (key.section, key.quantity) {
            (Section::Waits, _) => WAITS,
            // It has no nanoseconds.
            (_, Quantity::Metric) => Self { small_ns: 0.0, ..COSTS },
            _ => COSTS,
        }
    }
}

/// If the reads of the counter differ by less than this share in one unit, they show how far the
/// runs as a whole are off in it.
pub const CALIBRATES: f64 = 0.01;
/// What reads in user space differ by from run to run then: half a 95 % interval, as a share.
pub const STEADY: f64 = 0.005;
/// If they do not show it, and the usual frequencies differ by more than this share, costs are
/// judged in cycles.
pub const SPEEDS: f64 = 0.02;

/// The logarithm of B divided by A, with its 95 % interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ratio {
    pub log: f64,
    pub low: f64,
    pub high: f64,
}

impl Ratio {
    /// The far end of the interval, as a share. It does not depend on which of the two is A.
    pub fn at_most(self) -> f64 {
        share(self.low.abs().max(self.high.abs()))
    }

    /// The end of the interval that is nearer to no change, as a distance from the estimate.
    pub fn half(self) -> f64 {
        if self.log > 0.0 { self.log - self.low } else { self.high - self.log }
    }
}

/// A logarithm of a ratio as a share, which is finite whatever a file holds.
pub fn share(log: f64) -> f64 {
    log.clamp(-600.0, 600.0).exp_m1()
}

/// A row that is not yet judged.
pub fn row(key: Key, [a, b]: [Figure; 2], ratio: Ratio) -> Row {
    Row {
        key,
        a,
        b,
        change: share(ratio.log),
        change_low: share(ratio.low),
        change_high: share(ratio.high),
        at_most: ratio.at_most(),
        ..Row::default()
    }
}

/// The verdict on a row, from the probability of its change by chance, which allows for the other
/// rows: worse or better if that is below the level and the change is not small, the same if no
/// change within the interval matters.
pub fn judged(key: Key, figures: [Figure; 2], ratio: Ratio, p: f64, limits: Limits) -> Row {
    let size = share(ratio.log.abs());
    // In cycles, this is the difference at the frequency of the faster run.
    let ns = size * figures[0].value_ns.min(figures[1].value_ns);
    let verdict = match () {
        () if p < limits.level && size >= limits.small && ns >= limits.small_ns => {
            if ratio.log > 0.0 { Verdict::Worse } else { Verdict::Better }
        }
        () if ratio.at_most() < limits.same => Verdict::Same,
        () => Verdict::CannotTell,
    };
    Row { p: Some(p), verdict, ..row(key, figures, ratio) }
}

/// What is said instead if the two machines are not the same.
pub fn elsewhere(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Worse => Verdict::Higher,
        Verdict::Better => Verdict::Lower,
        other => other,
    }
}

/// How many rows have each verdict.
pub fn counts(rows: &[Row]) -> Counts {
    let mut counts = Counts::default();
    for row in rows {
        *match row.verdict {
            Verdict::Worse | Verdict::Higher => &mut counts.worse,
            Verdict::Better | Verdict::Lower => &mut counts.better,
            Verdict::Same => &mut counts.same,
            Verdict::CannotTell => &mut counts.cannot_tell,
        } += 1;
    }
    counts
}

/// The probability of a change of this size by chance alone, for one row. Half of the interval
/// counts as 1.96 standard errors. The interval of a runtime is Student's for its few processes,
/// so its errors are fewer, and the chance of a large one is greater.
pub fn p(a: &Measured, b: &Measured, ratio: Ratio) -> f64 {
    if ratio.log == 0.0 {
        return 1.0;
    }
    let halves = ratio.log / ratio.half();
    match (a.key.section, a.processes, b.processes) {
        (Section::Runtimes, Some(a), Some(b)) => {
            let each = f64::from(a.min(b)) - 1.0;
            student_p(halves * student_within(0.95, each), each)
        }
        _ => normal_p(halves * Z),
    }
}

/// Why stored reports cannot tell whether this figure changed; `None` if they may.
pub fn not_judged(it: &Measured) -> Option<&'static str> {
    match (it.key.section, it.key.quantity) {
        (Section::Waits, _) => Some("use compare --run"),
        (_, Quantity::Cold) => Some("cold reads differ from run to run: use --run"),
        (_, Quantity::First) => Some("first reads differ from run to run: use --run"),
        _ if it.facts().is_some_and(|it| it.exits_guest) => Some("leaves the guest: use --run"),
        _ => None,
    }
}

/// Why a cost says nothing of a run on a core of its own; `None` if it does. Two runs, three
/// seconds apart, differed by more than 10 % in 29 of 36 costs, because a neighbour used the core
/// of one of them throughout.
pub fn never_alone(it: &Measured, side: &str) -> Option<String> {
    it.only_shared.then(|| format!("the core was shared throughout {side}: use --run"))
}

/// Why a row that is judged stays undecided.
pub fn too_wide(it: &Measured) -> &'static str {
    match it.stored_time() {
        true => "the cost differs from run to run: use --run",
        false => "the intervals are too wide: use --run",
    }
}

/// The standard deviation; 0 of fewer than two.
pub fn spread(of: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = of.clone().count().max(2) as f64;
    let mean = of.clone().sum::<f64>() / n;
    (of.map(|it| (it - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
}

/// The median; 0 of none.
pub fn median(of: impl Iterator<Item = f64>) -> f64 {
    let mut of: Vec<f64> = of.collect();
    of.sort_by(f64::total_cmp);
    let at = of.len() / 2;
    match of.len() {
        0 => 0.0,
        n if n % 2 == 0 => (of[at - 1] + of[at]) / 2.0,
        _ => of[at],
    }
}

/// The normal distribution's 97.5th percentile: half a 95 % interval, in standard errors.
pub const Z: f64 = 1.959_964;

/// The probability that a standard normal value is at least this far from 0, on either side.
pub fn normal_p(z: f64) -> f64 {
    erfc(z.abs() / std::f64::consts::SQRT_2)
}

/// The probability that a value of Student's t is at least this far from 0, on either side. Fewer
/// than one degree of freedom, or none that is finite, proves nothing: 1.
pub fn student_p(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    student(freedom).map_or(1.0, |it| 2.0 * it.sf(t.abs())).clamp(0.0, 1.0)
}

/// The value of Student's t that this share lies within, on either side of 0; infinite with fewer
/// than one degree of freedom.
pub fn student_within(share: f64, freedom: f64) -> f64 {
    student(freedom).map_or(f64::INFINITY, |it| it.inverse_cdf(0.5 + share / 2.0))
}

fn student(freedom: f64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom).ok().filter(|_| freedom >= 1.0 && freedom.is_finite())
}

/// Corrects probabilities for their number, so that the chance of any false alarm among them stays
/// below the level that each is compared with, whether they depend on each other or not (Holm 1979,
/// Scandinavian Journal of Statistics 6, 65-70).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut corrected = vec![1.0; p.len()];
    let mut least = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        least = least.max(p[at] * (p.len() - rank) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
    }

    #[test]
    fn probabilities_and_quantiles_are_those_of_tables() {
        near(normal_p(Z), 0.05);
        near(normal_p(-2.575_829), 0.01);
        near(normal_p(6.0), 1.973e-9);
        assert_eq!((normal_p(0.0), normal_p(f64::INFINITY)), (1.0, 0.0));
        // Student's t: Fisher and Yates, Statistical Tables, table III.
        for (freedom, t) in [(1.0, 12.706), (3.0, 3.182), (7.0, 2.365), (30.0, 2.042)] {
            near(student_within(0.95, freedom), t);
            near(student_p(t, freedom), 0.05);
        }
        assert_eq!((student_p(f64::INFINITY, 3.0), student_p(0.0, 3.0)), (0.0, 1.0));
        assert_eq!((student_p(9.0, 0.0), student_within(0.95, 0.0)), (1.0, f64::INFINITY));
        assert_eq!(student_p(9.0, f64::NAN), 1.0);
    }

    #[test]
    fn holm_multiplies_each_by_the_number_that_is_left_and_keeps_the_order() {
        let corrected = holm(&[0.04, 0.01, 0.03, 0.005]);
        for (found, expected) in corrected.iter().zip([0.06, 0.03, 0.06, 0.02]) {
            near(*found, expected);
        }
        assert_eq!(holm(&[0.9, 0.9]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
