//! How far a run of waits has come.

use chronoscope_model::waits::Load;

/// How far a run has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// The load in progress.
    pub load: Load,
    /// Seconds since that load began.
    pub seconds: f64,
    /// How many waits were measured under it.
    pub samples: u64,
    /// How many waits were asked for, if there is a count.
    pub wanted: Option<u64>,
    /// The last overshoot, in nanoseconds.
    pub now_ns: Option<i64>,
    /// The median of the only row, or of all rows if they are of one question.
    pub p50_ns: Option<u64>,
    /// The 99th percentile of the same.
    pub p99_ns: Option<u64>,
    /// The largest overshoot of all rows.
    pub max_ns: i64,
    /// How many deadlines were missed.
    pub missed: u64,
}
