//! What the processes of a run show of one cost, each on its own.

use crate::stats::estimate::ModeEstimate;

/// Processes that do not differ are said to disagree with a probability of 0.1 %: the point of the
/// normal distribution beyond which that much of it lies.
const ALPHA_Z: f64 = 3.09;

/// Processes that differ by less do not disagree, whatever their samples say: the standard
/// deviation of their estimates, as a share of the cost.
const LEAST: f64 = 0.01;

/// Returns the estimates of the processes in nanoseconds, rounded to a hundredth to a tenth of
/// half the interval of them all: no digit is kept that means nothing. Empty if there are fewer
/// than two.
pub fn rounded(each: &[ModeEstimate], all: &ModeEstimate, ns: f64) -> Vec<f64> {
    if each.len() < 2 {
        return Vec::new();
    }
    let half = all.half_width() * ns;
    let places = if half > 0.0 { (1.0 - half.log10().floor()).clamp(0.0, 4.0) } else { 4.0 };
    let unit = 10f64.powi(places as i32);
    each.iter().map(|one| (one.value * ns * unit).round() / unit).collect()
}

/// Returns whether the processes differ by more than their samples explain: Cochran's Q of their
/// estimates, each with the standard error of its own samples, against chi-square (by Wilson and
/// Hilferty 1931), and by at least [`LEAST`].
pub fn disagree(each: &[ModeEstimate]) -> bool {
    let freedom = each.len() as f64 - 1.0;
    if freedom < 1.0 {
        return false;
    }
    let mean = each.iter().map(|one| one.value).sum::<f64>() / each.len() as f64;
    let squares: f64 = each.iter().map(|one| (one.value - mean).powi(2)).sum();
    if (squares / freedom).sqrt() < LEAST * mean.abs() {
        return false;
    }
    // Samples that are all equal have an interval without width.
    let weight = |one: &ModeEstimate| (1.96 / one.half_width().max(1e-6 * mean.abs())).powi(2);
    let weights: f64 = each.iter().map(weight).sum();
    let center = each.iter().map(|one| weight(one) * one.value).sum::<f64>() / weights;
    let q: f64 = each.iter().map(|one| weight(one) * (one.value - center).powi(2)).sum();
    let spread = 2.0 / (9.0 * freedom);
    q > freedom * (1.0 - spread + ALPHA_Z * spread.sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(values: &[f64], half: f64) -> Vec<ModeEstimate> {
        let of = |value: &f64| ModeEstimate {
            value: *value,
            low: value - half,
            high: value + half,
            second: None,
        };
        values.iter().map(of).collect()
    }

    #[test]
    fn processes_disagree_only_beyond_their_scatter_and_if_it_matters() {
        let two = [20.0, 22.0, 20.0, 20.0, 22.0, 20.0, 20.0, 20.0];
        assert!(disagree(&each(&two, 0.05)));
        assert!(!disagree(&each(&two, 3.0)), "their samples explain it");
        let close = two.map(|ns| 20.0 + (ns - 20.0) / 20.0);
        assert!(!disagree(&each(&close, 0.001)), "half a percent does not matter");
        for few in [&two[..0], &two[..1]] {
            assert!(!disagree(&each(few, 0.05)));
        }
        assert!(disagree(&each(&two[..2], 0.0)), "no scatter at all");
        assert!(!disagree(&each(&[f64::NAN, 20.0], 0.1)));
    }

    #[test]
    fn no_digit_is_kept_that_the_interval_makes_meaningless() {
        let rounded = |half| rounded(&each(&[22.18643, 21.0], 1.0), &each(&[22.0], half)[0], 1.0);
        assert_eq!(rounded(0.04), [22.186, 21.0]);
        assert_eq!(rounded(0.4), [22.19, 21.0]);
        assert_eq!(rounded(40.0), [22.0, 21.0]);
        assert_eq!(rounded(0.0), [22.1864, 21.0]);
        let [one, all] = [each(&[22.0], 1.0), each(&[22.0], 1.0)];
        assert!(super::rounded(&one, &all[0], 1.0).is_empty());
    }
}
