//! The processor's counter differs from CPU to CPU.

use super::{Fault, Need};
use crate::reading::short;
use chronoscope_model::units::{count, plural};
use chronoscope_model::{Certainty, Level, Report};

pub(super) const FAULT: Fault = Fault {
    id: "counter-out-of-step",
    title: "The processor's counter differs from CPU to CPU",
    about: "A value read on one CPU, with fences on both sides, was later than one that another \
            CPU read afterwards, or an exchange between them leaves no room for equal counters. A \
            thread that moves, or two threads that compare values, can see time run backwards.",
    fix: "Leave the counter to the kernel and use the system's monotonic clock. A firmware that \
          writes IA32_TSC_ADJUST on some CPUs is a usual cause: see `dmesg | grep -i tsc`. In a \
          virtual machine, ask for a host whose TSC is stable.",
    reference: "Linux arch/x86/kernel/tsc_sync.c",
    certainty: Certainty::Measured,
    looks_at: "values that two CPUs hand to each other, and exchanges between them",
    needs: &[Need::Across],
    minor: false,
    look: |report, fault| {
        let across = report.environment.across_cpus.iter();
        let pairs = across.flat_map(|across| &across.pairs);
        let pairs = pairs.filter(|pair| !pair.in_step());
        let evidence: Vec<String> = pairs
            .map(|pair| {
                let [a, b] = pair.handed.cpus;
                format!(
                    "CPU {b} is ahead of CPU {a} by {:.0} to {:.0} ns; {} of {} backwards, by up \
                     to {}",
                    pair.low_ns,
                    pair.high_ns,
                    count(pair.handed.backwards),
                    plural(pair.handed.turns, "hand-over", "hand-overs"),
                    short(pair.handed.worst_ns.round())
                )
            })
            .chain(watched(report))
            .collect();
        if evidence.is_empty() {
            return None;
        }
        fault.found(Level::Warning, Certainty::Measured, evidence)
    },
};

/// The pairs whose offset exceeds its uncertainty, as they were seen while clocks were watched: by
/// the counter, or by the system's clock that is made from it if the counter is not invariant.
fn watched(report: &Report) -> impl Iterator<Item = String> {
    let matrix = report.trust.iter().map(|trust| &trust.matrix);
    let pairs = matrix.flat_map(|matrix| matrix.pairs.iter().map(|pair| (&matrix.id, pair)));
    pairs.filter_map(|(id, pair)| {
        let offset = pair.best().filter(|offset| offset.differs())?;
        let [mut behind, mut ahead] = pair.handed.cpus;
        if offset.offset_ns < 0.0 {
            (behind, ahead) = (ahead, behind);
        }
        // With one offset for all exchanges, the shortest ways there and back take some time.
        let apart = match offset.round_trip_ns > 0.0 {
            true => format!(
                "CPU {ahead} is ahead of CPU {behind} by {}, to within {}",
                short(offset.offset_ns.abs().round()),
                short(offset.uncertainty_ns.round())
            ),
            false => format!("CPU {ahead} got ahead of CPU {behind} during the run"),
        };
        Some(format!(
            "{id}: {apart}; {} of {} backwards, by up to {}",
            count(pair.handed.backwards),
            plural(pair.handed.turns, "hand-over", "hand-overs"),
            short(pair.handed.worst_ns.round())
        ))
    })
}
