//! The code of a wait: the lines that were measured, and a wait of the same kind in the other
//! languages.

use super::sheets::{PAUSE, PERIOD, REMARK, SHORT_SLEEP, SLACK, SLEEP, SLICE, SPIN, TIMER};
use crate::advise::code::{Code, code};
use crate::system::System;
use chronoscope_model::advice::Goal;
use chronoscope_model::snippet::{self, HIGH_RESOLUTION};
use chronoscope_model::waits::{Kind, Wait};

/// Several languages have another call for what is not a whole number of milliseconds.
const MILLISECOND: u64 = 1_000_000;

/// Whether code in this language can make this wait as it was measured: the same kind of wait with
/// the same settings. Another language's sleep that ends in a spin does not learn when to wake, so
/// it costs more CPU time than was measured: it is none for the least CPU time, and none for the
/// usual wait unless it sleeps for the longer part.
pub(super) fn can(language: &str, wait: &Wait, goal: Goal, system: System) -> bool {
    if wait.language.name() == language {
        return true;
    }
    let ns = requested(wait);
    let sheets = settings(wait).into_iter();
    sheets.flatten().all(|(sheet, _)| code(&[sheet], system, "").contains_key(language))
        && match wait.kind {
            Kind::Sleep | Kind::Busy => true,
            Kind::Hybrid => {
                let margin = match goal {
                    Goal::Accuracy | Goal::Load => MARGIN,
                    Goal::Usual => 2 * MARGIN,
                    Goal::Cpu => u64::MAX,
                };
                ns > margin && !pause(language, system, ns).is_empty()
            }
        }
}

/// The measured wait in its own language, and the same kind of wait in these others, each with the
/// lines that set its slack. All can be pasted into a function. A row without lines of its own, of
/// a report of an earlier version, has its call.
pub(super) fn lines(wait: &Wait, languages: &[&str], system: System) -> Code {
    let ns = requested(wait);
    let mut lines = match wait.kind {
        Kind::Sleep => sleep(system, ns),
        Kind::Busy => spin(system, ns, |_| String::new()),
        Kind::Hybrid => spin(system, ns, |language| pause(language, system, ns)),
    };
    let own = wait.language.name();
    let measured = match wait.code.as_str() {
        "" => snippet::statement("", &wait.call),
        lines => lines.to_owned(),
    };
    lines.insert(own.to_owned(), measured);
    lines.retain(|language, _| languages.contains(&language.as_str()));
    for (sheet, value) in settings(wait).into_iter().flatten() {
        let set = code(&[sheet], system, "");
        for (language, line) in &mut lines {
            if let Some(set) = set.get(language) {
                *line = format!("{}\n{line}", set.replace("{value}", &value.to_string()));
            }
        }
    }
    lines
}

fn requested(wait: &Wait) -> u64 {
    wait.requested_ns.unwrap_or(MILLISECOND)
}

/// The sheets of what was set for this wait, each with its value; the last is set first.
fn settings(wait: &Wait) -> [Option<(&'static str, u64)>; 2] {
    let timer = match (wait.timer_period_ms, wait.slack_ns, wait.default_slack) {
        (Some(ms), ..) => Some((PERIOD, ms.into())),
        // Slack has no effect on a spin.
        (None, Some(ns), false) if wait.kind != Kind::Busy => Some((SLACK, ns)),
        _ => None,
    };
    [timer, wait.slice_ns.map(|ns| (SLICE, ns))]
}

fn sleep(system: System, ns: u64) -> Code {
    let whole = ns.is_multiple_of(MILLISECOND);
    let sheets = if whole { [SLEEP].as_slice() } else { &[SLEEP, SHORT_SLEEP] };
    let mut lines = code(sheets, system, "");
    for (language, remark) in code(&[REMARK], system, "") {
        lines.entry(language).and_modify(|line| *line = format!("{remark}\n{line}"));
    }
    lines.values_mut().for_each(|line| *line = filled(line, ns));
    lines
}

/// A spin in every language, after this pause.
fn spin(system: System, ns: u64, pause: impl Fn(&str) -> String) -> Code {
    let mut lines = code(&[SPIN], system, "");
    for (language, line) in &mut lines {
        *line = filled(line, ns).replace("{pause}", &pause(language));
    }
    let c = match system {
        System::Windows => snippet::qpc_spin(ns),
        _ => snippet::spin(ns, ""),
    };
    for (language, spin) in [("C", c), ("Rust", snippet::rust_spin(ns))] {
        lines.insert(language.into(), spin.after(&pause(language)));
    }
    lines
}

/// How long before the deadline the sleep of a hybrid wait ends, in nanoseconds: a guess that is
/// enough if wake-ups take tens of microseconds.
pub(super) const MARGIN: u64 = 200_000;

/// The sleep of a hybrid wait; empty if there is no time for it, or if the language has none.
fn pause(language: &str, system: System, ns: u64) -> String {
    let left = ns.saturating_sub(MARGIN);
    match code(&[SLEEP, SHORT_SLEEP, PAUSE], system, "").remove(language) {
        Some(line) if left > 0 && !line.is_empty() => filled(&line, left) + "\n",
        _ => String::new(),
    }
}

/// The lines with the names in braces replaced by the duration, in the unit of each.
fn filled(lines: &str, ns: u64) -> String {
    // Seconds as a decimal number without an exponent.
    let s = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    let timer = code(&[TIMER], System::Windows, "");
    [
        ("{timer}", snippet::waitable_timer(HIGH_RESOLUTION, ns)),
        ("{timer C#}", timer["C#"].clone()),
        ("{timer Java}", timer["Java"].clone()),
        ("{units}", ns.div_ceil(100).to_string()),
        ("{ns}", ns.to_string()),
        ("{us}", (ns as f64 / 1e3).to_string()),
        ("{ms}", (ns as f64 / 1e6).to_string()),
        ("{whole_us}", ns.div_ceil(1_000).to_string()),
        ("{whole_ms}", ns.div_ceil(MILLISECOND).to_string()),
        ("{margin}", MARGIN.to_string()),
        ("{s}", s.trim_end_matches('0').trim_end_matches('.').to_owned()),
        ("{timespec}", format!("Sec: {}, Nsec: {}", ns / 1_000_000_000, ns % 1_000_000_000)),
        ("{duration}", snippet::timespec("duration", ns)),
        ("{most}", snippet::timespec("most", ns)),
    ]
    .iter()
    .fold(lines.to_owned(), |lines, (name, value)| lines.replace(name, value))
}

#[cfg(test)]
#[path = "code_tests.rs"]
mod tests;
