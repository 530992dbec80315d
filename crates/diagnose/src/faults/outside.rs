//! What clocks outside of this machine show: the host's, and servers of time.

use super::fault::{Clear, Looked, found, why};
use crate::reading::short;
use chronoscope_model::against::{Against, Interval, Source};
use chronoscope_model::trust::Paused;
use chronoscope_model::units::bounded_ns;
use chronoscope_model::{Level, Report};

/// Offsets from the host below this, in nanoseconds, are those of two clocks that are each
/// synchronised in a coarse way, or that have run freely for less than an hour.
const LEAST_NS: f64 = 50e6;

/// The same for the battery-backed clock, in nanoseconds. The kernel sets the clock by it when it
/// boots, to whole seconds, which leaves up to a second and the time that the boot took.
const LEAST_BY_RTC_NS: f64 = 2e9;

/// The prefix of the ids of battery-backed clocks.
const RTC: &str = "rtc:";

fn asked(report: &Report) -> Result<&Against, &'static str> {
    report.against.as_ref().ok_or("no clock outside of this machine was asked")
}

/// Compares the wall clock with the host's clock that is known best. `by` is how far it is off at
/// least in the direction that is looked for.
pub(super) fn against_host(report: &Report, by: fn(&Interval) -> f64) -> Looked {
    let none = "no clock of the host could be read: there is no /dev/vmclock0, no PTP clock of the \
                hypervisor and no /dev/rtc0, or only root may read it";
    let sources = report.against.iter().flat_map(|against| &against.sources);
    let known = sources.filter(|source| source.host).filter_map(|it| Some((it, it.wall_ns?)));
    let best = known.min_by(|(_, a), (_, b)| (a.high - a.low).total_cmp(&(b.high - b.low)));
    let (source, wall) = best.ok_or_else(|| why(report, "host clock", none))?;
    let by_rtc = source.id.starts_with(RTC);
    if by(&wall) < if by_rtc { LEAST_BY_RTC_NS } else { LEAST_NS } {
        return Ok(Clear);
    }
    if by_rtc && is_local_time(&wall) {
        return Err(format!(
            "{} is a whole number of quarter hours away: it probably keeps local time",
            source.id
        ));
    }
    let [middle, half] = wall.middle();
    let way = if middle < 0.0 { "behind" } else { "ahead of" };
    let off = bounded_ns(middle.abs(), half);
    let first = format!("the wall clock is {off} {way} {}", source.id);
    let lines = [first].into_iter().chain(since(report, source)).chain(setting(report));
    Ok(found(Level::Warning, lines))
}

/// Since when the wall clock is off: what was seen to happen in this run, or what is known of the
/// time before.
fn since(report: &Report, source: &Source) -> Vec<String> {
    let (trust, against) = (report.trust.as_ref(), report.against.as_ref());
    let date = |started: Option<&str>, at_s: f64| {
        let date = || {
            let started: jiff::Timestamp = started?.parse().ok()?;
            let later = jiff::SignedDuration::try_from_secs_f64(at_s).ok()?;
            Some(started.checked_add(later).ok()?.strftime("since %F %T UTC").to_string())
        };
        date().unwrap_or_else(|| format!("since {} into this run", short(at_s * 1e9)))
    };
    let watched = trust.and_then(|trust| Some(&*trust.series.as_ref()?.started));
    let asked = against.map(|against| &*against.started).filter(|it| !it.is_empty());
    let pauses = trust.into_iter().flat_map(|trust| &trust.watched.pauses);
    let pauses = pauses.filter(|pause| pause.paused == Paused::Machine).map(|it| {
        let paused = short(it.ns);
        format!("{}: the machine was paused for {paused}", date(watched, it.at_s))
    });
    let lost = source.contradictions.iter().map(|it| {
        let [middle, half] = Interval { low: it.low_ns, best: 0.0, high: it.high_ns }.middle();
        let way = if middle < 0.0 { "gained" } else { "lost" };
        let by = bounded_ns(middle.abs(), half);
        format!("{}: the counter {way} {by} at once", date(asked, it.at_s))
    });
    let mut lines: Vec<String> = pauses.chain(lost).take(3).collect();
    if lines.is_empty() {
        lines.push("since when is not known: nothing happened while this was looked at".into());
    }
    lines.extend(set_since_boot(report));
    lines
}

/// Whether something has set the wall clock since the kernel set it when it booted, which the log
/// states. What the clock shows less the time since the boot was the time of the boot then.
fn set_since_boot(report: &Report) -> Option<String> {
    /// From the start of the kernel until it reads the battery-backed clock, with modules that an
    /// emulator loads slowly.
    const BOOTS_S: i64 = 120;
    let env = &report.environment;
    let line = env.kernel_log.iter().find(|line| line.contains("setting system clock to "))?;
    let then = line.rsplit_once('(')?.1.strip_suffix(')')?.parse::<i64>().ok()?;
    let distances = env.keeping.as_ref()?.distances?;
    let booted = distances.wall_ns.checked_sub(distances.boot_ns?)? / 1_000_000_000;
    let moved = booted.checked_sub(then)?;
    let at = jiff::Timestamp::from_second(then).ok()?.strftime("%F %T UTC").to_string();
    Some(match moved {
        moved if (-BOOTS_S..=1).contains(&moved) => {
            format!("nothing has set it since the kernel did when it booted, to {at}")
        }
        moved => {
            let way = if moved < 0 { "back" } else { "forwards" };
            let by = short(moved.unsigned_abs() as f64 * 1e9);
            format!("something set it {way} by about {by} since the kernel set it to {at}")
        }
    })
}

/// Whether anything sets the clock.
fn setting(report: &Report) -> Vec<String> {
    let against = report.against.iter().flat_map(|against| &against.set);
    let set = against.map(|it| {
        let by = short(it.by_ns.abs());
        let way = if it.by_ns < 0.0 { "back" } else { "forwards" };
        let slept = if it.by_ns < 0.0 { "" } else { ", or the machine was asleep" };
        format!("something set it {way} by {by} while this was looked at{slept}")
    });
    let mut lines: Vec<String> = set.collect();
    let keeping = report.environment.keeping.as_ref();
    if let Some(programs) = keeping.and_then(|keeping| keeping.programs.as_ref()) {
        lines.push(match &programs[..] {
            [] => "no program runs that sets it".into(),
            some => format!("running, but not enough: {}", some.join(", ")),
        });
    }
    lines
}

/// Whether an offset is one of a time zone, to within a few seconds.
fn is_local_time(wall: &Interval) -> bool {
    const QUARTER: f64 = 900e9;
    const NEAR: f64 = 3e9;
    let quarters = (wall.best / QUARTER).round();
    let near = (wall.best - quarters * QUARTER).abs() < NEAR;
    near && (1.0..=56.0).contains(&quarters.abs())
}

pub(super) fn sources_disagree(report: &Report) -> Looked {
    let against = asked(report)?;
    let answered = against.answered().count();
    let line = |source: &Source| {
        let wall = source.wall_ns.unwrap_or_default();
        let [low, high] = [wall.low, wall.high].map(short);
        format!("{}: the wall clock is ahead by {low} to {high}", source.id)
    };
    let lines: Vec<String> = match against.wall_ns {
        None if answered > 1 => against.answered().map(line).collect(),
        _ => against.wrong().map(line).collect(),
    };
    Ok(found(Level::Warning, lines))
}

/// The sources of UTC, without those that cannot be right.
fn of_utc(against: &Against) -> impl Iterator<Item = &Source> {
    against.answered().filter(|it| it.knows_utc() && it.agrees != Some(false))
}

pub(super) fn error_understated(report: &Report) -> Looked {
    let least = of_utc(asked(report)?).filter_map(|it| Some((it, it.wall_ns?.at_least())));
    let none = "no source that was asked says how far it is from UTC";
    let (source, least) = least.max_by(|(_, a), (_, b)| a.total_cmp(b)).ok_or(none)?;
    let kernel = report.environment.discipline.ok_or("the kernel states no error")?;
    if !kernel.synchronised || least <= kernel.max_error_ns {
        return Ok(Clear);
    }
    let [least, stated] = [least, kernel.max_error_ns].map(short);
    let id = &source.id;
    let line = format!("off by {least} at least, by {id}; the kernel states {stated} at most");
    Ok(found(Level::Warning, [line]))
}

/// Compares the counter's rate as others prove it with the one that the clock is corrected for. A
/// correction that changes, while an offset is slewed away, is within what the kernel allows for.
pub(super) fn rate_misjudged(report: &Report) -> Looked {
    /// The error of the rate that the kernel's own bound grows by, and the most that a program may
    /// correct by `freq` (MAXFREQ in include/linux/timex.h).
    const TOLERANCE_PPM: f64 = 500.0;
    /// What a program believes is in effect if the kernel corrects by as much.
    const NEAR_PPM: f64 = 1.0;
    let against = asked(report)?;
    let kernel = report.environment.discipline.ok_or("the kernel states no correction")?;
    if !kernel.synchronised {
        return Ok(Clear);
    }
    let best = -kernel.correction_ppm;
    let beliefs = against.sources.iter().filter_map(|it| Some((&*it.id, it.believed_ppm?)));
    let mut in_effect = beliefs.filter(|(_, it)| (it.best - best).abs() <= NEAR_PPM);
    let allowed = Interval { low: best - TOLERANCE_PPM, best, high: best + TOLERANCE_PPM };
    let by_kernel = Some(("the kernel", allowed)).filter(|_| best.abs() <= TOLERANCE_PPM);
    let slewed = "a correction of more than 500 ppm is perhaps a slew";
    let (whose, claimed) = in_effect.next().or(by_kernel).ok_or(slewed)?;
    let proved = of_utc(against).filter(|it| it.id != whose);
    let beyond = proved.filter_map(|it| {
        let rate = it.counter_ppm?;
        Some(((rate.low - claimed.high).max(claimed.low - rate.high), it, rate))
    });
    let none = "no source that says how far it is from UTC was asked for long enough";
    let (ppm, source, rate) = beyond.max_by(|(a, ..), (b, ..)| a.total_cmp(b)).ok_or(none)?;
    let between = |it: &Interval| format!("{:+.3} to {:+.3} ppm", it.low, it.high);
    let (by, is, claimed) = (&source.id, between(&rate), between(&claimed));
    let line = format!("{by} proves that the counter is {is} fast; {whose} allows for {claimed}");
    Ok(found(Level::Warning, (ppm > 0.0).then_some(line)))
}
