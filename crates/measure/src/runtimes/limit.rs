//! What limits the interval of a runtime's cost, and whether its processes have two costs.

use super::PROCESSES;
use crate::stats::summary::Summary;
use chronoscope_model::Estimate;
use chronoscope_model::runtimes::LimitedBy;

/// Half the 95 % interval of what whole runs differ by, as a share of a cost. It is the frequency
/// of the core, which lasts for longer than a run: runs on an AMD EPYC (family 26, two CPUs of a
/// virtual machine) were up to 3 % from one another, all clocks alike, and 6 % next to builds.
const BETWEEN_RUNS: f64 = 0.025;

/// Two states are at least this far apart, as a share of the lower.
const APART: f64 = 0.05;
/// Two states are this many times as far apart as the processes of either.
const CLEARLY: f64 = 3.0;
/// The standard deviation of normal samples by their median absolute deviation.
const BY_MAD: f64 = 1.4826;

/// Half the 95 % interval of what whole runs differ by, as a share of a cost: what runs usually
/// differ by, or the drift of the frequency that this run saw itself, if that is more. Both are the
/// same effect, so it counts once.
pub(super) fn between_runs(drift: f64) -> f64 {
    BETWEEN_RUNS.max(drift)
}

/// Returns a cost with the interval of what other runs would report, which differ by this share. A
/// multiple of another cost of the same run has no need of it.
pub(super) fn widened(mut cost: Estimate, between_runs: f64) -> Estimate {
    cost.widen(between_runs);
    cost
}

/// Returns the two costs between which the processes differ, in nanoseconds: at least two processes
/// have each. One process that differs from all others has no state of its own.
pub(super) fn states_ns(by_process: &[f64]) -> Option<[f64; 2]> {
    let mut sorted = by_process.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let gap = |at: &usize| sorted[*at] - sorted[at - 1];
    let most = sorted.len().saturating_sub(1);
    let at = (2..most).max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let (low, high) = sorted.split_at(at);
    let width = |part: &[f64]| part[part.len() - 1] - part[0];
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let apart = gap(&at) > CLEARLY * width(low).max(width(high)) && gap(&at) > APART * low[0];
    apart.then(|| [mean(low), mean(high)])
}

/// Returns what limits the interval of a cost by which whole runs differ by this share: the largest
/// of its parts, each as a standard error.
pub(super) fn limited_by(cost: &Estimate, between_runs: f64) -> LimitedBy {
    let each = &cost.by_process;
    let count = each.len() as f64;
    if states_ns(each).is_some() {
        return LimitedBy::TwoStates;
    }
    let Some(processes) = Summary::of(each).filter(|_| each.len() as u32 * 2 > PROCESSES) else {
        return LimitedBy::NumberOfProcesses;
    };
    let time = BY_MAD * cost.mad_ns / (cost.batches.max(1) as f64).sqrt();
    // The scatter of batches is part of what processes differ by.
    let between = (processes.sd.powi(2) / count - time.powi(2)).max(0.0).sqrt();
    let runs = cost.value_ns.abs() * between_runs / 1.96;
    let parts = [
        (LimitedBy::DifferencesBetweenRuns, runs),
        (LimitedBy::DifferencesBetweenProcesses, between),
        (LimitedBy::Time, time),
    ];
    let widest = parts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    widest.map_or(LimitedBy::Time, |(by, _)| by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_have_two_states_only_if_several_have_each_and_they_are_clearly_apart() {
        let low_and_high = [20.0, 26.0, 20.1, 26.2, 20.05, 26.1];
        let [low, high] = states_ns(&low_and_high).expect("two");
        assert!((low - 20.05).abs() < 1e-9 && (high - 26.1).abs() < 1e-9);
        let one_bad = [20.0, 20.1, 26.0, 20.05, 20.0, 20.1];
        let close = [20.0, 20.5, 20.01, 20.51, 20.0, 20.5];
        let spread = [20.0, 21.0, 22.0, 23.0, 24.0, 25.0];
        for none in [&one_bad[..], &close, &spread, &low_and_high[..3], &[]] {
            assert_eq!(states_ns(none), None, "{none:?}");
        }
    }

    #[test]
    fn of_the_usual_difference_and_the_drift_of_this_run_the_larger_widens_an_interval() {
        let half = |drift| {
            let cost =
                Estimate { value_ns: 100.0, low_ns: 99.9, high_ns: 100.1, ..Estimate::default() };
            let cost = widened(cost, between_runs(drift));
            assert!((cost.high_ns + cost.low_ns - 200.0).abs() < 1e-9);
            cost.half_ns()
        };
        let usual = half(0.0);
        assert!((usual - (100.0 * BETWEEN_RUNS).hypot(0.1)).abs() < 1e-9);
        assert_eq!(half(BETWEEN_RUNS / 2.0), usual, "a smaller drift adds nothing");
        let drift = BETWEEN_RUNS * 2.0;
        assert!(
            (half(drift) - (100.0 * drift).hypot(0.1)).abs() < 1e-9,
            "and a larger one replaces it"
        );
    }

    #[test]
    fn the_largest_part_of_an_interval_limits_it() {
        let cost = |by_process: &[f64], mad_ns| Estimate {
            value_ns: 20.0,
            by_process: by_process.to_vec(),
            mad_ns,
            batches: 100,
            ..Estimate::default()
        };
        let alike = [20.0, 20.1, 20.0, 20.1, 20.0, 20.1];
        let apart = [20.0, 21.0, 22.0, 23.0, 24.0, 25.0];
        let cases = [
            (cost(&alike, 0.1), LimitedBy::DifferencesBetweenRuns),
            (cost(&alike, 9.0), LimitedBy::Time),
            (cost(&apart, 0.1), LimitedBy::DifferencesBetweenProcesses),
            (cost(&apart[..3], 0.1), LimitedBy::NumberOfProcesses),
            (cost(&[], 0.1), LimitedBy::NumberOfProcesses),
            (cost(&[20.0, 26.0, 20.1, 26.2, 20.05, 26.1], 0.1), LimitedBy::TwoStates),
        ];
        for (cost, by) in cases {
            assert_eq!(limited_by(&cost, BETWEEN_RUNS), by, "{cost:?}");
        }
    }
}
