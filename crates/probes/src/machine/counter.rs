//! The processor's counter. The time-stamp counter: whether it exists, how reliable it is, and its
//! rate. The counter of Arm's generic timer: its rate, and the errata that it may have.

use super::cpu;
use super::kmsg::Log;
use super::root::{Cpuid, Missing, Root, intel_model, pairs, rows};
use chronoscope_model::Environment;
use chronoscope_model::environment::{ArmCounter, Rate, RateKind, Tsc, TscKind};
use raw_cpuid::CpuIdReader;

/// Fills in the counter on x86; other processors have none. (A user-mode emulator shows programs
/// for other processors the files of an x86 kernel, but they cannot read its counter.)
pub fn fill_tsc(root: &Root, log: &Log, env: &mut Environment) {
    if matches!(root.arch(), "arm" | "aarch64") {
        return;
    }
    let flags = flags(root);
    let cpuid = root.cpuid();
    if cpuid.is_none() && flags.as_ref().is_none_or(|flags| !flags.contains(&"tsc")) {
        // What `lscpu` lists need not have the line of flags.
        let arch = root.arch();
        let named = matches!(arch, "x86_64" | "x86" | "i386" | "i586" | "i686");
        if flags.is_none() && root.is_linux() && (named || (arch.is_empty() && is_x86(root))) {
            env.not_known("TSC", "neither CPUID nor the processor's flags are known");
        }
        return;
    }
    let flags = flags.unwrap_or_default();
    let has = |flag| flags.contains(&flag);
    let (kind, mut evidence) = kind(cpuid, root.is_linux().then_some(&flags));
    if let Some(told) = env.unchecked_tsc() {
        evidence += &format!("; the kernel was told {told}, so it does not check the TSC itself");
    }
    env.tsc = Some(Tsc {
        kind,
        evidence,
        rates: rates(root, log),
        rdtscp: bit(cpuid, 0x8000_0001, |leaf| leaf.edx >> 27).unwrap_or_else(|| has("rdtscp")),
        tsc_adjust: bit(cpuid, 7, |leaf| leaf.ebx >> 1).unwrap_or_else(|| has("tsc_adjust")),
        deadline: bit(cpuid, 1, |leaf| leaf.ecx >> 24).unwrap_or_else(|| has("tsc_deadline_timer")),
        permitted: root.process().tsc_permitted,
        ..Tsc::default()
    });
}

/// The counter's flags among those of the first CPU; `None` if no flags are listed.
fn flags(root: &Root) -> Option<Vec<&'static str>> {
    let line = root.cpuinfo("flags").next()?;
    Some(rows("TSC flags").filter(|flag| line.split_whitespace().any(|w| w == *flag)).collect())
}

/// The lowest bit of what `of` returns for a leaf; `None` without CPUID, and `false` if the
/// processor does not have the leaf.
fn bit(
    cpuid: Option<&Cpuid>,
    leaf: u32,
    of: impl Fn(raw_cpuid::CpuIdResult) -> u32,
) -> Option<bool> {
    Some(cpuid?.leaf(leaf, 0).is_some_and(|answer| of(answer) & 1 == 1))
}

/// How reliable the counter is, and the evidence for it.
///
/// Invariant: CPUID 0x80000007 EDX[8], "runs at a constant rate in all ACPI P-, C- and
/// T-states" (Intel SDM volume 3B, "Invariant TSC"; AMD APM volume 3, the same leaf); the kernel
/// shows it as `constant_tsc` with `nonstop_tsc`. `constant_tsc` alone is set by model for
/// processors whose counter stops in deep idle (kernel, `arch/x86/kernel/cpu/intel.c`).
fn kind(cpuid: Option<&Cpuid>, listed: Option<&Vec<&str>>) -> (TscKind, String) {
    let flags = listed.map(Vec::as_slice).unwrap_or_default();
    let present = bit(cpuid, 1, |leaf| leaf.edx >> 4);
    let invariant = bit(cpuid, 0x8000_0007, |leaf| leaf.edx >> 8);
    let constant = flags.contains(&"constant_tsc");
    let nonstop = flags.contains(&"nonstop_tsc");

    let kind = if present == Some(false) {
        TscKind::None
    } else if invariant == Some(true) || (constant && nonstop) {
        TscKind::Invariant
    } else if constant {
        TscKind::Constant
    } else {
        TscKind::Variant
    };

    let mut evidence = Vec::new();
    if present == Some(false) {
        evidence.push("CPUID 1 EDX[4]=0".to_owned());
    }
    if let Some(invariant) = invariant {
        evidence.push(format!("CPUID 0x80000007 EDX[8]={}", u8::from(invariant)));
    }
    if listed.is_none() {
        // There is no /proc/cpuinfo to read.
    } else if flags.is_empty() {
        evidence.push("/proc/cpuinfo lists no flags of it".to_owned());
    } else {
        evidence.push(format!("/proc/cpuinfo flags: {}", flags.join(" ")));
        if invariant == Some(true) && !(constant && nonstop) {
            evidence.push("the kernel does not agree that it is invariant".to_owned());
        }
    }
    (kind, evidence.join("; "))
}

/// Whether the files or CPUID show that this is an x86 machine.
pub(super) fn is_x86(root: &Root) -> bool {
    root.cpuid().is_some_and(|cpuid| cpuid.cpuid1(0).eax > 0)
        || root.cpu_field("vendor_id").is_some()
}

/// Goldmont server (Denverton): reports neither its crystal nor leaf 0x16. The crystal runs at 25
/// MHz (kernel, `arch/x86/kernel/tsc.c`, `native_calibrate_tsc`).
const GOLDMONT_D: &[u32] = &[0x5f];

/// The sixth and seventh generations of Core: 24 MHz (Intel SDM volume 3B, "Determining the
/// Processor Base Frequency", table of nominal crystal frequencies).
const CORE_6_7: &[u32] = &[0x4e, 0x5e, 0x8e, 0x9e];

/// Every source, from the processor to the kernel.
pub fn rates(root: &Root, log: &Log) -> Vec<Rate> {
    let mut rates = Vec::new();
    match root.cpuid() {
        Some(cpuid) => {
            rates.extend(crystal(cpuid));
            rates.push(base(cpuid));
            rates.extend(hypervisor(cpuid));
        }
        None => rates.push(silent("CPUID", "not in the recording")),
    }
    if root.is_linux() {
        rates.extend(kernel_on_x86(log));
    }
    rates
}

/// Leaf 0x15: EBX/EAX is the ratio of the counter to the crystal, ECX the crystal in hertz (Intel
/// SDM volume 2A, CPUID). If ECX is zero, the crystal follows from the base frequency in leaf 0x16,
/// as in the kernel (`native_calibrate_tsc`).
fn crystal(cpuid: &Cpuid) -> Vec<Rate> {
    const SOURCE: &str = "CPUID 0x15";
    let Some(leaf) = cpuid.leaf(0x15, 0) else {
        return vec![silent(SOURCE, "the processor does not have this leaf")];
    };
    let (below, above, hertz) = (leaf.eax, leaf.ebx, leaf.ecx);
    if below == 0 || above == 0 {
        return vec![silent(SOURCE, "the leaf is empty")];
    }
    let rate =
        |crystal: f64, note| rate(SOURCE, crystal * f64::from(above) / f64::from(below), note);
    if hertz != 0 {
        let note = format!("crystal of {} MHz x {above}/{below}", f64::from(hertz) / 1e6);
        return vec![rate(hertz.into(), note)];
    }
    if intel_model(cpuid, GOLDMONT_D) {
        let note = format!("25 MHz, which this model does not report, x {above}/{below}");
        return vec![rate(25e6, note)];
    }
    let mut rates = Vec::new();
    if cpuid.vendor() == "GenuineIntel" && base_mhz(cpuid) != 0 {
        let crystal = f64::from(base_mhz(cpuid)) * 1e6 * f64::from(below) / f64::from(above);
        let note = format!(
            "crystal not reported; {:.3} MHz from leaf 0x16, which is nominal, x {above}/{below}",
            crystal / 1e6
        );
        rates.push(Rate { kind: RateKind::Nominal, ..rate(crystal, note) });
    }
    if intel_model(cpuid, CORE_6_7) {
        let note = format!("crystal not reported; 24 MHz from Intel's table, x {above}/{below}");
        rates.push(Rate { source: "CPUID 0x15, table".to_owned(), ..rate(24e6, note) });
    }
    if rates.is_empty() {
        let why = format!("the leaf gives the ratio {above}/{below} but not the crystal");
        rates.push(silent(SOURCE, why));
    }
    rates
}

/// Leaf 0x16, EAX[15:0]: the base frequency in megahertz. The manual calls it a figure for display:
/// the rate of the counter is near it, not equal to it.
fn base(cpuid: &Cpuid) -> Rate {
    const SOURCE: &str = "CPUID 0x16";
    match (cpuid.leaf(0x16, 0), base_mhz(cpuid)) {
        (None, _) => silent(SOURCE, "the processor does not have this leaf"),
        (Some(_), 0) => silent(SOURCE, "the leaf is empty"),
        (Some(_), mhz) => {
            let note = "the processor's nominal base frequency, in whole megahertz";
            Rate { kind: RateKind::Nominal, ..rate(SOURCE, f64::from(mhz) * 1e6, note) }
        }
    }
}

fn base_mhz(cpuid: &Cpuid) -> u16 {
    cpuid.leaf(0x16, 0).map_or(0, |leaf| (leaf.eax & 0xffff) as u16)
}

/// What hypervisors report: offset 0x10 EAX in kilohertz (VMware's proposal, which KVM under QEMU
/// and bhyve follow), Xen's leaf 3 ECX (`xen/cpuid.h`), Hyper-V's frequency register.
fn hypervisor(cpuid: &Cpuid) -> Vec<Rate> {
    const TIMING: &str = "CPUID 0x40000010";
    let found = cpuid.hypervisors();
    if found.is_empty() {
        return vec![silent(TIMING, "no hypervisor announces itself")];
    }
    let mut rates = Vec::new();
    // Hyper-V and Xen number their leaves differently: their offset 0x10 is not a timing leaf.
    let timing = found.iter().find(|(_, _, name)| name != "Microsoft Hv" && name != "XenVMMXenVMM");
    if let Some((base, highest, name)) = timing {
        let leaf = base + 0x10;
        let source = format!("CPUID {leaf:#x}");
        rates.push(if *highest >= leaf && *highest < base + 0x100 {
            kilohertz(&source, cpuid.cpuid1(leaf).eax, name)
        } else {
            silent(source, format!("{name}'s leaves end at {highest:#x}"))
        });
    }
    for (base, highest, name) in &found {
        let leaf = base + 3;
        if *highest < leaf {
            continue;
        }
        match name.as_str() {
            "XenVMMXenVMM" => {
                rates.push(kilohertz(&format!("CPUID {leaf:#x}"), cpuid.cpuid2(leaf, 0).ecx, name))
            }
            "Microsoft Hv" => {
                // HV_ACCESS_FREQUENCY_MSRS, EAX[11] (Hyper-V TLFS, "Partition Privilege Flags").
                let why = match cpuid.cpuid1(leaf).eax >> 11 & 1 {
                    1 => "the rate is in MSR 0x40000022, which only a kernel can read; see its log",
                    _ => "the host gives no access to the frequency registers (EAX[11]=0)",
                };
                rates.push(silent("Hyper-V", why));
            }
            _ => {}
        }
    }
    rates
}

fn kilohertz(source: &str, khz: u32, name: &str) -> Rate {
    match khz {
        0 => silent(source, format!("{name} leaves it empty")),
        _ => rate(source, f64::from(khz) * 1e3, format!("{name}, in whole kilohertz")),
    }
}

/// What the kernel found when it booted: "tsc: Detected 2599.998 MHz processor" (or "… MHz TSC" if
/// the two differ) and "tsc: Refined TSC clocksource calibration: 2592.007 MHz".
fn kernel_on_x86(log: &Log) -> Vec<Rate> {
    let row = |name: &str, parts: &[&str]| {
        let source = format!("kernel log, {name}");
        let found = parts.iter().find_map(|part| {
            let line = log.last(part)?;
            let words = line[line.find(part)? + part.len()..].trim_start();
            let mhz: f64 = words.split(' ').next()?.parse().ok()?;
            (mhz.is_finite() && mhz > 0.0).then(|| (mhz * 1e6, line.to_owned()))
        });
        match (found, log.missing()) {
            (Some((hz, line)), _) => rate(source, hz, line),
            (None, Some(Missing::Denied)) => silent(
                source,
                "/dev/kmsg: permission denied; root (or anyone, with kernel.dmesg_restrict=0) can \
                 read it",
            ),
            (None, Some(why)) => silent(source, format!("/dev/kmsg: {why}")),
            (None, None) => silent(source, "the log has no such line"),
        }
    };
    vec![
        row("detected", &["tsc: Detected", "tsc: Fast TSC calibration:"]),
        row("refined", &["tsc: Refined TSC clocksource calibration:"]),
    ]
}

/// A source that gives no rate, and why.
fn silent(source: impl Into<String>, why: impl Into<String>) -> Rate {
    rate(source, None, why)
}

/// A source, its rate in hertz if it gives one, and how that was read or why there is none.
pub(super) fn rate(
    source: impl Into<String>,
    hz: impl Into<Option<f64>>,
    note: impl Into<String>,
) -> Rate {
    Rate { source: source.into(), hz: hz.into(), note: note.into(), ..Rate::default() }
}

/// Errata by MIDR: the implementer and part, the last variant and revision that has the erratum,
/// and its effect (kernel, `arch/arm64/kernel/cpu_errata.c` and
/// `Documentation/arch/arm64/silicon-errata.rst`).
const PARTS: &[(u32, u32, u32, &str)] = &[
    (0x41, 0xd09, 0xff, "Arm 858921: Cortex-A73 can misread the counter while it carries over"),
    (0x41, 0xd0b, 0x31, "Arm 1418040: Cortex-A76 can misread the counter in 32-bit programs"),
    (0x41, 0xd0c, 0x31, "Arm 1418040: Neoverse-N1 can misread the counter in 32-bit programs"),
    (0x51, 0x804, 0xff, "Arm 1418040: Kryo 4xx Gold can misread the counter in 32-bit programs"),
];

/// Fills in the counter on Arm under Linux; other systems have nothing to read it from.
pub fn fill_arm(root: &Root, log: &Log, env: &mut Environment) {
    if !matches!(root.arch(), "arm" | "aarch64") || !root.is_linux() {
        return;
    }
    env.counter = Some(ArmCounter {
        rates: vec![register(root), device_tree(root), kernel_on_arm(log)],
        errata: errata(root, log),
    });
}

/// CNTFRQ, which the firmware sets and no hardware checks (Arm ARM, "The system counter").
fn register(root: &Root) -> Rate {
    let hz = root.process().cntfrq.filter(|hz| *hz > 0);
    let note = match hz {
        Some(_) => "as the firmware set it",
        None => "empty, or the kernel does not let this program read it",
    };
    rate("CNTFRQ", hz.map(|hz| hz as f64), note)
}

/// The rate in the timer's node, which exists only to correct a CNTFRQ that the firmware set wrong.
fn device_tree(root: &Root) -> Rate {
    const FILE: &str = "/proc/device-tree/timer/clock-frequency";
    let bytes = root.bytes(FILE);
    let first = bytes.as_ref().ok().and_then(|bytes| bytes.first_chunk());
    let hz = first.map(|word| f64::from(u32::from_be_bytes(*word)));
    let note = bytes.map_or_else(|why| format!("{FILE}: {why}"), |_| FILE.to_owned());
    rate("device tree", hz, note)
}

/// "arch_timer: cp15 timer(s) running at 54.00MHz (phys)." (kernel, `arch_timer_banner`).
fn kernel_on_arm(log: &Log) -> Rate {
    const WORDS: &str = " timer(s) running at ";
    let line = log.last(WORDS);
    let mhz = line.and_then(|line| {
        let text = line.split(WORDS).nth(1)?.split("MHz").next()?;
        text.parse::<f64>().ok().filter(|mhz| mhz.is_finite() && *mhz > 0.0)
    });
    let note = match (line, log.missing()) {
        (Some(line), _) => line.to_owned(),
        (None, Some(why)) => format!("/dev/kmsg: {why}"),
        (None, None) => "the log has no such line".to_owned(),
    };
    rate("kernel log", mhz.map(|mhz| mhz * 1e6), note)
}

fn errata(root: &Root, log: &Log) -> Vec<String> {
    let mut found = Vec::new();
    for (property, what) in pairs("errata") {
        let path = format!("/proc/device-tree/timer/{property}");
        if root.exists(&path) {
            found.push(format!("{what} ({path})"));
        }
    }
    let board = root.bytes("/proc/device-tree/compatible").unwrap_or_default();
    let board = String::from_utf8_lossy(&board);
    let chip = pairs("chips").find(|(chip, _)| board.split('\0').any(|name| name.trim() == *chip));
    if let (Some((chip, property)), true) = (chip, found.is_empty()) {
        let what = pairs("errata").find(|it| it.0 == property).map_or("", |it| it.1);
        if log.find("arch_timer: Enabling ").is_none() {
            found.push(format!(
                "{what} (/proc/device-tree/compatible: {chip}); no workaround: the device tree \
                 lacks the property {property}, by which the kernel knows it"
            ));
        }
    }
    let midr = cpu::midr(root);
    found.extend(midr.and_then(by_midr));
    // A 32-bit kernel has no workaround for any of them.
    if root.process().machine.as_deref().is_some_and(|m| m.starts_with("armv")) {
        for erratum in &mut found {
            erratum.push_str("; 32-bit kernels have no workaround");
        }
    }
    // "arch_timer: Enabling global workaround for …", "arch_timer: CPU0: Trapping CNTVCT access".
    for words in ["arch_timer: Enabling ", "Trapping CNTVCT access"] {
        if let Some(line) = log.find(words) {
            found.push(format!("kernel log: {line}"));
        }
    }
    found
}

/// The erratum, by the main ID register (Arm ARM, MIDR_EL1: implementer 31:24, variant 23:20, part
/// 15:4, revision 3:0).
fn by_midr(midr: u32) -> Option<String> {
    let stepping = (midr >> 20 & 0xf) << 4 | midr & 0xf;
    PARTS
        .iter()
        .find(|(implementer, part, last, _)| {
            (midr >> 24, midr >> 4 & 0xfff) == (*implementer, *part) && stepping <= *last
        })
        .map(|(.., what)| format!("{what} (MIDR {midr:#010x})"))
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use crate::machine::{Root, environment};
    use crate::time::tsc_permitted;

    const PR_TSC_ENABLE: libc::c_ulong = 1;
    const PR_TSC_SIGSEGV: libc::c_ulong = 2;

    fn set(mode: libc::c_ulong) -> bool {
        // SAFETY: PR_SET_TSC changes only whether this thread may read the counter.
        unsafe { libc::prctl(libc::PR_SET_TSC, mode) == 0 }
    }

    #[test]
    fn a_thread_that_may_not_read_it_learns_so_and_survives() {
        // The permission belongs to the thread, so the other tests keep theirs. Nothing in here may
        // read a clock through the vDSO, because that reads the counter.
        let (asked, told) = std::thread::spawn(|| {
            if !set(PR_TSC_SIGSEGV) {
                return (None, None);
            }
            let asked = tsc_permitted();
            let told = environment(&Root::host()).tsc.and_then(|tsc| tsc.permitted);
            assert!(set(PR_TSC_ENABLE));
            (asked, told)
        })
        .join()
        .expect("no panic");
        // If the system does not allow the ban, there is nothing to check.
        assert!(asked == told && asked != Some(true), "{asked:?} {told:?}");
    }
}

#[cfg(test)]
mod arm_tests {
    use super::*;

    #[test]
    fn errata_depend_on_the_part_and_the_stepping() {
        let has = |midr, number: &str| by_midr(midr).is_some_and(|e| e.contains(number));
        assert!(has(0x410f_d092, "858921"));
        assert!(has(0x413f_d0b1, "1418040"), "Cortex-A76 r3p1");
        assert!(has(0x413f_d0c1, "1418040"), "Neoverse-N1 r3p1");
        // Cortex-A76 r4p1 of the Raspberry Pi 5, and Cortex-A72 of the Raspberry Pi 4.
        assert_eq!(by_midr(0x414f_d0b1), None);
        assert_eq!(by_midr(0x410f_d083), None);
    }

    #[test]
    fn the_kernels_rate_is_read_from_its_banner() {
        let rate = |line: &str| kernel_on_arm(&Log(Ok(vec![line.to_owned()]))).hz;
        assert_eq!(rate("arch_timer: cp15 timer(s) running at 54.00MHz (phys)."), Some(54e6));
        assert_eq!(rate("Architected cp15 timer(s) running at 19.20MHz (phys)."), Some(19.2e6));
        assert_eq!(rate("arch_timer: cp15 timer(s) running at MHz"), None);
    }
}
