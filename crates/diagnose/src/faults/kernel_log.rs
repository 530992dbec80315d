//! Faults that the kernel's log shows, by the messages of `chronoscope_model::kernel_log`.

use super::fault::{
    FAULT, Fault, LINUX, Look, Looked, TSC, clear_if, found, parameters_known, stated, why,
};
use super::skew;
use crate::reading::{known, linux_version, source};
use chronoscope_model::kernel_log::{self, Topic};
use chronoscope_model::units::count;
use chronoscope_model::{Certainty, Level, Page, Report};

/// A fault of the TSC that the log shows.
const OF_TSC: Fault = Fault { only: &[LINUX, TSC], ..FAULT };

/// Finds that the kernel's log has lines that prove the fault, and says whether it rules it out.
pub(super) fn logged(report: &Report, level: Level, id: &str) -> Looked {
    /// The most lines that are given as evidence.
    const LINES: usize = 4;
    let env = &report.environment;
    let guest = env.hypervisor.is_some();
    let proofs = known(env).filter(|(_, known)| known.proves(id, guest));
    let lines: Vec<&String> = proofs.map(|(line, _)| line).collect();
    let more = lines.len().saturating_sub(LINES);
    let first = lines.into_iter().take(LINES).map(|line| format!("kernel log: {line}"));
    let more = (more > 0).then(|| format!("and {more} more such lines"));
    clear_if(ruled_out(report, id), found(level, first.chain(more)))
}

/// The same, of a fault that other evidence shows better: what the log proves, and what it says to
/// do about that.
pub(super) fn also_logged(report: &Report, level: Level, id: &str) -> Option<Look> {
    let look = logged(report, level, id).ok().filter(|look| matches!(look, Look::Found(_)))?;
    Some(look.certain(Some(Certainty::Evidence)).fix(|| act(report, id)))
}

/// Whether the log would show the fault, if the machine had it: it reaches back to the start of the
/// kernel, and every line of the fault's topic was understood.
fn ruled_out(report: &Report, id: &str) -> Result<(), String> {
    let env = &report.environment;
    let log = &env.kernel_log;
    if log.is_empty() {
        return Err(why(report, "kernel log", "the kernel log holds no line about time"));
    }
    let guest = env.hypervisor.is_some();
    let found = |ids: &[&str]| known(env).any(|(_, it)| ids.iter().any(|id| it.proves(id, guest)));
    let mut open = known(env).filter(|(_, known)| known.leaves_open(id, guest));
    if let Some((line, _)) = open.find(|(_, known)| !found(&known.message.open)) {
        return Err(format!("the kernel log leaves it open: {line}"));
    }
    let topic = topic(id);
    if let Some(line) = log.iter().find(|line| kernel_log::alarming(line) == topic) {
        return Err(format!("a line of the kernel log was not understood: {line}"));
    }
    if let Some(why) = stated(report, "kernel log") {
        return Err(why);
    }
    let late = "the kernel log does not reach back to the start of the kernel";
    kernel_log::begins_at_boot(log).then_some(()).ok_or(late.into())
}

/// The topic of the messages that prove this fault.
fn topic(id: &str) -> Option<Topic> {
    let mut messages = kernel_log::messages().iter();
    messages.find(|message| message.faults.contains(&id)).map(|message| message.topic)
}

/// Why the kernel does not use the TSC, by its log: the line, and what to do about that.
pub(super) fn cause(report: &Report) -> Option<(&String, String)> {
    const IDS: [&str; 5] = [
        "tsc-skew",
        "tsc-warp",
        "tsc-given-up",
        "watchdog-false-positive",
        "guest-calibration-failed",
    ];
    let env = &report.environment;
    let guest = env.hypervisor.is_some();
    let found = known(env).find_map(|(line, known)| {
        let fix = match *IDS.iter().find(|id| known.proves(id, guest))? {
            "tsc-skew" => skew::fix(report, skew::compared(env).as_ref()),
            "tsc-warp" => skew::fix_of_warp(report),
            _ => known.message.act.into(),
        };
        Some((line, fix))
    });
    let mut open = known(env).filter(|(_, known)| known.leaves_open("tsc-skew", guest));
    found.or_else(|| open.next().map(|(line, known)| (line, known.message.act.into())))
}

/// A fault that only the log shows, at this level.
macro_rules! logged_faults {
    ($($name:ident $id:literal $level:ident $base:ident { $($field:ident: $text:expr,)* })*) => {
        $(pub(super) const $name: Fault = Fault {
            page: Page { names: &[$id], $($field: $text,)* ..Page::EMPTY },
            look: |report| Ok(logged(report, Level::$level, $id)?.fix(|| act(report, $id))),
            ..$base
        };)*
    };
}

/// What the table says to do about the first message that proves this fault.
pub(super) fn act(report: &Report, id: &str) -> String {
    let guest = report.environment.hypervisor.is_some();
    let mut proofs = known(&report.environment).filter(|(_, known)| known.proves(id, guest));
    let act = proofs.find_map(|(_, it)| Some(it.message.act).filter(|act| !act.is_empty()));
    act.unwrap_or("Nothing has to be done.").into()
}

const ON_LINUX: Fault = Fault { only: &[LINUX], ..FAULT };

logged_faults! {
    GUEST_TSC_UNRELIABLE "guest-tsc-unreliable" Warning ON_LINUX {
        title: "Virtual machines on this host have no reliable TSC",
        about: "The host's TSC was given up, and a virtual machine with several CPUs was started: \
                its counters need not agree, and its kernel may find that or not.",
        how: "the kernel log: guest TSC will not be reliable",
        act: "Mend the host's TSC first. Until then give guests kvm-clock, and no invariant TSC.",
        references: &["Linux arch/x86/kvm/x86.c, kvm_arch_vcpu_precreate"],
    }
    TIMER_INTERRUPT_LONG "timer-interrupt-long" Info ON_LINUX {
        title: "Timer interrupts took long, or did not come",
        about: "The kernel was in one timer interrupt for so long that further timers were due \
                when it ended, several times in a row, and logs only the first time; or it missed \
                interrupts of its timer. In a virtual machine, the host did not run the virtual \
                CPU meanwhile.",
        how: "the kernel log: hrtimer: interrupt took, lost ticks, timer wakeup didn't happen",
        act: "In a virtual machine, look at steal and at how many CPUs the host has promised. On \
              hardware, look for firmware interrupts (hwlatdetect) and very many timers.",
        references: &["Linux kernel/time/hrtimer.c, hrtimer_interrupt"],
    }
    TSC_DEADLINE_OFF "tsc-deadline-off" Info OF_TSC {
        title: "The TSC deadline timer is off because of an erratum",
        about: "Timer interrupts of this processor are set through the slower local APIC timer, \
                so sleeps are a little coarser. The message names the microcode that cures it.",
        how: "the kernel log: TSC_DEADLINE disabled due to Errata",
        act: "Install the microcode package (intel-microcode, microcode_ctl), and restart.",
        references: &["Linux arch/x86/kernel/apic/apic.c, apic_validate_deadline_timer"],
    }
    TSC_GIVEN_UP "tsc-given-up" Info OF_TSC {
        title: "The kernel does not keep time with the TSC, by design",
        about: "The kernel says why it gave the TSC up, and the reason is the processor, the \
                chipset, a boot parameter or the hypervisor, and no defect: the TSC stops in idle \
                states, follows the frequency, or is not known to agree between CPUs.",
        how: "the kernel log: Marking TSC unstable due to",
        act: "Nothing is broken. The reason in the log says what would keep the TSC in use.",
        references: &["Linux arch/x86/kernel/tsc.c, mark_tsc_unstable"],
    }
    TSC_NOT_P0 "tsc-not-p0" Info OF_TSC {
        title: "The firmware says that the TSC does not count at the frequency of P0",
        about: "Bit 24 of AMD's HWCR register is clear, so the TSC may not have the rate that the \
                kernel expects. In a virtual machine the bit says nothing, and this is no fault.",
        how: "the kernel log: TSC doesn't count with P0 frequency",
        act: "Update the firmware, and compare the clock with NTP.",
        references: &["Linux arch/x86/kernel/cpu/amd.c, bsp_init_amd"],
    }
}

pub(super) const CLOCKSOURCE_REFUSED: Fault = Fault {
    page: Page {
        names: &["clocksource-refused"],
        title: "The clock source that was asked for was refused",
        about: "clocksource= on the kernel's command line, or a write to current_clocksource, \
                asked for a clock source that the kernel has found unstable or that cannot serve \
                high-resolution timers. The kernel goes on with another one.",
        how: "the kernel log: Override clocksource",
        act: "Mend what made the kernel give that clock source up. Until then, clocksource= on its \
              command line has no effect.",
        references: &["Linux kernel/time/clocksource.c, __clocksource_select"],
        ..Page::EMPTY
    },
    look: |report| {
        let mend = "Mend what made the kernel give that clock source up.";
        let mut set = report.environment.parameters.iter();
        let set = set.rfind(|word| word.starts_with("clocksource="));
        let look = logged(report, Level::Info, "clocksource-refused")?;
        Ok(look.fix(|| match set {
            Some(word) => format!("{mend} Until then, remove `{word}`, which has no effect."),
            None if parameters_known(report) => format!(
                "{mend} The command line does not ask for it, so a program or a person wrote to \
                 current_clocksource."
            ),
            None => CLOCKSOURCE_REFUSED.page.act.into(),
        }))
    },
    ..ON_LINUX
};

pub(super) const LEAP_SECOND_INSERTED: Fault = Fault {
    page: Page {
        names: &["leap-second-inserted"],
        title: "A leap second was inserted or deleted since the start",
        about: "The wall clock repeated or left out a second. On kernels from 2.6.22 to 3.4, \
                high-resolution timers are a second early from then on: waits of less than a \
                second on a futex or a condition end at once, and Java, MySQL and others use a \
                whole CPU.",
        how: "the kernel log: inserting leap second; the kernel's version",
        act: "On those kernels, set the clock once (`date -s \"$(date)\"`) and update the kernel. \
              On later ones nothing has to be done.",
        references: &["Linux kernel/time/ntp.c", "Linux commit 6b43ae8a619d"],
        ..Page::EMPTY
    },
    look: |report| {
        let early = linux_version(&report.environment).is_none_or(|version| version < (3, 5));
        let level = if early { Level::Warning } else { Level::Info };
        let kernel = report.environment.kernel.iter().map(|kernel| format!("kernel: {kernel}"));
        Ok(logged(report, level, "leap-second-inserted")?.and(kernel).fix(|| match early {
            true => "Kernels from 2.6.22 to 3.4 have their timers a second early since then. If \
                     programs use a whole CPU, set the clock once (`date -s \"$(date)\"`), which \
                     puts the timers right, and update the kernel."
                .into(),
            false => "Nothing has to be done: this kernel handles leap seconds rightly.".into(),
        }))
    },
    ..ON_LINUX
};

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
        let looked = logged(report, Level::Warning, "guest-calibration-failed");
        let env = &report.environment;
        // Without another clock, an attempt that failed is the reason.
        let ticks = matches!(source(env), Some("jiffies" | "refined-jiffies"));
        let detected = env.kernel_log.iter().any(|line| line.contains("tsc: Detected"));
        let failed = ["against PIT", "No reference (HPET/PMTIMER)", "HPET/PMTIMER calibration"];
        let failed = env.kernel_log.iter().filter(|line| failed.iter().any(|it| line.contains(it)));
        let failed = failed.map(|line| format!("kernel log: {line}"));
        // A machine on which only the first attempt fails is sound.
        match (looked, found(Level::Warning, failed)) {
            (Ok(Look::Clear) | Err(_), Look::Found(failed)) if ticks && !detected => {
                Ok(Look::Found(failed))
            }
            (looked, _) => looked,
        }
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
    look: |report| logged(report, Level::Info, "readout-stall"),
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
        let small = limit.is_some_and(|(runtime, period)| (0..period / 2).contains(&runtime));
        let limit =
            limit.map(|(runtime, period)| format!("sched_rt_runtime_us: {runtime} of {period}"));
        match logged(report, Level::Warning, "rt-throttling") {
            // A share this small stops any thread that does real work.
            Ok(Look::Clear) | Err(_) if small => Ok(found(Level::Info, limit)),
            looked => Ok(looked?.and(limit)),
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
    look: |report| {
        let look = logged(report, Level::Warning, "tsc-adjust-differs")?;
        let set = report.environment.parameters.iter();
        let mut set = set.filter(|word| word.starts_with("tsc=") && word.contains("reliable"));
        Ok(look.fix(|| match set.next() {
            Some(word) => format!(
                "Update the firmware. Until then, remove `{word}`, which switches the kernel's \
                 repair off."
            ),
            None => TSC_ADJUST_DIFFERS.page.act.into(),
        }))
    },
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
        // Of a TSC that was given up by design it is nothing new.
        let level = skew::by_design(report).map_or(Level::Warning, |_| Level::Info);
        let looked = logged(report, level, "tsc-skew")?;
        let compared = skew::compared(&report.environment);
        let lines = compared.iter().flat_map(|compared| compared.words(&report.environment));
        Ok(looked.and(lines).fix(|| skew::fix(report, compared.as_ref())))
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
        let looked = logged(report, Level::Warning, "tsc-warp")?;
        let behind = known(&report.environment).filter(|(_, it)| it.get("behind").is_some());
        let behind = behind.map(|(line, known)| {
            let cycles = known.number("high").zip(known.number("low"));
            let by = cycles.map_or(String::new(), |(high, low)| {
                format!(" ({} cycles apart)", count((high - low).max(0.0) as u64))
            });
            format!("kernel log: {line}{by}")
        });
        Ok(looked.and(behind).fix(|| skew::fix_of_warp(report)))
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
    look: |report| logged(report, Level::Warning, "vcpu-hotplug"),
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
    look: |report| match logged(report, Level::Warning, "watchdog-false-positive") {
        Ok(look @ Look::Found(_)) => Ok(look.fix(|| {
            let sound = "once the TSC has proved to be sound (`chronoscope trust`, NTP)";
            match linux_version(&report.environment) {
                // It has neither the limit nor the parameter any more.
                Some(version) if version >= (6, 9) => format!("Use `tsc=nowatchdog`, {sound}."),
                _ => WATCHDOG_FALSE_POSITIVE.page.act.into(),
            }
        })),
        // An excerpt that leaves the fault unknown can hold lines about a skipped check.
        look => also_logged(report, Level::Info, "watchdog-skipped").map_or(look, |skipped| {
            Ok(skipped.fix(|| {
                let ways = skew::keep_unchecked(&report.environment);
                let silence =
                    ways.map_or_else(String::new, |ways| format!(" {ways} silences the message."));
                format!(
                    "Nothing has to be done: the kernel skipped the check, keeps the TSC, and \
                     nothing is lost.{silence}"
                )
            }))
        }),
    },
    ..OF_TSC
};
