//! The processor: vendor, model and signature, and the machine that it is part of.
//!
//! Also the types of cores of a processor that has several: performance and efficiency cores.
//!
//! Everything here is what the system claims. In a virtual machine that is the hypervisor, which
//! may move a virtual CPU from one type of core to another.

use super::affinity;
use super::root::{Cpuid, Root, cpu_list, hex, pairs, printable};
use chronoscope_model::Environment;
use chronoscope_model::environment::{Cache, CoreClass, CoreType};
use raw_cpuid::{CacheParameter, CacheType, CpuIdReader};
use std::collections::{BTreeMap, BTreeSet};

/// Fills in the processor and the machine around it.
pub fn fill(root: &Root, env: &mut Environment) {
    env.cpu.machine = machine(root);
    let field = |key| root.cpu_field(key);
    if root.cpuid().is_some() || field("vendor_id").is_some() {
        x86(root, env);
    } else {
        arm(root, env);
    }
    let model = env.cpu.model.take();
    env.cpu.model = model.or_else(|| field("model name")).or_else(|| field("cpu model"));
}

fn x86(root: &Root, env: &mut Environment) {
    let field = |key| root.cpu_field(key);
    let cpuid = root.cpuid();
    let vendor = cpuid.and_then(|cpuid| nonempty(printable(&cpuid.vendor())));
    env.cpu.vendor = vendor.or_else(|| field("vendor_id"));
    let brand = cpuid.and_then(|cpuid| cpuid.decoded().get_processor_brand_string());
    env.cpu.model = brand.and_then(|brand| nonempty(printable(brand.as_str())));
    // AMD APM volume 3, appendix E.4.19, "LFENCE always serializing".
    let leaf = cpuid.and_then(|cpuid| cpuid.leaf(0x8000_0021, 0));
    env.cpu.lfence_serialises = leaf.map(|leaf| leaf.eax >> 2 & 1 == 1);
    let signature = cpuid.and_then(Cpuid::signature);
    let signature = signature.map(|(family, model, stepping)| {
        [family, model, stepping].map(|number| number.to_string())
    });
    let listed = || Some([field("cpu family")?, field("model")?, field("stepping")?]);
    env.cpu.signature = signature.or_else(listed).map(|[family, model, stepping]| {
        format!("family {family} model {model} stepping {stepping}")
    });
}

fn arm(root: &Root, env: &mut Environment) {
    let Some(midr) = midr(root) else { return };
    env.cpu.signature = Some(format!("MIDR {midr:#010x}"));
    let implementer = midr >> 24;
    env.cpu.vendor = numbered("implementers", implementer).map(str::to_owned);
    env.cpu.model = arm_part(midr);
}

/// The name that a table gives to a number.
fn numbered(table: &str, number: u32) -> Option<&'static str> {
    pairs(table).find(|(known, _)| hex(known) == Some(number)).map(|(_, name)| name)
}

/// The name of a core by Arm and its revision: `Cortex-A72 r0p3`.
pub(super) fn arm_part(midr: u32) -> Option<String> {
    let part = midr >> 4 & 0xfff;
    let name = numbered("Arm parts", part).filter(|_| midr >> 24 == 0x41)?;
    Some(format!("{name} r{}p{}", midr >> 20 & 0xf, midr & 0xf))
}

/// The main ID register, from sysfs (kernel, `Documentation/arch/arm64/cpu-feature-registers.rst`)
/// or assembled from `/proc/cpuinfo` (Arm ARM, MIDR_EL1: implementer 31:24, variant 23:20,
/// architecture 19:16, part 15:4, revision 3:0; 0xf means "by ID registers", as in all newer
/// parts).
pub(super) fn midr(root: &Root) -> Option<u32> {
    if let Some(value) = midr_of(root, 0) {
        return Some(value);
    }
    let part = |key, mask| Some(u32::try_from(number(root.cpuinfo(key).next()?)?).ok()? & mask);
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

fn nonempty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

pub(super) const CPUS: &str = "/sys/devices/system/cpu";

pub fn fill_topology(root: &Root, env: &mut Environment) {
    let online = listed(root, &format!("{CPUS}/online"));
    env.cpu.logical = match &online {
        Some(cpus) => cpus.len(),
        None => count_cpus(root, env),
    };
    if let Some(cpus) = online {
        let cores = groups(root, &cpus, &SHARE_A_CORE);
        env.cpu.cores = cores.map(|(count, _)| count);
        env.cpu.smt = cores.map(|(_, largest)| largest > 1);
        env.cpu.sockets =
            groups(root, &cpus, &["package_cpus_list", "core_siblings_list"]).map(|(n, _)| n);
    }
    env.cpu.nodes = listed(root, "/sys/devices/system/node/online").map(|nodes| nodes.len());
}

/// The CPUs that are online on this machine, as the kernel lists them.
pub fn online() -> Option<String> {
    let list = std::fs::read_to_string(format!("{CPUS}/online")).ok()?;
    Some(list.trim().to_owned())
}

pub(super) fn listed(root: &Root, path: &str) -> Option<Vec<usize>> {
    let numbers = cpu_list(&root.text(path).ok()?)?;
    (!numbers.is_empty()).then_some(numbers)
}

/// Without `/sys`: the CPUs that `/proc/cpuinfo` lists, or those that the process may use.
fn count_cpus(root: &Root, env: &mut Environment) -> usize {
    if root.is_linux() {
        env.not_known("topology", format!("{CPUS}/online does not list the CPUs"));
    }
    let listed = root.cpuinfo("processor").count();
    match listed.max(root.process().facts.allowed_cpus.len()) {
        0 if root.is_host() => std::thread::available_parallelism().map_or(1, usize::from),
        found => found,
    }
}

/// The other CPUs of a CPU's core, as the system numbers them; empty if it has none or they are not
/// known.
pub fn siblings(root: &Root, cpu: usize) -> Vec<usize> {
    let mut all = group_of(root, cpu, &SHARE_A_CORE).unwrap_or_default();
    all.retain(|other| *other != cpu);
    all
}

/// The lists under `topology/` of the CPUs that share a core with a CPU: the newer kernels', and
/// the older ones'.
const SHARE_A_CORE: [&str; 2] = ["core_cpus_list", "thread_siblings_list"];

/// The CPUs in the first of these lists that a CPU has.
fn group_of(root: &Root, cpu: usize, lists: &[&str]) -> Option<Vec<usize>> {
    lists.iter().find_map(|name| listed(root, &format!("{CPUS}/cpu{cpu}/topology/{name}")))
}

/// The memory node of each of these CPUs; `None` for one whose node is not known.
pub fn nodes(root: &Root, cpus: &[usize]) -> Vec<Option<usize>> {
    const NODES: &str = "/sys/devices/system/node";
    let online = listed(root, &format!("{NODES}/online")).unwrap_or_default();
    let members = online.into_iter().flat_map(|node| {
        let members = listed(root, &format!("{NODES}/node{node}/cpulist"));
        members.unwrap_or_default().into_iter().map(move |cpu| (cpu, node))
    });
    let members: BTreeMap<usize, usize> = members.collect();
    cpus.iter().map(|cpu| members.get(cpu).copied()).collect()
}

/// The number of groups that the CPUs form, by the list that each has under `topology/`, and the
/// size of the largest group. A CPU that another CPU's list contains is skipped, so there is one
/// read per group.
fn groups(root: &Root, cpus: &[usize], lists: &[&str]) -> Option<(usize, usize)> {
    let online: BTreeSet<usize> = cpus.iter().copied().collect();
    let mut seen = BTreeSet::new();
    let (mut count, mut largest) = (0, 0);
    for cpu in cpus {
        if seen.contains(cpu) {
            continue;
        }
        let mut group = group_of(root, *cpu, lists)?;
        group.retain(|cpu| online.contains(cpu));
        count += 1;
        largest = largest.max(group.len());
        seen.insert(*cpu);
        seen.extend(group);
    }
    Some((count, largest))
}

const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// The largest number of caches that are read; processors have four or five.
const MOST_CACHES: usize = 16;

/// The largest cache that is believed.
const LARGEST: u64 = 16 << 30;

/// Fills in the caches of data of the first CPU, the smallest level first.
pub fn fill_caches(root: &Root, env: &mut Environment) {
    let mut caches = caches_by_system(root);
    if caches.is_empty() {
        caches = caches_by_processor(root);
    }
    caches.retain(|cache| cache.level > 0 && (1..=LARGEST).contains(&cache.bytes));
    caches.sort_unstable_by_key(|cache| cache.level);
    caches.dedup_by_key(|cache| cache.level);
    env.cpu.caches = caches;
}

fn caches_by_system(root: &Root) -> Vec<Cache> {
    let cache = |index: usize| {
        let fact = |name: &str| root.text(&format!("{CACHES}/index{index}/{name}")).ok();
        let holds_data = matches!(&*fact("type")?, "Data" | "Unified");
        let (level, bytes) = (fact("level")?.parse().ok()?, size(&fact("size")?)?);
        holds_data.then_some(Cache { level, bytes })
    };
    (0..MOST_CACHES).filter_map(cache).collect()
}

/// `32768K` in bytes.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => (text.strip_suffix('M')?, 1 << 20),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn caches_by_processor(root: &Root) -> Vec<Cache> {
    let parameters = root.cpuid().and_then(|cpuid| cpuid.decoded().get_cache_parameters());
    let caches = parameters.into_iter().flatten().take(MOST_CACHES);
    let data =
        caches.filter(|cache| matches!(cache.cache_type(), CacheType::Data | CacheType::Unified));
    let cache = |cache: CacheParameter| {
        let ways = cache.associativity() * cache.physical_line_partitions();
        let lines = (ways as u64).saturating_mul(cache.sets() as u64);
        let bytes = lines.saturating_mul(cache.coherency_line_size() as u64);
        Cache { level: cache.level().into(), bytes }
    };
    data.map(cache).collect()
}

/// Finds the types of the cores of these CPUs, fastest first.
type Source = fn(&Root, &[usize]) -> Vec<CoreType>;

/// Fills in the types, if there are several.
pub fn fill_core_types(root: &Root, env: &mut Environment) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_or_are_not_believed() {
        assert_eq!(size("32768K"), Some(32 << 20));
        assert_eq!(size("8M"), Some(8 << 20));
        for wrong in ["", "K", "-1K", "32", "1e9K", "99999999999999999999K"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
        assert_eq!(size(&format!("{}M", u64::MAX)), None);
    }

    #[test]
    fn the_processors_own_word_agrees_with_the_systems() {
        let root = Root::host();
        let (system, processor) = (caches_by_system(&root), caches_by_processor(&root));
        // A hypervisor may report other caches to the processor's guests than the system shows.
        for cache in system.iter().chain(&processor) {
            assert!(cache.level < 10 && cache.bytes <= LARGEST, "{cache:?}");
        }
    }
}
