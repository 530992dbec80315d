//! Bundles of machines that are not available here, built from log lines and values that were
//! published, and folders that are not bundles.

mod fixes;
mod garbage;
mod log;
mod machine;

use chronoscope_model::Level::{Info, Warning};
use chronoscope_model::finding::Outcome;
use chronoscope_model::{About, Level, Report};
use machine::{Machine, facts, finding};
use std::path::Path;

const KVM: &str = "0x40000000 0x00: eax=0x40000001 ebx=0x4b4d564b ecx=0x564b4d56 edx=0x0000004d";
const HYPERV: &str = "0x40000000 0x00: eax=0x40000006 ebx=0x7263694d ecx=0x666f736f edx=0x76482074";
const XEN: &str = "0x40000000 0x00: eax=0x40000004 ebx=0x566e6558 ecx=0x65584d4d edx=0x4d4d566e";

/// A clock that nothing corrects.
const FREE: &str =
    "state=5 status=0x40 maxerror=16000000 esterror=16000000 freq=0 tick=10000 tai=0";

/// The fault that must be found, its level, a part of the evidence, and what gives it to a healthy
/// machine.
type Case = (&'static str, Level, &'static str, fn(Machine) -> Machine);

const TIMEKEEPING: &[Case] = &[
    // Brendan Gregg, The Speed of Time.
    ("slow-clocksource-xen", Warning, "current_clocksource: xen", |it| {
        it.guest(XEN).source("xen", "xen tsc hpet acpi_pm")
    }),
    ("tsc-emulated", Warning, "Xen emulates", |it| {
        it.guest(XEN).leaf("0x40000003 0x00: eax=0x00000001 ebx=0x00000001 ecx=0x003567e0 edx=0x0")
    }),
    ("hyperv-tsc-page-off", Warning, "EAX[9]=0", |it| {
        it.guest(HYPERV)
            .leaf("0x40000003 0x00: eax=0x00000802 ebx=0x00000000 ecx=0x00 edx=0x00")
            .source("hyperv_clocksource_msr", "hyperv_clocksource_msr acpi_pm")
    }),
    ("kvm-clock-unstable", Warning, "EAX[24]=0", |it| {
        it.guest(KVM)
            .leaf("0x40000001 0x00: eax=0x00000029 ebx=0x00000000 ecx=0x00 edx=0x00")
            .source("kvm-clock", "kvm-clock acpi_pm")
    }),
    ("slow-clocksource-hpet", Warning, "hpet acpi_pm", |it| it.source("hpet", "hpet acpi_pm")),
    ("slow-clocksource-acpi-pm", Warning, "acpi_pm", |it| it.source("acpi_pm", "acpi_pm")),
    ("slow-clocksource-jiffies", Warning, "jiffies", |it| it.source("jiffies", "jiffies")),
    ("no-vdso", Warning, "AT_SYSINFO_EHDR", |it| {
        it.process("vdso", "false").file("/proc/cmdline", "vdso=0")
    }),
    ("tsc-forbidden", Level::Error, "PR_TSC_SIGSEGV", |it| it.process("tsc_permitted", "false")),
    ("rdtscp-forbidden", Info, "EDX[27]=0", |it| {
        it.leaf("0x80000001 0x00: eax=0x0 ebx=0x0 ecx=0x0 edx=0x00000000")
    }),
    ("tsc-variant", Warning, "EDX[8]=0", |it| {
        it.leaf("0x80000007 0x00: eax=0x0 ebx=0x0 ecx=0x0 edx=0x00000000")
    }),
    ("tsc-forced-reliable", Warning, "/proc/cmdline: tsc=reliable", |it| {
        it.file("/proc/cmdline", "quiet tsc=reliable")
    }),
    ("hrtimers-off", Warning, "highres=off", |it| {
        it.process("timer_resolution_ns", "4000000").file("/proc/cmdline", "highres=off")
    }),
    ("hrtimers-off", Warning, ".hres_active 0", |it| {
        it.file("/proc/timer_list", "  .hres_active    : 0\n")
    }),
    // A program runs but does not reach its servers.
    ("unsynchronised", Warning, "chronyd", |it| it.adjtimex(FREE)),
    ("unsynchronised", Info, "none of the programs", |it| {
        it.adjtimex(FREE).file("/proc/2/comm", "sshd")
    }),
    ("adjtimex-denied", Info, "adjtimex: EPERM", |it| it.adjtimex("EPERM")),
    ("leap-pending", Warning, "STA_INS", |it| {
        it.adjtimex("state=1 status=0x2011 maxerror=1500 esterror=20 freq=0 tick=10000 tai=37")
    }),
    ("tai-unset", Info, "tai 0 s", |it| {
        it.adjtimex("state=0 status=0x2001 maxerror=1500 esterror=20 freq=0 tick=10000 tai=0")
    }),
    ("clock-slewed", Warning, "+400.0 ppm", |it| {
        it.adjtimex("state=0 status=0x1 maxerror=1500 esterror=20 freq=26214400 tick=10000 tai=0")
    }),
    ("two-disciplines", Warning, "chronyd, systemd-timesyn", |it| {
        it.file("/proc/3/comm", "systemd-timesyn")
    }),
    ("two-disciplines", Info, "vmtoolsd", |it| it.file("/proc/3/comm", "vmtoolsd")),
    ("time-namespace", Info, "monotonic 172800 0", |it| {
        it.file("/proc/self/timens_offsets", "monotonic 172800 0\nboottime 604800 0\n")
    }),
    ("rt-throttling", Info, "10000 of 1000000", |it| {
        it.file("/proc/sys/kernel/sched_rt_runtime_us", "10000")
    }),
    ("governor-powersave", Warning, "scaling_governor: powersave", |it| {
        it.file("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave")
            .file("/sys/devices/system/cpu/cpufreq/policy0/scaling_driver", "acpi-cpufreq")
    }),
    ("on-battery", Info, "battery", |it| {
        it.file("/sys/class/power_supply/BAT0/type", "Battery")
            .file("/sys/class/power_supply/BAT0/status", "Discharging")
    }),
];

/// Log lines of real kernels, from reports on mailing lists and in trackers.
const LOGGED: &[Case] = &[
    // An 8-socket server: the message of commit 2ed08e4bc532.
    ("watchdog-false-positive", Warning, "153560ns", |it| {
        it.source("hpet", "hpet acpi_pm")
            .log(
                "clocksource: timekeeping watchdog on CPU227: wd-tsc-wd excessive read-back \
                 delay of 153560ns vs. limit of 125000ns, wd-wd read-back delay only 11440ns, \
                 attempt 3, marking tsc unstable",
            )
            .log("tsc: Marking TSC unstable due to clocksource watchdog")
    }),
    ("tsc-skew", Warning, "skew is too large", |it| {
        it.source("hpet", "hpet acpi_pm").log(
            "clocksource: timekeeping watchdog on CPU6: Marking clocksource 'tsc' as unstable \
             because the skew is too large:",
        )
    }),
    ("tsc-warp", Warning, "3926369736 cycles", |it| {
        it.source("hpet", "hpet acpi_pm")
            .log("Measured 3926369736 cycles TSC warp between CPUs, turning off TSC clock.")
            .log("Marking TSC unstable due to check_tsc_sync_source failed")
    }),
    ("tsc-adjust-differs", Warning, "fixing all errors", |it| {
        it.log("[Firmware Bug]: TSC ADJUST differs within socket(s), fixing all errors")
    }),
    // After a resume, published with the tests of the library `time`.
    ("tsc-adjust-differs", Warning, "-45928000242", |it| {
        it.log("[Firmware Bug]: TSC ADJUST differs: CPU2 0 --> -45928000242. Restoring")
    }),
    // A CPU added to a guest: Zelin Deng, kvm list, April 2021.
    ("vcpu-hotplug", Warning, "observed 166 warp", |it| {
        it.guest(KVM)
            .log("TSC ADJUST compensate: CPU1 observed 169175101528 warp. Adjust: 169175101528")
            .log("TSC ADJUST compensate: CPU1 observed 166 warp. Adjust: 169175101694")
    }),
    ("guest-calibration-failed", Warning, "could not calculate TSC khz", |it| {
        it.guest(KVM)
            .source("refined-jiffies", "refined-jiffies jiffies")
            .log("tsc: Unable to calibrate against PIT")
            .log("tsc: No reference (HPET/PMTIMER) available")
            .log("tsc: Marking TSC unstable due to could not calculate TSC khz")
    }),
    ("readout-stall", Info, "8022630082", |it| {
        it.guest(KVM).log(
            "clocksource: Long readout interval, skipping watchdog check: cs_nsec: 8022630082 \
             wd_nsec: 8022627385",
        )
    }),
    ("vm-restored", Info, "virtual machine fork", |it| {
        it.guest(KVM).log("random: crng reseeded due to virtual machine fork")
    }),
    ("rt-throttling", Warning, "950000 of 1000000", |it| it.log("sched: RT throttling activated")),
];

const ARM: &[Case] = &[
    ("arm-counter-erratum", Info, "UNKNOWN1", |it| {
        it.file("/proc/device-tree/timer/allwinner,erratum-unknown1", "")
            .log("arch_timer: Enabling global workaround for Allwinner erratum UNKNOWN1")
    }),
    ("arm-counter-erratum", Info, "858921", |it| {
        it.midr("0x00000000410fd092")
            .log("arch_timer: Enabling local workaround for ARM erratum 858921")
    }),
    ("arm-counter-erratum", Info, "A-008585", |it| {
        it.file("/proc/device-tree/timer/fsl,erratum-a008585", "")
            .log("arch_timer: Enabling global workaround for Freescale erratum a005858")
    }),
    ("arm-counter-erratum", Info, "161010101", |it| {
        it.file("/proc/device-tree/timer/hisilicon,erratum-161010101", "")
            .log("arch_timer: Enabling global workaround for HiSilicon erratum 161010101")
    }),
    ("arm-counter-erratum", Warning, "no workaround", |it| {
        it.file("/proc/device-tree/timer/allwinner,erratum-unknown1", "")
            .process("machine", "armv7l")
            .process("arch", "arm")
    }),
    ("coarse-counter", Info, "a tick of 18.5 ns", |it| it.process("cntfrq", "54000000")),
    // Docker with libseccomp before 2.4.2.
    ("time64-blocked", Level::Error, "EPERM", |it| {
        it.process("arch", "arm").process("time64", "EPERM")
    }),
    ("emulated-cpu", Warning, "implementer reserved", |it| it.midr("0x00000000000f0510")),
];

#[test]
fn each_fault_is_found_with_its_evidence() {
    let bare = TIMEKEEPING.iter().chain(LOGGED).map(|case| (Machine::bare(), *case));
    let arm = ARM.iter().map(|case| (Machine::arm(), *case));
    for (machine, (id, level, part, change)) in bare.chain(arm) {
        let report = change(machine).report();
        let Some(found) = finding(&report, id) else {
            panic!("{id} is not among {:#?}", report.findings);
        };
        assert_eq!(found.level, level, "{found:?}");
        assert!(found.evidence.join("\n").contains(part), "{part}: {found:?}");
        assert!(!found.fix.is_empty() && !found.reference.is_empty());
        let check = report.checks.iter().find(|check| check.id == id);
        let outcome = check.expect("every fault is looked for").outcome;
        let unknown = found.certainty == chronoscope_model::Certainty::Unknown;
        let expected = if unknown { Outcome::Unknown } else { Outcome::Found };
        assert_eq!(outcome, expected, "{id}");
    }
}

/// The ids of findings at warning or above.
fn grave(report: &Report) -> Vec<&str> {
    let grave = report.findings.iter().filter(|finding| finding.level > Info);
    grave.map(|finding| finding.id.as_str()).collect()
}

#[test]
fn a_healthy_machine_has_no_findings() {
    let none = Vec::<&str>::new();
    let machines = [
        Machine::bare(),
        Machine::arm(),
        // A single CPU.
        Machine::bare().file("/sys/devices/system/cpu/online", "0\n").process("allowed", "0"),
        // An invariant TSC that KVM passes through.
        Machine::bare()
            .guest(KVM)
            .leaf("0x40000001 0x00: eax=0x01000029 ebx=0x00000000 ecx=0x00 edx=0x00")
            .source("tsc", "tsc kvm-clock"),
        // The sandbox hides everything.
        Machine::bare().file("/proc/timer_list", "").file("/proc/self/timens_offsets", ""),
        // A machine whose first calibration failed and whose second did not.
        Machine::bare()
            .log("tsc: Fast TSC calibration failed")
            .log("tsc: Unable to calibrate against PIT")
            .log("tsc: using HPET reference calibration"),
    ];
    for machine in machines {
        let report = machine.report();
        let found: Vec<&str> = report.findings.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(found, none, "{:#?}", report.findings);
    }
}

/// The recorded machines have no finding at a warning but what their facts say.
#[test]
fn no_recorded_machine_gives_a_false_alarm() {
    const TRUE: [(&str, &[&str]); 14] = [
        ("flags-only", &["tsc-variant"]),
        ("intel-server", &["slow-clocksource-hpet", "tsc-skew"]),
        ("old-laptop", &["slow-clocksource-hpet"]),
        ("qemu-max-aarch64", &["emulated-cpu"]),
        ("qemu-tcg", &["emulated-cpu", "slow-clocksource-hpet", "tsc-variant"]),
        ("qemu-user-aarch64", &["emulated-cpu"]),
        ("qemu-user-arch-file", &["emulated-cpu"]),
        ("qemu-user-faked-cpuinfo", &["emulated-cpu"]),
        ("rosetta", &["emulated-cpu", "tsc-variant"]),
        ("tsc-reliable", &["tsc-forced-reliable"]),
        ("windows-10-useplatformclock", &["qpc-on-hpet"]),
        ("windows-xp", &["tsc-variant"]),
        ("wine", &["emulated-cpu"]),
        ("xen-hvm", &["slow-clocksource-xen", "tsc-emulated"]),
    ];
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../probes/tests/machines");
    let mut silent = 0;
    for entry in std::fs::read_dir(recorded).expect("recorded machines") {
        let path = entry.expect("a folder").path();
        if !path.join("process").is_file() {
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let expected = TRUE.iter().find(|(machine, _)| *machine == name).map(|it| it.1.to_vec());
        let report = facts(&path);
        let of_machine = report.findings.iter().filter(|it| it.about == About::Machine);
        let grave = of_machine.filter(|it| it.level > Info).map(|it| it.id.as_str());
        let mut grave: Vec<&str> = grave.collect();
        grave.sort_unstable();
        assert_eq!(grave, expected.unwrap_or_default(), "{name}");
        silent += usize::from(grave.is_empty());
    }
    assert!(silent >= 30, "{silent}");
}

/// bottlerocket#1183 and systemd#13245: chrony without `rtcsync` leaves the status bit and the
/// return value as they were, and keeps the bound on the error small.
#[test]
fn chrony_without_rtcsync_is_not_unsynchronised() {
    for status in ["0x40", "0x41", "0x2041"] {
        let answer = format!(
            "state=5 status={status} maxerror=4200 esterror=310 freq=917504 tick=10000 tai=37"
        );
        let report = Machine::bare().adjtimex(&answer).report();
        assert_eq!(grave(&report), Vec::<&str>::new());
        assert!(finding(&report, "unsynchronised").is_none());
        let check = report.checks.iter().find(|check| check.id == "unsynchronised");
        assert_eq!(check.map(|check| check.outcome), Some(Outcome::Clear));
    }
}

/// WSL 2 and Azure: the kernel reports that it does not use the TSC under Hyper-V, and is right.
#[test]
fn the_tsc_page_of_hyper_v_is_healthy() {
    let machine = Machine::bare()
        .guest(HYPERV)
        .leaf("0x40000003 0x00: eax=0x00000a02 ebx=0x00000000 ecx=0x00 edx=0x00")
        .process("release", "5.15.153.1-microsoft-standard-WSL2")
        .source(
            "hyperv_clocksource_tsc_page",
            "hyperv_clocksource_tsc_page hyperv_clocksource_msr acpi_pm",
        )
        .log("tsc: Marking TSC unstable due to running on Hyper-V");
    assert_eq!(grave(&machine.report()), Vec::<&str>::new());
}

/// Recordings of machines without any known fault.
#[test]
fn recorded_machines_without_a_fault_get_no_warning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../probes/tests/machines");
    for name in [
        "amd-server",
        "arm-on-arm64",
        "ec2-metal",
        "ec2-nitro",
        "firecracker",
        "firecracker-user",
        "hyperv-guest",
        "intel-desktop",
        "intel-hybrid",
        "kvm-as-hyperv",
        "kvm-qemu",
        "raspberry-pi-4",
        "vmware",
    ] {
        let report = facts(&folder.join(name));
        assert_eq!(grave(&report), Vec::<&str>::new(), "{name}: {:#?}", report.findings);
    }
}

/// A device behind Windows' performance counter is a fault where the TSC could be there, and what
/// made Windows choose it is among the evidence.
#[test]
fn windows_is_judged_by_its_version_and_its_tsc() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../probes/tests/machines");
    let judged = |name: &str| facts(&folder.join(name));
    let forced = judged("windows-10-useplatformclock");
    assert_eq!(grave(&forced), ["qpc-on-hpet"]);
    let evidence = finding(&forced, "qpc-on-hpet").expect("found").evidence.join("\n");
    for part in ["14318180 Hz", "the TSC, which is invariant", "useplatformclock=yes"] {
        assert!(evidence.contains(part), "{part}: {evidence}");
    }
    for name in ["windows-11", "windows-11-on-hyperv", "windows-wrong-tables"] {
        let report = judged(name);
        assert_eq!(grave(&report), Vec::<&str>::new(), "{name}");
        assert!(finding(&report, "qpc-on-hpet").is_none(), "{name}");
    }
    for name in ["windows-7", "windows-8.1"] {
        assert_eq!(grave(&judged(name)), Vec::<&str>::new(), "{name}");
        assert!(finding(&judged(name), "qpc-shifted").is_some(), "{name}");
    }
    for (name, expected) in [("windows-vista", "the HPET"), ("windows-xp", "ACPI PM")] {
        let report = judged(name);
        let found = finding(&report, "qpc-on-hpet").expect("found");
        assert_eq!(found.level, Info, "{name}");
        assert!(found.evidence.iter().any(|line| line.contains(expected)), "{name}: {found:?}");
    }
    let old = judged("windows-xp");
    let unread = finding(&old, "qpc-on-hpet").expect("found").evidence.join("\n");
    assert!(unread.contains("boot options: unknown (there is no boot"), "{unread}");
}

/// A fault that cannot be seen is not ruled out.
#[test]
fn what_could_not_be_read_is_unknown() {
    let machine = Machine::bare();
    let folder = machine.path();
    std::fs::write(folder.join("denied"), "/dev/kmsg\n").expect("a file");
    let report = facts(&folder);
    let of = |id: &str| {
        let check = report.checks.iter().find(|check| check.id == id);
        check.cloned().expect("every fault is looked for")
    };
    let warp = of("tsc-warp");
    assert_eq!(warp.outcome, Outcome::Unknown);
    assert!(warp.why.is_some_and(|why| why.contains("permission denied")));
    assert_eq!(of("qpc-on-hpet").outcome, Outcome::Elsewhere);
    assert_eq!(of("coarse-counter").outcome, Outcome::Elsewhere);
    assert_eq!(of("clock-backwards").outcome, Outcome::Unknown);
    assert_eq!(of("unsynchronised").outcome, Outcome::Clear);
}

/// A bundle from a machine of another architecture describes that machine.
#[test]
fn a_bundle_of_another_architecture_is_judged_as_such() {
    let report = Machine::arm().report();
    assert_eq!(report.environment.arch, "aarch64");
    assert!(report.environment.tsc.is_none() && report.environment.counter.is_some());
    let tsc = report.checks.iter().filter(|check| check.id.starts_with("tsc-"));
    for check in tsc {
        assert_ne!(check.outcome, Outcome::Found, "{check:?}");
    }
    let report = Machine::bare().report();
    assert!(report.environment.tsc.is_some() && report.environment.counter.is_none());
}
