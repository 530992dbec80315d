//! What the costs of two runs are judged in: nanoseconds or cycles, and how far the runs as a whole
//! may be off. The reads of the processor's counter tell both, because nothing that is compared
//! changes them: no library and no kernel.

use super::Measured;
use super::rule::{CALIBRATES, Ratio, SPEEDS, STEADY, share};
use crate::run::{self, OFF};
use chronoscope_model::Report;
use chronoscope_model::between::Between;
use chronoscope_model::clock::{Facts, Orders, Reads};
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
    /// What runs of each machine differ by.
    between: [Between; 2],
    /// What the counter's reads show of the runs as a whole, if they show it.
    shown: Option<Shown>,
}

/// What the reads of the counter show.
#[derive(Clone, Copy)]
struct Shown {
    /// The part of each run's lower and upper halves that all of its costs share. The runs do not
    /// differ by it.
    common: [[f64; 2]; 2],
    /// What each run may differ by instead.
    steady: f64,
}

impl Basis {
    /// Chooses it by the costs that both reports have.
    pub fn choose(reports: [&Report; 2], pairs: &[[Measured; 2]]) -> Self {
        let between = reports.map(runs_of);
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
            let off = reports.map(|it| match run::reasons(it).is_empty() {
                false if it.run.disturbed.is_empty() => OFF,
                _ => 0.0,
            });
            return Self { unit, why, off, between, shown: None };
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
        Self { unit, why, off, between, shown: Some(Shown { common, steady }) }
    }

    /// B divided by A, with the interval that joins those of both (Goldstein and Healy 1995,
    /// Journal of the Royal Statistical Society A 158, 175-177), in logarithms: the upper half of A
    /// and the lower half of B limit it from below.
    pub fn ratio(&self, a: &Measured, b: &Measured) -> Ratio {
        let halves = |it: &Measured, side: usize| {
            let shown = self.shown.filter(|_| user_space_cost(it));
            let common = shown.map_or([0.0; 2], |it| it.common[side]);
            let steady = shown.map_or(0.0, |it| it.steady);
            let least = between(it, &self.between[side]);
            let own = [0, 1].map(|end| without(halves(it)[end], common[end]).max(least));
            own.map(|half| half.hypot(steady).hypot(self.off[side]))
        };
        let ([a_low, a_high], [b_low, b_high]) = (halves(a, 0), halves(b, 1));
        let log = log(a, b, self.unit);
        Ratio { log, low: log - a_high.hypot(b_low), high: log + a_low.hypot(b_high) }
    }
}

/// What a run may be off by that its reads of the counter do not show: a neighbour that shares the
/// core does not slow all reads alike.
pub fn off(report: &Report) -> f64 {
    if run::core_shared(report) { OFF } else { 0.0 }
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

/// Whether it is the cost of a read of the counter that takes as long in every run.
pub fn read_of_counter(it: &Measured) -> bool {
    let counter = |it: Facts| it.reads == Reads::Counter && it.orders != Orders::Memory;
    user_space_cost(it) && it.facts().is_some_and(counter)
}

/// Whether it was measured together with the reads of the counter, and follows the frequency as
/// they do. A device is not faster with a faster core, and nor is a hypervisor on another one.
fn user_space_cost(it: &Measured) -> bool {
    let quantity = matches!(it.key.quantity, Quantity::Read | Quantity::Ordered);
    it.key.section == Section::Clocks && quantity && it.key.load.is_none() && follows(it)
}

pub fn follows(it: &Measured) -> bool {
    let elsewhere = it.facts().is_some_and(|it| it.exits_guest || it.reads == Reads::File);
    it.core_cycles.is_some_and(|cycles| cycles.is_finite() && cycles > 0.0) && !elsewhere
}

/// The least that half an interval counts as: those of earlier versions left it out.
fn between(it: &Measured, runs: &Between) -> f64 {
    let id = it.clock.map_or("", |clock| clock.id.as_str());
    runs.half(id, it.facts(), it.key.quantity == Quantity::Ordered, 0.0)
}

/// What runs of the machine of a report differ by.
fn runs_of(report: &Report) -> Between {
    report.run.between.clone().unwrap_or_else(|| Between::of(&report.environment))
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
pub fn within(run: &[Measured], report: &Report) -> impl Iterator<Item = f64> {
    let runs = runs_of(report);
    let common = common(run.iter());
    run.iter().map(move |it| {
        let own = [0, 1].map(|end| match user_space_cost(it) {
            true => without(halves(it)[end], common[end]).hypot(STEADY),
            false => halves(it)[end],
        });
        (own.iter().sum::<f64>() / 2.0).max(between(it, &runs))
    })
}

/// The parts of the intervals that all costs share: the least half of any.
fn common<'a>(costs: impl Iterator<Item = &'a Measured<'a>>) -> [f64; 2] {
    let all = costs.filter(|it| user_space_cost(it)).map(halves);
    all.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])]).unwrap_or_default()
}

/// What is left of an error without a part of it, which adds in quadrature.
fn without(whole: f64, part: f64) -> f64 {
    (whole * whole - part * part).max(0.0).sqrt()
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
