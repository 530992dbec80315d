//! Power and frequency, and the core's other hardware thread.

use super::fault::{BARE, Clear, FAULT, Fault, LINUX, found, ruler, why};
use crate::run::frequency_changed;
use chronoscope_model::units::percent;
use chronoscope_model::{About, Certainty, Level, Report};

pub(super) const FREQUENCY_CHANGED: Fault = Fault {
    id: "frequency-changed",
    certainty: Certainty::Measured,
    about: About::Run,
    look: |report| {
        let Some(core) = ruler(report)?.noise.core else {
            return Ok(Clear);
        };
        if !frequency_changed(&core) {
            return Ok(Clear);
        }
        let [usual, low, high] = [core.hz, core.low_hz, core.high_hz].map(|hz| hz / 1e9);
        let text =
            format!("usually {usual:.2} GHz, {low:.2} to {high:.2} GHz in 98 % of the rounds");
        Ok(found(Level::Info, [text]))
    },
    ..FAULT
};

pub(super) const GOVERNOR_POWERSAVE: Fault = Fault {
    id: "governor-powersave",
    only: &[LINUX],
    look: |report| {
        /// Drivers whose `powersave` follows the load.
        const ACTIVE: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];
        let power = &report.environment.power;
        let otherwise = "the system names no frequency governor";
        let governor = power.governor.as_deref().ok_or_else(|| why(report, "power", otherwise))?;
        let driver = power.frequency_driver.as_deref().unwrap_or("unknown");
        if governor != "powersave" || ACTIVE.contains(&driver) {
            return Ok(Clear);
        }
        let evidence =
            [format!("scaling_governor: {governor}"), format!("scaling_driver: {driver}")];
        Ok(found(Level::Warning, evidence))
    },
    ..FAULT
};

pub(super) const ON_BATTERY: Fault = Fault {
    id: "on-battery",
    only: &[BARE],
    look: |report| {
        let otherwise = "the system does not name its power source";
        let source = report.environment.power.source.as_deref();
        let source = source.ok_or_else(|| why(report, "power", otherwise))?;
        Ok(found(Level::Info, (source == "battery").then(|| format!("power source: {source}"))))
    },
    ..FAULT
};

pub(super) const SMT_SIBLING_BUSY: Fault = Fault {
    id: "smt-sibling-busy",
    certainty: Certainty::Measured,
    about: About::Run,
    look: |report| {
        /// Below this share of rounds, a neighbour costs no more than an interrupt does.
        const SHARE: f64 = 0.05;
        let ruler = ruler(report)?;
        let share = ruler.noise.shared.filter(|share| share.is_finite() && *share >= SHARE);
        let Some(share) = share else {
            return Ok(Clear);
        };
        let whose = match (&report.environment.hypervisor, ruler.siblings.as_slice()) {
            (Some(_), _) => "this is a virtual machine: it is another tenant on this core, or \
                             another CPU of this machine"
                .into(),
            (None, []) => "the system names no other CPU of this core".into(),
            (None, siblings) => {
                let names: Vec<String> = siblings.iter().map(ToString::to_string).collect();
                format!("the same core is also CPU {}", names.join(", "))
            }
        };
        let seen = format!(
            "independent additions took at least 6 % longer than on an unshared core in {} of the \
             rounds, and dependent ones did not",
            percent(share)
        );
        let counted = report.clocks.iter().any(|clock| {
            let costs = [&clock.cost.throughput, &clock.cost.latency];
            costs.into_iter().flatten().any(|cost| cost.only_shared)
        });
        let evidence = [seen].into_iter().chain(most_affected(report)).chain([whose]);
        Ok(found(if counted { Level::Warning } else { Level::Info }, evidence))
    },
    ..FAULT
};

/// The clock whose cost differs most between a core that is shared and one that is not.
fn most_affected(report: &Report) -> Option<String> {
    let costs = report.clocks.iter().filter_map(|clock| {
        let cost = clock.cost.throughput.as_ref()?;
        let shared_ns = cost.shared_ns?;
        let ratio = shared_ns / cost.value_ns;
        // If every round was shared, the cost on an unshared core is not known.
        let known = ratio.is_finite() && !cost.below_resolution && !cost.only_shared;
        known.then_some((clock, cost.value_ns, shared_ns, ratio))
    });
    let (clock, alone, shared, _) = costs.max_by(|a, b| a.3.total_cmp(&b.3))?;
    Some(format!("{}: {alone:.2} ns alone, {shared:.2} ns while it was busy", clock.id))
}
