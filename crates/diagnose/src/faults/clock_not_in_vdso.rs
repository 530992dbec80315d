//! A clock whose libc call falls back to the system call although others are read in user space.

use super::Fault;
use crate::reading::{cost, ns, source};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::{Certainty, Level, Report};

/// A libc call that costs at least this share of the raw system call made one. A read in user
/// space costs a tenth to a third of it; a fallback costs a little more than all of it, because
/// the vDSO was asked first.
const FALLBACK: f64 = 0.8;

pub(super) const FAULT: Fault = Fault {
    id: "clock-not-in-vdso",
    title: "A clock is read by a system call, not in user space",
    about: "The vDSO answers some clocks only; for the others its function makes the system call. \
            Which ones depends on the kernel's version, its configuration and its clock source: \
            CLOCK_MONOTONIC_RAW came into the x86 vDSO with 5.3, as did CLOCK_BOOTTIME.",
    fix: "Use CLOCK_MONOTONIC instead where that will do, or a newer kernel.",
    reference: "Linux lib/vdso/gettimeofday.c; microsoft/WSL#77",
    look: |report, fault| {
        let env = &report.environment;
        // Where nothing can be read in user space, another fault says so, with its own fix.
        if env.vdso.as_ref().is_some_and(|v| !v.present)
            || matches!(
                source(env),
                Some("hpet" | "acpi_pm" | "jiffies" | "xen" | "refined-jiffies")
            )
        {
            return None;
        }
        let fallen: Vec<(&Clock, f64, f64)> = pairs(report)
            .filter(|(_, libc, raw)| *libc >= FALLBACK * raw)
            .collect();
        if fallen.is_empty() {
            return None;
        }
        let everyday = |c: &Clock| matches!(c.id.as_str(), "posix/monotonic" | "posix/realtime");
        let level = if fallen.iter().any(|(c, ..)| everyday(c)) {
            Level::Warning
        } else {
            Level::Info
        };
        let evidence = fallen
            .iter()
            .map(|(clock, libc, raw)| {
                format!(
                    "{} costs {} by libc and {} by the raw system call",
                    clock.id,
                    ns(*libc),
                    ns(*raw)
                )
            })
            .collect();
        fault.found(level, Certainty::Measured, evidence)
    },
};

/// Clocks with the costs of their libc call and of their raw system call. Clocks of processor
/// time are left out: the vDSO never answers those.
fn pairs(report: &Report) -> impl Iterator<Item = (&Clock, f64, f64)> {
    report.clocks.iter().filter_map(|clock| {
        let (family, name) = clock.id.split_once('/')?;
        if clock.kind == Kind::Cpu || !matches!(family, "posix" | "linux") {
            return None;
        }
        let raw = report
            .clocks
            .iter()
            .find(|c| c.id.split_once('/').and_then(|(_, n)| n.strip_suffix("-syscall")) == Some(name))?;
        Some((clock, cost(clock)?, cost(raw)?))
    })
}
