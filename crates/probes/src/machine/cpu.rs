//! The processor: vendor, model and signature, and the machine that it is part of.

use chronoscope_model::Environment;

use super::printable::printable;
use super::root::Root;

/// Implementers of Arm processors (Arm ARM, MIDR_EL1, "Implementer").
const IMPLEMENTERS: &[(u32, &str)] = &[
    (0x41, "Arm"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x50, "Applied Micro"),
    (0x51, "Qualcomm"),
    (0x53, "Samsung"),
    (0x61, "Apple"),
    (0x6d, "Microsoft"),
    (0xc0, "Ampere"),
];

/// Parts by Arm that are likely to be found in machines that run this tool (kernel,
/// `arch/arm64/include/asm/cputype.h` and `arch/arm/include/asm/cputype.h`).
const ARM_PARTS: &[(u32, &str)] = &[
    (0xb76, "ARM1176"),
    (0xc07, "Cortex-A7"),
    (0xc08, "Cortex-A8"),
    (0xc09, "Cortex-A9"),
    (0xc0f, "Cortex-A15"),
    (0xd03, "Cortex-A53"),
    (0xd04, "Cortex-A35"),
    (0xd05, "Cortex-A55"),
    (0xd07, "Cortex-A57"),
    (0xd08, "Cortex-A72"),
    (0xd09, "Cortex-A73"),
    (0xd0a, "Cortex-A75"),
    (0xd0b, "Cortex-A76"),
    (0xd0c, "Neoverse-N1"),
    (0xd0d, "Cortex-A77"),
    (0xd40, "Neoverse-V1"),
    (0xd41, "Cortex-A78"),
    (0xd44, "Cortex-X1"),
    (0xd46, "Cortex-A510"),
    (0xd47, "Cortex-A710"),
    (0xd48, "Cortex-X2"),
    (0xd49, "Neoverse-N2"),
    (0xd4f, "Neoverse-V2"),
];

/// Fills in the processor and the machine around it.
pub fn fill(root: &Root, env: &mut Environment) {
    env.cpu.machine = machine(root);
    let info = root.cpuinfo();
    if root.cpuid().is_some() || field(info, "vendor_id").is_some() {
        x86(root, info, env);
    } else {
        arm(root, info, env);
    }
    if env.cpu.model.is_none() {
        env.cpu.model = field(info, "model name").or_else(|| field(info, "cpu model"));
    }
}

fn x86(root: &Root, info: &str, env: &mut Environment) {
    let decoded = root.cpuid().map(|cpuid| (cpuid, cpuid.decoded()));
    let brand = decoded.as_ref().and_then(|(_, cpuid)| cpuid.get_processor_brand_string());
    env.cpu.vendor =
        decoded.as_ref().map(|(cpuid, _)| printable(&cpuid.vendor())).and_then(nonempty);
    env.cpu.vendor = env.cpu.vendor.take().or_else(|| field(info, "vendor_id"));
    env.cpu.model = brand.map(|brand| printable(brand.as_str())).and_then(nonempty);
    // AMD APM volume 3, appendix E.4.19, "LFENCE always serializing".
    env.cpu.lfence_serialises = root
        .cpuid()
        .and_then(|cpuid| cpuid.leaf(0x8000_0021, 0))
        .map(|leaf| leaf.eax >> 2 & 1 == 1);
    let signature = decoded.as_ref().and_then(|(cpuid, _)| cpuid.signature());
    env.cpu.signature = match signature {
        Some((family, model, stepping)) => {
            Some(format!("family {family} model {model} stepping {stepping}"))
        }
        None => (|| {
            let family = field(info, "cpu family")?;
            Some(format!(
                "family {family} model {} stepping {}",
                field(info, "model")?,
                field(info, "stepping")?
            ))
        })(),
    };
}

fn arm(root: &Root, info: &str, env: &mut Environment) {
    let Some(midr) = midr(root, info) else { return };
    env.cpu.signature = Some(format!("MIDR {midr:#010x}"));
    let implementer = midr >> 24;
    env.cpu.vendor = IMPLEMENTERS
        .iter()
        .find(|(number, _)| *number == implementer)
        .map(|(_, name)| (*name).to_owned());
    env.cpu.model = arm_part(midr);
}

/// The name of a core by Arm and its revision: `Cortex-A72 r0p3`.
pub(super) fn arm_part(midr: u32) -> Option<String> {
    let part = midr >> 4 & 0xfff;
    let known = ARM_PARTS.iter().find(|(number, _)| *number == part);
    let (_, name) = known.filter(|_| midr >> 24 == 0x41)?;
    Some(format!("{name} r{}p{}", midr >> 20 & 0xf, midr & 0xf))
}

/// The main ID register, from sysfs (kernel, `Documentation/arch/arm64/cpu-feature-registers.rst`)
/// or assembled from `/proc/cpuinfo` (Arm ARM, MIDR_EL1: implementer 31:24, variant 23:20,
/// architecture 19:16, part 15:4, revision 3:0; 0xf means "by ID registers", as in all newer
/// parts).
pub(super) fn midr(root: &Root, info: &str) -> Option<u32> {
    if let Some(value) = midr_of(root, 0) {
        return Some(value);
    }
    let part = |key, mask| Some(u32::try_from(number(&field(info, key)?)?).ok()? & mask);
    Some(
        part("CPU implementer", 0xff)? << 24
            | part("CPU variant", 0xf)? << 20
            | 0xf << 16
            | part("CPU part", 0xfff)? << 4
            | part("CPU revision", 0xf)?,
    )
}

/// The main ID register of one CPU, from sysfs.
pub(super) fn midr_of(root: &Root, cpu: usize) -> Option<u32> {
    let file = format!("/sys/devices/system/cpu/cpu{cpu}/regs/identification/midr_el1");
    u32::try_from(number(&root.text(&file).ok()?)?).ok()
}

/// A number as the kernel writes it: decimal, or hexadecimal with `0x`.
fn number(text: &str) -> Option<u64> {
    match text.trim().strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.trim().parse().ok(),
    }
}

/// The machine's model from the device tree, `/proc/cpuinfo` of a Raspberry Pi, or DMI.
fn machine(root: &Root) -> Option<String> {
    if let Ok(model) = root.text("/proc/device-tree/model") {
        return nonempty(printable(&model));
    }
    let dmi = |name| root.text(&format!("/sys/class/dmi/id/{name}")).ok();
    match (dmi("sys_vendor"), dmi("product_name")) {
        (Some(vendor), Some(product)) => nonempty(printable(&format!("{vendor} {product}"))),
        (None, Some(one)) | (Some(one), None) => nonempty(printable(&one)),
        (None, None) => None,
    }
}

/// The first value of a key in `/proc/cpuinfo`.
pub(super) fn field(info: &str, key: &str) -> Option<String> {
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == key)
        .and_then(|(_, value)| nonempty(printable(value)))
}

fn nonempty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
