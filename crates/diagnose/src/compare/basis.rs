//! What the costs of two runs are judged in: nanoseconds or cycles, and how far the runs as a whole
//! may be off. The reads of the processor's counter tell both, because nothing that is compared
//! changes them: no library and no kernel.

use super::figures::Measured;
use super::rule::{self, CALIBRATES, KERNEL, Ratio, SPEEDS, STEADY, share};
use crate::disturbed::{self, OFF};
use chronoscope_model::Report;
use chronoscope_model::clock::{BuiltOn, Facts, Orders, Reads};
use chronoscope_model::compare::{Figure, Quantity, Section, Unit};
use chronoscope_model::units::percent;

/// So many costs of counter reads say how the runs differ as a whole.
const LEAST: usize = 3;

/// How two runs are compared.
pub struct Basis {
    pub unit: Unit,
    /// Why, in a clause.
    pub why: String,
    /// What each run may be off by beyond its intervals.
    off: [f64; 2],
    /// What the counter's reads show of the runs as a whole, if they show it.
    shown: Option<Shown>,
}

/// What the reads of the counter show.
#[derive(Clone, Copy)]
struct Shown {
    /// The part of each run's intervals that all of its costs share. The runs do not differ by it.
    common: [f64; 2],
    /// What each run may differ by instead.
    steady: f64,
}

impl Basis {
    /// Chooses it by the costs that both reports have.
    pub fn of(reports: [&Report; 2], pairs: &[[Measured; 2]]) -> Self {
        let reads = pairs.iter().filter(|[a, b]| read_of_counter(a) && read_of_counter(b));
        let apart = |unit| {
            let all = reads.clone().map(|[a, b]| log(a, b, unit).abs());
            middle(all.collect()).filter(|_| reads.clone().count() >= LEAST)
        };
        let apart = [apart(Unit::Ns), apart(Unit::CoreCycles)];
        let best = apart[0].zip(apart[1]).filter(|(ns, cycles)| ns.min(*cycles) < CALIBRATES);
        let Some((ns, cycles)) = best else {
            let (unit, why) = by_frequency(reports);
            // The intervals of a report that says that it was disturbed are wider already.
            let off = reports.map(|it| match disturbed::reasons(it).is_empty() {
                false if it.run.disturbed.is_empty() => OFF,
                _ => 0.0,
            });
            return Self { unit, why, off, shown: None };
        };
        let words = |log: f64| percent(share(log));
        let (unit, near, other, far) = match cycles < ns {
            true => (Unit::CoreCycles, cycles, "nanoseconds", ns),
            false => (Unit::Ns, ns, "cycles", cycles),
        };
        let why = format!(
            "the counter's own reads differ by {} in them, and by {} in {other}",
            words(near),
            words(far)
        );
        let common = [0, 1].map(|side| common(pairs.iter().map(|pair| &pair[side])));
        let off = reports.map(off);
        let steady = STEADY.max(near);
        Self { unit, why, off, shown: Some(Shown { common, steady }) }
    }

    /// B divided by A, with the interval that joins those of both (Goldstein and Healy 1995,
    /// Journal of the Royal Statistical Society A 158, 175-177), in logarithms: the upper half of A
    /// and the lower half of B limit it from below.
    pub fn ratio(&self, a: &Measured, b: &Measured) -> Ratio {
        let halves = |it: &Measured, side: usize| {
            let shown = self.shown.filter(|_| user_space_cost(it));
            halves(it).map(|half| {
                let (common, steady) = shown.map_or((0.0, 0.0), |it| (it.common[side], it.steady));
                let own = (half * half - common * common).sqrt().max(between(it));
                own.hypot(steady).hypot(self.off[side])
            })
        };
        let ([a_low, a_high], [b_low, b_high]) = (halves(a, 0), halves(b, 1));
        let log = log(a, b, self.unit);
        Ratio { log, low: log - a_high.hypot(b_low), high: log + a_low.hypot(b_high) }
    }
}

/// What a run may be off by that its reads of the counter do not show: a neighbour that shares the
/// core does not slow all reads alike.
pub fn off(report: &Report) -> f64 {
    if disturbed::core_shared(report) { OFF } else { 0.0 }
}

/// The unit by the usual frequencies alone.
fn by_frequency(reports: [&Report; 2]) -> (Unit, String) {
    let hz = |report: &Report| {
        let core = report.ruler.as_ref()?.noise.core?;
        (core.hz.is_finite() && core.hz > 0.0).then_some(core.hz.ln())
    };
    let [Some(a), Some(b)] = reports.map(hz) else {
        return (Unit::Ns, "the core's frequency is not known in both".into());
    };
    let apart = share((b - a).abs());
    let unit = if apart > SPEEDS { Unit::CoreCycles } else { Unit::Ns };
    (unit, format!("the core's frequencies differ by {}", percent(apart)))
}

fn facts(it: &Measured) -> Option<Facts> {
    it.clock?.facts
}

/// Whether it is the cost of a read of the counter that takes as long in every run.
fn read_of_counter(it: &Measured) -> bool {
    let counter = |it: Facts| it.reads == Reads::Counter && it.orders != Orders::Memory;
    user_space_cost(it) && facts(it).is_some_and(counter)
}

/// Whether it was measured together with the reads of the counter, and follows the frequency as
/// they do. A device is not faster with a faster core, and nor is a hypervisor on another one.
fn user_space_cost(it: &Measured) -> bool {
    let quantity = matches!(it.key.quantity, Quantity::Read | Quantity::Ordered);
    it.key.section == Section::Clocks && quantity && it.key.load.is_none() && follows(it)
}

fn follows(it: &Measured) -> bool {
    let elsewhere = facts(it).is_some_and(|it| it.exits_guest || it.reads == Reads::File);
    it.core_cycles.is_some_and(|cycles| cycles.is_finite() && cycles > 0.0) && !elsewhere
}

/// Whether a read enters the kernel.
pub fn through_kernel(it: &Measured) -> bool {
    facts(it).is_some_and(|it| matches!(it.reads, Reads::SystemCall | Reads::File))
}

/// Whether it is a read back to back that only loads what something else has stored. A loop of so
/// few cycles has two rhythms, a quarter apart, and a run stays in one of them.
pub fn stored_time(it: &Measured) -> bool {
    let loads =
        |it: Facts| it.built_on == BuiltOn::Tick && matches!(it.reads, Reads::Vdso | Reads::Memory);
    it.key.quantity == Quantity::Read && facts(it).is_some_and(loads)
}

/// The least that half an interval counts as.
fn between(it: &Measured) -> f64 {
    match facts(it).map(|it| it.orders) {
        _ if through_kernel(it) => KERNEL,
        _ if stored_time(it) => rule::STORED_TIME,
        Some(Orders::Memory) => rule::AFTER_STORES,
        _ => 0.0,
    }
}

/// The logarithm of B divided by A. What does not follow the frequency is compared in nanoseconds.
fn log(a: &Measured, b: &Measured, unit: Unit) -> f64 {
    let of = |it: &Measured| match it.core_cycles {
        Some(cycles) if unit == Unit::CoreCycles && follows(a) && follows(b) => cycles.ln(),
        _ => it.figure.value_ns.ln(),
    };
    of(b) - of(a)
}

/// The lower and the upper half of its interval, in logarithms.
fn halves(it: &Measured) -> [f64; 2] {
    let Figure { value_ns, low_ns, high_ns } = it.figure;
    let low = value_ns.ln() - low_ns.max(value_ns * 1e-9).ln();
    [low, high_ns.ln() - value_ns.ln()]
}

/// Half the interval of each figure of a run, in logarithms, without the part that all costs share:
/// how far a run is off as a whole is seen from other runs.
pub fn within(run: &[Measured]) -> impl Iterator<Item = f64> {
    let common = common(run.iter());
    run.iter().map(move |it| {
        let half = halves(it).iter().sum::<f64>() / 2.0;
        let own = match user_space_cost(it) {
            true => (half * half - common * common).max(0.0).sqrt().hypot(STEADY),
            false => half,
        };
        own.max(between(it))
    })
}

/// The part of the intervals that all costs share: the least half of any.
fn common<'a>(costs: impl Iterator<Item = &'a Measured<'a>>) -> f64 {
    let all = costs.filter(|it| user_space_cost(it)).flat_map(halves);
    all.fold(f64::INFINITY, f64::min)
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
