//! The hypervisor, if this is a virtual machine.

use super::cpu;
use super::kmsg::Log;
use super::root::{Cpuid, Root, pairs, printable};
use super::timers;
use chronoscope_model::Environment;
use chronoscope_model::clock_source::FOLDER as CLOCKSOURCE;
use chronoscope_model::environment::Hypervisor;
use raw_cpuid::CpuIdReader;

/// Fills in the hypervisor. Every sign is kept as evidence; the most conclusive one gives the name.
pub fn fill(root: &Root, log: &Log, env: &mut Environment) {
    let mut signs = Signs::default();
    let mut features = Vec::new();
    if let Some(cpuid) = root.cpuid() {
        signatures(cpuid, &mut signs, &mut features);
    }
    wsl(env.kernel.as_deref().unwrap_or_default(), &mut signs);
    for (path, what) in [
        ("/sys/hypervisor/type", "/sys/hypervisor/type"),
        ("/proc/device-tree/hypervisor/compatible", "device tree hypervisor node"),
    ] {
        let Ok(text) = root.text(path) else { continue };
        let seen = printable(text.split('\0').next().unwrap_or_default());
        let known = pairs("hypervisors").find(|(word, _)| *word == seen);
        signs.name(known.map_or(&*seen, |(_, name)| name), format!("{what}: {seen}"));
    }
    board(root, &mut signs);
    if let Some(line) = log.find("Hypervisor detected: ") {
        let name = line.rsplit(": ").next().unwrap_or_default();
        signs.name(name.replace("Microsoft ", ""), format!("kernel log: {line}"));
    }
    // What only a guest's kernel writes, of a log without its first lines.
    let guests = pairs("guests").find_map(|(words, name)| Some((log.find(words)?, name)));
    if let Some((line, name)) = guests.filter(|_| signs.name.is_none()) {
        signs.name(name, format!("kernel log: {line}"));
    }
    let source = root.text(&format!("{CLOCKSOURCE}/current_clocksource")).unwrap_or_default();
    let source = format!("current clocksource {}", printable(&source));
    let guests = pairs("guests").find(|(words, _)| source.contains(words));
    if let Some((_, name)) = guests.filter(|_| signs.name.is_none()) {
        signs.name(name, source);
    }
    monitor(root, log, env, &mut signs);
    if signs.evidence.is_empty() && announced(root) {
        signs.nameless("the processor's hypervisor flag");
    }
    if let Some(name) = signs.full_name() {
        env.hypervisor = Some(Hypervisor { name, evidence: signs.evidence.join("; "), features });
    }
}

#[derive(Default)]
struct Signs {
    name: Option<String>,
    monitor: Option<String>,
    evidence: Vec<String>,
}

impl Signs {
    fn name(&mut self, name: impl Into<String>, evidence: String) {
        self.name.get_or_insert_with(|| name.into());
        self.evidence.push(evidence);
    }

    fn monitor(&mut self, name: &str, evidence: String) {
        self.monitor.get_or_insert_with(|| name.to_owned());
        self.evidence.push(evidence);
    }

    /// A sign of some hypervisor that does not show which one it is.
    fn nameless(&mut self, evidence: &str) {
        self.evidence.push(evidence.to_owned());
    }

    /// The name as in `KVM (Firecracker)`: the hypervisor, and the program that runs it.
    fn full_name(&self) -> Option<String> {
        match (&self.name, &self.monitor) {
            (Some(name), Some(monitor)) if name != monitor => Some(format!("{name} ({monitor})")),
            (Some(name), _) | (None, Some(name)) => Some(name.clone()),
            (None, None) => (!self.evidence.is_empty()).then(|| "unknown".to_owned()),
        }
    }
}

/// Whether the processor reports that it is virtual.
fn announced(root: &Root) -> bool {
    let mut flags = root.cpuinfo("flags").take(1).flat_map(str::split_whitespace);
    flags.any(|flag| flag == "hypervisor")
        || root.cpuid().and_then(|cpuid| cpuid.leaf(1, 0)).is_some_and(|leaf| leaf.ecx >> 31 == 1)
}

/// The signatures, and the features that KVM, Hyper-V and Xen announce.
fn signatures(cpuid: &Cpuid, signs: &mut Signs, features: &mut Vec<String>) {
    let mut found = cpuid.hypervisors();
    // KVM, Xen and VMware can imitate Hyper-V for Windows; their own name is the true one.
    found.sort_by_key(|(base, _, name)| (name == "Microsoft Hv", *base));
    for (base, highest, signature) in found {
        let known = pairs("signatures").find(|(text, _)| text.trim_matches('"') == signature);
        let mut name = known.map_or(printable(&signature), |(_, name)| name.to_owned());
        let leaf =
            |offset, ecx| (highest >= base + offset).then(|| cpuid.cpuid2(base + offset, ecx));
        let mut offer = |set: u32, feature: &str| {
            if set & 1 == 1 {
                features.push(feature.to_owned());
            }
        };
        match signature.as_str() {
            // Kernel, `Documentation/virt/kvm/x86/cpuid.rst`. Old versions of KVM report 0 as the
            // highest leaf and mean 1.
            "KVMKVMKVM" => {
                let eax = cpuid.cpuid1(base + 1).eax;
                offer(eax | eax >> 3, "kvm-clock");
                offer(eax >> 24, "kvm-clock-stable");
                offer(eax >> 5, "kvm-steal-time");
            }
            // Hyper-V TLFS, "Feature Identification": EAX[9] reference TSC page, EAX[15]
            // invariant-TSC control, EBX[0] the right to create partitions, which only the host
            // itself has.
            "Microsoft Hv" => {
                if let Some(privileges) = leaf(3, 0) {
                    offer(privileges.eax >> 9, "hyperv-tsc-page");
                    offer(privileges.eax >> 15, "hyperv-tsc-invariant");
                    if privileges.ebx & 1 == 1 {
                        name.push_str(" (root partition)");
                    }
                }
            }
            // Xen, `public/arch-x86/cpuid.h`, leaf 4: EAX[0] emulated, EAX[1] known reliable.
            "XenVMMXenVMM" => {
                if let Some(time) = leaf(3, 0) {
                    offer(time.eax, "xen-tsc-emulated");
                    offer(time.eax >> 1, "xen-tsc-reliable");
                }
            }
            _ => {}
        }
        signs.name(name, format!("CPUID {base:#x}: \"{}\"", printable(&signature)));
    }
}

/// What the device tree says about the board. QEMU's has its own firmware interface (kernel,
/// `Documentation/devicetree/bindings/firmware/qemu,fw-cfg-mmio.yaml`), and "linux,dummy-virt" is
/// the board without hardware that QEMU, kvmtool, crosvm and Firecracker give their guests.
fn board(root: &Root, signs: &mut Signs) {
    let mut nodes = root.names("/proc/device-tree").into_iter();
    if let Some(node) = nodes.find(|name| name.starts_with("fw-cfg@")) {
        signs.monitor("QEMU", format!("device tree: {node}"));
    }
    let compatible = root.text("/proc/device-tree/compatible");
    if compatible.is_ok_and(|list| list.split('\0').any(|name| name == "linux,dummy-virt")) {
        signs.nameless("device tree: linux,dummy-virt");
    }
}

/// The Windows Subsystem for Linux, by its kernel's release. WSL 1 has no virtual machine, and its
/// release is like `4.4.0-19041-Microsoft`; that of WSL 2 is like `…-microsoft-standard-WSL2`.
fn wsl(release: &str, signs: &mut Signs) {
    if release.contains("WSL2") || release.contains("microsoft-standard") {
        signs.monitor("WSL2", format!("kernel release {}", printable(release)));
    } else if release.ends_with("-Microsoft") {
        signs.name("WSL1", format!("kernel release {}", printable(release)));
    }
}

/// The program that runs the hypervisor: Firecracker by its ACPI tables, clouds by DMI, gVisor by
/// its kernel log.
fn monitor(root: &Root, log: &Log, env: &Environment, signs: &mut Signs) {
    if let Some(line) = log.find("FIRECK") {
        signs.monitor("Firecracker", format!("kernel log: {line}"));
    } else if let Ok(fadt) = timers::fadt(root)
        && (fadt.oem == "FIRECK" || fadt.hypervisor == "FIRECKVM")
    {
        signs.monitor("Firecracker", format!("FADT made by {}", fadt.oem));
    }
    if let Some(line) = log.find("gVisor") {
        signs.name("gVisor", format!("kernel log: {line}"));
    }
    let machine = env.cpu.machine.as_deref().unwrap_or_default();
    let bios = root.text("/sys/class/dmi/id/sys_vendor").is_ok()
        || root.text("/sys/class/dmi/id/product_name").is_ok();
    // A bare-metal instance of EC2 has the same vendor; only the processor shows the difference.
    let virtual_machine =
        announced(root) || (root.cpuid().is_none() && !machine.contains(".metal"));
    let known = pairs("DMI").find(|(text, _)| machine.contains(text));
    if let Some((_, name)) = known.filter(|_| bios && virtual_machine) {
        signs.monitor(name, format!("DMI: {machine}"));
    }
}

/// Fills in the emulator, if the processor is emulated.
pub fn fill_emulation(root: &Root, env: &mut Environment) {
    let told = env.emulated.take();
    env.emulated =
        told.or_else(|| by_cpuid(root)).or_else(|| by_kernel(root)).or_else(|| by_midr(root));
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
    let arch = root.arch();
    let own = family(arch)?;
    // Kernel 6.1 and newer: `/proc/sys/kernel/arch`.
    if let Ok(kernel) = root.text("/proc/sys/kernel/arch")
        && family(&kernel).is_some_and(|other| other != own)
    {
        let kernel = printable(&kernel);
        return Some(format!("/proc/sys/kernel/arch is {kernel}, but this program is for {arch}"));
    }
    let has = |key| root.cpu_field(key).is_some();
    let x86 = has("vendor_id") && has("flags");
    let listed = x86.then_some("x86").or(has("CPU implementer").then_some("arm"));
    if let Some(other) = listed.filter(|other| *other != own) {
        return Some(format!(
            "/proc/cpuinfo lists {other} processors, but this program is for {arch}"
        ));
    }
    // Clock sources that only an x86 kernel has.
    let alien = ["tsc", "hpet", "acpi_pm", "kvm-clock"];
    let sources = root.text(&format!("{CLOCKSOURCE}/available_clocksource")).ok()?;
    let found = sources.split_whitespace().find(|source| alien.contains(source))?;
    (own != "x86")
        .then(|| format!("the kernel has clock source {found}, but this program is for {arch}"))
}

/// Implementer 0 is "reserved for software use" (Arm ARM, MIDR_EL1): QEMU's `-cpu max`.
fn by_midr(root: &Root) -> Option<String> {
    if family(root.arch()) != Some("arm") {
        return None;
    }
    let midr = cpu::midr(root)?;
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
