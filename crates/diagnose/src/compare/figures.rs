//! The figures of a report that another report may have, too.

use chronoscope_model::clock::{BuiltOn, Clock, Facts, Reads};
use chronoscope_model::compare::{Figure, Key, Quantity, Section};
use chronoscope_model::quantile::Percentile;
use chronoscope_model::{Estimate, Report, Wait};

/// A figure, and what decides how it is judged.
#[derive(Clone, Debug, Default)]
pub struct Measured<'a> {
    pub key: Key,
    pub figure: Figure,
    /// The same cost in cycles of the core, if that is known.
    pub core_cycles: Option<f64>,
    /// The processes that a cost comes from, if that is known.
    pub processes: Option<u32>,
    /// Whether a neighbour used the core in so many rounds that the cost is that of a shared one.
    pub only_shared: bool,
    /// The clock that it is the cost of, unless it is that of a runtime or a wait.
    pub clock: Option<&'a Clock>,
    /// The wait that it is a percentile of.
    pub wait: Option<&'a Wait>,
}

impl Measured<'_> {
    /// What is known of its clock before it is measured.
    pub fn facts(&self) -> Option<Facts> {
        self.clock?.facts
    }

    /// Whether a read enters the kernel.
    pub fn through_kernel(&self) -> bool {
        self.facts().is_some_and(|it| matches!(it.reads, Reads::SystemCall | Reads::File))
    }

    /// Whether it is a read back to back that only loads what something else has stored. A loop of
    /// so few cycles has two rhythms, a quarter apart, and a run stays in one of them.
    pub fn stored_time(&self) -> bool {
        let reads = |it: Facts| matches!(it.reads, Reads::Vdso | Reads::Memory);
        let loads = |it: Facts| it.built_on == BuiltOn::Tick && reads(it);
        self.key.quantity == Quantity::Read && self.facts().is_some_and(loads)
    }
}

/// Every figure with an interval: costs of clocks, with and without load, and of runtimes, and the
/// percentiles of waits. Costs that are too small to be resolved are left out.
pub fn figures(report: &Report) -> Vec<Measured<'_>> {
    let mut found = Vec::new();
    let clocks = report.clocks.iter().chain(&report.clocks_under_load);
    for clock in clocks.filter(|clock| clock.available) {
        let cost = &clock.cost;
        for (quantity, estimate) in [
            (Quantity::Read, &cost.throughput),
            (Quantity::Ordered, &cost.latency),
            (Quantity::Cold, &cost.cold),
            (Quantity::First, &cost.first),
        ] {
            let key = Key { id: clock.id.clone(), quantity, load: clock.load, ..Key::default() };
            found.extend(of_cost(key, estimate.as_ref(), Some(clock)));
        }
    }
    let runtimes = report.runtimes.iter();
    for (runtime, clock) in runtimes.flat_map(|it| it.clocks.iter().map(move |clock| (it, clock))) {
        let id = format!("{}/{}", runtime.id, clock.id);
        let key = Key { section: Section::Runtimes, id, ..Key::default() };
        let ordered = Key { quantity: Quantity::Ordered, ..key.clone() };
        found.extend(of_cost(key, clock.throughput.as_ref(), None));
        found.extend(of_cost(ordered, clock.latency.as_ref(), None));
    }
    for wait in report.waits.iter().filter(|wait| wait.samples > 0) {
        found.extend(Percentile::ALL.into_iter().filter_map(|at| of_wait(wait, at)));
    }
    found
}

fn of_cost<'a>(
    key: Key,
    estimate: Option<&Estimate>,
    clock: Option<&'a Clock>,
) -> Option<Measured<'a>> {
    let it = estimate.filter(|it| !it.below_resolution)?;
    let figure = Figure { value_ns: it.value_ns, low_ns: it.low_ns, high_ns: it.high_ns };
    sound(&figure).then_some(Measured {
        key,
        figure,
        core_cycles: it.core_cycles,
        processes: it.processes,
        only_shared: it.only_shared,
        clock,
        wait: None,
    })
}

fn of_wait(wait: &Wait, at: Percentile) -> Option<Measured<'_>> {
    let interval = wait.intervals.get(at)?;
    let figure = Figure {
        value_ns: wait.percentile(at)? as f64,
        low_ns: interval.low_ns as f64,
        high_ns: interval.high_ns? as f64,
    };
    let key = Key {
        section: Section::Waits,
        id: wait.id.clone(),
        quantity: Quantity::Overshoot,
        percentile: Some(at.name().into()),
        requested_ns: wait.requested_ns,
        // The default may differ between machines, which is a fact about them.
        slack_ns: wait.slack_ns.filter(|_| !wait.default_slack),
        slice_ns: wait.slice_ns,
        policy: wait.policy,
        load: Some(wait.load),
    };
    sound(&figure).then(|| Measured { key, figure, wait: Some(wait), ..Measured::default() })
}

/// Whether a ratio can be made of it. A file may hold anything.
fn sound(figure: &Figure) -> bool {
    let Figure { value_ns, low_ns, high_ns } = *figure;
    let finite = [value_ns, low_ns, high_ns].iter().all(|ns| ns.is_finite());
    finite && value_ns > 0.0 && low_ns <= value_ns && value_ns <= high_ns
}
