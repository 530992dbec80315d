//! A clock of the C library that is not the kernel's.

use super::fault::{Clear, FAULT, Fault, LINUX, asked, found};
use chronoscope_model::units::count;
use chronoscope_model::{Certainty, Level, Page};

pub(super) const LIBRARY_CLOCK: Fault = Fault {
    page: Page {
        names: &["library-clock"],
        title: "The C library's clock is not the kernel's",
        about: "A library that is loaded before the others replaces clock_gettime, as libfaketime \
                does to give programs another time. Programs that call the C library get that \
                time, and system calls do not. Waits that end at a time by one clock and are made \
                by the other end at once, late or never.",
        how: "CLOCK_REALTIME by the C library and by the system call, and LD_PRELOAD",
        act: "Start the program without the library: `env -u LD_PRELOAD …`, and look at \
              /etc/ld.so.preload. If the changed time is intended, believe no figure of a clock \
              or a wait that goes through the C library.",
        references: &["ld.so(8), LD_PRELOAD", "wolfcw/libfaketime#206, #390, #469"],
        ..Page::EMPTY
    },
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
            _ => LIBRARY_CLOCK.page.act.into(),
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
