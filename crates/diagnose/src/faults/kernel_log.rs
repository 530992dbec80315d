//! Faults that the kernel's log shows.

use super::fault::{FAULT, Fault, LINUX, Looked, TSC, found, why};
use crate::reading::source;
use chronoscope_model::{Level, Page, Report};

/// A fault of the TSC that the log shows.
const OF_TSC: Fault = Fault { only: &[LINUX, TSC], ..FAULT };

/// Finds that the kernel's log has lines with any of these words.
pub(super) fn logged(report: &Report, level: Level, words: &[&str]) -> Looked {
    /// The most lines that are given as evidence.
    const LINES: usize = 4;
    let log = &report.environment.kernel_log;
    if log.is_empty() {
        return Err(why(report, "kernel log", "the kernel log holds no line about time").into());
    }
    let has = |line: &&String| words.iter().any(|word| line.contains(word));
    let lines: Vec<&String> = log.iter().filter(has).collect();
    let more = lines.len().saturating_sub(LINES);
    let first = lines.into_iter().take(LINES).map(|line| format!("kernel log: {line}"));
    found(level, first.chain((more > 0).then(|| format!("and {more} more such lines"))))
}

pub(super) const GUEST_CALIBRATION_FAILED: Fault = Fault {
    page: Page {
        names: &["guest-calibration-failed"],
        title: "The kernel could not determine the TSC's rate",
        about: "The processor or hypervisor does not report the rate, and there was no timer to \
                measure it with (PIT, HPET, ACPI timer), or the timer gave nonsense. The kernel \
                then cannot use the TSC, and a guest may be left with its tick interrupt as the \
                only clock.",
        how: "the kernel log: could not calculate TSC khz",
        act: "Have the hypervisor report the rate (CPUID leaf 0x15, or 0x40000010), or provide \
              kvm-clock or an HPET.",
        references: &["Linux arch/x86/kernel/tsc.c, tsc_init and determine_cpu_tsc_frequencies"],
        ..Page::EMPTY
    },
    look: |report| {
        const FAILED: &str = "could not calculate TSC khz";
        let ticks = matches!(source(&report.environment), Some("jiffies" | "refined-jiffies"));
        // A machine on which only the first attempt fails is sound.
        let mut log = report.environment.kernel_log.iter();
        let detected = log.any(|line| line.contains("tsc: Detected"));
        let words: &[&str] = if ticks && !detected {
            &[FAILED, "Unable to calibrate against PIT", "No reference (HPET/PMTIMER)"]
        } else {
            &[FAILED]
        };
        logged(report, Level::Warning, words)
    },
    ..OF_TSC
};

pub(super) const READOUT_STALL: Fault = Fault {
    page: Page {
        names: &["readout-stall"],
        title: "The kernel was kept from checking its clock source",
        about: "The check that should run twice a second was late by more than a second, so the \
                kernel skipped it: the machine was paused or suspended, or something kept a CPU \
                busy for that long, such as the firmware, a debugger or a console.",
        how: "the kernel log: Long readout interval",
        act: "Look for pauses: a snapshot, a migration, `chronoscope trust --duration 10min`. If \
              the machine was not paused, look in the kernel log for what ran before that line.",
        references: &[
            "Linux kernel/time/clocksource.c, clocksource_watchdog: Long readout interval",
        ],
        ..Page::EMPTY
    },
    minor: true,
    only: &[LINUX],
    look: |report| logged(report, Level::Info, &["Long readout interval"]),
    ..FAULT
};

pub(super) const RT_THROTTLING: Fault = Fault {
    page: Page {
        names: &["rt-throttling"],
        title: "The kernel stopped real-time threads, or may stop them",
        about: "A real-time thread that spins is stopped for the rest of each period once it has \
                run for its share: with the usual setting, for 50 ms of every second. The kernel \
                logs the first time. Spinning waits at real-time priority end late by that much.",
        how: "the kernel log: RT throttling activated; sched_rt_runtime_us",
        act: "Let real-time threads sleep, or give them less work. Switching the limit off \
              (`sysctl kernel.sched_rt_runtime_us=-1`) lets a spinning thread hang its CPU: \
              isolate that CPU first.",
        references: &["Linux Documentation/scheduler/sched-rt-group.rst", "sched(7)"],
        ..Page::EMPTY
    },
    minor: true,
    only: &[LINUX],
    look: |report| {
        let keeping = report.environment.keeping.as_ref();
        let limit = keeping.and_then(|keeping| keeping.rt_runtime_us.zip(keeping.rt_period_us));
        let (runtime, period) = limit.unwrap_or_default();
        let limit = format!("sched_rt_runtime_us: {runtime} of {period}");
        match logged(report, Level::Warning, &["RT throttling activated"]) {
            Ok(mut seen) => {
                seen.evidence.push(limit);
                Ok(seen)
            }
            // A share this small stops any thread that does real work.
            Err(_) if (0..period / 2).contains(&runtime) => found(Level::Info, [limit]),
            unseen => unseen,
        }
    },
    ..FAULT
};

pub(super) const TSC_ADJUST_DIFFERS: Fault = Fault {
    page: Page {
        names: &["tsc-adjust-differs"],
        title: "The firmware set the TSCs of CPUs differently",
        about: "IA32_TSC_ADJUST differs between CPUs, or changed while the machine ran: the \
                firmware wrote the counter of some CPUs. The kernel restores the values, as far \
                as it notices.",
        how: "the kernel log: TSC ADJUST",
        act: "Update the firmware. Until then, do not use `tsc=reliable`, which switches the \
              kernel's repair off.",
        references: &["Linux arch/x86/kernel/tsc_sync.c, tsc_verify_tsc_adjust and \
             tsc_store_and_check_tsc_adjust"],
        ..Page::EMPTY
    },
    look: |report| logged(report, Level::Warning, &["TSC ADJUST differs", "TSC ADJUST: CPU"]),
    ..OF_TSC
};

pub(super) const TSC_SKEW: Fault = Fault {
    page: Page {
        names: &["tsc-skew"],
        title: "The TSC and the kernel's other timer ran apart",
        about: "The kernel compares the TSC with the HPET, the ACPI timer or the hypervisor's \
                clock twice a second. They ran apart by more than their uncertainty, so it no \
                longer uses the TSC. Either may be the wrong one, and a paused virtual machine \
                looks the same.",
        how: "the kernel log: the skew is too large",
        act: "Compare with a source outside the machine (`chronoscope trust`, NTP). If the TSC is \
              right, the other timer is at fault: use another one, or `tsc=nowatchdog`. If the TSC \
              is wrong, look at the firmware, or at the host of the virtual machine.",
        references: &[
            "Linux kernel/time/clocksource.c, clocksource_watchdog",
            "oxidecomputer/propolis#328",
        ],
        ..Page::EMPTY
    },
    look: |report| {
        logged(report, Level::Warning, &["skew is too large", "Clocksource tsc unstable"])
    },
    ..OF_TSC
};

pub(super) const TSC_WARP: Fault = Fault {
    page: Page {
        names: &["tsc-warp"],
        title: "The kernel found the TSC out of step between CPUs",
        about: "While a CPU came up, the kernel saw the counter of one CPU ahead of that of \
                another, which it calls a warp. It then stops using the TSC, and every read of the \
                time becomes a slow one.",
        how: "the kernel log: TSC warp",
        act: "Update the firmware: it must start the counters together and leave IA32_TSC_ADJUST \
              alone. In a virtual machine, have the host's TSC checked.",
        references: &["Linux arch/x86/kernel/tsc_sync.c, check_tsc_sync_source"],
        ..Page::EMPTY
    },
    look: |report| {
        let words = ["TSC warp between CPUs", "check_tsc_sync_source failed"];
        logged(report, Level::Warning, &words)
    },
    ..OF_TSC
};

pub(super) const VCPU_HOTPLUG: Fault = Fault {
    page: Page {
        names: &["vcpu-hotplug"],
        title: "The TSC of a CPU that was added was out of step",
        about: "A CPU that was plugged in or brought online counted from another start, and the \
                kernel wrote its IA32_TSC_ADJUST to compensate. What is left may be a warp of a \
                few hundred cycles, and programs that ran on that CPU before saw the jump.",
        how: "the kernel log: TSC ADJUST compensate",
        act: "Do not add CPUs to a running virtual machine if its programs read the TSC, or use a \
              hypervisor that starts the counter of a new CPU with the others.",
        references: &[
            "Linux arch/x86/kernel/tsc_sync.c, check_tsc_sync_target",
            "Zelin Deng, Guest TSC adjustment on vCPU hotplug, kvm list 2021",
        ],
        ..Page::EMPTY
    },
    look: |report| logged(report, Level::Warning, &["TSC ADJUST compensate"]),
    ..OF_TSC
};

pub(super) const WATCHDOG_FALSE_POSITIVE: Fault = Fault {
    page: Page {
        names: &["watchdog-false-positive"],
        title: "The kernel gave up a clock source because the other timer was slow to read",
        about: "The kernel checks the TSC with the HPET or the ACPI timer, three reads in a row. \
                On large machines those reads can take too long, and kernels before 6.9 then \
                consider the TSC unstable although nothing is wrong with it.",
        how: "the kernel log: excessive read-back delay",
        act: "Use a kernel with commit 2ed08e4bc532 (Linux 6.9, and stable kernels of that time), \
              which retries according to the number of CPUs. Before that: \
              `clocksource.max_cswd_read_retries=` with a larger number, or `tsc=nowatchdog` once \
              the TSC has proved to be sound.",
        references: &["Linux commit 2ed08e4bc532", "kernel/time/clocksource.c, cs_watchdog_read"],
        ..Page::EMPTY
    },
    look: |report| logged(report, Level::Warning, &["excessive read-back delay"]),
    ..OF_TSC
};
