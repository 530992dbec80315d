//! The time-stamp counter: whether it exists, how reliable it is, and its rate.

use super::cpu;
use super::kmsg::Log;
use super::root::{Cpuid, Missing, Root, intel_model};
use chronoscope_model::Environment;
use chronoscope_model::environment::{Rate, RateKind, Tsc, TscKind};
use raw_cpuid::CpuIdReader;

/// The flags in `/proc/cpuinfo` that concern the counter (kernel,
/// `arch/x86/include/asm/cpufeatures.h`).
const FLAGS: &[&str] = &[
    "tsc",
    "constant_tsc",
    "nonstop_tsc",
    "tsc_known_freq",
    "tsc_reliable",
    "nonstop_tsc_s3",
    "tsc_adjust",
    "tsc_deadline_timer",
    "rdtscp",
];

/// Fills in the counter on x86; other processors have none. (A user-mode emulator shows programs
/// for other processors the files of an x86 kernel, but they cannot read its counter.)
pub fn fill(root: &Root, log: &Log, env: &mut Environment) {
    if matches!(root.process().arch.as_str(), "arm" | "aarch64") {
        return;
    }
    let info = root.cpuinfo();
    let flags = flags(info);
    let cpuid = root.cpuid();
    if cpuid.is_none() && flags.as_ref().is_none_or(|flags| !flags.contains(&"tsc")) {
        // What `lscpu` lists need not have the line of flags.
        let arch = root.process().arch.as_str();
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
        rdtsc_ns: None,
        rdtsc_cycles: None,
        rdtsc_core_cycles: None,
    });
}

/// The counter's flags among those of the first CPU; `None` if no flags are listed.
fn flags(info: &str) -> Option<Vec<&'static str>> {
    let line = info
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == "flags")?
        .1;
    Some(FLAGS.iter().copied().filter(|flag| line.split_whitespace().any(|w| w == *flag)).collect())
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
        || cpu::field(root.cpuinfo(), "vendor_id").is_some()
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
        rates.extend(kernel(log));
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
    let rate = |crystal: f64, note: String| Rate {
        source: SOURCE.to_owned(),
        hz: Some(crystal * f64::from(above) / f64::from(below)),
        note,
        ..Rate::default()
    };
    if hertz != 0 {
        let note = format!("crystal of {} MHz x {above}/{below}", mhz(hertz.into()));
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
        rates.push(silent(SOURCE, &why));
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
        (Some(_), mhz) => Rate {
            source: SOURCE.to_owned(),
            kind: RateKind::Nominal,
            hz: Some(f64::from(mhz) * 1e6),
            note: "the processor's nominal base frequency, in whole megahertz".to_owned(),
            ..Rate::default()
        },
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
            silent(&source, &format!("{name}'s leaves end at {highest:#x}"))
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
        0 => silent(source, &format!("{name} leaves it empty")),
        _ => Rate {
            source: source.to_owned(),
            hz: Some(f64::from(khz) * 1e3),
            note: format!("{name}, in whole kilohertz"),
            ..Rate::default()
        },
    }
}

/// What the kernel found when it booted: "tsc: Detected 2599.998 MHz processor" (or "… MHz TSC" if
/// the two differ) and "tsc: Refined TSC clocksource calibration: 2592.007 MHz".
fn kernel(log: &Log) -> Vec<Rate> {
    let row = |name: &str, parts: &[&str]| {
        let source = format!("kernel log, {name}");
        let found = parts.iter().find_map(|part| {
            let line = log.last(part)?;
            let words = line[line.find(part)? + part.len()..].trim_start();
            let mhz: f64 = words.split(' ').next()?.parse().ok()?;
            (mhz.is_finite() && mhz > 0.0).then(|| (mhz * 1e6, line.to_owned()))
        });
        match (found, log.missing()) {
            (Some((hz, line)), _) => Rate { source, hz: Some(hz), note: line, ..Rate::default() },
            (None, Some(Missing::Denied)) => silent(
                &source,
                "/dev/kmsg: permission denied; root (or anyone, with kernel.dmesg_restrict=0) can \
                 read it",
            ),
            (None, Some(why)) => silent(&source, &format!("/dev/kmsg: {why}")),
            (None, None) => silent(&source, "the log has no such line"),
        }
    };
    vec![
        row("detected", &["tsc: Detected", "tsc: Fast TSC calibration:"]),
        row("refined", &["tsc: Refined TSC clocksource calibration:"]),
    ]
}

fn silent(source: &str, why: &str) -> Rate {
    Rate { source: source.to_owned(), note: why.to_owned(), ..Rate::default() }
}

fn mhz(hertz: u64) -> f64 {
    hertz as f64 / 1e6
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use crate::machine::{Root, environment, tsc_permitted};

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
