//! How far a run of waits has come.

use chronoscope_model::waits::Load;

/// How far a run has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The load that runs.
    pub load: Load,
    /// Seconds since it began.
    pub seconds: f64,
    /// Waits measured under it.
    pub samples: u64,
    /// Waits asked for, if there is a count.
    pub wanted: Option<u64>,
    /// The last overshoot, in nanoseconds.
    pub now_ns: Option<i64>,
    /// Median of the only row, or of all of them if they are of one question.
    pub p50_ns: Option<u64>,
    /// Its 99th percentile.
    pub p99_ns: Option<u64>,
    /// The largest overshoot of all rows.
    pub max_ns: i64,
    /// Deadlines missed.
    pub missed: u64,
}
