//! The description of a clock.

use std::fmt;
use std::time::Duration;

use super::Clock;
use super::Ticks;
use crate::choose::{Source, Told, ignored};
use crate::convert::Scale;
use crate::machine::{Machine, Name};

/// What a clock reads and why, how fast it runs, and how accurate that is.
///
/// ```
/// let it = chronoscope::Clock::global().describe();
/// println!("{} at {:.0} Hz ± {} ppm because {}", it.name, it.hz, it.bound_ppm, it.reason);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Description {
    /// Where the ticks come from.
    pub source: Source,
    /// The name of the instruction or the clock.
    pub name: &'static str,
    /// Why this source was chosen.
    pub reason: String,
    /// Ticks per second.
    pub hz: f64,
    /// How far the rate can be off, in parts per million of the reference clock. If the system's
    /// clock has taken the counter's place, this refers to the counter's last rate, which converts
    /// earlier moments; later moments are the reference's own.
    pub bound_ppm: f64,
    /// The lowest and the highest rate that is consistent with everything observed, in ticks per
    /// second of the reference clock.
    pub hz_range: (f64, f64),
    /// What stated the rate; `None` if it was measured.
    pub rate_told_by: Option<Name>,
    /// For how long the rate has been observed.
    pub observed: Duration,
    /// The time since the last calibration; `None` if there is none.
    pub calibrated: Option<Duration>,
    /// The moment of the last calibration; `None` if there is none. It means nothing outside of the
    /// process, so it is not stored.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub calibrated_at: Option<Ticks>,
    /// How many samples the rate is based on.
    pub samples: u32,
    /// How many samples were rejected as impossible.
    pub rejected: u64,
    /// How many jumps of the counter were noticed.
    pub jumps: u64,
    /// How many changes of the rate were noticed.
    pub rate_changes: u64,
    /// How often the reference went back for good; see
    /// [`Synced::ReferenceMoved`](super::Synced::ReferenceMoved).
    pub reference_moves: u32,
    /// How often the hypervisor told that it had disrupted the clock; see
    /// [`Synced::Disrupted`](super::Synced::Disrupted).
    pub disruptions: u32,
}

impl<M: Machine> Clock<M> {
    /// Describes what this clock reads and how accurately, choosing a source if there is none yet.
    ///
    /// ```
    /// use chronoscope::{Clock, Source};
    /// let description = Clock::global().describe();
    /// if description.source != Source::Counter {
    ///     println!("the counter is not used because {}", description.reason);
    /// }
    /// ```
    #[must_use]
    pub fn describe(&self) -> Description {
        let known = self.known();
        let (_, state) = self.state();
        let counted = state.source == Source::Counter;
        let last = state.estimator.last();
        let told = |reason| Told { reason, kernel: state.kernel, costs: state.costs };
        let mut reason = told(state.reason).to_string();
        if state.source == Source::OsInstead {
            let why = told(state.given_up);
            reason = format!("{why}, after it had been chosen because {reason}");
        }
        if let Some(text) = state.ignored {
            reason += &ignored(text);
        }
        Description {
            source: state.source,
            name: match state.source {
                Source::Counter => crate::counter::name(),
                Source::Os => "the system's monotonic clock",
                Source::OsInstead => crate::sys::os::REFERENCE,
            },
            reason,
            hz: known.scale.hz(),
            bound_ppm: known.bound() * 1e6,
            hz_range: hz_range(known.scale, known.bound()),
            rate_told_by: state.hint.filter(|_| counted),
            observed: Duration::from_nanos(state.estimator.span()),
            calibrated: counted
                .then(|| Duration::from_nanos(self.machine.reference().saturating_sub(last.high))),
            calibrated_at: counted.then_some(Ticks(last.ticks)),
            samples: state.estimator.samples(),
            rejected: state.rejected,
            jumps: state.jumps,
            rate_changes: state.rate_changes,
            reference_moves: state.moves,
            disruptions: state.disruptions,
        }
    }
}

/// The rates within a relative bound of a scale.
fn hz_range(scale: Scale, bound: f64) -> (f64, f64) {
    let hz = scale.hz();
    (hz / (1.0 + bound), hz / (1.0 - bound.min(0.5)))
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "source      {} ({:?})", self.name, self.source)?;
        writeln!(f, "because     {}", self.reason)?;
        writeln!(f, "rate        {:.3} MHz", self.hz / 1e6)?;
        match (self.source, self.calibrated) {
            (Source::OsInstead, _) => write!(
                f,
                "error       at most {:.4} ppm from before the counter was abandoned",
                self.bound_ppm
            ),
            (_, None) => write!(f, "error       that of the system's clock itself"),
            (_, Some(ago)) => {
                let from =
                    self.rate_told_by.map_or(String::new(), |who| format!(", stated by {who}"));
                writeln!(f, "error       at most {:.4} ppm{from}", self.bound_ppm)?;
                writeln!(
                    f,
                    "observed    {:.3} s in {} samples, the last {:.3} s ago",
                    self.observed.as_secs_f64(),
                    self.samples,
                    ago.as_secs_f64()
                )?;
                let count = |count: u64, of: &str, what: &str| {
                    let plural = if count == 1 { "" } else { "s" };
                    format!("{count} {of}{plural}{what}")
                };
                write!(
                    f,
                    "disturbed   {}, {}, {}",
                    count(self.jumps, "jump", ""),
                    count(self.rate_changes, "change", " of rate"),
                    count(self.rejected, "sample", " rejected")
                )?;
                for (times, of, what) in [
                    (self.reference_moves, "move", " of the reference"),
                    (self.disruptions, "disruption", " by the hypervisor"),
                ] {
                    if times > 0 {
                        write!(f, ", {}", count(times.into(), of, what))?;
                    }
                }
                Ok(())
            }
        }
    }
}
