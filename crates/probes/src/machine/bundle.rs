//! A bundle: what is known about a machine apart from figures, written to a folder that
//! [`Root::recorded`] reads back. Nothing private is written. Each file is listed here, and of
//! files that may hold more than facts about time, only the lines that do are kept.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use raw_cpuid::{CpuIdReader, CpuIdResult};

use super::cpu::CPUS;
use super::root::{Cpuid, Missing, Process, Root, cpu_list, hex, pairs, rows};
use super::{kernel, kmsg, quota};

/// The CPUs whose files are kept. On machines with more, the others have the same files.
const MOST_CPUS: usize = 1024;
/// The largest number of folders that are searched.
const MOST_BELOW: usize = 64;

/// Writes what is known about the machine behind `root` to `folder`, which must not exist or be
/// empty.
///
/// # Errors
/// The folder is not empty or cannot be written.
pub fn record(root: &Root, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty"));
    }
    let mut bundle = Bundle { root, folder, denied: String::new() };
    bundle.files()?;
    bundle.put("process", process(root.process()).as_bytes())?;
    if let Some(cpuid) = root.cpuid() {
        bundle.put("cpuid", leaves(cpuid).as_bytes())?;
    }
    let denied = std::mem::take(&mut bundle.denied);
    bundle.put("denied", denied.as_bytes())
}

/// A bundle that is being written.
struct Bundle<'a> {
    root: &'a Root,
    folder: &'a Path,
    denied: String,
}

impl Bundle<'_> {
    fn files(&mut self) -> io::Result<()> {
        for path in rows("files") {
            self.copy(path)?;
        }
        let online = self.root.text(&format!("{CPUS}/online"));
        let cpus = online.ok().and_then(|list| cpu_list(&list));
        for cpu in cpus.unwrap_or_default().into_iter().take(MOST_CPUS) {
            for name in rows("files of a CPU") {
                self.copy(&format!("{CPUS}/cpu{cpu}/{name}"))?;
            }
        }
        for (folder, files) in pairs("files below folders") {
            let names = self.root.names(folder).into_iter().take(MOST_BELOW);
            for (number, name) in names.enumerate() {
                // The name of a wireless device's battery contains its address.
                let private = name.contains([':', '-']);
                let kept = if private { format!("device{number}") } else { name.clone() };
                for file in files.split(' ') {
                    if let Ok(bytes) = self.root.bytes(&format!("{folder}/{name}/{file}")) {
                        self.put(&format!("root{folder}/{kept}/{file}"), &bytes)?;
                    }
                }
            }
        }
        for (path, word) in pairs("lines of files") {
            self.lines(path, |line| line.contains(word))?;
        }
        self.lines("/proc/cpuinfo", |line| {
            let key = line.split(':').next().unwrap_or_default().trim();
            line.is_empty() || rows("keys of cpuinfo").any(|known| known == key)
        })?;
        if let Some(line) = self.found("/proc/cmdline", self.root.text("/proc/cmdline")) {
            let kept = kernel::parameters(&line).join(" ");
            self.put("root/proc/cmdline", format!("{kept}\n").as_bytes())?;
        }
        // A node that names the board's firmware.
        let nodes = self.root.names("/proc/device-tree").into_iter();
        for node in nodes.filter(|name| name.starts_with("fw-cfg@")).take(1) {
            self.put(&format!("root/proc/device-tree/{node}/.keep"), b"")?;
        }
        self.log()?;
        self.quota()?;
        self.programs()
    }

    /// The lines of the kernel's log about time, in the form of /dev/kmsg.
    fn log(&mut self) -> io::Result<()> {
        let Some(lines) = self.found("/dev/kmsg", kmsg::read(self.root).0) else {
            return Ok(());
        };
        let records = lines.iter().enumerate();
        let text: String =
            records.map(|(number, line)| format!("6,{number},0,-;{line}\n")).collect();
        self.put("root/dev/kmsg", text.as_bytes())
    }

    /// The CPU quota as that of a single group, because the names of groups are private.
    fn quota(&self) -> io::Result<()> {
        let Ok(quota) = quota::quota(self.root) else {
            return Ok(());
        };
        for (path, text) in quota::SINGLE {
            self.put(&format!("root{path}"), text.as_bytes())?;
        }
        if let Some(period) = quota.period_us {
            let limit = quota.quota_us.map_or("max".into(), |us| us.to_string());
            let text = format!("{limit} {period}\n");
            self.put("root/sys/fs/cgroup/cpu.max", text.as_bytes())?;
        }
        let (periods, us) = (quota.throttled_periods, quota.throttled_ns / 1_000);
        let all = quota.periods.map_or(String::new(), |all| format!("nr_periods {all}\n"));
        let stat = format!("{all}nr_throttled {periods}\nthrottled_usec {us}\n");
        self.put("root/sys/fs/cgroup/cpu.stat", stat.as_bytes())
    }

    /// The known programs, under arbitrary numbers; `other` stands for all the rest.
    fn programs(&mut self) -> io::Result<()> {
        let found = kernel::programs(self.root, &mut super::Environment::default());
        let Some(found) = found else {
            return Ok(());
        };
        for (number, name) in
            std::iter::once("other").chain(found.iter().map(String::as_str)).enumerate()
        {
            let path = format!("root/proc/{}/comm", number + 1);
            self.put(&path, format!("{name}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Copies a file if it can be read.
    fn copy(&mut self, path: &str) -> io::Result<()> {
        let bytes = self.found(path, self.root.bytes(path));
        bytes.map_or(Ok(()), |bytes| self.put(&format!("root{path}"), &bytes))
    }

    /// Copies the lines of a file that are to be kept.
    fn lines(&mut self, path: &str, keep: impl Fn(&str) -> bool) -> io::Result<()> {
        let Some(text) = self.found(path, self.root.long_text(path)) else {
            return Ok(());
        };
        let kept: Vec<&str> = text.lines().filter(|line| keep(line)).collect();
        self.put(&format!("root{path}"), kept.join("\n").as_bytes())
    }

    /// What was read at this path, or nothing, with a line in the list of what this user may not
    /// read.
    fn found<T>(&mut self, path: &str, read: Result<T, Missing>) -> Option<T> {
        if matches!(read, Err(Missing::Denied)) {
            self.denied += &format!("{path}\n");
        }
        read.ok()
    }

    /// Writes a new file; an existing one is not replaced.
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(bytes)
    }
}

/// What system calls returned, as lines of `key=value`.
fn process(process: &Process) -> String {
    let facts = &process.facts;
    let keeping = facts.keeping.clone().unwrap_or_default();
    let mut text = format!("arch={}\n", facts.arch);
    let mut line = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{key}={}", value.replace('\n', " "));
        }
    };
    line("sysname", process.sysname.clone());
    line("release", process.release.clone());
    line("machine", process.machine.clone());
    line("c_library", facts.c_library.clone());
    let allowed = chronoscope_model::units::ranges(&facts.allowed_cpus);
    line("allowed", Some(allowed).filter(|list| !list.is_empty()));
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    line("timer_slack_ns", number(facts.timer_slack_ns));
    line("timer_resolution_ns", number(keeping.timer_resolution_ns));
    line("cntfrq", number(process.cntfrq));
    let flag = |value: Option<bool>| value.map(|value| value.to_string());
    line("tsc_permitted", flag(process.tsc_permitted));
    line("vdso", flag(process.vdso));
    line("time64", keeping.time64);
    line("emulator", facts.emulated.clone());
    line("sleep_refused", keeping.sleep_refused);
    let library = keeping.library_clock.map(|clock| {
        let (ahead, still) = (clock.ahead_ns, clock.stands_still);
        let pace = clock.pace_percent.map_or(String::new(), |pace| format!(" pace={pace}"));
        format!("ahead={ahead} still={still}{pace} preloaded={}", clock.preloaded.join(","))
    });
    line("library_clock", library);
    let adjtimex = keeping.adjtimex.map(|it| {
        format!(
            "state={} status={:#x} maxerror={} esterror={} freq={} tick={} tai={}",
            it.state, it.status, it.maxerror_us, it.esterror_us, it.freq, it.tick_us, it.tai_s
        )
    });
    line("adjtimex", adjtimex.or(keeping.adjtimex_refused.map(|why| why.replace('=', " "))));
    for (cpu, register) in &process.core_types {
        line("core_type", Some(format!("{cpu}:{register:#x}")));
    }
    text
}

/// The kept leaves, in the form of `cpuid -1 -r`.
fn leaves(cpuid: &Cpuid) -> String {
    let mut text = String::new();
    let mut line = |eax: u32, ecx: u32, found: CpuIdResult| {
        let CpuIdResult { eax: a, ebx: b, ecx: c, edx: d } = found;
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "{eax:#010x} {ecx:#04x}: eax={a:#010x} ebx={b:#010x} ecx={c:#010x} edx={d:#010x}"
        );
    };
    for eax in rows("leaves").filter_map(hex) {
        if let Some(mut found) = cpuid.leaf(eax, 0) {
            if eax == 1 {
                // The number of the CPU that executed it.
                found.ebx &= 0x00ff_ffff;
            }
            line(eax, 0, found);
        }
    }
    for (base, highest, _) in cpuid.hypervisors() {
        // Hypervisors have up to 0x10 leaves that matter; a wrong maximum is not followed.
        for leaf in base..=highest.clamp(base + 1, base + 0x10) {
            for sub in 0..=u32::from(leaf == base + 3) * 2 {
                line(leaf, sub, cpuid.cpuid2(leaf, sub));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Environment, environment};
    use super::*;

    #[test]
    fn a_bundle_of_this_machine_gives_the_same_facts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bundle");
        let host = Root::host();
        record(&host, &path).expect("it is written");
        let here = environment(&host);
        let there = environment(&Root::recorded(&path).expect("it is read"));
        assert_eq!(here.arch, there.arch);
        assert_eq!(here.hypervisor, there.hypervisor);
        assert_eq!(here.clocksource, there.clocksource);
        assert_eq!(here.tsc, there.tsc);
        assert_eq!(here.kernel, there.kernel);
        assert_eq!(here.kernel_log, there.kernel_log);
        assert_eq!(here.parameters, there.parameters);
        assert_eq!(here.timer_slack_ns, there.timer_slack_ns);
        assert_eq!(here.c_library, there.c_library);
        let limit = |env: &Environment| env.cpu_quota.map(|it| (it.quota_us, it.period_us));
        assert_eq!(limit(&here), limit(&there));
        let [here, there] =
            [&here.keeping, &there.keeping].map(|it| it.clone().unwrap_or_default());
        assert_eq!(here.time_namespace, there.time_namespace);
        assert_eq!(here.rt_runtime_us, there.rt_runtime_us);
        assert_eq!(here.timer_resolution_ns, there.timer_resolution_ns);
        assert_eq!(here.high_resolution, there.high_resolution);
        // Programs come and go.
        assert_eq!(here.programs.is_some(), there.programs.is_some());
        let again = record(&host, &path).expect_err("it exists");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn nothing_private_is_kept() {
        let machine = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &str| {
            let path = machine.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        const SECRET: &str = "f00dcafe";
        put("process", "arch=aarch64\nsysname=Linux\nnodename=f00dcafe\n");
        put("root/proc/cmdline", "quiet tsc=reliable password=f00dcafe");
        put("root/proc/cpuinfo", "processor : 0\nSerial : f00dcafe\nCPU part : 0xd03\n");
        put("root/proc/iomem", "fed00000-fed003ff : HPET 0\n00-01 : f00dcafe\n");
        put("root/proc/7/comm", "f00dcafe\n");
        put("root/proc/self/cgroup", "0::/f00dcafe\n");
        put("root/proc/self/mountinfo", "1 1 0:1 / /f00dcafe rw - cgroup2 cgroup2 rw\n");
        put("root/f00dcafe/f00dcafe/cpu.max", "50000 100000\n");
        put("root/proc/8/comm", "chronyd\n");
        put("root/sys/class/dmi/id/product_serial", SECRET);
        put("root/sys/class/net/eth0/address", SECRET);
        put("root/sys/class/power_supply/hid-f00dcafe-battery/type", "Battery");
        put(
            "root/dev/kmsg",
            "6,1,1,-;tsc: Detected 2600.000 MHz processor\n6,2,2,-;Hostname set to f00dcafe\n",
        );
        let bundle = machine.path().join("bundle");
        record(&Root::recorded(machine.path()).expect("a machine"), &bundle).expect("written");
        let mut folders = vec![bundle];
        let mut all = String::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                all += &path.file_name().expect("a name").to_string_lossy();
                match path.is_dir() {
                    true => folders.push(path),
                    false => all += &fs::read_to_string(path).expect("text"),
                }
            }
        }
        assert!(!all.contains(SECRET), "{all}");
        for kept in ["tsc=reliable", "chronyd", "HPET", "2600.000 MHz", "0xd03", "50000 100000"] {
            assert!(all.contains(kept), "{kept} is not in {all}");
        }
    }
}
