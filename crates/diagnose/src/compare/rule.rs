//! When is a change more than chance, and when are two figures the same?

use super::figures::Measured;
use super::stats::{self, Z};
use chronoscope_model::Report;
use chronoscope_model::clock::Reads;
use chronoscope_model::compare::{Counts, Figure, Key, Quantity, Row, Section, Unit, Verdict};
use chronoscope_model::units::percent;

/// A change has to be this unlikely without a reason, allowing for all rows that are judged.
pub const ALPHA: f64 = 0.05;
/// The smallest change of a cost that counts, as a share.
pub const SMALL: f64 = 0.01;
/// The smallest change of a cost that counts, in nanoseconds.
pub const SMALL_NS: f64 = 0.1;
/// Any change of a cost that is the same is below this share.
pub const SAME: f64 = 0.05;

/// What counts as a change, and what as none.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The smallest change that counts, as a share.
    pub small: f64,
    /// The smallest change that counts, in nanoseconds.
    pub small_ns: f64,
    /// Any change of what is the same is below this share.
    pub same: f64,
}

/// Those of costs.
pub const COSTS: Limits = Limits { small: SMALL, small_ns: SMALL_NS, same: SAME };
/// Those of waits.
pub const WAITS: Limits = Limits { small: 0.05, small_ns: SMALL_NS, same: 0.1 };

/// What disturbed runs differ by beyond their intervals: half a 95 % interval, as a share.
pub const OFF: f64 = 0.02;

/// Two usual frequencies that differ by more than this share are those of cores at different
/// speeds; costs are then judged in cycles.
pub const SPEEDS: f64 = 0.02;

/// The logarithm of B divided by A, with its 95 % interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ratio {
    pub log: f64,
    pub low: f64,
    pub high: f64,
}

impl Ratio {
    /// The far end of the interval, as a share. It does not depend on which of the two is A.
    pub fn at_most(self) -> f64 {
        share(self.low.abs().max(self.high.abs()))
    }

    /// The end of the interval that is nearer to no change, as a distance from the estimate.
    pub fn half(self) -> f64 {
        if self.log > 0.0 { self.log - self.low } else { self.high - self.log }
    }
}

/// A logarithm of a ratio as a share, which is finite whatever a file holds.
pub fn share(log: f64) -> f64 {
    log.clamp(-600.0, 600.0).exp_m1()
}

/// A row that is not yet judged.
pub fn row(key: Key, [a, b]: [Figure; 2], ratio: Ratio) -> Row {
    Row {
        key,
        a,
        b,
        change: share(ratio.log),
        change_low: share(ratio.low),
        change_high: share(ratio.high),
        at_most: ratio.at_most(),
        ..Row::default()
    }
}

/// The verdict on a row, from the probability of its change by chance, which allows for the other
/// rows: worse or better if that is below [`ALPHA`] and the change is not small, the same if no
/// change within the interval matters.
pub fn verdict(row: &Row, ratio: Ratio, p: f64, limits: Limits) -> Verdict {
    let size = share(ratio.log.abs());
    // In cycles, this is the difference at the frequency of the faster run.
    let ns = size * row.a.value_ns.min(row.b.value_ns);
    match () {
        () if p < ALPHA && size >= limits.small && ns >= limits.small_ns => match ratio.log > 0.0 {
            true => Verdict::Worse,
            false => Verdict::Better,
        },
        () if ratio.at_most() < limits.same => Verdict::Same,
        () => Verdict::CannotTell,
    }
}

/// What is said instead if the two machines are not the same.
pub fn elsewhere(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Worse => Verdict::Higher,
        Verdict::Better => Verdict::Lower,
        other => other,
    }
}

/// How many rows have each verdict.
pub fn counts(rows: &[Row]) -> Counts {
    let mut counts = Counts::default();
    for row in rows {
        *match row.verdict {
            Verdict::Worse | Verdict::Higher => &mut counts.worse,
            Verdict::Better | Verdict::Lower => &mut counts.better,
            Verdict::Same => &mut counts.same,
            Verdict::CannotTell => &mut counts.cannot_tell,
        } += 1;
    }
    counts
}

/// Why a run may be off as a whole; empty for a calm one.
pub fn disturbed(report: &Report) -> Vec<String> {
    let mut found = Vec::new();
    let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
    if let Some(shared) = noise.and_then(|it| it.shared).filter(|shared| *shared > 0.25) {
        found.push(format!("its core was shared in {} of the rounds", percent(shared)));
    }
    if let Some(core) = noise.and_then(|it| it.core).filter(|core| core.hz > 0.0) {
        let fell = (core.hz - core.low_hz) / core.hz;
        let spread = (core.high_hz - core.low_hz) / core.hz;
        if report.findings.iter().any(|it| it.id == "frequency-changed") {
            found.push(format!("the frequency spread by {}", percent(spread)));
        } else if fell > 0.025 {
            found.push(format!("the frequency fell by {}", percent(fell)));
        }
    }
    found
}

/// Whether costs are judged in cycles, and why.
pub fn unit(a: &Report, b: &Report) -> (Unit, String) {
    let hz = |report: &Report| {
        let core = report.ruler.as_ref()?.noise.core?;
        (core.hz.is_finite() && core.hz > 0.0).then_some(core.hz)
    };
    let (Some(a), Some(b)) = (hz(a), hz(b)) else {
        return (Unit::Ns, "the core's frequency is not known in both".into());
    };
    let apart = share((b.ln() - a.ln()).abs());
    match apart > SPEEDS {
        true => (Unit::CoreCycles, format!("the core's frequencies differ by {}", percent(apart))),
        false => (Unit::Ns, format!("the core's frequencies differ by {} only", percent(apart))),
    }
}

/// Whether the cost of a read is so many cycles, however long they take. A device is not faster
/// with a faster core, and nor is a hypervisor on another one.
fn follows(it: &Measured) -> bool {
    let facts = it.clock.and_then(|clock| clock.facts);
    let elsewhere = facts.is_some_and(|it| it.exits_guest || it.reads == Reads::File);
    it.core_cycles.is_some_and(|cycles| cycles.is_finite() && cycles > 0.0) && !elsewhere
}

/// B divided by A, with the interval that joins those of both (Goldstein and Healy 1995, Journal of
/// the Royal Statistical Society A 158, 175-177), in logarithms: the upper half of A and the lower
/// half of B limit it from below. `off` is what each run may be off by as a whole.
pub fn joined(a: &Measured, b: &Measured, unit: Unit, off: [f64; 2]) -> Ratio {
    let halves = |it: &Measured, off: f64| {
        let Figure { value_ns, low_ns, high_ns } = it.figure;
        let low = value_ns.ln() - low_ns.max(value_ns * 1e-9).ln();
        [low.hypot(off), (high_ns.ln() - value_ns.ln()).hypot(off)]
    };
    let log = match (unit, follows(a) && follows(b)) {
        (Unit::CoreCycles, true) => {
            b.core_cycles.unwrap_or_default().ln() - a.core_cycles.unwrap_or_default().ln()
        }
        _ => b.figure.value_ns.ln() - a.figure.value_ns.ln(),
    };
    let ([a_low, a_high], [b_low, b_high]) = (halves(a, off[0]), halves(b, off[1]));
    Ratio { log, low: log - a_high.hypot(b_low), high: log + a_low.hypot(b_high) }
}

/// The probability of a change of this size by chance alone, for one row: half of the interval
/// counts as 1.96 standard errors.
pub fn p(ratio: Ratio) -> f64 {
    if ratio.log == 0.0 { 1.0 } else { stats::normal_p(ratio.log / (ratio.half() / Z)) }
}

/// Why stored reports cannot tell whether this figure changed; `None` if they may.
pub fn not_judged(it: &Measured) -> Option<&'static str> {
    let facts = it.clock.and_then(|clock| clock.facts);
    match (it.key.section, it.key.quantity) {
        (Section::Waits, _) => Some("compare --run tells"),
        (_, Quantity::Cold) => Some("cold reads differ from run to run: --run tells"),
        (_, Quantity::First) => Some("first reads differ from run to run: --run tells"),
        _ if facts.is_some_and(|it| it.exits_guest) => Some("leaves the guest: --run tells"),
        _ => None,
    }
}
