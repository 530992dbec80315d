//! How steady a clock ran, by the measures of time and frequency metrology: the Allan deviation,
//! the time deviation and the maximum time interval error, as W. J. Riley and D. A. Howe define
//! them (NIST Special Publication 1065, 2008, sections 5.2.4, 5.2.6 and 5.6).

use chronoscope_model::trust::{Course, Series, Stability};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The share of the intervals.
const SHARE: f64 = 0.95;
/// Points whose distance from the next one differs by more than this from the usual are not evenly
/// spaced.
const UNEVEN: f64 = 0.1;
/// Fewer points show nothing.
const LEAST: usize = 8;

/// How steady each clock of a series ran, over averaging times that double; none if its points are
/// too few. Steps and jumps are left out.
pub fn of(series: &Series) -> Vec<(&str, Vec<Stability>)> {
    let clocks = series.clocks.iter().map(|course| (course.id.as_str(), of_clock(series, course)));
    clocks.filter(|(_, steady)| !steady.is_empty()).collect()
}

fn of_clock(series: &Series, course: &Course) -> Vec<Stability> {
    let [first, after] = even(&series.at_s);
    let point = |nth: usize| {
        let [offset, stepped] = course.at(nth)?;
        Some((*series.at_s.get(nth)?, offset - stepped))
    };
    let points: Vec<(f64, f64)> = (first.max(course.first)..after).map_while(point).collect();
    let ([(start, from), .., (end, to)], LEAST..) = (&points[..], points.len()) else {
        return Vec::new();
    };
    let tau0 = (end - start) / (points.len() - 1) as f64;
    let rate = (to - from) / (end - start);
    if !rate.is_finite() || tau0 <= 0.0 {
        return Vec::new();
    }
    let ns: Vec<f64> = points.iter().map(|(_, ns)| *ns).collect();
    // No constant rate changes the deviations. Without it, neither do points that are a little
    // late.
    let level: Vec<f64> = points.iter().map(|(s, ns)| ns - rate * (s - start)).collect();
    // A row of fewer independent differences would say little.
    let factors = std::iter::successors(Some(1), |m| Some(2 * m)).take_while(|m| 4 * m <= ns.len());
    let rows = factors.filter_map(|m| row(&level, &ns, m, tau0));
    rows.filter(|it| [it.adev, it.tdev_ns, it.mtie_ns].iter().all(|it| it.is_finite())).collect()
}

fn row(level: &[f64], ns: &[f64], m: usize, tau0: f64) -> Option<Stability> {
    let tau_s = m as f64 * tau0;
    // In nanoseconds per second: 1e-9.
    let adev = overlapping(level, m)? / tau_s * 1e-9;
    let tdev_ns = time_deviation(level, m)?;
    let noises = || [2, 1, 0, -1, -2].into_iter();
    let least = |all: &mut dyn Iterator<Item = f64>| all.fold(f64::INFINITY, f64::min);
    let of_adev = least(&mut noises().map(|alpha| freedom(level.len(), m, alpha)));
    let of_tdev = least(&mut noises().map(|alpha| modified_freedom(level.len(), m, alpha)));
    Some(Stability {
        tau_s,
        adev,
        adev_95: interval(adev, of_adev),
        tdev_ns,
        tdev_95_ns: interval(tdev_ns, of_tdev),
        mtie_ns: interval_error(ns, m)?,
    })
}

/// The longest run of evenly spaced points: the first of them, and the one after the last.
fn even(at_s: &[f64]) -> [usize; 2] {
    let apart: Vec<f64> = at_s.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut sorted = apart.clone();
    sorted.sort_by(f64::total_cmp);
    let usual = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let (mut best, mut first) = ([0, 0], 0);
    for (nth, apart) in apart.iter().enumerate() {
        if (apart - usual).abs() > UNEVEN * usual {
            first = nth + 1;
        } else if nth + 2 - first > best[1] - best[0] {
            best = [first, nth + 2];
        }
    }
    best
}

/// The second differences of `x` over `m` points.
fn seconds(x: &[f64], m: usize) -> Vec<f64> {
    x.windows(2 * m + 1).map(|it| it[2 * m] - 2.0 * it[m] + it[0]).collect()
}

/// The overlapping Allan deviation of these phases times the averaging time of `m` points.
pub fn overlapping(x: &[f64], m: usize) -> Option<f64> {
    let all = seconds(x, m);
    let squares: f64 = all.iter().map(|it| it * it).sum();
    (!all.is_empty()).then(|| (squares / (2.0 * all.len() as f64)).sqrt())
}

/// The time deviation of these phases: the modified Allan deviation times the averaging time of `m`
/// points, by the square root of 3.
pub fn time_deviation(x: &[f64], m: usize) -> Option<f64> {
    let all = seconds(x, m);
    let sums: Vec<f64> = all.windows(m).map(|it| it.iter().sum()).collect();
    let squares: f64 = sums.iter().map(|it| it * it).sum();
    let (count, m) = (sums.len() as f64, m as f64);
    (!sums.is_empty()).then(|| (squares / (6.0 * m * m * count)).sqrt())
}

/// The maximum time interval error of these phases: by how much they differ at most within `m`
/// points.
pub fn interval_error(x: &[f64], m: usize) -> Option<f64> {
    let range = |it: &[f64]| {
        let [low, high] =
            it.iter().fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(*x), high.max(*x)]);
        high - low
    };
    x.windows(m + 1).map(range).reduce(f64::max)
}

/// The equivalent degrees of freedom of an overlapping Allan variance of `n` phases with noise of
/// this exponent, 2 for white phase to -2 for random walk of frequency (SP 1065, table 5).
pub fn freedom(n: usize, m: usize, alpha: i32) -> f64 {
    let (n, m) = (n as f64, m as f64);
    match alpha {
        2 => (n + 1.0) * (n - 2.0 * m) / (2.0 * (n - m)),
        1 => {
            let (a, b) = ((n - 1.0) / (2.0 * m), (2.0 * m + 1.0) * (n - 1.0) / 4.0);
            (a.ln() * b.ln()).sqrt().exp()
        }
        0 => {
            let part = 3.0 * (n - 1.0) / (2.0 * m) - 2.0 * (n - 2.0) / n;
            part * (4.0 * m * m) / (4.0 * m * m + 5.0)
        }
        -1 if m < 2.0 => 2.0 * (n - 2.0) / (2.3 * n - 4.9) * (n - 2.0),
        -1 => 5.0 * n * n / (4.0 * m * (n + 3.0 * m)),
        _ => {
            let part = (n - 1.0).powi(2) - 3.0 * m * (n - 1.0) + 4.0 * m * m;
            (n - 2.0) / m * part / (n - 3.0).powi(2)
        }
    }
}

/// The same of a modified Allan variance (C. A. Greenhall and W. J. Riley, "Uncertainty of
/// stability variances based on finite differences", PTTI 2003, case 1, summed in full).
pub fn modified_freedom(n: usize, m: usize, alpha: i32) -> f64 {
    let sw = |t: f64| {
        let t = t.abs();
        match alpha {
            2 => -t,
            1 if t > 0.0 => t * t * t.ln(),
            0 => t.powi(3),
            -1 if t > 0.0 => -t.powi(4) * t.ln(),
            -2 => -t.powi(5),
            _ => 0.0,
        }
    };
    let sx = |t: f64| 2.0 * sw(t) - sw(t - 1.0) - sw(t + 1.0);
    let sz =
        |t: f64| 6.0 * sx(t) - 4.0 * sx(t - 1.0) - 4.0 * sx(t + 1.0) + sx(t - 2.0) + sx(t + 2.0);
    // Of estimates, each a point after the one before, those within three averaging times.
    let count = (n + 1).saturating_sub(3 * m).max(1);
    let near = count.min(3 * m);
    let part = |j: usize| (1.0 - j as f64 / count as f64) * sz(j as f64 / m as f64).powi(2);
    let sum = part(0) + part(near) + 2.0 * (1..near).map(part).sum::<f64>();
    count as f64 * sz(0.0).powi(2) / sum
}

/// The interval that contains a deviation with so many degrees of freedom (SP 1065, equation 45).
pub fn interval(deviation: f64, freedom: f64) -> Option<[f64; 2]> {
    let chi = ChiSquared::new(freedom).ok()?;
    let tail = (1.0 - SHARE) / 2.0;
    let end = |share: f64| deviation * (freedom / chi.inverse_cdf(share)).sqrt();
    let [low, high] = [end(1.0 - tail), end(tail)];
    (low.is_finite() && high.is_finite()).then_some([low, high])
}
