//! What must be known before a fault can be ruled out. A fault that nothing shows is ruled out only
//! if everything it needs was looked at; otherwise it is unknown, with the reason.

use crate::reading::source;
use crate::system::System;
use chronoscope_model::{Report, Trust};

/// Something that a fault looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The machine runs Linux.
    Linux,
    /// It runs Windows.
    Windows,
    /// It runs macOS.
    Mac,
    /// It has a time-stamp counter.
    Tsc,
    /// It has Arm's generic timer.
    Arm,
    /// It is a virtual machine.
    Virtual,
    /// The lines of the kernel's log about time.
    Log,
    /// The kernel's boot parameters.
    Parameters,
    /// The kernel's clock source.
    ClockSource,
    /// Whether there is a vDSO.
    Vdso,
    /// What reads of clocks cost.
    Costs,
    /// Reads of clocks in a row.
    Reads,
    /// The order of reads.
    Order,
    /// The counters of two CPUs.
    Across,
    /// The rate of the counter, measured.
    Rate,
    /// What disturbed the run.
    Noise,
    /// The time that the hypervisor gives to others.
    Steal,
    /// How late waits end.
    Waits,
    /// What made waits late.
    Why,
    /// A count of system management interrupts.
    Smis,
    /// The power source.
    Power,
    /// The frequency governor.
    Governor,
    /// What the kernel says of the clock, adjtimex(2).
    Discipline,
    /// Whether a 32-bit program may ask for the time in 64 bits.
    Time64,
    /// Whether the process may read the time-stamp counter.
    Permission,
    /// The resolution of the kernel's timers.
    Timers,
    /// The rate of Arm's counter, as a source states it.
    CounterRate,
    /// More than one CPU.
    SeveralCpus,
    /// Clocks that were watched for a while.
    Trust,
    /// A rate compared with another oscillator.
    OutsideRate,
    /// How the system's clocks moved against each other.
    Moved,
    /// The hypervisor's page about time.
    VmClock,
    /// The time namespace.
    Namespace,
    /// The programs that correct the clock.
    Programs,
}

/// Why a need is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unmet {
    /// The fault exists only elsewhere.
    Elsewhere(String),
    /// It could not be looked at.
    Unknown(String),
}

impl Need {
    /// Why it is not met; `None` if it is.
    pub(crate) fn unmet(self, report: &Report) -> Option<Unmet> {
        let env = &report.environment;
        let system = System::of(env);
        let keeping = env.keeping.as_ref();
        let trust = report.trust.as_ref();
        let elsewhere = |met: bool, what: &str| (!met).then(|| Unmet::Elsewhere(what.into()));
        let unknown = |met: bool, what: &str| (!met).then(|| Unmet::Unknown(what.into()));
        let said = |met: bool, subject: &str, otherwise: &str| {
            (!met).then(|| Unmet::Unknown(reason(report, subject).unwrap_or(otherwise.into())))
        };
        match self {
            Self::Linux => elsewhere(system == System::Linux, "only Linux has it"),
            Self::Windows => elsewhere(system == System::Windows, "only Windows has it"),
            Self::Mac => elsewhere(system == System::Mac, "only macOS has it"),
            Self::Tsc => elsewhere(env.tsc.is_some(), "this processor has no time-stamp counter"),
            Self::Arm => elsewhere(
                matches!(env.arch.as_str(), "aarch64" | "arm"),
                "only Arm processors have it",
            ),
            Self::Virtual => elsewhere(
                env.hypervisor.is_some(),
                "this is no virtual machine, as far as it shows",
            ),
            Self::Log => said(
                !env.kernel_log.is_empty(),
                "kernel log",
                "the kernel log holds no line about time",
            ),
            Self::Parameters => match reason(report, "boot parameters") {
                Some(why) => Some(Unmet::Unknown(why)),
                None => unknown(env.kernel.is_some(), "the boot parameters were not read"),
            },
            Self::ClockSource => said(
                source(env).is_some_and(|source| !source.is_empty()),
                "clock source",
                "the kernel's clock source is not known",
            ),
            Self::Vdso => said(env.vdso.is_some(), "vdso", "the vDSO was not looked for"),
            Self::Costs => unknown(
                report.clocks.iter().any(|clock| clock.read_ns().is_some()),
                "no clock was measured",
            ),
            Self::Reads => unknown(
                report.clocks.iter().any(|clock| clock.backwards.is_some()),
                "no reads in a row were compared",
            ),
            Self::Order => unknown(
                report.clocks.iter().any(|clock| clock.ordering.is_some()),
                "the order of reads was not tested",
            ),
            Self::Across => across(report),
            Self::Rate => {
                unknown(env.measured_hz().is_some(), "the counter's rate was not measured")
            }
            Self::Noise => unknown(report.ruler.is_some(), "nothing was measured"),
            Self::Steal => unknown(
                env.steal_is_reported(),
                "the hypervisor does not report steal (CPUID 0x40000001 EAX[5]=0)",
            ),
            Self::Waits => {
                unknown(report.waits.iter().any(|wait| wait.samples > 0), "no waits were measured")
            }
            Self::Why => unknown(
                report.waits.iter().any(|wait| wait.why.is_some()),
                "no waits were measured with --why",
            ),
            Self::Smis => unknown(
                report
                    .waits
                    .iter()
                    .any(|wait| wait.why.as_ref().is_some_and(|why| why.smis.is_some())),
                "no system management interrupts were counted: `waits --why` does so as root, on \
                 processors of Intel",
            ),
            Self::Power => said(
                env.power.source.is_some(),
                "power",
                "the system does not name its power source",
            ),
            Self::Governor => said(
                env.power.governor.is_some(),
                "power",
                "the system names no frequency governor",
            ),
            Self::Discipline => said(
                env.discipline.is_some(),
                "discipline",
                "the kernel was not asked, or gave no answer",
            ),
            Self::Time64 => elsewhere(
                keeping.is_some_and(|keeping| keeping.time64.is_some()),
                "only 32-bit programs have it",
            ),
            Self::Permission => unknown(
                env.tsc.as_ref().is_some_and(|tsc| tsc.permitted.is_some()),
                "the kernel does not say whether the process may read the TSC",
            ),
            Self::Timers => unknown(
                keeping.is_some_and(|keeping| {
                    keeping.timer_resolution_ns.is_some() || keeping.high_resolution.is_some()
                }),
                "the kernel did not give the resolution of its timers",
            ),
            Self::CounterRate => unknown(
                env.counter_rates().iter().any(|rate| rate.hz.is_some()),
                "no source gives the counter's rate",
            ),
            Self::SeveralCpus => elsewhere(env.cpu.logical != 1, "this machine has a single CPU"),
            Self::Trust => unknown(trust.is_some(), "the clocks were not watched for a while"),
            Self::OutsideRate => unknown(
                trust.is_some_and(Trust::rate_is_verified),
                "no rate was compared with another oscillator",
            ),
            Self::Moved => unknown(
                report.run.moved.is_some() || trust.is_some_and(|trust| trust.wall.is_some()),
                "the system's clocks were not compared before and after",
            ),
            Self::VmClock => unknown(
                trust.is_some_and(|trust| trust.watched.vmclock.is_some()),
                "there is no /dev/vmclock0 to read",
            ),
            Self::Namespace => unknown(
                keeping.is_some_and(|keeping| keeping.time_namespace.is_some()),
                "/proc/self/timens_offsets was not read; kernels before 5.6 have none",
            ),
            Self::Programs => said(
                keeping.is_some_and(|keeping| keeping.programs.is_some())
                    && reason(report, "programs").is_none(),
                "programs",
                "the running programs could not be listed",
            ),
        }
    }
}

/// Why a fact could not be determined, if the report says so.
fn reason(report: &Report, subject: &str) -> Option<String> {
    let unknown = &report.environment.unknown;
    let found = unknown.iter().find(|unknown| unknown.subject == subject)?;
    Some(format!("{}: {}", found.subject, found.reason))
}

/// The counters of two CPUs. A single CPU has nothing to disagree with.
fn across(report: &Report) -> Option<Unmet> {
    let env = &report.environment;
    let across = env.across_cpus.as_ref();
    let compared = across.is_some_and(|across| !across.pairs.is_empty());
    let watched = report.trust.as_ref().and_then(|trust| trust.matrix.in_step());
    if env.cpu.logical == 1 || compared || watched.is_some() {
        return None;
    }
    let why = across.and_then(|across| across.left_out.clone());
    Some(Unmet::Unknown(why.unwrap_or("the counters of two CPUs were not compared".into())))
}
