//! Faults of the reads in user space.

use super::fault::{
    Clear, FAULT, Fault, LINUX, clear_if, cost_of_system_clock, costs, found, trust, vdso,
};
use crate::reading::{ns, reads, short, source};
use crate::verdict::SLOW_NS;
use chronoscope_model::clock::{Clock, Kind, Reads};
use chronoscope_model::units::count;
use chronoscope_model::{Certainty, Level, Page, Report};

/// A library call that costs at least this share of the raw system call made one. A read in user
/// space costs a tenth to a third of it. A fallback costs a little more than all of it, because it
/// asks the vDSO first.
const FALLBACK: f64 = 0.8;

const ON_LINUX: Fault = Fault { only: &[LINUX], ..FAULT };

pub(super) const CLOCK_NOT_IN_VDSO: Fault = Fault {
    page: Page {
        names: &["clock-not-in-vdso"],
        title: "A clock is read by a system call, not in user space",
        about: "The vDSO answers for some clocks only; for the others its function makes the \
                system call. Which ones depends on the kernel's version, its configuration and \
                its clock source: CLOCK_MONOTONIC_RAW came to the x86 vDSO with Linux 5.3, and so \
                did CLOCK_BOOTTIME.",
        how: "what each clock costs through the library and as a raw system call",
        act: "Use CLOCK_MONOTONIC instead if it meets your needs, or a newer kernel.",
        references: &["Linux lib/vdso/gettimeofday.c", "microsoft/WSL#77"],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    look: |report| {
        const SLOW: [&str; 5] = ["hpet", "acpi_pm", "jiffies", "xen", "refined-jiffies"];
        costs(report)?;
        let env = &report.environment;
        // If nothing can be read in user space, that is another fault, with its own fix.
        if env.vdso.as_ref().is_some_and(|vdso| !vdso.present)
            || source(env).is_some_and(|source| SLOW.contains(&source))
        {
            return Err(Clear);
        }
        let fallen = both_paths(report).filter(|(_, library, raw)| *library >= FALLBACK * raw);
        // Programs read the clocks that languages wrap all the time.
        let wrapped = |clock: &Clock| {
            let mut others = report.clocks.iter();
            others.any(|c| alternative(c, clock) && c.language != clock.language)
        };
        let often = fallen.clone().any(|(clock, ..)| wrapped(clock));
        let evidence = fallen.map(|(clock, library, raw)| {
            let (id, library, raw) = (&clock.id, ns(library), ns(raw));
            format!("{id} costs {library} through the library, and a raw system call {raw}")
        });
        found(if often { Level::Warning } else { Level::Info }, evidence)
    },
    ..ON_LINUX
};

pub(super) const NO_VDSO: Fault = Fault {
    page: Page {
        names: &["no-vdso"],
        title: "There is no vDSO: every read of the time is a system call",
        about: "The kernel maps a small library, the vDSO, into each process; it reads the time \
                without a system call. Without it, each read costs five to twenty times more.",
        how: "AT_SYSINFO_EHDR in the auxiliary vector",
        act: "Remove `vdso=0` from the kernel's command line (cat /proc/cmdline). In a sandbox or \
              under an emulator of system calls, use one that maps the vDSO.",
        references: &["vdso(7)", "Linux Documentation/admin-guide/kernel-parameters.txt, vdso="],
        ..Page::EMPTY
    },
    look: |report| {
        if vdso(report)? {
            return Err(Clear);
        }
        let evidence = "AT_SYSINFO_EHDR is 0 and nothing is mapped as [vdso]".to_owned();
        found(Level::Warning, [evidence].into_iter().chain(cost_of_system_clock(report)))
    },
    ..ON_LINUX
};

pub(super) const VDSO_DISAGREES: Fault = Fault {
    page: Page {
        names: &["vdso-disagrees"],
        title: "The vDSO and the system call give different times",
        about: "A read through the vDSO returned less than a system call before it, or more than \
                one after it, for the same clock. Programs that mix both, and threads that \
                compare values, see time run backwards. Emulators of the kernel (gVisor) \
                calibrate a clock of their own for the vDSO.",
        how: "a vDSO read between two system calls",
        act: "Use one way only: the library function everywhere. Report it to whoever provides \
              the kernel or sandbox, with the figures.",
        references: &["google/gvisor#8118", "METHOD.md, Trust"],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    look: |report| {
        let seen = trust(report)?.sandwiches.iter();
        let seen = seen.filter(|it| it.disagrees() && it.calls_backwards == 0);
        let evidence = seen.map(|it| {
            format!(
                "{}: {} of {} below {} before, {} above the one after, by up to {}",
                it.id,
                count(it.below),
                count(it.tries),
                it.system_call,
                count(it.above),
                short(it.worst_ns.round())
            )
        });
        clear_if(vdso(report), found(Level::Error, evidence))
    },
    ..ON_LINUX
};

/// Whether the vDSO answers for the clock; `None` if its cost does not show that.
pub(super) fn in_user_space(report: &Report, clock: &Clock) -> Option<bool> {
    let mut paths = both_paths(report);
    match paths.find(|(measured, ..)| measured.id == clock.id) {
        Some((_, library, raw)) => Some(library < FALLBACK * raw),
        // Without the other path: no system call is that fast.
        None => (reads(clock, Reads::Vdso) && clock.read_ns()? < SLOW_NS).then_some(true),
    }
}

/// Whether `other` is another path to the clock.
fn alternative(other: &Clock, clock: &Clock) -> bool {
    other.alternative_to.as_ref() == Some(&clock.id)
}

/// The clocks that the vDSO may answer for, with the cost of their library call and of their
/// cheapest raw system call; if that was not measured, of the cheapest for any of them. They hardly
/// differ, because most of the cost is that of entering the kernel.
fn both_paths(report: &Report) -> impl Iterator<Item = (&Clock, f64, f64)> + Clone {
    // No vDSO answers for CPU time, which is counted by the kernel.
    let may = |clock: &&Clock| reads(clock, Reads::Vdso) && clock.kind != Kind::Cpu;
    let in_vdso = report.clocks.iter().filter(may);
    in_vdso.clone().filter_map(move |clock| {
        // The vDSO makes the call by the instruction alone; the C library's function costs more.
        let cheapest = |of: &dyn Fn(&Clock) -> bool| {
            let raw = report.clocks.iter().filter(|c| reads(c, Reads::SystemCall) && of(c));
            raw.filter_map(Clock::read_ns).min_by(f64::total_cmp)
        };
        let of_any = |c: &Clock| in_vdso.clone().any(|other| alternative(c, other));
        let raw = cheapest(&|c| alternative(c, clock)).or_else(|| cheapest(&of_any))?;
        Some((clock, clock.read_ns()?, raw))
    })
}
