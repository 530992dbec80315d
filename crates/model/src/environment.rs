//! The machine, as it was found. A fact that could not be determined is absent; if its absence
//! matters, [`Environment::unknown`] gives the reason.
//!
//! What QueryPerformanceCounter rests on, by version of Windows.

use crate::clock::{Comparison, Discipline};
use crate::clock_source;
use crate::loops::Throughput;
use crate::ordering::AcrossCpus;
use crate::timekeeping::Timekeeping;
use std::sync::LazyLock;

/// The machine and its state.
#[record]
pub struct Environment {
    /// The operating system and its version.
    pub os: String,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The C library that the tool calls, with its version if it tells one, and `static` if it is
    /// part of the tool; absent if it is not known.
    pub c_library: Option<String>,
    /// The architecture that the tool was compiled for.
    pub arch: String,
    /// The processor.
    pub cpu: Cpu,
    /// The hypervisor, if there is one.
    pub hypervisor: Option<Hypervisor>,
    /// What emulates the processor, with the evidence; all figures are then the emulator's.
    pub emulated: Option<String>,
    /// The kernel's clock source.
    pub clocksource: Option<ClockSource>,
    /// The time-stamp counter (x86).
    pub tsc: Option<Tsc>,
    /// The generic timer's counter (Arm).
    pub counter: Option<ArmCounter>,
    /// Whether the processor's counter agrees on several CPUs; absent if that was not tested.
    pub across_cpus: Option<AcrossCpus>,
    /// The throughput of the instruction that reads the counter; absent if it was not measured.
    pub throughput: Option<Throughput>,
    /// HPET, ACPI PM and other timers of the machine.
    pub timers: Vec<Timer>,
    /// The vDSO.
    pub vdso: Option<Vdso>,
    /// Power and frequency.
    #[serde(default)]
    pub power: Power,
    /// Load averages over 1, 5 and 15 minutes.
    pub load: Option<[f64; 3]>,
    /// CPUs that this process may run on.
    pub allowed_cpus: Vec<usize>,
    /// What the kernel's clock is disciplined by (Linux).
    pub discipline: Option<Discipline>,
    /// How the system keeps time, beyond its clock source.
    pub keeping: Option<Timekeeping>,
    /// Timer slack of the main thread, in nanoseconds (Linux).
    pub timer_slack_ns: Option<u64>,
    /// The CPU quota of the process's control groups (Linux); absent if it could not be determined.
    pub cpu_quota: Option<CpuQuota>,
    /// Boot parameters of the kernel that affect timekeeping; no others are kept.
    pub parameters: Vec<String>,
    /// Lines of the kernel log that concern timekeeping, oldest first.
    pub kernel_log: Vec<String>,
    /// What could not be determined, and why.
    pub unknown: Vec<Unknown>,
}

impl Environment {
    /// Records that something could not be determined. The subject is a few words in lower case,
    /// because screens look it up.
    pub fn not_known(&mut self, subject: &str, reason: impl Into<String>) {
        self.unknown.push(Unknown { subject: subject.into(), reason: reason.into() });
    }

    /// Whether the hypervisor tells the kernel what time it gives to others. A KVM without that
    /// leaves the steal in /proc/stat at 0 (Linux Documentation/virt/kvm/x86/cpuid.rst,
    /// KVM_FEATURE_STEAL_TIME).
    pub fn steal_is_reported(&self) -> bool {
        let Some(hypervisor) = &self.hypervisor else {
            return true;
        };
        // Without facts on how the system keeps time, the list of features may lack this one.
        !hypervisor.has("kvm-clock") || hypervisor.has("kvm-steal-time") || self.keeping.is_none()
    }

    /// What runs below the kernel, and may take time from it unseen.
    pub fn below_kernel(&self) -> &'static str {
        match self.hypervisor {
            Some(_) => "host",
            None => "firmware",
        }
    }

    /// The boot parameter that keeps the kernel from checking the TSC against another timer, if one
    /// does (Linux, Documentation/admin-guide/kernel-parameters.txt, `tsc=`).
    pub fn unchecked_tsc(&self) -> Option<&str> {
        let unchecked = |word: &&String| match word.split_once('=') {
            Some(("tsc", values)) => {
                values.split(',').any(|value| matches!(value, "reliable" | "nowatchdog"))
            }
            _ => false,
        };
        self.parameters.iter().find(unchecked).map(String::as_str)
    }

    /// The rates of the processor's counter, from every source; empty if there is no counter.
    pub fn counter_rates(&self) -> &[Rate] {
        match (&self.tsc, &self.counter) {
            (Some(tsc), _) => &tsc.rates,
            (None, Some(counter)) => &counter.rates,
            (None, None) => &[],
        }
    }

    /// The same, mutable; `None` if there is no counter.
    pub fn counter_rates_mut(&mut self) -> Option<&mut Vec<Rate>> {
        match (&mut self.tsc, &mut self.counter) {
            (Some(tsc), _) => Some(&mut tsc.rates),
            (None, Some(counter)) => Some(&mut counter.rates),
            (None, None) => None,
        }
    }

    /// Whether the system keeps time with the processor's counter, directly or through a page of
    /// the hypervisor that scales it.
    pub fn keeps_time_by_counter(&self) -> bool {
        let source = self.clocksource.as_ref().and_then(|it| clock_source::by_name(&it.current));
        source.is_some_and(clock_source::Source::counts_the_counter)
    }

    /// The counter's rate as measured in this run, in ticks per second.
    pub fn measured_hz(&self) -> Option<f64> {
        let mut rates = self.counter_rates().iter();
        rates.find(|rate| rate.kind == RateKind::Measured)?.known_hz()
    }
}

/// How much CPU time the control groups of a process allow it, and what that has cost it so far.
#[record(Copy, Eq)]
pub struct CpuQuota {
    /// The CPU time that the threads of the tightest group may use in each period, in microseconds;
    /// absent if no group has a limit.
    pub quota_us: Option<u64>,
    /// That period, in microseconds; absent if no limit could be read.
    pub period_us: Option<u64>,
    /// The periods in which the most throttled group had used up its quota (`nr_throttled`).
    pub throttled_periods: u64,
    /// How long that group was throttled, in nanoseconds, added up over its CPUs.
    pub throttled_ns: u64,
    /// All periods in which that group ran (`nr_periods`); absent if they are not counted.
    pub periods: Option<u64>,
    /// How many of those periods were in this run; absent if the run did not count them.
    pub run_periods: Option<u64>,
}

/// Something that could not be determined.
#[record(Eq)]
pub struct Unknown {
    /// What.
    pub subject: String,
    /// Why.
    pub reason: String,
}

/// A cache of data.
#[record(Copy, Eq)]
pub struct Cache {
    /// Its level, from 1.
    pub level: u32,
    /// Its size, in bytes.
    pub bytes: u64,
}

/// The processor.
#[record]
pub struct Cpu {
    /// Vendor.
    pub vendor: Option<String>,
    /// Model, as the processor names itself.
    pub model: Option<String>,
    /// Family, model and stepping (x86) or the MIDR (Arm).
    pub signature: Option<String>,
    /// The machine's model, from the device tree or DMI.
    pub machine: Option<String>,
    /// Logical CPUs online.
    pub logical: usize,
    /// Physical cores.
    pub cores: Option<usize>,
    /// Sockets.
    pub sockets: Option<usize>,
    /// NUMA nodes.
    pub nodes: Option<usize>,
    /// Whether two or more logical CPUs share a core.
    pub smt: Option<bool>,
    /// The types of cores, fastest first; empty if all are alike, as far as the system reports.
    pub core_types: Vec<CoreType>,
    /// Whether the processor states that LFENCE always serialises dispatch (AMD, CPUID 0x80000021
    /// EAX bit 2); absent if it has no such leaf.
    pub lfence_serialises: Option<bool>,
    /// The caches of data of the first CPU, the smallest level first; empty if they are not known.
    pub caches: Vec<Cache>,
}

impl Cpu {
    /// Family, model and stepping, if the signature has them: `family 6 model 85 stepping 7`.
    pub fn family_model_stepping(&self) -> Option<[u32; 3]> {
        let mut words = self.signature.as_deref()?.split(' ');
        let mut after =
            |name| words.next().filter(|word| *word == name).and(words.next())?.parse().ok();
        Some([after("family")?, after("model")?, after("stepping")?])
    }

    /// The type of the core that a CPU belongs to, if there are several types.
    pub fn core_type(&self, cpu: usize) -> Option<&CoreType> {
        self.core_types.iter().find(|one| one.cpus.contains(&cpu))
    }

    /// Those of `allowed` that belong to the fastest type of core among them; all of them if there
    /// is only one type, or if none of them has a known type.
    pub fn fastest(&self, allowed: &[usize]) -> Vec<usize> {
        let of = |one: &CoreType| -> Vec<usize> {
            let cpus = allowed.iter().copied();
            cpus.filter(|cpu| one.cpus.contains(cpu)).collect()
        };
        let found = self.core_types.iter().map(of).find(|cpus| !cpus.is_empty());
        found.unwrap_or_else(|| allowed.to_vec())
    }
}

/// What a type of core is made for.
#[record(Names)]
pub enum CoreClass {
    /// Speed: the fastest type of the processor.
    #[default]
    Performance,
    /// Something in between, on a processor with three types or more.
    Middle,
    /// Little power: the slowest type of the processor.
    Efficiency,
}

/// A type of core of a processor that has several, and the CPUs that are of it.
#[record(Eq)]
pub struct CoreType {
    /// What it is made for.
    pub class: CoreClass,
    /// Its name: `Core`, `Atom`, `Cortex-A76 r4p0`.
    pub name: String,
    /// Its CPUs, ascending.
    #[always]
    pub cpus: Vec<usize>,
    /// What one of its CPUs achieves, as the kernel's scheduler assumes; the fastest has 1024.
    pub capacity: Option<u64>,
    /// How the type is known.
    pub evidence: String,
}

/// What runs this virtual machine.
#[record]
pub struct Hypervisor {
    /// Its name.
    pub name: String,
    /// How it was recognised.
    pub evidence: String,
    /// The features it offers that concern timekeeping: `kvm-clock`, `kvm-clock-stable`,
    /// `kvm-steal-time`, `hyperv-tsc-page`, `hyperv-tsc-invariant`, `xen-tsc-emulated`,
    /// `xen-tsc-reliable`.
    pub features: Vec<String>,
}

impl Hypervisor {
    /// Whether it offers this feature.
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|offered| offered == feature)
    }
}

/// The kernel's clock source.
#[record]
pub struct ClockSource {
    /// The one in use.
    pub current: String,
    /// The ones that the kernel could use.
    #[always]
    pub available: Vec<String>,
}

/// How far a time-stamp counter can be relied on.
#[record(Names)]
pub enum TscKind {
    /// There is no time-stamp counter.
    #[default]
    None,
    /// It counts at the changing frequency of the core.
    Variant,
    /// It counts at one rate, but may stop in deep idle states.
    Constant,
    /// It counts at one rate in every power state.
    Invariant,
}

/// The time-stamp counter.
#[record]
pub struct Tsc {
    /// How far it can be relied on.
    pub kind: TscKind,
    /// The evidence for that.
    pub evidence: String,
    /// Its rate, from every source that gives one.
    #[always]
    pub rates: Vec<Rate>,
    /// Whether RDTSCP is available.
    #[always]
    pub rdtscp: bool,
    /// Whether IA32_TSC_ADJUST is available.
    #[always]
    pub tsc_adjust: bool,
    /// Whether the local APIC's TSC-deadline timer is available.
    #[always]
    pub deadline: bool,
    /// Whether this process may read it (`PR_GET_TSC`).
    pub permitted: Option<bool>,
    /// The reciprocal throughput of rdtsc, in nanoseconds.
    pub rdtsc_ns: Option<f64>,
    /// The reciprocal throughput of rdtsc, in ticks of the counter itself.
    pub rdtsc_cycles: Option<f64>,
    /// The reciprocal throughput of rdtsc, in core cycles.
    pub rdtsc_core_cycles: Option<f64>,
}

/// How a source knows the rate of a counter.
#[record]
pub enum RateKind {
    /// The source states the rate of the counter.
    #[default]
    Stated,
    /// The source states a nominal frequency, which the counter's rate may differ from.
    Nominal,
    /// The rate was measured in this run.
    Measured,
}

/// The rate of a counter, as one source gives it.
#[record]
pub struct Rate {
    /// The source: a CPUID leaf, the kernel log, a measurement.
    pub source: String,
    /// How the source knows the rate.
    #[serde(default)]
    pub kind: RateKind,
    /// Ticks per second; absent if the source gives no rate.
    pub hz: Option<f64>,
    /// Bound on the relative error, in parts per million, if known.
    pub error_ppm: Option<f64>,
    /// Why there is no rate, or how it was read.
    #[absent]
    pub note: String,
    /// What a measured rate was compared with; absent for one that is stated, which is compared
    /// with the measured one.
    pub compared: Option<Comparison>,
}

impl Rate {
    /// Ticks per second, if the source gives a rate that a counter can have.
    pub fn known_hz(&self) -> Option<f64> {
        self.hz.filter(|hz| hz.is_finite() && *hz > 0.0)
    }
}

/// The counter of Arm's generic timer.
#[record]
pub struct ArmCounter {
    /// Its rate, from every source that gives one.
    #[always]
    pub rates: Vec<Rate>,
    /// Errata of the counter that are known for this processor or that the kernel named.
    pub errata: Vec<String>,
}

/// A timer of the machine.
#[record]
pub struct Timer {
    /// Its name.
    pub name: String,
    /// Whether it was found; absent if that cannot be determined from here.
    pub present: Option<bool>,
    /// Ticks per second.
    pub hz: Option<f64>,
    /// How that is known, or why it is not.
    pub evidence: String,
}

/// The vDSO.
#[record]
pub struct Vdso {
    /// Whether the kernel maps it.
    #[always]
    pub present: bool,
    /// The time functions it exports.
    #[always]
    pub symbols: Vec<String>,
}

/// Power and frequency.
#[record]
pub struct Power {
    /// `mains` or `battery`.
    pub source: Option<String>,
    /// The frequency governor.
    pub governor: Option<String>,
    /// The frequency driver.
    pub frequency_driver: Option<String>,
    /// The idle driver.
    pub idle_driver: Option<String>,
    /// The idle states, from shallow to deep.
    pub idle_states: Vec<IdleState>,
    /// The lowest and the highest current frequency of the CPUs, in hertz.
    pub frequency_hz: Option<[f64; 2]>,
    /// The priority class of the process (Windows).
    pub priority_class: Option<String>,
}

/// An idle state.
#[record]
pub struct IdleState {
    /// Its name.
    pub name: String,
    /// Time to wake from it, in microseconds.
    pub latency_us: u64,
    /// Whether it is disabled.
    #[always]
    pub disabled: bool,
}

/// Versions of Windows that choose alike.
#[derive(Debug, PartialEq, Eq)]
pub struct Versions {
    /// Their names.
    pub name: &'static str,
    /// The first of them, by the numbers that the kernel reports.
    from: [u32; 3],
    /// What the counter rests on.
    pub rests_on: &'static str,
    /// The rate of the counter.
    pub rate: &'static str,
}

/// The rows of `windows.md`: all versions since Windows 2000, oldest first, and a guest of Hyper-V
/// last, which no number begins.
pub static VERSIONS: LazyLock<Vec<Versions>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let (name, from) = (cells.next()?, cells.next()?);
        let mut numbers = from.split('.').map(|number| number.parse().unwrap_or(u32::MAX));
        let from = [numbers.next()?, numbers.next()?, numbers.next()?];
        Some(Versions {
            name,
            from,
            rests_on: cells.next()?,
            rate: cells.next()?.trim_end_matches(" |"),
        })
    };
    include_str!("windows.md").lines().filter_map(row).collect()
});

/// What the counter of this machine should rest on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The row of its version in [`VERSIONS`].
    pub versions: &'static Versions,
    /// Whether it should rest on the TSC.
    pub tsc: bool,
    /// What it should rest on, and why.
    pub why: String,
}

/// What the counter should rest on here; `None` if this is no Windows, or its version is unknown.
pub fn expected(env: &Environment) -> Option<Expected> {
    if !env.timers.iter().any(|timer| timer.name == "QPC") || env.os.contains("Wine") {
        return None;
    }
    let mut numbers = env.kernel.as_ref()?.split('.').map(str::parse::<u32>);
    let mut number = || numbers.next()?.ok();
    let version = [number()?, number()?, number().unwrap_or(0)];
    let enlightened = env.hypervisor.as_ref().is_some_and(|it| it.has("hyperv-tsc-page"));
    if enlightened && version >= [6, 2, 0] {
        let why = "the hypervisor's page: this is a guest that has one".to_owned();
        return Some(Expected { versions: VERSIONS.last()?, tsc: true, why });
    }
    let versions = VERSIONS.iter().rfind(|row| row.from <= version)?;
    let kind = env.tsc.as_ref().map_or(TscKind::None, |tsc| tsc.kind);
    let by_tsc = versions.from >= [6, 1, 0];
    let tsc = by_tsc && kind == TscKind::Invariant;
    let why = match (by_tsc, tsc) {
        (true, true) => "the TSC, which is invariant".to_owned(),
        (true, false) => "the HPET or the ACPI PM timer, as the TSC is not invariant".to_owned(),
        (false, _) => versions.rests_on.to_owned(),
    };
    Some(Expected { versions, tsc, why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_keeps_the_kernel_from_checking_the_tsc_is_found() {
        let told = |words: &[&str]| {
            let env = Environment {
                parameters: words.iter().map(ToString::to_string).collect(),
                ..Environment::default()
            };
            env.unchecked_tsc().map(str::to_owned)
        };
        assert_eq!(told(&["hpet=disable", "tsc=reliable"]).as_deref(), Some("tsc=reliable"));
        assert_eq!(told(&["tsc=a,nowatchdog"]).as_deref(), Some("tsc=a,nowatchdog"));
        assert_eq!(told(&["tsc=unstable", "clocksource=tsc", "tsc"]), None);
        assert_eq!(told(&[]), None);
    }
}

#[cfg(test)]
mod performance_counter_tests {
    use super::*;
    use crate::environment::{Hypervisor, Timer, Tsc};

    #[test]
    fn each_version_has_its_row() {
        let on = |kernel: &str, kind, guest: bool| {
            let features = if guest { vec!["hyperv-tsc-page".to_owned()] } else { Vec::new() };
            let env = Environment {
                os: format!("Windows {kernel}"),
                kernel: Some(kernel.into()),
                timers: vec![Timer { name: "QPC".into(), ..Timer::default() }],
                tsc: Some(Tsc { kind, ..Tsc::default() }),
                hypervisor: guest.then(|| Hypervisor { features, ..Hypervisor::default() }),
                ..Environment::default()
            };
            expected(&env).map(|it| (it.versions.name.split(',').next().unwrap_or(""), it.tsc))
        };
        let invariant = TscKind::Invariant;
        assert_eq!(on("5.1.2600", TscKind::Variant, false), Some(("2000", false)));
        assert_eq!(on("6.0.6002", invariant, false), Some(("Vista", false)));
        assert_eq!(on("6.1.7601", invariant, false), Some(("7", true)));
        assert_eq!(on("6.1.7601", TscKind::Constant, false), Some(("7", false)));
        assert_eq!(on("6.3.9600", invariant, false), Some(("8 to 10 1803", true)));
        assert_eq!(on("10.0.17134", invariant, false), Some(("8 to 10 1803", true)));
        assert_eq!(on("10.0.17763", invariant, false), Some(("10 1809 and later", true)));
        let guest = Some(("8 and later as a guest of Hyper-V", true));
        assert_eq!(on("10.0.22631", invariant, true), guest);
        assert_eq!(on("6.1.7601", invariant, true), Some(("7", true)));
        assert_eq!(on("", invariant, false), None);
        assert_eq!(on("4.0", invariant, false), None);
        assert_eq!(on("99999999999.0", invariant, false), None);
    }
}
