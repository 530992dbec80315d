//! CPUs, cores, sockets and memory nodes (kernel, `Documentation/admin-guide/cputopology.rst`).

use std::collections::BTreeSet;

use chronoscope_model::Environment;

use super::cpulist;
use super::root::Root;

pub(super) const CPUS: &str = "/sys/devices/system/cpu";

pub fn fill(root: &Root, env: &mut Environment) {
    let online = list(root, &format!("{CPUS}/online"));
    env.cpu.logical = match &online {
        Some(cpus) => cpus.len(),
        None => counted(root, env),
    };
    if let Some(cpus) = online {
        let cores = groups(root, &cpus, &["core_cpus_list", "thread_siblings_list"]);
        env.cpu.cores = cores.map(|(count, _)| count);
        env.cpu.smt = cores.map(|(_, largest)| largest > 1);
        env.cpu.sockets =
            groups(root, &cpus, &["package_cpus_list", "core_siblings_list"]).map(|(n, _)| n);
    }
    env.cpu.nodes = list(root, "/sys/devices/system/node/online").map(|nodes| nodes.len());
}

pub(super) fn list(root: &Root, path: &str) -> Option<Vec<usize>> {
    let numbers = cpulist::parse(&root.text(path).ok()?)?;
    (!numbers.is_empty()).then_some(numbers)
}

/// Without `/sys`: the CPUs that `/proc/cpuinfo` lists, or those that the process may use.
fn counted(root: &Root, env: &mut Environment) -> usize {
    if root.is_linux() {
        env.not_known("topology", format!("{CPUS}/online does not list the CPUs"));
    }
    let listed = root
        .cpuinfo()
        .lines()
        .filter(|line| line.split_once(':').is_some_and(|(key, _)| key.trim() == "processor"))
        .count();
    match listed.max(root.process().allowed.len()) {
        0 if root.is_host() => std::thread::available_parallelism().map_or(1, usize::from),
        found => found,
    }
}

/// The other CPUs of a CPU's core, as the system numbers them; empty if it has none or they are not
/// known.
pub fn siblings(root: &Root, cpu: usize) -> Vec<usize> {
    let lists = ["core_cpus_list", "thread_siblings_list"];
    let mut paths = lists.map(|name| format!("{CPUS}/cpu{cpu}/topology/{name}")).into_iter();
    let mut all = paths.find_map(|path| list(root, &path)).unwrap_or_default();
    all.retain(|other| *other != cpu);
    all
}

/// The memory node of each of these CPUs; `None` for one whose node is not known.
pub fn nodes(root: &Root, cpus: &[usize]) -> Vec<Option<usize>> {
    const NODES: &str = "/sys/devices/system/node";
    let mut found = vec![None; cpus.len()];
    for node in list(root, &format!("{NODES}/online")).unwrap_or_default() {
        let members = list(root, &format!("{NODES}/node{node}/cpulist")).unwrap_or_default();
        let members: BTreeSet<usize> = members.into_iter().collect();
        for (cpu, found) in cpus.iter().zip(&mut found) {
            if members.contains(cpu) {
                *found = Some(node);
            }
        }
    }
    found
}

/// The number of groups that the CPUs form, by the list that each has under `topology/`, and the
/// size of the largest group. A CPU that another CPU's list contains is skipped, so there is one
/// read per group.
fn groups(root: &Root, cpus: &[usize], names: &[&str]) -> Option<(usize, usize)> {
    let online: BTreeSet<usize> = cpus.iter().copied().collect();
    let mut seen = BTreeSet::new();
    let (mut count, mut largest) = (0, 0);
    for cpu in cpus {
        if seen.contains(cpu) {
            continue;
        }
        let group = names
            .iter()
            .find_map(|name| list(root, &format!("{CPUS}/cpu{cpu}/topology/{name}")))?;
        let group: Vec<usize> = group.into_iter().filter(|cpu| online.contains(cpu)).collect();
        count += 1;
        largest = largest.max(group.len());
        seen.insert(*cpu);
        seen.extend(group);
    }
    Some((count, largest))
}
