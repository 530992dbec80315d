//! What corrects the system's clocks, what sets them, and what they leave out.

use super::fault::{Clear, Look, Looked, adjtimex, clear_if, found, moved, page, stated, why};
use super::kernel_log::also_logged;
use crate::reading::short;
use chronoscope_model::environment::Environment;
use chronoscope_model::timekeeping::{Adjtimex, PROGRAMS};
use chronoscope_model::units::{count, plural};
use chronoscope_model::{Certainty, Level, Report};

/// The running programs whose task it is to correct the clock. The others are the tools of
/// hypervisors, which do so only if that is switched on.
fn time_programs(env: &Environment) -> impl Iterator<Item = &str> {
    let programs = env.keeping.iter().flat_map(|keeping| &keeping.programs);
    let programs = programs.flatten().map(String::as_str);
    programs.filter(|program| !PROGRAMS.contains(&(program, true)))
}

pub(super) fn clock_backwards(report: &Report) -> Looked {
    let read = report.clocks.iter();
    let read = read.filter_map(|clock| Some((&clock.id, clock.backwards.as_ref()?)));
    let watched = report.trust.iter().flat_map(|trust| &trust.clocks);
    let watched = watched.filter_map(|watch| Some((&watch.id, watch.one_thread.as_ref()?)));
    let known = read.clone().next().ok_or("no reads in a row were compared");
    let went = read.chain(watched).filter(|(_, seen)| seen.violations > 0);
    let evidence = went.map(|(id, seen)| {
        let (times, worst) = (count(seen.violations), short(seen.worst_ns));
        let reads = plural(seen.tries, "read", "reads");
        format!("{id}: {times} of {reads} returned less than the one before, by up to {worst}")
    });
    match clear_if(known, found(Level::Error, evidence)) {
        Ok(look @ Look::Found(_)) => Ok(look),
        looked => also_logged(report, Level::Error, "clock-backwards").map_or(looked, Ok),
    }
}

pub(super) fn clock_slewed(report: &Report) -> Looked {
    /// Crystals of computers are within 100 ppm of their rate.
    const LIMIT_PPM: f64 = 200.0;
    if let Some(look) = also_logged(report, Level::Warning, "clock-slewed") {
        return Ok(look);
    }
    let answer = adjtimex(report)?;
    let ppm = answer.correction_ppm();
    let wall = report.trust.as_ref().and_then(|trust| trust.wall.as_ref());
    let slew = wall.and_then(|wall| wall.slew);
    let slew = slew.filter(|slew| slew.ppm.abs() - slew.error_ppm > LIMIT_PPM);
    if ppm.abs() <= LIMIT_PPM && slew.is_none() {
        return stated(report, "tick").map_or(Ok(Clear), Err);
    }
    let told = format!("adjtimex: {}: {ppm:+.1} ppm", answer.line());
    let measured = slew
        .map(|slew| format!("measured over the run: {:+.1} ±{:.1} ppm", slew.ppm, slew.error_ppm));
    let look = found(Level::Warning, [told].into_iter().chain(measured));
    Ok(look.certain(slew.map(|_| Certainty::Measured)).fix(|| unslewed(report, ppm)))
}

/// What to do about a correction of this size.
fn unslewed(report: &Report, ppm: f64) -> String {
    /// No oscillator of a computer is off by this much.
    const WRONG_PPM: f64 = 1_000.0;
    let env = &report.environment;
    if ppm.abs() < WRONG_PPM {
        return page("clock-slewed").act.into();
    }
    let percent = -ppm / 1e4;
    let runs = format!(
        "No crystal is off by so much: the clock source itself runs {:.1} % {}, and durations are \
         off by as much wherever the correction is missing (CLOCK_MONOTONIC_RAW, and all clocks \
         before it).",
        percent.abs(),
        if percent > 0.0 { "fast" } else { "slow" }
    );
    let wsl = env.kernel.as_ref().is_some_and(|kernel| kernel.to_lowercase().contains("microsoft"));
    let mend = match (&env.hypervisor, wsl) {
        (_, true) => page("clock-slewed/wsl").act,
        (Some(_), _) => page("clock-slewed/guest").act,
        (None, _) => "Look for the rate that the kernel uses: tsc-rate-mismatch.",
    };
    format!("{runs} {mend}")
}

pub(super) fn clock_stepped(report: &Report) -> Looked {
    /// The smallest step that is reported, in nanoseconds. Interrupts between the reads of two
    /// clocks cause smaller ones.
    const LEAST_NS: u64 = 100_000;
    /// The largest number of steps that are named.
    const NAMED: usize = 4;
    if let Some(look) = also_logged(report, Level::Info, "clock-stepped") {
        return Ok(look);
    }
    moved(report)?;
    let within = report.run.moved.as_ref().and_then(|moved| {
        let by = moved.wall_ns;
        let way = if by > 0 { "forwards" } else { "backwards" };
        let short = short(by.unsigned_abs() as f64);
        // A kernel may round both clocks to a tick of its clock source.
        let stepped = by.unsigned_abs() > LEAST_NS.max(moved.error_ns.unsigned_abs());
        stepped.then(|| format!("by {short} {way} within {:.1} s", report.run.seconds))
    });
    let wall = report.trust.as_ref().and_then(|trust| trust.wall.as_ref());
    let steps = wall.into_iter().flat_map(|wall| &wall.steps);
    let steps = steps.filter(|step| step.by_ns.abs() > LEAST_NS as f64).take(NAMED);
    let steps = steps.map(|step| {
        let way = if step.by_ns > 0.0 { "forwards" } else { "backwards" };
        format!("after {:.1} s: by {} {way}", step.at_s, short(step.by_ns.abs()))
    });
    Ok(found(Level::Warning, within.into_iter().chain(steps)))
}

pub(super) fn leap_pending(report: &Report) -> Looked {
    if let Some(look) = also_logged(report, Level::Warning, "leap-pending") {
        return Ok(look);
    }
    let answer = adjtimex(report)?;
    let bits = [(Adjtimex::STA_INS, "STA_INS"), (Adjtimex::STA_DEL, "STA_DEL")];
    let set = bits.iter().find(|(bit, _)| answer.status & bit != 0);
    Ok(found(Level::Warning, set.map(|(_, bit)| format!("adjtimex: {}: {bit}", answer.line()))))
}

pub(super) fn suspended(report: &Report) -> Looked {
    /// No suspension is shorter than this, in nanoseconds.
    const LEAST_NS: u64 = 10_000_000;
    moved(report)?;
    let Some(moved) = report.run.moved.as_ref() else {
        return Ok(Clear);
    };
    let asleep = moved.suspended_ns.and_then(|ns| u64::try_from(ns).ok());
    let asleep = asleep.filter(|ns| *ns > LEAST_NS.max(moved.error_ns.unsigned_abs()));
    let evidence = asleep.map(|ns| {
        format!("CLOCK_BOOTTIME advanced {} more than CLOCK_MONOTONIC", short(ns as f64))
    });
    Ok(found(Level::Warning, evidence))
}

pub(super) fn tai_unset(report: &Report) -> Looked {
    if let Some(look) = also_logged(report, Level::Info, "tai-unset") {
        return Ok(look);
    }
    let answer = adjtimex(report)?;
    stated(report, "tai").map_or(Ok(()), Err)?;
    Ok(found(Level::Info, (answer.tai_s == 0).then(|| format!("adjtimex: {}", answer.line()))))
}

pub(super) fn time_namespace(report: &Report) -> Looked {
    let shifted = report.environment.keeping.as_ref().and_then(|it| it.time_namespace.as_ref());
    let unknown = "/proc/self/timens_offsets was not read; kernels before 5.6 have none";
    let lines = shifted.ok_or(unknown)?.iter();
    Ok(found(Level::Info, lines.map(|line| format!("/proc/self/timens_offsets: {line}"))))
}

pub(super) fn two_disciplines(report: &Report) -> Looked {
    let programs = report.environment.keeping.as_ref().and_then(|it| it.programs.as_ref());
    let otherwise = "the running programs could not be listed";
    let programs = programs.ok_or_else(|| why(report, "programs", otherwise))?;
    let correct = time_programs(&report.environment).count();
    let level = match (correct, programs.len() - correct) {
        (2.., _) => Level::Warning,
        (1, 1..) => Level::Info,
        _ => return stated(report, "programs").map_or(Ok(Clear), Err),
    };
    let look = found(level, [format!("/proc/*/comm: {}", programs.join(", "))]);
    Ok(look.fix(|| undisciplined(programs)))
}

/// What to do about these programs.
fn undisciplined(programs: &[String]) -> String {
    let ways = programs.iter().filter_map(|program| match program.as_str() {
        "vmtoolsd" => Some(page("two-disciplines/vmtoolsd").act),
        "VBoxService" => Some("VBoxService has `--disable-timesync`."),
        _ => None,
    });
    let first =
        "Let one program correct the clock, and stop the others (`systemctl disable --now`).";
    [first].into_iter().chain(ways).collect::<Vec<_>>().join(" ")
}

/// What to ask the programs that should synchronise the clock.
fn ask(programs: &[String]) -> String {
    let mut ways: Vec<&str> = programs
        .iter()
        .filter_map(|program| match program.as_str() {
            "chronyd" => Some(page("unsynchronised/chronyd").act),
            "ntp-daemon" => Some("ntpd-rs runs and lost its servers: `ntp-ctl status`."),
            "systemd-timesyn" => Some("See `timedatectl timesync-status`."),
            "ntpd" | "ntpsec-ntpd" | "openntpd" => Some("See `ntpq -p` or `ntpctl -s status`."),
            _ => None,
        })
        .collect();
    if ways.is_empty() {
        ways.push(page("unsynchronised").act);
    }
    ways.join(" ")
}

pub(super) fn unsynchronised(report: &Report) -> Looked {
    if let Some(look) = also_logged(report, Level::Warning, "unsynchronised") {
        return Ok(look);
    }
    let answer = adjtimex(report)?;
    if answer.maxerror_us < Adjtimex::LOST_US {
        return Ok(Clear);
    }
    let running = time_programs(&report.environment).next().is_some();
    let programs = report.environment.keeping.as_ref().and_then(|it| it.programs.as_ref());
    let listed = programs.map(|programs| match programs.as_slice() {
        [] => "none of the programs that correct clocks runs here".into(),
        all => format!("running: {}", all.join(", ")),
    });
    let once = answer.freq != 0 || answer.tai_s != 0;
    let told = format!("adjtimex: {}", answer.line());
    let level = if once || running { Level::Warning } else { Level::Info };
    let look = found(level, [told].into_iter().chain(listed));
    Ok(look.fix(|| ask(programs.map_or(&[], Vec::as_slice))))
}
