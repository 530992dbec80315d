//! What the process's control groups keep it from. The kernel throttles a group that has used up
//! its CPU quota until the next period begins (kernel, `Documentation/scheduler/sched-bwc.rst`;
//! keys of `cpu.stat`: `admin-guide/cgroup-v2.rst`), and who pauses a container freezes its group.

use super::root::Root;
use chronoscope_model::Environment;
use chronoscope_model::environment::CpuQuota;
use chronoscope_model::waits::Throttled;
use std::fs::File;
use std::io::{Read, Seek};

/// The largest number of levels of control groups that are examined.
const DEEPEST: usize = 32;

/// A single group, with its files in the folder at the end, for a bundle.
pub const SINGLE: [(&str, &str); 2] = [
    ("/proc/self/cgroup", "0::/\n"),
    ("/proc/self/mountinfo", "1 1 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
];

/// The files that count throttling, for this process.
#[derive(Debug)]
pub struct Quota {
    groups: Vec<File>,
}

impl Quota {
    /// The groups of the process behind `root`; `None` if no group that it can see counts
    /// throttling, for which there are many reasons: no control groups, none with a controller for
    /// the CPU, or only the topmost, which has no quota.
    pub fn of(root: &Root) -> Option<Self> {
        let open = |folder| root.open(&format!("{folder}/cpu.stat")).ok();
        let mut groups: Vec<File> =
            groups(root, "cpu").ok()?.into_iter().filter_map(open).collect();
        groups.retain(|file| read(file).is_some());
        (!groups.is_empty()).then_some(Self { groups })
    }

    /// What has been throttled until now.
    pub fn throttled(&self) -> Throttled {
        let all = self.each().flatten();
        all.fold(Throttled::default(), Throttled::and)
    }

    /// What has been throttled in each group until now, always in the same order; `None` for a
    /// group that has been removed.
    pub fn each(&self) -> impl Iterator<Item = Option<Throttled>> + '_ {
        self.groups.iter().map(read)
    }
}

/// Whether the control group of the process was frozen: none of its programs ran then, and all
/// clocks went on. The kernel says that `cgroup.events` has changed, and the rest of that file
/// stays the same while the process is in the group. Groups of the first version leave no trace.
#[derive(Debug)]
pub struct Freezer(Option<File>);

impl Freezer {
    /// That of the process behind `root`, from now on. The topmost group cannot be frozen.
    pub fn of(root: &Root) -> Self {
        let open = |folder| root.open(&format!("{folder}/cgroup.events")).ok();
        // No hierarchy of the first version has a controller without a name.
        let groups = groups(root, "").unwrap_or_default();
        let found = Self(groups.into_iter().find_map(open));
        found.forget();
        found
    }

    /// Whether it was frozen since [`Freezer::forget`].
    pub fn was_frozen(&self) -> bool {
        self.0.as_ref().is_some_and(super::os::has_changed)
    }

    /// Forgets that it was frozen.
    pub fn forget(&self) {
        if let Some(mut file) = self.0.as_ref() {
            let _ = file.rewind().and_then(|()| file.read(&mut [0; 64]));
        }
    }

    /// Whether it was frozen since the last call.
    pub fn take(&self) -> bool {
        let frozen = self.was_frozen();
        if frozen {
            self.forget();
        }
        frozen
    }
}

/// Fills in the quota of the process, and what it has cost until now.
pub fn fill(root: &Root, env: &mut Environment) {
    if !root.is_linux() {
        return;
    }
    match quota(root) {
        Ok(quota) => env.cpu_quota = Some(quota),
        Err(why) => env.not_known("CPU quota", why),
    }
}

/// The limit of the tightest group around the process, and the count of the most throttled one.
pub(super) fn quota(root: &Root) -> Result<CpuQuota, String> {
    let mut known = false;
    let (mut limits, mut counts) = (Vec::new(), Vec::new());
    for folder in groups(root, "cpu")? {
        let text = |name| root.text(&format!("{folder}/{name}")).ok();
        let first = || Some(text("cpu.cfs_quota_us")? + " " + &text("cpu.cfs_period_us")?);
        limits.extend(text("cpu.max").or_else(first).and_then(|text| limit(&text)));
        let stat = text("cpu.stat").unwrap_or_default();
        // A group of the second version has this line even without a controller for the CPU.
        known |= stat.starts_with("usage_usec ");
        counts.extend(parse(&stat).map(|counted| (counted, counter(&stat, "nr_periods"))));
    }
    if !known && limits.is_empty() && counts.is_empty() {
        return Err("no control group that counts CPU time is visible (cpu.stat, cpu.max)".into());
    }
    let share = |(quota, period): (Option<u64>, u64)| {
        quota.map_or(f64::INFINITY, |quota| quota as f64 / period as f64)
    };
    let tightest = limits.into_iter().min_by(|a, b| share(*a).total_cmp(&share(*b)));
    let most = counts.into_iter().max_by_key(|(it, _)| (it.periods, it.ns));
    let (most, periods) = most.unwrap_or_default();
    Ok(CpuQuota {
        quota_us: tightest.and_then(|(quota, _)| quota),
        period_us: tightest.map(|(_, period)| period),
        throttled_periods: most.periods,
        throttled_ns: most.ns,
        periods,
        run_periods: None,
    })
}

/// The quota and the period in microseconds: `50000 100000`; without a limit, `max 100000` in the
/// second version and `-1 100000` in the first.
fn limit(text: &str) -> Option<(Option<u64>, u64)> {
    let (quota, period) = text.split_once(' ')?;
    let quota = match quota {
        "max" | "-1" => None,
        us => Some(us.parse().ok().filter(|us| *us > 0)?),
    };
    Some((quota, period.trim().parse().ok().filter(|us| *us > 0)?))
}

/// The count of one group. The file stays open: finding it again takes longer than reading it.
fn read(mut file: &File) -> Option<Throttled> {
    let mut text = [0; 1024];
    file.rewind().ok()?;
    let length = file.read(&mut text).ok()?;
    parse(std::str::from_utf8(text.get(..length)?).ok()?)
}

/// How much memory the groups of the process let it still take, in bytes; `None` without a limit.
/// More, and the kernel ends the process.
pub fn memory_left(root: &Root) -> Option<u64> {
    let left = |folder: &String| {
        let of = |name| root.text(&format!("{folder}/{name}")).ok()?.trim().parse::<u64>().ok();
        let (limit, used) = of("memory.max")
            .zip(of("memory.current"))
            .or_else(|| of("memory.limit_in_bytes").zip(of("memory.usage_in_bytes")))?;
        Some(limit.saturating_sub(used))
    };
    groups(root, "memory").ok()?.iter().filter_map(left).min()
}

/// The folders of the process's groups and of those around them, in every hierarchy with this
/// controller.
fn groups(root: &Root, controller: &str) -> Result<Vec<String>, String> {
    let text = |path| root.text(path).map_err(|why| format!("{path}: {why}"));
    let (own, mounts) = (text("/proc/self/cgroup")?, text("/proc/self/mountinfo")?);
    Ok(mounts.lines().filter_map(|mount| folders(mount, &own, controller)).flatten().collect())
}

/// The folders of the process's group and of those around it, in one mounted hierarchy that has a
/// controller of this name (proc_pid_mountinfo(5), cgroups(7)).
fn folders(mount: &str, groups: &str, wanted: &str) -> Option<Vec<String>> {
    let (mounted, kind) = mount.split_once(" - ")?;
    let mut mounted = mounted.split_ascii_whitespace().skip(3);
    let (top, point) = (mounted.next()?, mounted.next()?);
    let mut kind = kind.split_ascii_whitespace();
    let unified = match kind.next()? {
        "cgroup2" => true,
        "cgroup" => false,
        _ => return None,
    };
    if !unified && !kind.nth(1)?.split(',').any(|option| option == wanted) {
        return None;
    }
    // `0::/path`, or `4:cpu,cpuacct:/path` in the first version.
    let path = groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let own = controllers.split(',').any(|name| name == wanted);
        let found = if unified { controllers.is_empty() } else { own };
        found.then_some(path)
    })?;
    // A container may see only a part of the hierarchy, which is then at the mount itself.
    let below = match top {
        "/" => path,
        top => path.strip_prefix(top).filter(|rest| rest.is_empty() || rest.starts_with('/'))?,
    };
    let mut folder = format!("{point}{}", below.trim_end_matches('/'));
    let mut all = Vec::new();
    while all.len() < DEEPEST {
        all.push(folder.clone());
        match folder.rfind('/') {
            Some(end) if end >= point.len() => folder.truncate(end),
            _ => break,
        }
    }
    Some(all)
}

/// The counter with this name in a `cpu.stat`.
fn counter(text: &str, key: &str) -> Option<u64> {
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

/// Microseconds as `throttled_usec`, in the first version nanoseconds as `throttled_time`.
fn parse(text: &str) -> Option<Throttled> {
    let value = |key| counter(text, key);
    let us = value("throttled_usec").map(|us| us.saturating_mul(1_000));
    Some(Throttled { periods: value("nr_throttled")?, ns: us.or_else(|| value("throttled_time"))? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_versions_of_control_groups_count_throttling() {
        let second = "usage_usec 51\nnr_periods 9\nnr_throttled 4\nthrottled_usec 250\n";
        let first = "nr_periods 9\nnr_throttled 4\nthrottled_time 250000\n";
        let expected = Throttled { periods: 4, ns: 250_000 };
        assert_eq!(parse(second), Some(expected));
        assert_eq!(parse(first), Some(expected));
        // The topmost group of the second version.
        assert_eq!(parse("usage_usec 51\nuser_usec 12\n"), None);
        assert_eq!(parse("nr_throttled -1\nthrottled_usec x\n"), None);
        let since = expected.since(Throttled { periods: 1, ns: 0 });
        assert_eq!((since.periods, since.ns), (3, 250_000));
    }

    #[test]
    fn the_groups_around_are_looked_at_too() {
        let unified = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
        let found = folders(unified, "0::/user.slice/a.scope\n", "cpu").expect("a hierarchy");
        assert_eq!(
            found,
            ["/sys/fs/cgroup/user.slice/a.scope", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"]
        );
        let container =
            "41 31 0:38 /docker/a1 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct";
        let groups = "4:memory:/docker/a1\n3:cpu,cpuacct:/docker/a1\n0::/\n";
        assert_eq!(folders(container, groups, "cpu"), Some(vec!["/sys/fs/cgroup/cpu".to_owned()]));
        for none in [
            "",
            "-",
            "1 2 3 / /proc rw - proc proc rw",
            "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
        ] {
            assert_eq!(folders(none, groups, "cpu"), None, "{none}");
        }
        assert_eq!(folders(unified, "", "cpu"), None);
    }

    /// The recording is removed with the folder.
    fn recorded(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join("root").join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a place for it");
            std::fs::write(path, text).expect("written");
        }
        std::fs::create_dir_all(folder.path().join("root")).expect("a place for it");
        let root = Root::recorded(folder.path()).expect("a recording");
        (folder, root)
    }

    #[test]
    fn recorded_machines_with_either_version_both_or_none() {
        let mounts = "35 31 0:32 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                      41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n";
        let own = "3:cpu,cpuacct:/a\n0::/a\n";
        let first = "nr_periods 9\nnr_throttled 4\nthrottled_time 250000\n";
        let second = "usage_usec 51\nnr_throttled 2\nthrottled_usec 30\n";
        let told = |files: &[(&str, &str)]| {
            let mut all = vec![("proc/self/cgroup", own), ("proc/self/mountinfo", mounts)];
            all.extend_from_slice(files);
            let (_folder, root) = recorded(&all);
            Quota::of(&root).map(|quota| (quota.throttled().ns, quota.each().count()))
        };
        assert_eq!(told(&[("cg/cpu/a/cpu.stat", first)]), Some((250_000, 1)));
        assert_eq!(told(&[("cg/unified/a/cpu.stat", second)]), Some((30_000, 1)));
        let both = [("cg/cpu/a/cpu.stat", first), ("cg/unified/a/cpu.stat", second)];
        assert_eq!(told(&both), Some((280_000, 2)));
        // The topmost groups have no quota, and a file may hold anything.
        assert_eq!(told(&[("cg/cpu/cpu.stat", "usage_usec 5\n")]), None);
        assert_eq!(told(&[("cg/cpu/a/cpu.stat", "")]), None);
        assert_eq!(told(&[]), None);
        let (_folder, root) = recorded(&[]);
        assert!(Quota::of(&root).is_none() && quota(&root).is_err());
    }

    #[test]
    fn what_is_recorded_or_hidden_was_not_frozen() {
        let mounts = "35 31 0:32 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                      41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n";
        let own = [("proc/self/cgroup", "3:cpu,cpuacct:/a\n0::/a/b\n")];
        let mounts = [("proc/self/mountinfo", mounts)];
        let events = [("cg/unified/a/b/cgroup.events", "populated 1\nfrozen 0\n")];
        let found = |files: &[(&str, &str)]| {
            let (_folder, root) = recorded(files);
            let freezer = Freezer::of(&root);
            assert!(!freezer.was_frozen() && !freezer.take(), "{files:?}");
            freezer.0.is_some()
        };
        assert!(found(&[own, mounts, events].concat()));
        assert!(!found(&[own, mounts].concat()));
        assert!(!found(&[]));
    }

    #[test]
    fn the_tightest_group_decides_how_much_memory_is_left() {
        let own = "9:memory:/a/b\n0::/a/b\n";
        let first = "35 31 0:32 / /cg rw - cgroup cgroup rw,memory";
        let second = "41 31 0:38 / /cg rw - cgroup2 cgroup2 rw";
        let told = |mounts, files: &[(&str, &str)]| {
            let mut all = vec![("proc/self/cgroup", own), ("proc/self/mountinfo", mounts)];
            all.extend_from_slice(files);
            let (_folder, root) = recorded(&all);
            memory_left(&root)
        };
        let unlimited = [("cg/a/b/memory.max", "max\n"), ("cg/a/b/memory.current", "9\n")];
        assert_eq!(told(second, &unlimited), None);
        let outer = [("cg/a/memory.max", "100\n"), ("cg/a/memory.current", "70\n")];
        assert_eq!(told(second, &[unlimited, outer].concat()), Some(30));
        let old = [("cg/a/b/memory.limit_in_bytes", "5\n"), ("cg/a/b/memory.usage_in_bytes", "7")];
        assert_eq!(told(first, &old), Some(0));
    }

    #[test]
    fn the_tightest_limit_and_the_most_throttled_group_are_the_fact() {
        let own = "3:cpu,cpuacct:/a/b\n0::/a/b\n";
        let first = "35 31 0:32 / /cg rw - cgroup cgroup rw,cpu,cpuacct";
        let second = "41 31 0:38 / /cg rw - cgroup2 cgroup2 rw";
        let told = |mounts, files: &[(&str, &str)]| {
            let mut all = vec![("proc/self/cgroup", own), ("proc/self/mountinfo", mounts)];
            all.extend_from_slice(files);
            let (_folder, root) = recorded(&all);
            let told = quota(&root).ok();
            told.map(|it| (it.quota_us, it.period_us, it.throttled_periods, it.throttled_ns))
        };
        let files = [
            ("cg/a/b/cpu.max", "max 100000\n"),
            ("cg/a/b/cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n"),
            ("cg/a/cpu.max", "50000 100000\n"),
            ("cg/a/cpu.stat", "usage_usec 9\nnr_periods 9\nnr_throttled 4\nthrottled_usec 250\n"),
        ];
        assert_eq!(told(second, &files), Some((Some(50_000), Some(100_000), 4, 250_000)));
        let files = [
            ("cg/a/b/cpu.cfs_quota_us", "20000"),
            ("cg/a/b/cpu.cfs_period_us", "10000"),
            ("cg/a/b/cpu.stat", "nr_periods 9\nnr_throttled 0\nthrottled_time 0\n"),
        ];
        assert_eq!(told(first, &files), Some((Some(20_000), Some(10_000), 0, 0)));
        let files = [("cg/a/b/cpu.cfs_quota_us", "-1"), ("cg/a/b/cpu.cfs_period_us", "100000")];
        assert_eq!(told(first, &files), Some((None, Some(100_000), 0, 0)));
        // The topmost group, and groups without the controller, have no limit.
        let files = [("cg/cpu.stat", "usage_usec 9\nuser_usec 3\n")];
        assert_eq!(told(second, &files), Some((None, None, 0, 0)));
        assert_eq!(told(second, &[]), None);
        for (name, max, stat) in [
            ("empty-files", "", ""),
            ("huge", "99999999999999999999 100000", "nr_throttled 99999999999999999999\n"),
            ("zero", "0 0", "nr_throttled\n"),
            ("garbage", "\u{fffd} x y", "usage_usecs\n-1"),
        ] {
            let files = [("cg/a/cpu.max", max), ("cg/a/cpu.stat", stat)];
            assert_eq!(told(second, &files), None, "{name}");
        }
    }

    #[test]
    fn this_machine_has_a_count_that_never_falls_or_none() {
        if let Some(quota) = Quota::of(&Root::host()) {
            let before = quota.throttled();
            assert!(quota.throttled().ns >= before.ns);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(
            mount in "[0-9]+ [0-9]+ 0:1 (/[a-z/]*|) (/[a-z/]*|) rw - cgroup2? x (cpu,)*rw",
            groups in "[0-9]:(cpu)?:[/a-z:]*\n.*",
            text in "(nr_throttled|throttled_usec) ?-?[0-9]*\n.*",
        ) {
            let _ = (folders(&mount, &groups, "cpu"), parse(&text), limit(&text));
        }
    }
}
