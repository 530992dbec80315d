//! A clock of the kernel that is read by a system call although others are read in user space.

use super::{Fault, Need};
use crate::reading::{ns, reads, source};
use chronoscope_model::clock::{Clock, Reads};
use chronoscope_model::{Certainty, Level, Report};

/// A library call that costs at least this share of the raw system call made one. A read in user
/// space costs a tenth to a third of it. A fallback costs a little more than all of it, because it
/// asks the vDSO first.
const FALLBACK: f64 = 0.8;

pub(super) const FAULT: Fault = Fault {
    id: "clock-not-in-vdso",
    title: "A clock is read by a system call, not in user space",
    about: "The vDSO answers for some clocks only; for the others its function makes the system \
            call. Which ones depends on the kernel's version, its configuration and its clock \
            source: CLOCK_MONOTONIC_RAW came to the x86 vDSO with Linux 5.3, and so did \
            CLOCK_BOOTTIME.",
    fix: "Use CLOCK_MONOTONIC instead if it meets your needs, or a newer kernel.",
    reference: "Linux lib/vdso/gettimeofday.c; microsoft/WSL#77",
    certainty: Certainty::Measured,
    looks_at: "what each clock costs through the library and as a raw system call",
    needs: &[Need::Linux, Need::Costs],
    minor: false,
    look: |report, fault| {
        let env = &report.environment;
        // If nothing can be read in user space, another fault says so, with its own fix.
        if env.vdso.as_ref().is_some_and(|v| !v.present)
            || matches!(
                source(env),
                Some("hpet" | "acpi_pm" | "jiffies" | "xen" | "refined-jiffies")
            )
        {
            return None;
        }
        let fallen: Vec<(&Clock, f64, f64)> =
            pairs(report).filter(|(_, library, raw)| *library >= FALLBACK * raw).collect();
        if fallen.is_empty() {
            return None;
        }
        // What languages wrap is read every day.
        let wrapped = |clock: &Clock| {
            let mut others = report.clocks.iter();
            others.any(|c| alternative(c, clock) && c.language != clock.language)
        };
        let level = if fallen.iter().any(|(clock, ..)| wrapped(clock)) {
            Level::Warning
        } else {
            Level::Info
        };
        let evidence = fallen
            .iter()
            .map(|(clock, library, raw)| {
                format!(
                    "{} costs {} through the library and {} as a raw system call",
                    clock.id,
                    ns(*library),
                    ns(*raw)
                )
            })
            .collect();
        fault.found(level, Certainty::Measured, evidence)
    },
};

/// Whether `other` is another path to the clock.
fn alternative(other: &Clock, clock: &Clock) -> bool {
    other.alternative_to.as_ref() == Some(&clock.id)
}

/// The clocks that the vDSO may answer for, with the cost of their library call and of their
/// cheapest raw system call.
fn pairs(report: &Report) -> impl Iterator<Item = (&Clock, f64, f64)> {
    let clocks = report.clocks.iter();
    let clocks = clocks.filter(|clock| reads(clock, Reads::Vdso));
    clocks.filter_map(|clock| {
        let raw = |c: &&Clock| alternative(c, clock) && reads(c, Reads::SystemCall);
        let raw = report.clocks.iter().filter(raw);
        // The vDSO makes the call by the instruction alone; the C library's function costs more.
        let raw = raw.filter_map(Clock::read_ns).min_by(f64::total_cmp)?;
        Some((clock, clock.read_ns()?, raw))
    })
}
