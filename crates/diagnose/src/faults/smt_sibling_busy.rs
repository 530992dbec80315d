//! Something else ran on the core's other hardware thread.

use super::{Fault, Need};
use chronoscope_model::units::percent;
use chronoscope_model::{Certainty, Level, Report};

/// Below this share of rounds, a neighbour costs no more than an interrupt does.
const SHARE: f64 = 0.05;

pub(super) const FAULT: Fault = Fault {
    id: "smt-sibling-busy",
    title: "Something else used this core's other hardware thread",
    about: "Two hardware threads of a core share its execution units and caches, so every read \
            takes longer while the other thread is busy. That is neither steal nor load, and a \
            virtual machine cannot see who it is. Estimates leave such rounds out as long as there \
            are enough others.",
    fix: "On your own machine, keep the sibling idle or offline while measuring, or choose another \
          CPU (--cpu). In a virtual machine, ask for dedicated cores, or expect the higher costs.",
    reference: "METHOD.md, Noise",
    certainty: Certainty::Measured,
    looks_at: "the ratio of independent to dependent additions in each round",
    needs: &[Need::Noise],
    minor: false,
    look: |report, fault| {
        let ruler = report.ruler.as_ref()?;
        let share = ruler.noise.shared?;
        if !share.is_finite() || share < SHARE {
            return None;
        }
        let mut evidence = vec![format!(
            "independent additions took at least 6 % longer than on an unshared core in {} of the \
             rounds, and dependent ones did not",
            percent(share)
        )];
        evidence.extend(most_affected(report));
        evidence.push(match (&report.environment.hypervisor, ruler.siblings.as_slice()) {
            (Some(_), _) => "this is a virtual machine: it is another tenant on this core, or \
                             another CPU of this machine"
                .into(),
            (None, []) => "the system names no other CPU of this core".into(),
            (None, siblings) => {
                let names: Vec<String> = siblings.iter().map(ToString::to_string).collect();
                format!("the same core is also CPU {}", names.join(", "))
            }
        });
        let counted = report.clocks.iter().any(|clock| {
            let costs = [&clock.cost.throughput, &clock.cost.latency];
            costs.into_iter().flatten().any(|cost| cost.only_shared)
        });
        let level = if counted { Level::Warning } else { Level::Info };
        fault.found(level, Certainty::Measured, evidence)
    },
};

/// The clock whose cost differs most between the two.
fn most_affected(report: &Report) -> Option<String> {
    let costs = report.clocks.iter().filter_map(|clock| {
        let cost = clock.cost.throughput.as_ref()?;
        let ratio = cost.shared_ns? / cost.value_ns;
        // If every round was shared, nothing is known of the cost alone.
        let known = ratio.is_finite() && !cost.below_resolution && !cost.only_shared;
        known.then_some((clock, cost, ratio))
    });
    let (clock, cost, _) = costs.max_by(|a, b| a.2.total_cmp(&b.2))?;
    Some(format!(
        "{}: {:.2} ns alone, {:.2} ns while it was busy",
        clock.id, cost.value_ns, cost.shared_ns?
    ))
}
