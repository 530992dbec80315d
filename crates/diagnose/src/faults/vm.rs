//! What a hypervisor does to a virtual machine.

use super::fault::{FAULT, Fault, LINUX, VIRTUAL, clear_if, found, ruler, trust};
use super::kernel_log::{also_logged, logged};
use crate::reading::short;
use chronoscope_model::trust::{Pause, Paused};
use chronoscope_model::units::{percent, plural};
use chronoscope_model::{About, Certainty, Level};

pub(super) const NOISY_NEIGHBOUR: Fault = Fault {
    id: "noisy-neighbour",
    certainty: Certainty::Measured,
    about: About::Run,
    only: &[LINUX],
    look: |report| {
        /// Steal above this share of the CPUs' time disturbs a run: at one in a hundred, the 99th
        /// percentile of anything that lasts longer than a time slice is the hypervisor's.
        const SHARE: f64 = 0.01;
        let env = &report.environment;
        let cpus = env.cpu.logical;
        let seconds = report.run.seconds;
        let stolen = ruler(report)?.noise.steal_ms.and_then(|ms| {
            let share = ms / (seconds * 1e3 * cpus.max(1) as f64);
            let much = share.is_finite() && share > SHARE;
            much.then(|| {
                let (cpus, share) = (plural(cpus as u64, "CPU", "CPUs"), percent(share));
                format!(
                    "/proc/stat: {ms:.0} ms of steal in a run of {seconds:.1} s on {cpus} ({share})"
                )
            })
        });
        let unknown = "the hypervisor does not report steal (CPUID 0x40000001 EAX[5]=0)";
        clear_if(
            env.steal_is_reported().then_some(()).ok_or(unknown),
            found(Level::Warning, stolen),
        )
    },
    ..FAULT
};

pub(super) const VM_MIGRATED: Fault = Fault {
    id: "vm-migrated",
    certainty: Certainty::Measured,
    only: &[LINUX, VIRTUAL],
    look: |report| {
        let clock = report.trust.as_ref().and_then(|trust| trust.watched.vmclock.as_ref());
        let clock = clock.ok_or("there is no /dev/vmclock0 to read")?;
        let [before, after] = clock.disruption_marker;
        let moved = before != after && !clock.restored();
        let text = || format!("/dev/vmclock0: disruption_marker {before}, later {after}");
        Ok(found(Level::Warning, moved.then(text)))
    },
    ..FAULT
};

pub(super) const VM_PAUSED: Fault = Fault {
    id: "vm-paused",
    certainty: Certainty::Measured,
    by_library: true,
    look: |report| {
        /// The shortest pause that can be distinguished from a busy host, in nanoseconds.
        const LEAST_NS: f64 = 100e6;
        /// A pause that timeouts notice, in nanoseconds.
        const GRAVE_NS: f64 = 1e9;
        /// The most pauses that are named; the longest come first.
        const NAMED: usize = 4;
        if report.environment.hypervisor.is_some()
            && let Some(look) = also_logged(report, Level::Info, "vm-paused")
        {
            return Ok(look);
        }
        let watched = &trust(report)?.watched;
        let paused = |pause: &&Pause| pause.paused == Paused::Machine && pause.ns > LEAST_NS;
        let pauses = watched.pauses.iter().filter(paused);
        let all = pauses.clone().map(|pause| pause.ns);
        let longest = all.chain(watched.standstills.iter().map(|one| one.ns)).reduce(f64::max);
        let standstills = watched.standstills.iter().take(NAMED).map(|one| {
            format!(
                "until {:.1} s: {} advanced by {}, to within {}, and all other clocks stood still",
                one.at_s,
                one.id,
                short(one.ns.round()),
                short(one.tolerance_ns)
            )
        });
        let pauses = pauses.take(NAMED).map(|pause| {
            let stolen = pause.steal_ns.filter(|ns| *ns > 0.0);
            let stolen = stolen.map_or(String::new(), |ns| format!(", steal {}", short(ns)));
            format!("until {:.1} s: {}{stolen}", pause.at_s, short(pause.ns.round()))
        });
        let grave = longest.is_some_and(|ns| ns > GRAVE_NS);
        Ok(found(if grave { Level::Warning } else { Level::Info }, standstills.chain(pauses)))
    },
    ..FAULT
};

pub(super) const VM_RESTORED: Fault = Fault {
    id: "vm-restored",
    minor: true,
    only: &[LINUX, VIRTUAL],
    look: |report| {
        let clock = report.trust.as_ref().and_then(|trust| trust.watched.vmclock.as_ref());
        let restored = clock.filter(|clock| clock.restored()).and_then(|clock| clock.generation);
        let Some([before, after]) = restored else {
            let look = logged(report, Level::Info, "vm-restored")?;
            let there = clock.is_some();
            return Ok(look.fix(|| match there {
                true => VM_RESTORED.page().act.into(),
                false => "Let something set the wall clock after a restore (chrony's `makestep 1 \
                          -1`, the hypervisor's agent), and calibrate again."
                    .into(),
            }));
        };
        let evidence = format!("/dev/vmclock0: vm_generation_counter {before}, later {after}");
        Ok(found(Level::Warning, [evidence]).certain(Some(Certainty::Measured)))
    },
    ..FAULT
};
