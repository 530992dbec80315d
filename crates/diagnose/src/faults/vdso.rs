//! Faults of the reads in user space.

use super::fault::{
    Clear, FAULT, Fault, LINUX, clear_if, cost_of_system_clock, costs, found, trust, vdso,
};
use crate::reading::{ns, short, slow_source};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::clock_source::{FALLBACK, both_paths};
use chronoscope_model::units::count;
use chronoscope_model::{Certainty, Level, Page};

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
        act: "Use a clock that is read in user space if it meets your needs, or a newer kernel.",
        references: &["Linux lib/vdso/gettimeofday.c", "microsoft/WSL#77"],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    by_library: true,
    look: |report| {
        costs(report)?;
        let env = &report.environment;
        // If nothing can be read in user space, that is another fault, with its own fix.
        if env.vdso.as_ref().is_some_and(|vdso| !vdso.present) || slow_source(env).is_some() {
            return Ok(Clear);
        }
        let fallen = both_paths(report).filter(|(_, library, raw)| *library >= FALLBACK * raw);
        // Programs read the clocks that languages wrap all the time.
        let wrapped = |clock: &Clock| {
            let mut others = report.clocks.iter();
            others.any(|c| c.is_alternative_to(clock) && c.language != clock.language)
        };
        // A glance reads nothing but the system's own clock, which every language wraps.
        let often = report.run.quick || fallen.clone().any(|(clock, ..)| wrapped(clock));
        let evidence = fallen.map(|(clock, library, raw)| {
            let (id, library, raw) = (&clock.id, ns(library), ns(raw));
            format!("{id} costs {library} through the library, and a raw system call {raw}")
        });
        let level = if often { Level::Warning } else { Level::Info };
        let quick = both_paths(report).filter(|(clock, library, raw)| {
            let monotonic = matches!(clock.kind, Kind::Monotonic | Kind::Wall);
            monotonic && *library < FALLBACK * raw
        });
        let quick = quick.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(clock, ..)| &clock.id);
        Ok(found(level, evidence).fix(|| match quick {
            Some(id) => format!("Use {id} instead if it meets your needs, or a newer kernel."),
            None => {
                "None of the clocks that were measured is read in user space here: use a newer \
                     kernel, or a faster clock source."
                    .into()
            }
        }))
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
        act: "Have the kernel map it: vdso=0 on its command line prevents that. A sandbox, an \
              emulator of system calls or Valgrind may have none by design; then use another one, \
              or read the time less often.",
        references: &["vdso(7)", "Linux Documentation/admin-guide/kernel-parameters.txt, vdso="],
        ..Page::EMPTY
    },
    look: |report| {
        if vdso(report)? {
            return Ok(Clear);
        }
        let evidence = "AT_SYSINFO_EHDR is 0 and nothing is mapped as [vdso]".to_owned();
        let parameters = &report.environment.parameters;
        let set = parameters.iter().find(|word| matches!(word.as_str(), "vdso=0" | "vdso32=0"));
        let line = set.map(|word| format!("/proc/cmdline: {word}"));
        let evidence = [evidence].into_iter().chain(cost_of_system_clock(report)).chain(line);
        Ok(found(Level::Warning, evidence).fix(|| match set {
            Some(word) => format!("Remove `{word}` from the kernel's command line."),
            None => "The kernel was not asked to leave it out: a sandbox, an emulator of system \
                     calls or Valgrind does. Use one that maps the vDSO, or read the time less \
                     often."
                .into(),
        }))
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
    yields: true,
    by_library: true,
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
