//! What all faults together say about time on a machine, in a sentence or two.

use crate::advise::system_clock;
use crate::reading::{cost, source};
use chronoscope_model::clock::{Clock, Grade};
use chronoscope_model::clock_source::in_user_space;
use chronoscope_model::{About, Finding, Level, Report, change, kernel_log};

/// `Clock source tsc, read in user space, 22.2 ns: good. Two things to know.`
///
/// It follows from the findings that the report holds now, so what was allowed is not counted.
pub fn verdict(report: &Report) -> String {
    let of = |about| report.findings.iter().filter(move |it| it.about == about && it.is_found());
    let at = |level| of(About::Machine).filter(move |finding| finding.level == level);
    let [errors, warnings, rest] =
        [Level::Error, Level::Warning, Level::Info].map(|level| at(level).collect::<Vec<_>>());
    let clock = system_clock(report);
    let verdict = clock.and_then(|clock| clock.verdict.as_ref());
    let good = verdict.is_some_and(|verdict| verdict.grade == Grade::Good);
    // What makes the figures those of something else comes first, and they are not judged.
    let instead = instead(report);
    let good = good && instead.is_none();
    let judged = match (errors.as_slice(), warnings.as_slice()) {
        ([], []) if good => "good".into(),
        ([], []) if unread(report) => "a line of the kernel log was not understood".into(),
        ([], []) if clock.is_none() => "nothing wrong was found in what is known".into(),
        ([], []) => "nothing wrong was found".into(),
        ([], warnings) if good => format!("good, but {}", named(warnings, "warning", "warnings")),
        ([], warnings) => named(warnings, "warning", "warnings"),
        (errors, _) => format!("broken, {}", named(errors, "error", "errors")),
    };
    // The warnings are in the first sentence unless there are errors.
    let warnings = if errors.is_empty() { 0 } else { warnings.len() };
    let others =
        [(warnings, "warning", "warnings"), (rest.len(), "thing to know", "things to know")];
    let others = others.iter().filter(|(n, ..)| *n > 0);
    let others: Vec<String> = others.map(|(n, one, many)| counted(*n, one, many)).collect();
    let subject = instead.unwrap_or_else(|| subject(report, clock));
    let mut sentences = vec![format!("{subject}: {judged}"), capital(&others.join(", "))];
    if of(About::Run).any(|finding| finding.level > Level::Info) {
        sentences.push("The run was disturbed".into());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(". ") + "."
}

/// Whether the log holds a line about time that nothing recognises.
fn unread(report: &Report) -> bool {
    report.environment.kernel_log.iter().any(|line| kernel_log::alarming(line).is_some())
}

/// What was measured in place of this machine's clocks, as the subject of a sentence, if something
/// was: an emulator, a library, or two clock sources.
fn instead(report: &Report) -> Option<String> {
    let found = |id: &str| report.findings.iter().find(|it| it.id == id && it.is_found());
    let env = &report.environment;
    if found("emulated-cpu").is_some() {
        let name = env.emulated.as_deref().and_then(|it| it.split(" (").next());
        return Some(format!("The figures are an emulator's, {}", name.unwrap_or("unknown")));
    }
    if found("library-clock").is_some_and(|it| it.level > Level::Info) {
        let clock = env.keeping.as_ref().and_then(|it| it.library_clock.as_ref());
        let names = clock.map(|it| it.preloaded.join(", ")).filter(|names| !names.is_empty());
        let names = names.map_or(String::new(), |names| format!(", {names}"));
        return Some(format!("The C library's clock is not the kernel's but a library's{names}"));
    }
    let changed = report.run.changed.iter().find(|it| it.fact == change::CLOCK_SOURCE)?;
    let (before, after) = (&changed.before, &changed.after);
    Some(format!("Clock source {before}, and later {after}"))
}

/// The system's clock as the subject of a sentence. Only Linux names its clock source; elsewhere
/// the clock itself is named.
fn subject(report: &Report, clock: Option<&Clock>) -> String {
    let mut parts = match (source(&report.environment), clock) {
        (Some(source), _) if !source.is_empty() => vec![format!("Clock source {source}")],
        (_, Some(clock)) => vec![format!("System clock {}", clock.id)],
        (_, None) if report.clocks.is_empty() => return "No clock was measured".into(),
        (_, None) => return "The system's clock was not measured".into(),
    };
    match clock.and_then(|clock| Some((clock, cost(clock)?))) {
        Some((clock, cost)) => {
            parts.extend(in_user_space(report, clock).map(|it| match it {
                true => "read in user space".into(),
                false => "read by a system call".into(),
            }));
            parts.push(cost);
        }
        None => parts.push("not measured".into()),
    }
    parts.join(", ")
}

/// `one warning, no-vdso` or `two warnings, no-vdso and unsynchronised`
fn named(found: &[&Finding], one: &str, many: &str) -> String {
    let number = counted(found.len(), one, many);
    match found {
        [only] => format!("{number}, {}", only.id),
        [a, b] => format!("{number}, {} and {}", a.id, b.id),
        _ => number,
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    const WORDS: [&str; 10] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let number = WORDS.get(n).map_or_else(|| n.to_string(), |word| (*word).into());
    format!("{number} {}", if n == 1 { one } else { many })
}

fn capital(text: &str) -> String {
    let mut all = text.chars();
    all.next().map_or(String::new(), |first| first.to_uppercase().chain(all).collect())
}
