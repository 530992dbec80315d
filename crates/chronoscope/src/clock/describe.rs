//! What a clock says of itself.

use std::fmt;
use std::time::Duration;

use super::Clock;
use crate::choose::Source;
use crate::machine::Machine;

/// What a clock reads, why, how fast it runs, and how sure that is.
///
/// ```
/// let told = chronoscope::Clock::global().describe();
/// println!("{} at {:.0} Hz ± {} ppm, because: {}", told.name, told.hz, told.bound_ppm, told.reason);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Where the ticks come from.
    pub source: Source,
    /// The instruction or the clock by name.
    pub name: &'static str,
    /// Why this source and not another.
    pub reason: String,
    /// Ticks a second.
    pub hz: f64,
    /// How far the rate can be off, in parts per million of the reference clock. Where that was put
    /// in the counter's place, this is of the counter's last rate, by which moments from before are
    /// converted; moments since then are the reference's own.
    pub bound_ppm: f64,
    /// Who told the rate at first; `None` where it was measured.
    pub rate_told_by: Option<&'static str>,
    /// How long the rate has been observed.
    pub observed: Duration,
    /// Time since the last calibration; `None` where there is none.
    pub calibrated: Option<Duration>,
    /// Samples that went into the rate.
    pub samples: u32,
    /// Samples that were refused as absurd.
    pub rejected: u64,
    /// Jumps of the counter that were noticed.
    pub jumps: u64,
    /// Changes of the rate that were noticed.
    pub rate_changes: u64,
}

impl<M: Machine> Clock<M> {
    /// What this clock reads and how well, choosing a source if there is none yet.
    ///
    /// ```
    /// use chronoscope::{Clock, Source};
    /// let told = Clock::global().describe();
    /// if told.source != Source::Counter {
    ///     println!("no counter, because: {}", told.reason);
    /// }
    /// ```
    pub fn describe(&self) -> Description {
        self.chosen_mode();
        let state = self.locked();
        let counted = state.source == Source::Counter;
        let last = state.estimator.last();
        Description {
            source: state.source,
            name: match state.source {
                Source::Counter => crate::counter::name(),
                Source::Os => "the system's monotonic clock",
                Source::OsInstead => crate::sys::os::REFERENCE,
            },
            reason: state.reason.clone(),
            hz: self.rate().hz(),
            bound_ppm: match state.source {
                Source::Counter | Source::OsInstead => state.estimator.rate().bound() * 1e6,
                Source::Os => 0.0,
            },
            rate_told_by: state.hint.filter(|_| counted),
            observed: Duration::from_nanos(state.estimator.span()),
            calibrated: counted
                .then(|| Duration::from_nanos(self.machine.reference().saturating_sub(last.high))),
            samples: state.estimator.samples(),
            rejected: state.rejected,
            jumps: state.jumps,
            rate_changes: state.rate_changes,
        }
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "source      {} ({:?})", self.name, self.source)?;
        writeln!(f, "because     {}", self.reason)?;
        writeln!(f, "rate        {:.3} MHz", self.hz / 1e6)?;
        match (self.source, self.calibrated) {
            (Source::OsInstead, _) => write!(
                f,
                "error       at most {:.4} ppm from before the counter was given up",
                self.bound_ppm
            ),
            (_, None) => write!(f, "error       that of the system's clock itself"),
            (_, Some(ago)) => {
                let from = self
                    .rate_told_by
                    .map_or(String::new(), |who| format!(", told by {who}"));
                writeln!(f, "error       at most {:.4} ppm{from}", self.bound_ppm)?;
                writeln!(
                    f,
                    "observed    {:.3} s in {} samples, the last {:.3} s ago",
                    self.observed.as_secs_f64(),
                    self.samples,
                    ago.as_secs_f64()
                )?;
                write!(
                    f,
                    "disturbed   {} jumps, {} changes of rate, {} samples rejected",
                    self.jumps, self.rate_changes, self.rejected
                )
            }
        }
    }
}
