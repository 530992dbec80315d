//! The progress of a run of waits.

use super::plan::Plan;
use chronoscope_model::waits::Load;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The load in progress.
    pub load: Load,
    /// Seconds since the load began.
    pub seconds: f64,
    /// The number of waits measured under the load.
    pub samples: u64,
    /// The number of waits requested, if there is a count.
    pub wanted: Option<u64>,
    /// The share of the whole run that is done, 0 to 1, including loads to come; absent if it is
    /// not known yet.
    pub share: Option<f64>,
    /// The seconds that the rest will take.
    pub left_s: Option<f64>,
    /// The last overshoot, in nanoseconds.
    pub now_ns: Option<i64>,
    /// The median of the only row, or of all rows if they belong to one question; absent if there
    /// are too few waits.
    pub p50_ns: Option<u64>,
    /// The 99th percentile of the rows that `p50_ns` covers.
    pub p99_ns: Option<u64>,
    /// The largest overshoot of all rows.
    pub max_ns: i64,
    /// The number of missed deadlines.
    pub missed: u64,
}

/// From this share on, the time that a count of waits will take is estimated from the time so far.
const FORESEEABLE: f64 = 0.01;

impl Progress {
    /// Estimates how much of the plan is done. `left` is the rest of the time for this load.
    ///
    /// If there are both a count and a time, the one that ends first decides. Loads to come are
    /// expected to take as long as this one.
    pub(super) fn estimate(&mut self, plan: &Plan, left: Option<Duration>) {
        let by_time = plan.spec.duration.zip(left).map(|(time, left)| {
            let share = 1.0 - left.as_secs_f64() / time.as_secs_f64().max(1e-9);
            (share, left.as_secs_f64())
        });
        let counted = |wanted: u64| self.samples as f64 / wanted.max(1) as f64;
        let by_count = self.wanted.map(counted).filter(|share| *share >= FORESEEABLE);
        let by_count = by_count.map(|share| (share, self.seconds * (1.0 / share - 1.0)));
        let candidates = [by_time, by_count].into_iter().flatten();
        let Some((share, left_s)) = candidates.min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return;
        };
        let loads = plan.loads();
        let place = loads.iter().position(|load| *load == self.load);
        let (all, place) = (loads.len() as f64, place.unwrap_or(0) as f64);
        let whole = self.seconds + left_s;
        let whole = plan.spec.duration.map_or(whole, |time| whole.min(time.as_secs_f64()));
        self.share = Some(((place + share.clamp(0.0, 1.0)) / all).min(1.0));
        self.left_s = Some((left_s + (all - place - 1.0) * whole).max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronoscope_model::waits::WaitSpec;

    fn plan(spec: WaitSpec) -> Plan {
        Plan { spec, ..Plan::default() }
    }

    fn estimated(plan: &Plan, progress: Progress, left: Option<f64>) -> Option<(f64, f64)> {
        let mut progress = progress;
        progress.estimate(plan, left.map(Duration::from_secs_f64));
        progress.share.zip(progress.left_s)
    }

    #[test]
    fn share_and_time_left_include_the_loads_to_come() {
        let plan = plan(WaitSpec {
            duration: Some(Duration::from_secs(10)),
            load: vec![Load::None, Load::Normal],
            ..WaitSpec::default()
        });
        let at = |load, seconds| Progress { load, seconds, ..Progress::default() };
        let early = estimated(&plan, at(Load::None, 4.0), Some(6.0));
        assert_eq!(early, Some((0.2, 16.0)));
        let late = estimated(&plan, at(Load::Normal, 4.0), Some(6.0));
        assert_eq!(late, Some((0.7, 6.0)));
    }

    #[test]
    fn a_count_is_extrapolated_once_enough_of_it_is_done() {
        let spec = WaitSpec { count: Some(500), ..WaitSpec::default() };
        let after =
            |samples| Progress { samples, wanted: Some(1000), seconds: 2.0, ..Progress::default() };
        assert_eq!(estimated(&plan(spec.clone()), after(3), None), None);
        assert_eq!(estimated(&plan(spec.clone()), after(250), None), Some((0.25, 6.0)));
        // The time is over first.
        let timed = plan(WaitSpec { duration: Some(Duration::from_secs(4)), ..spec });
        assert_eq!(estimated(&timed, after(250), Some(2.0)), Some((0.5, 2.0)));
    }
}
