//! Whether the processor is emulated; if it is, every figure is that of the emulator. The
//! conclusion is based on evidence only, and the report contains the evidence as text.

use chronoscope_model::Environment;

use super::cpu;
use super::printable::printable;
use super::root::Root;

/// Fills in the emulator, if the processor is emulated.
pub fn fill(root: &Root, env: &mut Environment) {
    env.emulated = root
        .process()
        .emulator
        .clone()
        .or_else(|| by_cpuid(root))
        .or_else(|| by_kernel(root))
        .or_else(|| by_midr(root));
}

/// QEMU's own translator announces itself (QEMU, `target/i386/cpu.c`), and Rosetta puts
/// `VirtualApple` in place of the vendor.
fn by_cpuid(root: &Root) -> Option<String> {
    let cpuid = root.cpuid()?;
    if let Some((base, _, name)) =
        cpuid.hypervisors().into_iter().find(|(_, _, name)| name == "TCGTCGTCGTCG")
    {
        return Some(format!("QEMU TCG (CPUID {base:#x}: \"{name}\")"));
    }
    let vendor = cpuid.vendor();
    let brand = cpuid.decoded().get_processor_brand_string();
    let brand = brand.as_ref().map_or("", |brand| brand.as_str());
    (vendor == "VirtualApple" || brand.contains("VirtualApple"))
        .then(|| format!("Rosetta (CPUID vendor \"{}\")", printable(&vendor)))
}

/// An emulator of user processes (qemu-user) answers uname itself but shows the files of the real
/// kernel, so the two name different architectures.
fn by_kernel(root: &Root) -> Option<String> {
    let arch = root.process().arch.as_str();
    let own = family(arch)?;
    // Kernel 6.1 and newer: `/proc/sys/kernel/arch`.
    if let Ok(kernel) = root.text("/proc/sys/kernel/arch")
        && family(&kernel).is_some_and(|other| other != own)
    {
        let kernel = printable(&kernel);
        return Some(format!("/proc/sys/kernel/arch is {kernel}, but this program is for {arch}"));
    }
    let info = root.cpuinfo();
    let listed = if cpu::field(info, "vendor_id").is_some() && info.contains("flags") {
        Some("x86")
    } else if cpu::field(info, "CPU implementer").is_some() {
        Some("arm")
    } else {
        None
    };
    if let Some(other) = listed.filter(|other| *other != own) {
        return Some(format!(
            "/proc/cpuinfo lists {other} processors, but this program is for {arch}"
        ));
    }
    // Clock sources that only an x86 kernel has.
    let alien = ["tsc", "hpet", "acpi_pm", "kvm-clock"];
    let sources =
        root.text("/sys/devices/system/clocksource/clocksource0/available_clocksource").ok()?;
    let found = sources.split_whitespace().find(|source| alien.contains(source))?;
    (own != "x86")
        .then(|| format!("the kernel has clock source {found}, but this program is for {arch}"))
}

/// Implementer 0 is "reserved for software use" (Arm ARM, MIDR_EL1): QEMU's `-cpu max`.
fn by_midr(root: &Root) -> Option<String> {
    if family(&root.process().arch) != Some("arm") {
        return None;
    }
    let midr = cpu::midr(root, root.cpuinfo())?;
    (midr != 0 && midr >> 24 == 0)
        .then(|| format!("MIDR {midr:#010x}: an implementer reserved for software"))
}

/// The family of an architecture: those that run each other's programs without emulation share one.
fn family(arch: &str) -> Option<&'static str> {
    match arch {
        "x86" | "x86_64" | "i386" | "i486" | "i586" | "i686" => Some("x86"),
        "arm" | "aarch64" | "armv6l" | "armv7l" | "armv8l" | "aarch64_be" => Some("arm"),
        other if other.starts_with("riscv") => Some("riscv"),
        other if other.starts_with("powerpc") || other.starts_with("ppc") => Some("powerpc"),
        other if other.starts_with("s390") => Some("s390"),
        other if other.starts_with("mips") => Some("mips"),
        other if other.starts_with("loongarch") => Some("loongarch"),
        _ => None,
    }
}
