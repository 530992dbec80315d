//! A run next to earlier runs of the same machine.
//!
//! A prediction interval alone raises false alarms, because few runs understate how much runs
//! differ. So a figure has to lie outside all earlier ones, too, and beyond its own interval.

use super::rule::{ALPHA, COSTS, Ratio};
use super::stats::{self, Z};

/// The fewest runs whose spread says something.
pub const FEWEST: usize = 5;

/// The standard deviation between runs is at least this, as a share: the next one is not as equal
/// as a few may be by chance.
const LEAST_SD: f64 = 0.0005;

/// A figure of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Its logarithm, in the unit that it is judged in.
    pub ln: f64,
    /// The standard error of that within its run.
    pub se: f64,
    /// The figure in nanoseconds.
    pub ns: f64,
}

/// What a figure is next to the same one of earlier runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Judged {
    /// The figure divided by the median of the earlier ones, in logarithms, with the 95 % interval
    /// for the spread between runs and that within them.
    pub ratio: Ratio,
    /// The median of the earlier ones, in nanoseconds.
    pub ns: f64,
    /// Half the 95 % interval that the next run is expected in, in logarithms.
    pub expected: f64,
    /// The probability of such a figure if nothing changed: 1 unless it lies outside all earlier
    /// ones.
    pub p: f64,
}

impl Judged {
    /// Whether the figure is off: 1 if it is higher, -1 if it is lower, otherwise 0.
    pub fn side(&self) -> i8 {
        let size = super::rule::share(self.ratio.log.abs());
        let large = size >= COSTS.small && size * self.ns >= COSTS.small_ns;
        match self.p < ALPHA && large {
            true => self.ratio.log.signum() as i8,
            false => 0,
        }
    }
}

/// Judges a figure by at least two earlier ones. The prediction interval is that of a further value
/// of a normal distribution: Student's t with n - 1 degrees of freedom times s * sqrt(1 + 1/n)
/// (Hahn and Meeker, "Statistical Intervals", 1991, section 4.8).
fn judged(earlier: &[Point], new: Point) -> Judged {
    let n = earlier.len() as f64;
    let sd = spread(earlier.iter().map(|it| it.ln)).max(LEAST_SD) * (1.0 + 1.0 / n).sqrt();
    let own = new.se.hypot(median(earlier.iter().map(|it| it.se)));
    let log = new.ln - median(earlier.iter().map(|it| it.ln));
    let outside =
        earlier.iter().all(|it| it.ln < new.ln) || earlier.iter().all(|it| it.ln > new.ln);
    let p = stats::student_p(log / sd, n - 1.0).max(stats::normal_p(log / own));
    let expected = stats::student_within(0.95, n - 1.0) * sd;
    let half = expected.max(Z * own);
    Judged {
        ratio: Ratio { log, low: log - half, high: log + half },
        ns: median(earlier.iter().map(|it| it.ns)),
        expected,
        p: if outside { p } else { 1.0 },
    }
}

/// Judges each figure of a run by those of earlier runs; `None` for those that this run or enough
/// earlier ones do not have. The probabilities allow for all that are judged.
pub fn run(earlier: &[&[Point]], new: &[Option<Point>]) -> Vec<Option<Judged>> {
    let mut all: Vec<Option<Judged>> = earlier
        .iter()
        .zip(new)
        .map(|(earlier, new)| {
            (earlier.len() >= FEWEST).then(|| new.map(|it| judged(earlier, it)))?
        })
        .collect();
    let p: Vec<f64> = all.iter().flatten().map(|it| it.p).collect();
    all.iter_mut().flatten().zip(stats::holm(&p)).for_each(|(it, p)| it.p = p);
    all
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
