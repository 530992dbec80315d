//! Machines built file by file, in the form of a bundle.

use chronoscope_model::{Finding, Report};
use chronoscope_probes::machine::Root;
use chronoscope_survey::doctor;
use std::fs;
use std::path::{Path, PathBuf};

/// A healthy processor by Intel: an invariant TSC, RDTSCP, TSC_ADJUST, and no hypervisor.
const INTEL: [&str; 6] = [
    "0x00000000 0x00: eax=0x00000014 ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69",
    "0x00000001 0x00: eax=0x000906ea ebx=0x00100800 ecx=0x01000000 edx=0x00000010",
    "0x00000007 0x00: eax=0x00000000 ebx=0x00000002 ecx=0x00000000 edx=0x00000000",
    "0x80000000 0x00: eax=0x80000008 ebx=0x00000000 ecx=0x00000000 edx=0x00000000",
    "0x80000001 0x00: eax=0x00000000 ebx=0x00000000 ecx=0x00000000 edx=0x08000000",
    "0x80000007 0x00: eax=0x00000000 ebx=0x00000000 ecx=0x00000000 edx=0x00000100",
];
/// The bit of leaf 1 by which a hypervisor announces itself.
pub const GUEST: &str =
    "0x00000001 0x00: eax=0x000906ea ebx=0x00100800 ecx=0x81000000 edx=0x00000010";

/// A machine that is being built.
pub struct Machine {
    folder: tempfile::TempDir,
    process: Vec<(String, String)>,
    cpuid: Vec<String>,
    log: Vec<String>,
}

impl Machine {
    fn empty(arch: &str) -> Self {
        let process = [
            ("arch", arch),
            ("sysname", "Linux"),
            ("release", "6.8.0"),
            ("machine", arch),
            ("allowed", "0-7"),
            ("vdso", "true"),
            ("timer_slack_ns", "50000"),
            ("timer_resolution_ns", "1"),
        ];
        let own = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let this = Self {
            folder: tempfile::tempdir().expect("a folder"),
            process: process.map(own).to_vec(),
            cpuid: Vec::new(),
            log: Vec::new(),
        };
        this.adjtimex(
            "state=0 status=0x2001 maxerror=1500 esterror=20 freq=-786432 tick=10000 tai=37",
        )
        .file("/proc/cmdline", "BOOT_IMAGE=/vmlinuz quiet\n")
        .file("/proc/loadavg", "0.10 0.20 0.15 1/200 4242\n")
        .file("/proc/self/timens_offsets", "monotonic 0 0\nboottime 0 0\n")
        .file("/proc/sys/kernel/sched_rt_runtime_us", "950000\n")
        .file("/proc/sys/kernel/sched_rt_period_us", "1000000\n")
        .file("/proc/timer_list", "cpu: 0\n  .hres_active    : 1\n")
        .file("/proc/1/comm", "systemd\n")
        .file("/proc/2/comm", "chronyd\n")
        .file("/sys/devices/system/cpu/online", "0-7\n")
    }

    /// A healthy machine without a hypervisor.
    pub fn bare() -> Self {
        let mut this = Self::empty("x86_64")
            .process("tsc_permitted", "true")
            .source("tsc", "tsc hpet acpi_pm")
            .log("tsc: Detected 3600.000 MHz processor");
        this.cpuid = INTEL.map(str::to_owned).to_vec();
        this
    }

    /// A healthy machine with a 64-bit Arm processor.
    pub fn arm() -> Self {
        Self::empty("aarch64")
            .process("cntfrq", "1000000000")
            .source("arch_sys_counter", "arch_sys_counter")
            .midr("0x00000000414fd0c1")
            .log("arch_timer: cp15 timer(s) running at 1000.00MHz (virt).")
    }

    /// Adds this file.
    pub fn file(self, path: &str, text: &str) -> Self {
        self.put(&format!("root{path}"), text.as_bytes());
        self
    }

    /// Sets this main ID register.
    pub fn midr(self, midr: &str) -> Self {
        let file = "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1";
        self.file(file, midr)
    }

    /// Sets this clock source.
    pub fn source(self, current: &str, available: &str) -> Self {
        const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";
        self.file(&format!("{FOLDER}/current_clocksource"), current)
            .file(&format!("{FOLDER}/available_clocksource"), available)
    }

    /// Sets this answer of a system call.
    pub fn process(mut self, key: &str, value: &str) -> Self {
        self.process.retain(|(known, _)| known != key);
        self.process.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Sets the kernel's account of its clock.
    pub fn adjtimex(self, answer: &str) -> Self {
        self.process("adjtimex", answer)
    }

    /// Replaces the same leaf of CPUID with this line.
    pub fn leaf(mut self, line: &str) -> Self {
        let name = line.split(':').next().unwrap_or_default();
        self.cpuid.retain(|known| !known.starts_with(name));
        self.cpuid.push(line.to_owned());
        self
    }

    /// Makes the machine a guest of the hypervisor with this leaf 0x40000000.
    pub fn guest(self, signature: &str) -> Self {
        self.leaf(GUEST).leaf(signature)
    }

    /// Adds this line to the kernel's log.
    pub fn log(mut self, line: &str) -> Self {
        self.log.push(line.to_owned());
        self
    }

    /// The folder, with everything in it.
    pub fn path(&self) -> PathBuf {
        let process = self.process.iter().map(|(key, value)| format!("{key}={value}\n"));
        self.put("process", process.collect::<String>().as_bytes());
        self.put("cpuid", self.cpuid.join("\n").as_bytes());
        let log = self.log.iter().enumerate();
        let log = log.map(|(number, line)| format!("6,{number},{number}000,-;{line}\n"));
        self.put("root/dev/kmsg", log.collect::<String>().as_bytes());
        self.folder.path().to_owned()
    }

    /// The report on what the machine's facts show.
    pub fn report(&self) -> Report {
        facts(&self.path())
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
}

/// The report on what the recorded facts in a folder show.
pub fn facts(folder: &Path) -> Report {
    doctor::diagnosed(&Root::recorded(folder).expect("a recording"), None)
}

/// The finding with this id.
pub fn finding<'a>(report: &'a Report, id: &str) -> Option<&'a Finding> {
    report.findings.iter().find(|finding| finding.id == id)
}
