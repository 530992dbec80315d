//! Power and frequency, and the core's other hardware thread.

use super::fault::{BARE, Clear, FAULT, Fault, LINUX, found, ruler, why};
use crate::run::frequency_changed;
use chronoscope_model::units::percent;
use chronoscope_model::{About, Certainty, Level, Page, Report};

pub(super) const FREQUENCY_CHANGED: Fault = Fault {
    page: Page {
        names: &["frequency-changed"],
        title: "The core changed its frequency during the run",
        about: "At a lower frequency a core takes longer for everything, so a cost in nanoseconds \
                holds for one moment. Each round measures the frequency with a chain of dependent \
                additions, one per cycle, and costs that depend on it are normalised to the \
                usual frequency. Costs can be compared within the run; between runs, compare \
                core cycles (`core_cycles`). Under a hypervisor the host sets the frequency, and \
                the load of other guests changes it.",
        how: "the core's frequency in each round",
        act: "For figures in nanoseconds that are the same in each run, fix the frequency: \
              performance governor, turbo off. Under a hypervisor only the host can do that.",
        references: &["METHOD.md, Rounds"],
        ..Page::EMPTY
    },
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
    page: Page {
        names: &["governor-powersave"],
        title: "The governor keeps the processor at its lowest frequency",
        about: "Under cpufreq's powersave governor the core stays at its lowest frequency, so \
                every read costs more ticks of an invariant counter than it needs to. (With \
                intel_pstate or amd-pstate in active mode, `powersave` is the ordinary governor, \
                which follows the load. That is not a problem.)",
        how: "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
        act: "For a measurement, run `cpupower frequency-set -g performance` (root), and switch \
              back afterwards.",
        references: &[
            "Linux Documentation/admin-guide/pm/cpufreq.rst, powersave",
            "intel_pstate.rst",
        ],
        ..Page::EMPTY
    },
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
    page: Page {
        names: &["on-battery"],
        title: "The machine runs on battery power",
        about: "On battery power most systems lower the frequency, use deeper idle states and \
                coalesce timers: reads cost more, and waits end later.",
        how: "/sys/class/power_supply",
        act: "Connect it to mains power before you compare it with other machines.",
        references: &["Linux Documentation/ABI/testing/sysfs-class-power"],
        ..Page::EMPTY
    },
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
    page: Page {
        names: &["smt-sibling-busy"],
        title: "Something else used this core's other hardware thread",
        about: "Two hardware threads of a core share its execution units and caches, so every read \
                takes longer while the other thread is busy. That is neither steal nor load, and a \
                virtual machine cannot see what causes it. Estimates leave such rounds out as long \
                as there are enough others.",
        how: "the ratio of independent to dependent additions in each round",
        act: "On your own machine, keep the sibling idle or offline while measuring, or choose \
              another CPU (--cpu). In a virtual machine, ask for dedicated cores, or expect the \
              higher costs.",
        references: &["METHOD.md, Noise"],
        ..Page::EMPTY
    },
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
