//! The rate of the time-stamp counter, from every source that could give it. A source without a
//! rate is a row too, with the reason.

use chronoscope_model::environment::{Rate, RateKind};
use raw_cpuid::CpuIdReader;

use super::cpuid::{Cpuid, intel_model};
use super::kmsg::Log;
use super::root::{Missing, Root};

/// Goldmont server (Denverton): reports neither its crystal nor leaf 0x16. The crystal runs at 25
/// MHz (kernel, `arch/x86/kernel/tsc.c`, `native_calibrate_tsc`).
const GOLDMONT_D: &[u32] = &[0x5f];
/// The sixth and seventh generations of Core: 24 MHz (Intel SDM volume 3B, "Determining the
/// Processor Base Frequency", table of nominal crystal frequencies).
const CORE_6_7: &[u32] = &[0x4e, 0x5e, 0x8e, 0x9e];

/// Every source, from the processor to the kernel.
pub fn all(root: &Root, log: &Log) -> Vec<Rate> {
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
