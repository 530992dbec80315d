//! Faults of the reads in user space.
//!
//! A clock of the C library that is not the kernel's.

use super::fault::{
    Clear, FAULT, Fault, LINUX, asked, clear_if, cost_of_system_clock, costs, found, trust, vdso,
};
use crate::reading::{ns, short, slow_source};
use chronoscope_model::clock::{Clock, Kind};
use chronoscope_model::clock_source::{FALLBACK, both_paths};
use chronoscope_model::units::count;
use chronoscope_model::{Certainty, Level};

const ON_LINUX: Fault = Fault { only: &[LINUX], ..FAULT };

pub(super) const CLOCK_NOT_IN_VDSO: Fault = Fault {
    id: "clock-not-in-vdso",
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
    id: "no-vdso",
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
    id: "vdso-disagrees",
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

pub(super) const LIBRARY_CLOCK: Fault = Fault {
    id: "library-clock",
    certainty: Certainty::Measured,
    by_glance: Some(true),
    affects_all: true,
    only: &[LINUX],
    look: |report| {
        let keeping = report.environment.keeping.as_ref().ok_or("the clocks were not compared")?;
        let Some(clock) = &keeping.library_clock else { return asked(report).map(|()| Clear) };
        if clock.ahead_ns == 0 && !clock.stands_still && clock.pace_percent.is_none() {
            // Only its names are known of one that has functions after it: what they do is not.
            let known = clock.preloaded.iter().any(|name| !name.contains(" ("));
            let lines = clock.preloaded.iter().map(|name| match name.contains(" (") {
                true => format!("/proc/PID/maps: {name} has these functions besides the C library"),
                false => {
                    format!(
                        "/proc/PID/maps: {name} is loaded, which replaces the C library's clocks"
                    )
                }
            });
            let level = if known { Level::Warning } else { Level::Info };
            let look = found(level, lines).certain(Some(Certainty::Evidence));
            return Ok(look.fix(|| match known {
                true => "Start that program without the library. If the changed time is intended, \
                     believe no figure of its clocks and waits."
                    .into(),
                false => {
                    "Nothing has to be done if times of that program are right: sanitizers and \
                     tools that record programs have such functions and pass the calls on."
                        .into()
                }
            }));
        }
        let way = if clock.ahead_ns < 0 { "behind" } else { "ahead of" };
        let by = span(clock.ahead_ns.unsigned_abs());
        let still = if clock.stands_still { " and stands still" } else { "" };
        let cause = match &clock.preloaded[..] {
            [] => "no library is preloaded by LD_PRELOAD or /etc/ld.so.preload".into(),
            names => format!("a library is preloaded by LD_PRELOAD: {}", names.join(", ")),
        };
        let what = match clock.pace_percent {
            Some(pace) => format!("the C library's clock runs at {pace} % of the kernel's pace"),
            None => format!("the C library's clock is {by} {way} the kernel's{still}"),
        };
        let look = found(Level::Error, [what, cause]);
        Ok(look.fix(|| match &clock.preloaded[..] {
            [] => "Find what stands between this program and the kernel: an emulator, a tracer \
                   (ptrace), or a C library that was changed. Until then, believe no figure of a \
                   clock or a wait that goes through the C library."
                .into(),
            _ => LIBRARY_CLOCK.page().act.into(),
        }))
    },
    ..FAULT
};

/// A span in the largest unit of which there are at least two.
fn span(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    let units = [(86_400 * 365, "years"), (86_400, "days"), (3600, "hours"), (60, "minutes")];
    let large = units.iter().find(|(unit, _)| seconds >= 2 * unit);
    match large {
        Some((unit, name)) => format!("{} {name}", count(seconds / unit)),
        None => format!("{:.3} s", ns as f64 / 1e9),
    }
}
