//! What a hypervisor does to a virtual machine.

use super::fault::{FAULT, Fault, LINUX, VIRTUAL, clear_if, found, ruler, trust};
use super::kernel_log::{also_logged, logged};
use crate::reading::short;
use chronoscope_model::trust::{Pause, Paused};
use chronoscope_model::units::{percent, plural};
use chronoscope_model::{About, Certainty, Level, Page};

pub(super) const NOISY_NEIGHBOUR: Fault = Fault {
    page: Page {
        names: &["noisy-neighbour"],
        title: "The hypervisor took CPU time from this machine",
        about: "Steal is time in which a virtual CPU was ready to run and the host ran something \
                else. A measurement sees it as a gap, a wait as overshoot.",
        how: "steal in /proc/stat",
        act: "Measure again at another time, or on dedicated CPUs.",
        references: &["proc_stat(5), steal"],
        ..Page::EMPTY
    },
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
    page: Page {
        names: &["vm-migrated"],
        title: "The virtual machine was moved to another host",
        about: "The hypervisor's page about time (/dev/vmclock0) changed its marker: the machine \
                was moved, or its counter disturbed in another way. The rate and offset of the \
                counter may differ from before, and every earlier calibration is void.",
        how: "/dev/vmclock0 before and after",
        act: "Measure again. Programs that read the counter themselves should watch that marker \
              too, or read the system's clock.",
        references: &[
            "Linux include/uapi/linux/vmclock-abi.h, disruption_marker",
            "yugabyte/yugabyte-db#32077",
        ],
        ..Page::EMPTY
    },
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
    page: Page {
        names: &["vm-paused"],
        title: "The virtual machine was paused",
        about: "For a while nothing of this machine ran: a snapshot, a migration, a host that was \
                suspended or out of CPUs. Timeouts that ran meanwhile ended at once afterwards, \
                and waits were late by as much.",
        how: "reads of all clocks together, the battery-backed clock, steal in /proc/stat",
        act: "Look at the host. If pauses are normal here, make timeouts longer than the pauses, \
              and expect late wake-ups.",
        references: &["microsoft/WSL#40745", "proc_stat(5), steal"],
        ..Page::EMPTY
    },
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
    page: Page {
        names: &["vm-restored"],
        title: "The virtual machine was restored from a snapshot",
        about: "This machine was saved and started again, perhaps more than once and elsewhere. \
                The wall clock stood still meanwhile until something set it, monotonic clocks do \
                not count that time, and what programs had calibrated may be void.",
        how: "the kernel log: virtual machine fork; /dev/vmclock0",
        act: "Let something set the wall clock after a restore (chrony's `makestep 1 -1`, the \
              hypervisor's agent), and calibrate again. Programs can watch /dev/vmclock0.",
        references: &[
            "Linux drivers/virt/vmgenid.c",
            "Linux include/uapi/linux/vmclock-abi.h, vm_generation_counter",
            "firecracker#6200",
        ],
        ..Page::EMPTY
    },
    minor: true,
    only: &[LINUX, VIRTUAL],
    look: |report| {
        let clock = report.trust.as_ref().and_then(|trust| trust.watched.vmclock.as_ref());
        let restored = clock.filter(|clock| clock.restored()).and_then(|clock| clock.generation);
        let Some([before, after]) = restored else {
            let look = logged(report, Level::Info, "vm-restored")?;
            let there = clock.is_some();
            return Ok(look.fix(|| match there {
                true => VM_RESTORED.page.act.into(),
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
