//! Whether a run was disturbed as a whole. Its samples agree with one another then, so intervals
//! from them are narrow, and the next run still finds something else.

use chronoscope_model::clock::Cost;
use chronoscope_model::run::{Core, Disturbed};
use chronoscope_model::units::percent;
use chronoscope_model::{Estimate, Report};

/// The share of rounds in which a neighbour used the core, above which a run is disturbed. Shared
/// rounds are left out, but between them the core is not always quite its own again.
const SHARED: f64 = 0.25;

/// The share of rounds above which a neighbour is seldom away for long. What is left of the rounds
/// is then shared in part as well, so the cost on a core of its own may be as much lower as the
/// neighbour makes independent additions slower. A simulation whose neighbour comes and goes fails
/// from here on without that (`crates/survey/tests/shared_core.rs`). A run in between, with 55 %,
/// was
/// 0.02 % off for reads in user space, and 3 % for system calls.
const MOSTLY: f64 = 0.6;

/// The share of its usual frequency by which the core fell in one of a hundred rounds, above which
/// a run is disturbed. On an AMD EPYC (family 26, two CPUs of a virtual machine), 40 runs without
/// other load fell by 1.0 to 5.1 %, and 25 next to builds by 1.1 to 3.3 %. Those that fell by over
/// 2.5 %, or had the finding `frequency-changed`, were no further from the others than the drift of
/// the frequency makes their intervals: a limit there would mark half of all calm runs for nothing.
const FELL: f64 = 0.06;

/// The spread of the frequency in 98 % of the rounds that is a finding of its own, as a share of
/// the usual frequency. Costs differ by more for other reasons if it is smaller.
const CHANGED: f64 = 0.05;

/// Half the 95 % interval of what disturbed runs differ by beyond their own intervals, as a share
/// of each cost: of 27 runs on an AMD EPYC, those shared most were off by up to 1.9 % as a whole.
pub const OFF: f64 = 0.02;

/// Whether the core's frequency spread so far that it is a finding.
pub(crate) fn frequency_changed(core: &Core) -> bool {
    core.hz > 0.0 && (core.high_hz - core.low_hz) / core.hz > CHANGED
}

/// Whether a neighbour used the core for so long that the run is disturbed.
pub(crate) fn core_shared(report: &Report) -> bool {
    let shared = report.ruler.as_ref().and_then(|ruler| ruler.noise.shared);
    shared.is_some_and(|share| share > SHARED)
}

/// Why the run of a report may be off as a whole, from what its noise shows; empty for a calm run.
/// A report of any version has what this needs.
pub fn reasons(report: &Report) -> Vec<Disturbed> {
    let Some(noise) = report.ruler.as_ref().map(|ruler| &ruler.noise) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut add = |id: &str, text| found.push(Disturbed { id: id.into(), text });
    if let Some(share) = noise.shared.filter(|_| core_shared(report)) {
        add("core-shared", format!("core shared in {} of the rounds", percent(share)));
    }
    if let Some(core) = noise.core.filter(|core| core.hz > 0.0) {
        let fell = (core.hz - core.low_hz) / core.hz;
        if fell > FELL {
            add("frequency-spread", format!("frequency fell by {}", percent(fell)));
        }
    }
    found
}

/// Records the reasons, and widens the intervals of all costs if there are any. A report that has
/// reasons already was widened for them.
pub(crate) fn mark(report: &mut Report) {
    if !report.run.disturbed.is_empty() {
        return;
    }
    report.run.disturbed = reasons(report);
    if report.run.disturbed.is_empty() {
        return;
    }
    // A neighbour makes nothing faster, so only the lower ends move.
    let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
    let mostly = noise.filter(|noise| noise.shared.is_some_and(|share| share > MOSTLY));
    let lower = mostly.and_then(|noise| noise.crowded).map_or(1.0, |it| 1.0 / (1.0 + it.max(0.0)));
    let off = |cost: &mut Estimate| {
        cost.widen(OFF);
        cost.low_ns = cost.low_ns.min(cost.low_ns * lower);
    };
    for overhead in &mut report.overhead {
        for part in [&mut overhead.baseline, &mut overhead.timed, &mut overhead.overhead] {
            *part = part.widened(OFF * part.median_ns);
        }
    }
    let swept = report.sweep.iter_mut().flat_map(|source| &mut source.clocks);
    for clock in report.clocks.iter_mut().chain(&mut report.clocks_under_load).chain(swept) {
        let Cost { throughput, latency, cold, first, .. } = &mut clock.cost;
        [throughput, latency, cold, first].into_iter().flatten().for_each(off);
    }
    for clock in report.runtimes.iter_mut().flat_map(|runtime| &mut runtime.clocks) {
        [&mut clock.throughput, &mut clock.latency].into_iter().flatten().for_each(off);
    }
}
