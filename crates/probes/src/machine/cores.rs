//! The types of cores of a processor that has several: performance and efficiency cores.
//!
//! Everything here is what the system claims. In a virtual machine that is the hypervisor, which
//! may move a virtual CPU from one type of core to another.

use chronoscope_model::Environment;
use chronoscope_model::environment::{CoreClass, CoreType};
use raw_cpuid::CpuIdReader;

use super::affinity;
use super::cpu::{arm_part, midr_of};
use super::root::{Cpuid, Root, cpu_list};

use super::cpu::{CPUS, listed};

/// Finds the types of the cores of these CPUs, fastest first.
type Source = fn(&Root, &[usize]) -> Vec<CoreType>;

/// Fills in the types, if there are several.
pub fn fill(root: &Root, env: &mut Environment) {
    let online = listed(root, &format!("{CPUS}/online")).unwrap_or_default();
    let sources: [Source; 3] = [by_events, by_cpuid, by_capacity];
    let mut found = sources.iter().map(|source| source(root, &online));
    if let Some(types) = found.find(|types| types.len() > 1) {
        env.cpu.core_types = classed(types);
    }
}

/// The fastest is a performance core, the slowest an efficiency core, whatever their names.
fn classed(mut types: Vec<CoreType>) -> Vec<CoreType> {
    let last = types.len().saturating_sub(1);
    for (at, one) in types.iter_mut().enumerate() {
        one.class = match at {
            0 => CoreClass::Performance,
            at if at == last => CoreClass::Efficiency,
            _ => CoreClass::Middle,
        };
    }
    types
}

/// The performance events of a hybrid Intel processor, one device for each type of core (Linux
/// `arch/x86/events/intel/core.c`, `intel_pmu_hybrid`), fastest first.
fn by_events(root: &Root, online: &[usize]) -> Vec<CoreType> {
    const DEVICES: [(&str, &str); 3] =
        [("cpu_core", "Core"), ("cpu_atom", "Atom"), ("cpu_lowpower", "low-power Atom")];
    let mut seen = Vec::new();
    let found = DEVICES.iter().filter_map(|(device, name)| {
        let file = format!("/sys/devices/{device}/cpus");
        let mut cpus = cpu_list(&root.text(&file).ok()?)?;
        cpus.retain(|cpu| online.contains(cpu) && !seen.contains(cpu));
        seen.extend(&cpus);
        Some(of(root, name, cpus, file))
    });
    found.filter(|one| !one.cpus.is_empty()).collect()
}

/// CPUID, which answers for the CPU that executes it.
fn by_cpuid(root: &Root, _: &[usize]) -> Vec<CoreType> {
    let Some(cpuid) = root.cpuid() else {
        return Vec::new();
    };
    let Some(leaf) = Leaf::of(cpuid) else {
        return Vec::new();
    };
    let registers =
        if root.is_host() { visited(cpuid, &leaf) } else { root.process().core_types.clone() };
    let types = leaf.types.iter().map(|(number, name)| {
        let is = |(_, register): &&(usize, u32)| register >> leaf.shift == *number;
        let mut cpus: Vec<usize> = registers.iter().filter(is).map(|(cpu, _)| *cpu).collect();
        cpus.sort_unstable();
        cpus.dedup();
        of(root, name, cpus, leaf.evidence.to_owned())
    });
    types.filter(|one| !one.cpus.is_empty()).collect()
}

/// Where CPUID holds the type of core.
struct Leaf {
    register: fn(&Cpuid) -> u32,
    /// Where the number of the type begins in the register.
    shift: u32,
    /// The numbers and names, fastest first.
    types: [(u32, &'static str); 2],
    evidence: &'static str,
}

/// Leaf 7 EDX[15] says that the processor is hybrid (Intel SDM volume 2A, CPUID).
const INTEL: Leaf = Leaf {
    register: |cpuid| cpuid.cpuid2(0x1a, 0).eax,
    shift: 24,
    types: [(0x40, "Core"), (0x20, "Atom")],
    evidence: "CPUID 0x1A EAX[31:24]",
};

/// EAX[30] says that the cores differ (AMD APM volume 3, Fn8000_0026; Linux
/// `arch/x86/kernel/cpu/topology_amd.c`).
const AMD: Leaf = Leaf {
    register: |cpuid| cpuid.cpuid2(0x8000_0026, 0).ebx,
    shift: 28,
    types: [(0, "performance core"), (1, "efficiency core")],
    evidence: "CPUID 0x80000026 EBX[31:28]",
};

impl Leaf {
    fn of(cpuid: &Cpuid) -> Option<Self> {
        let bit = |leaf: Option<u32>, bit: u32| leaf.is_some_and(|word| word >> bit & 1 == 1);
        let seven = cpuid.leaf(7, 0).map(|leaf| leaf.edx);
        let topology = cpuid.leaf(0x8000_0026, 0).map(|leaf| leaf.eax);
        match cpuid.vendor().as_str() {
            "GenuineIntel" if bit(seven, 15) && cpuid.leaf(0x1a, 0).is_some() => Some(INTEL),
            "AuthenticAMD" if bit(topology, 30) => Some(AMD),
            _ => None,
        }
    }
}

/// The register of each CPU that this thread may use, read there.
fn visited(cpuid: &Cpuid, leaf: &Leaf) -> Vec<(usize, u32)> {
    let cpus = affinity::allowed().into_iter();
    let visit = |cpu| {
        let _pin = affinity::pin(cpu).ok()?;
        Some((cpu, (leaf.register)(cpuid)))
    };
    cpus.filter_map(visit).collect()
}

/// The capacity that the scheduler assumes, and the core's own name on Arm (kernel,
/// `Documentation/scheduler/sched-capacity.rst` and
/// `Documentation/arch/arm64/cpu-feature-registers.rst`).
/// Without capacities, the cores that Arm made for efficiency come last.
fn by_capacity(root: &Root, online: &[usize]) -> Vec<CoreType> {
    struct Seen {
        cpu: usize,
        midr: Option<u32>,
        capacity: Option<u64>,
    }
    let look = |&cpu: &usize| Seen { cpu, midr: midr_of(root, cpu), capacity: capacity(root, cpu) };
    let mut seen: Vec<Seen> = online.iter().map(look).collect();
    // Facts about only some CPUs cannot order all of them.
    if seen.iter().any(|one| one.capacity.is_none()) {
        seen.iter_mut().for_each(|one| one.capacity = None);
    }
    if seen.iter().any(|one| one.midr.is_none()) {
        seen.iter_mut().for_each(|one| one.midr = None);
    }
    let slow = |one: &Seen| one.midr.is_some_and(is_little);
    if seen.iter().all(|one| one.capacity.is_none()) {
        // Which of two fast cores is the faster is not known from their names.
        let mut fast: Vec<_> =
            seen.iter().filter(|one| !slow(one)).map(|one| one.midr.map(part)).collect();
        fast.dedup();
        if fast.len() != 1 {
            return Vec::new();
        }
    }
    seen.sort_by_key(|one| {
        (std::cmp::Reverse(one.capacity), slow(one), one.midr.map(part), one.cpu)
    });
    let mut types: Vec<(CoreType, Option<u32>)> = Vec::new();
    for one in seen {
        match types.last_mut() {
            Some((last, midr)) if alike(last.capacity, one.capacity, *midr, one.midr) => {
                last.cpus.push(one.cpu);
            }
            _ => {
                let name = match one.midr {
                    Some(midr) => arm_part(midr).unwrap_or(format!("MIDR {midr:#010x}")),
                    None => format!("capacity {}", one.capacity.unwrap_or(0)),
                };
                let evidence = match (one.midr, one.capacity) {
                    (Some(_), None) => "midr_el1",
                    (None, _) => "cpu_capacity",
                    (Some(_), Some(_)) => "cpu_capacity, midr_el1",
                };
                let found = CoreType {
                    capacity: one.capacity,
                    ..of(root, &name, vec![one.cpu], evidence.into())
                };
                types.push((found, one.midr));
            }
        }
    }
    let sorted = |(mut one, _): (CoreType, _)| {
        one.cpus.sort_unstable();
        one
    };
    types.into_iter().map(sorted).collect()
}

/// Cores that Arm made for efficiency, the smaller half of big.LITTLE (Arm's product pages of
/// Cortex-A7, A35, A53, A55, A510 and A520).
fn is_little(midr: u32) -> bool {
    const PARTS: [u32; 6] = [0xc07, 0xd04, 0xd03, 0xd05, 0xd46, 0xd80];
    midr >> 24 == 0x41 && PARTS.contains(&(midr >> 4 & 0xfff))
}

/// Whether two CPUs may have cores of one type. If their capacities are known, these decide: the
/// best CPUs of a type may boost a little further. Otherwise it is the part, whatever its revision.
fn alike(best: Option<u64>, other: Option<u64>, a: Option<u32>, b: Option<u32>) -> bool {
    match (best, other) {
        (Some(best), Some(other)) => other.saturating_mul(20) >= best.saturating_mul(19),
        _ => a.map(part) == b.map(part),
    }
}

/// The implementer and the number of the part (Arm ARM, MIDR_EL1), without the revision.
fn part(midr: u32) -> u32 {
    midr & 0xff00_fff0
}

fn capacity(root: &Root, cpu: usize) -> Option<u64> {
    /// SCHED_CAPACITY_SCALE, that of the fastest CPU.
    const MOST: u64 = 1024;
    let found = root.number(&format!("{CPUS}/cpu{cpu}/cpu_capacity"))?;
    (1..=MOST).contains(&found).then_some(found)
}

fn of(root: &Root, name: &str, cpus: Vec<usize>, evidence: String) -> CoreType {
    CoreType {
        class: CoreClass::default(),
        name: name.to_owned(),
        capacity: cpus.first().and_then(|cpu| capacity(root, *cpu)),
        cpus,
        evidence,
    }
}
