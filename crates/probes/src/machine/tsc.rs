//! The time-stamp counter: whether it exists, how reliable it is, and its rate.

use chronoscope_model::Environment;
use chronoscope_model::environment::{Tsc, TscKind};
use raw_cpuid::CpuIdReader;

use super::cpuid::Cpuid;
use super::kmsg::Log;
use super::root::Root;
use super::{cpu, rates};

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
        rates: rates::all(root, log),
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
