//! A row that is fed with overshoots of the caller's making, on the path that measured ones take:
//! what a sample costs, and what memory billions of them take, can be seen without waiting.

use super::burst::{Burst, look_at};
use super::clocks::{Clocks, calibrate};
use super::job::Job;
use super::plan::Plan;
use super::row::{self, Common};
use super::series::{Question, Series};
use super::tally::Tally;
use super::worker::Ring;
use chronoscope_model::waits::{Load, StoppedBy, Wait};
use chronoscope_probes::waits::Entry;
use std::time::Duration;

/// One row of a grid, as a single row of a long run is kept.
pub struct Simulation {
    plan: Plan,
    job: Job,
    clocks: Clocks,
    series: Series,
    ring: Ring,
    tally: Tally,
}

impl Simulation {
    /// A row of this method and period, with nothing in it.
    pub fn new(entry: &'static Entry, period: Duration) -> Self {
        let plan = Plan {
            methods: vec![entry],
            period: Some(period),
            ..Plan::default()
        };
        let (ruler, slew) = calibrate(None, Duration::from_millis(5));
        let question = Question {
            entry,
            slack: None,
            ns: u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1),
            periodic: true,
        };
        let series = Series::new(question, None);
        series.touch();
        Self {
            job: Job::new(&plan, Load::None),
            clocks: Clocks::new(&ruler, slew),
            series,
            ring: Ring::default(),
            tally: Tally::default(),
            plan,
        }
    }

    /// Takes in overshoots, in nanoseconds, as if both clocks had told them.
    pub fn feed(&mut self, overshoots: impl Iterator<Item = i64>) {
        let ns = self.series.question.ns;
        let mut burst = Burst {
            job: &self.job,
            clocks: self.clocks,
            series: &self.series,
            ring: &self.ring,
            tally: &mut self.tally,
            tolerance: self.clocks.tolerance_ns(ns),
            look_at: look_at(None),
        };
        for overshoot in overshoots {
            let missed = u64::try_from(overshoot).unwrap_or(0) / ns;
            burst.sample(overshoot, overshoot, missed);
        }
        self.series.show(&self.tally);
    }

    /// The row as a report has it.
    pub fn row(&self) -> Wait {
        let common = Common {
            plan: &self.plan,
            load: Load::None,
            load_run: None,
            kept_awake: false,
            stopped_by: StoppedBy::Time,
            notes: Vec::new(),
        };
        row::of(&self.series, &common)
    }
}
