//! Faults that the kernel's log shows, by the messages of `chronoscope_model::kernel_log`.

use super::fault::{Look, Looked, clear_if, found, page, parameters_known, stated, why};
use super::skew;
use crate::reading::{known, linux_version, source};
use chronoscope_model::kernel_log::{self, Topic};
use chronoscope_model::units::count;
use chronoscope_model::{Certainty, Level, Report};

/// Finds that the kernel's log has lines that prove the fault, and says whether it rules it out.
pub(super) fn logged(report: &Report, level: Level, id: &str) -> Looked {
    /// The most lines that are given as evidence.
    const LINES: usize = 4;
    let env = &report.environment;
    let guest = env.hypervisor.is_some();
    let denied = known(env).any(|(_, known)| known.message.against.contains(&id));
    let proofs = known(env).filter(|(_, known)| !denied && known.proves(id, guest));
    let lines = proofs.map(|(line, known)| {
        format!("{}: {}", known.message.command().unwrap_or("kernel log"), line.trim())
    });
    let lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(LINES);
    let first = lines.into_iter().take(LINES);
    let more = (more > 0).then(|| format!("and {more} more such lines"));
    clear_if(ruled_out(report, id), found(level, first.chain(more)))
}

/// The same, of a fault that other evidence shows better: what the log proves, and what it says to
/// do about that.
pub(super) fn also_logged(report: &Report, level: Level, id: &str) -> Option<Look> {
    let look = logged(report, level, id).ok().filter(|look| matches!(look, Look::Found(_)))?;
    Some(look.certain(Some(Certainty::Evidence)).fix(|| act(report, id)))
}

/// Whether the log would show the fault, if the machine had it: it reaches back to the start of the
/// kernel, and every line of the fault's topic was understood.
fn ruled_out(report: &Report, id: &str) -> Result<(), String> {
    let env = &report.environment;
    let log = &env.kernel_log;
    if log.is_empty() {
        return Err(why(report, "kernel log", "the kernel log holds no line about time"));
    }
    let guest = env.hypervisor.is_some();
    let found = |ids: &[&str]| known(env).any(|(_, it)| ids.iter().any(|id| it.proves(id, guest)));
    let mut open = known(env).filter(|(_, known)| known.leaves_open(id, guest));
    if let Some((line, _)) = open.find(|(_, known)| !found(&known.message.open)) {
        return Err(format!("the kernel log leaves it open: {line}"));
    }
    let topic = topic(id);
    if let Some(line) = log.iter().find(|line| kernel_log::alarming(line) == topic) {
        return Err(format!("a line of the kernel log was not understood: {line}"));
    }
    if let Some(why) = stated(report, "kernel log") {
        return Err(why);
    }
    let late = "the kernel log does not reach back to the start of the kernel";
    kernel_log::begins_at_boot(log).then_some(()).ok_or(late.into())
}

/// The topic of the messages that prove this fault.
fn topic(id: &str) -> Option<Topic> {
    let mut messages = kernel_log::messages().iter();
    messages.find(|message| message.faults.contains(&id)).map(|message| message.topic)
}

/// Why the kernel does not use the TSC, by its log: the line, and what to do about that.
pub(super) fn cause(report: &Report) -> Option<(&String, String)> {
    const IDS: [&str; 5] = [
        "tsc-skew",
        "tsc-warp",
        "tsc-given-up",
        "watchdog-false-positive",
        "guest-calibration-failed",
    ];
    let env = &report.environment;
    let guest = env.hypervisor.is_some();
    let found = known(env).find_map(|(line, known)| {
        let fix = match *IDS.iter().find(|id| known.proves(id, guest))? {
            "tsc-skew" => skew::fix(report, skew::compared(env).as_ref()),
            "tsc-warp" => skew::fix_of_warp(report),
            _ => known.message.act.into(),
        };
        Some((line, fix))
    });
    let mut open = known(env).filter(|(_, known)| known.leaves_open("tsc-skew", guest));
    found.or_else(|| open.next().map(|(line, known)| (line, known.message.act.into())))
}

/// Whether the log has a line that says that the kernel gave up the TSC, and leaves open why.
pub(super) fn gave_up(report: &Report) -> bool {
    let guest = report.environment.hypervisor.is_some();
    known(&report.environment).any(|(_, known)| known.leaves_open("tsc-skew", guest))
}

/// What only the log shows, and what the table says to do about it.
pub(super) fn only_logged(report: &Report, level: Level, id: &str) -> Looked {
    Ok(logged(report, level, id)?.fix(|| act(report, id)))
}

/// What the table says to do about the first message that proves this fault.
pub(super) fn act(report: &Report, id: &str) -> String {
    let guest = report.environment.hypervisor.is_some();
    let mut proofs = known(&report.environment).filter(|(_, known)| known.proves(id, guest));
    let act = proofs.find_map(|(_, it)| Some(it.message.act).filter(|act| !act.is_empty()));
    act.unwrap_or("Nothing has to be done.").into()
}

pub(super) fn clocksource_refused(report: &Report) -> Looked {
    let mend = "Mend what made the kernel give that clock source up.";
    let mut set = report.environment.parameters.iter();
    let set = set.rfind(|word| word.starts_with("clocksource="));
    let look = logged(report, Level::Info, "clocksource-refused")?;
    Ok(look.fix(|| match set {
        Some(word) => format!("{mend} Until then, remove `{word}`, which has no effect."),
        None if parameters_known(report) => format!(
            "{mend} The command line does not ask for it, so a program or a person wrote to \
             current_clocksource."
        ),
        None => page("clocksource-refused").act.into(),
    }))
}

pub(super) fn leap_second_inserted(report: &Report) -> Looked {
    const ID: &str = "leap-second-inserted";
    let early = linux_version(&report.environment).is_none_or(|version| version < (3, 5));
    // Known by the days of the lines, if the log states them.
    let lines = known(&report.environment).filter(|(_, known)| known.proves(ID, false));
    let due = lines.filter_map(|(line, _)| kernel_log::leap_was_due(kernel_log::date(line)?));
    let due: Vec<bool> = due.collect();
    let undue = due.contains(&false);
    let level = if early || undue { Level::Warning } else { Level::Info };
    let kernel = report.environment.kernel.iter().map(|kernel| format!("kernel: {kernel}"));
    Ok(logged(report, level, ID)?.and(kernel).act(match (undue, early) {
        (true, _) => "leap-second-inserted/undue",
        (_, true) => "leap-second-inserted/early",
        (_, false) if due.is_empty() => "leap-second-inserted/late",
        (_, false) => "leap-second-inserted/due",
    }))
}

pub(super) fn guest_calibration_failed(report: &Report) -> Looked {
    let looked = logged(report, Level::Warning, "guest-calibration-failed");
    let env = &report.environment;
    // Without another clock, an attempt that failed is the reason.
    let ticks = matches!(source(env), Some("jiffies" | "refined-jiffies"));
    let detected = env.kernel_log.iter().any(|line| line.contains("tsc: Detected"));
    let failed = ["against PIT", "No reference (HPET/PMTIMER)", "HPET/PMTIMER calibration"];
    let failed = env.kernel_log.iter().filter(|line| failed.iter().any(|it| line.contains(it)));
    let failed = failed.map(|line| format!("kernel log: {line}"));
    // A machine on which only the first attempt fails is sound.
    match (looked, found(Level::Warning, failed)) {
        (Ok(Look::Clear) | Err(_), Look::Found(failed)) if ticks && !detected => {
            Ok(Look::Found(failed))
        }
        (looked, _) => looked,
    }
}

pub(super) fn rt_throttling(report: &Report) -> Looked {
    let keeping = report.environment.keeping.as_ref();
    let limit = keeping.and_then(|keeping| keeping.rt_runtime_us.zip(keeping.rt_period_us));
    let small = limit.is_some_and(|(runtime, period)| (0..period / 2).contains(&runtime));
    let limit =
        limit.map(|(runtime, period)| format!("sched_rt_runtime_us: {runtime} of {period}"));
    match logged(report, Level::Warning, "rt-throttling") {
        // A share this small stops any thread that does real work.
        Ok(Look::Clear) | Err(_) if small => Ok(found(Level::Info, limit)),
        looked => Ok(looked?.and(limit)),
    }
}

pub(super) fn tsc_adjust_differs(report: &Report) -> Looked {
    let look = logged(report, Level::Warning, "tsc-adjust-differs")?;
    let set = report.environment.parameters.iter();
    let mut set = set.filter(|word| word.starts_with("tsc=") && word.contains("reliable"));
    Ok(look.fix(|| match set.next() {
        Some(word) => format!(
            "Update the firmware. Until then, remove `{word}`, which switches most of the kernel's \
             checks and repairs off."
        ),
        None => page("tsc-adjust-differs").act.into(),
    }))
}

pub(super) fn tsc_skew(report: &Report) -> Looked {
    // Of a TSC that was given up by design it is nothing new.
    let level = skew::by_design(report).map_or(Level::Warning, |_| Level::Info);
    let looked = logged(report, level, "tsc-skew")?;
    let compared = skew::compared(&report.environment);
    let lines = compared.iter().flat_map(|compared| compared.words(&report.environment));
    Ok(looked.and(lines).fix(|| skew::fix(report, compared.as_ref())))
}

pub(super) fn tsc_warp(report: &Report) -> Looked {
    let looked = logged(report, Level::Warning, "tsc-warp")?;
    let behind = known(&report.environment).filter(|(_, it)| it.get("behind").is_some());
    let behind = behind.map(|(line, known)| {
        let cycles = known.number("high").zip(known.number("low"));
        let by = cycles.map_or(String::new(), |(high, low)| {
            format!(" ({} cycles apart)", count((high - low).max(0.0) as u64))
        });
        format!("kernel log: {line}{by}")
    });
    Ok(looked.and(behind).fix(|| skew::fix_of_warp(report)))
}

pub(super) fn watchdog_false_positive(report: &Report) -> Looked {
    match logged(report, Level::Warning, "watchdog-false-positive") {
        Ok(look @ Look::Found(_)) => Ok(look.fix(|| {
            let sound = "once the TSC has proved to be sound (`chronoscope trust`, NTP)";
            match linux_version(&report.environment) {
                // It has neither the limit nor the parameter any more.
                Some(version) if version >= (6, 9) => format!("Use `tsc=nowatchdog`, {sound}."),
                _ => page("watchdog-false-positive").act.into(),
            }
        })),
        // An excerpt that leaves the fault unknown can hold lines about a skipped check.
        look => also_logged(report, Level::Info, "watchdog-skipped").map_or(look, |skipped| {
            Ok(skipped.fix(|| {
                let ways = skew::keep_unchecked(&report.environment);
                let silence =
                    ways.map_or_else(String::new, |ways| format!(" {ways} silences the message."));
                format!(
                    "Nothing has to be done: the kernel skipped the check, keeps the TSC, and \
                     nothing is lost.{silence}"
                )
            }))
        }),
    }
}
