//! What makes waits end late.

use super::fault::{Clear, Looked, clear_if, found, page, reasons, reasons_from, ruler, why};
use super::kernel_log::logged;
use crate::causes::{late_by, late_lines};
use crate::reading::{System, short, source};
use chronoscope_model::environment::CpuQuota;
use chronoscope_model::units::{percent, plural, short_ns};
use chronoscope_model::waits::{Kind, Load, Wait};
use chronoscope_model::why::{Cause, Why};
use chronoscope_model::{Certainty, Level, Report};

/// Finds that this cause, which stands for other threads, dominates the latest wake-ups. The other
/// threads are either the tool's own load, or a busy machine, which is a fault of its own.
pub(super) fn took_the_cpu(report: &Report, cause: Cause, source: &str) -> Looked {
    /// A shorter time is a switch to a kernel thread, in nanoseconds.
    const LEAST_NS: f64 = 200_000.0;
    let rows = late_by(report, cause, LEAST_NS);
    clear_if(reasons_from(report, &[source]), found(Level::Info, late_lines(&rows)))
}

pub(super) fn cgroup_throttled(report: &Report) -> Looked {
    let quota = report.environment.cpu_quota;
    // A quota that never stopped the group shows by the periods that it counted.
    let quiet = quota.filter(|it| it.period_us.is_none() && it.throttled_periods == 0);
    let quiet = quiet.and_then(|it| it.periods.filter(|periods| *periods > 0));
    let quiet = quiet.map(|periods| format!("cpu.stat: nr_periods {periods}, none throttled"));
    let otherwise = "the CPU quota was not looked for";
    let known = quota.map(|_| ()).ok_or_else(|| why(report, "CPU quota", otherwise));
    let limit = quota.and_then(|it| Some((it.quota_us?, it.period_us?)));
    let limit = limit.map(|(us, period)| {
        let cpus = us as f64 / period as f64;
        format!("quota: {us} us in each period of {period} us, {cpus:.2} CPUs")
    });
    let run = quota.and_then(|it| it.run_periods);
    let in_run = run.unwrap_or(0);
    // What a quota that was removed has cost is past.
    let counts = |it: &CpuQuota| it.quota_us.is_some() || it.period_us.is_none() || in_run > 0;
    let throttled = quota.filter(|it| it.throttled_periods > 0 && counts(it)).map(|it| {
        let (hit, ns) = (it.throttled_periods, short_ns(it.throttled_ns as f64));
        let all = it.periods.map_or(String::new(), |all| format!(" of {all} periods"));
        let run = run.map_or(String::new(), |run| format!(", {run} of them in this run"));
        format!("cpu.stat: nr_throttled {hit}{all}{run}; {ns} in all")
    });
    let kept = kept_by_quota(report).or_else(|| stopped_by_quota(report));
    let measured = in_run > 0 || kept.is_some();
    let level = if throttled.is_some() || kept.is_some() { Level::Warning } else { Level::Info };
    let evidence = limit.into_iter().chain(throttled).chain(quiet).chain(kept);
    let certainty = if measured { Certainty::Measured } else { Certainty::Evidence };
    clear_if(known, found(level, evidence).certain(Some(certainty)))
}

/// How long a quota kept waiting threads from running, in words, if it did.
fn kept_by_quota(report: &Report) -> Option<String> {
    let rows = report.waits.iter().filter_map(|wait| {
        let all = wait.why.as_ref().and_then(Why::all)?;
        let ns = all.mean_ns() * all.waits as f64 * all.share(Cause::Throttled);
        (ns > 0.0).then_some((wait, all, ns))
    });
    let sum: f64 = rows.clone().map(|(.., ns)| ns).sum();
    let (worst, all, _) = rows.max_by(|a, b| a.2.total_cmp(&b.2))?;
    let waits = plural(all.waits, "wait", "waits");
    let sum = short_ns(sum);
    Some(format!("{sum} in which a thread was due to run, most of it in {waits} by {}", worst.id))
}

/// What a quota stopped while waits were measured, whether or not anyone asked why they were late.
fn stopped_by_quota(report: &Report) -> Option<String> {
    let rows = report.waits.iter().filter_map(|wait| Some((wait, wait.throttled?)));
    let rows = rows.filter(|(_, throttled)| throttled.periods > 0);
    let sum: f64 = rows.clone().map(|(_, throttled)| throttled.ns as f64).sum();
    let (worst, throttled) = rows.max_by_key(|(_, throttled)| throttled.ns)?;
    let periods = plural(throttled.periods, "period", "periods");
    let [sum, ns] = [sum, throttled.ns as f64].map(short_ns);
    Some(format!("{sum} during the waits, {ns} of it in {periods} during those by {}", worst.id))
}

pub(super) fn coarse_tick(report: &Report) -> Looked {
    /// The earliest of this many sleeps is not late by chance.
    const ENOUGH: u64 = 20;
    /// Half the shortest tick, in nanoseconds. With high-resolution timers, the earliest of
    /// many sleeps is tens of microseconds late.
    const LEAST_NS: i64 = 500_000;
    if report.waits.iter().all(|wait| wait.samples == 0) {
        return Err("no waits were measured".into());
    }
    let sleeps = || {
        report.waits.iter().filter(|wait| {
            let idle = wait.available && wait.load == Load::None;
            idle && wait.kind == Kind::Sleep && wait.samples >= ENOUGH
        })
    };
    // Slack is meant to be added.
    let least = |wait: &Wait| wait.min_ns - wait.slack_ns.map_or(0, u64::cast_signed);
    let worst = sleeps().max_by_key(|wait| least(wait)).filter(|wait| least(wait) >= LEAST_NS);
    // Where the kernel's timers are finer, it was not a tick that the sleeps waited for.
    let worst = worst.filter(|_| !finer_than_a_tick(report));
    let worst = worst.and_then(|wait| Some((wait, short(wait.requested_ns? as f64))));
    let evidence = worst.map(|(wait, asked)| {
        let (late, all) = (short(wait.min_ns as f64), wait.samples);
        format!("{} of {asked}: the earliest of {all} ended {late} late", wait.id)
    });
    let ticks = sleeps().filter_map(whole_ticks).take(3);
    Ok(found(Level::Warning, evidence.into_iter().chain(ticks)).fix(|| {
        let spin = "spin for the last part of a wait: `chronoscope advise --for wait`.";
        match System::of(&report.environment) {
            System::Linux => format!("See hrtimers-off for the reason. Otherwise {spin}"),
            System::Windows => format!(
                "Use a high-resolution waitable timer or timeBeginPeriod(1). Otherwise {spin}"
            ),
            _ => page("coarse-tick").act.into(),
        }
    }))
}

/// How many of a row's waits took whole ticks, in words, if that is most of them.
fn whole_ticks(wait: &Wait) -> Option<String> {
    let it = wait.whole_ticks.filter(|it| it.whole.saturating_mul(2) >= wait.samples)?;
    let tick = it.tick_ns as f64 / 1e6;
    let (id, whole, all) = (&wait.id, it.whole, plural(wait.samples, "wait", "waits"));
    let (usual, ms) = (it.usual, it.usual as f64 * tick);
    Some(format!(
        "{id}: {whole} of {all} took whole ticks of {tick} ms, mostly {usual} ({ms:.1} ms)"
    ))
}

pub(super) fn deep_idle(report: &Report) -> Looked {
    /// A CPU that wakes within this time, in nanoseconds, was in a light idle state: an
    /// interrupt and a switch take some 10 us.
    const LEAST_NS: f64 = 40_000.0;
    /// Waits that are this much later are late for most purposes, in nanoseconds.
    const MUCH_NS: f64 = 200_000.0;
    let rows = late_by(report, Cause::IdleExit, LEAST_NS);
    let Some(worst) = rows.first() else {
        return clear_if(reasons_from(report, &["switches", "schedstat"]), Clear);
    };
    // In a virtual machine, most of it can be a busy host.
    let much = worst.mean_ns() >= MUCH_NS && report.environment.hypervisor.is_none();
    let level = if much { Level::Warning } else { Level::Info };
    let states = worst.why.idle.iter().map(|state| {
        format!(
            "its CPU had entered the idle state {} (exit latency {}) before {}",
            state.name,
            short_ns(state.exit_ns as f64),
            plural(state.waits, "late wake-up", "late wake-ups")
        )
    });
    let look = found(level, late_lines(&rows).into_iter().chain(states));
    let env = &report.environment;
    let deep = !env.power.idle_states.is_empty();
    Ok(look.act(match (&env.hypervisor, deep) {
        (Some(_), _) => "deep-idle/guest",
        (None, true) => "deep-idle/deep",
        (None, false) => "deep-idle/unlisted",
    }))
}

pub(super) fn host_gaps(report: &Report) -> Looked {
    /// Below this share of the time, gaps are no worse than the interrupts of an idle machine.
    const SHARE: f64 = 0.01;
    /// Above this share of the time, gaps disturb most measurements.
    const MUCH: f64 = 0.05;
    /// A spin that ends this much later on average has lost its precision, in nanoseconds.
    const LEAST_NS: f64 = 5_000.0;
    let noise = report.ruler.as_ref().map(|ruler| &ruler.noise);
    // What was taken from a spin next to the measurement.
    let taken = noise.and_then(|noise| noise.taken).map(|it| (it, it.share(it.below)));
    let taken = taken.filter(|(_, share)| share.is_finite() && *share > SHARE);
    let spun = taken.map(|(taken, share)| {
        let (share, watched) = (percent(share), short_ns(taken.watched_ns));
        let gaps = plural(taken.below.count, "gap", "gaps");
        let longest = short_ns(taken.below.longest_ns);
        format!("{share} of {watched} of spinning, in {gaps}, the longest {longest}")
    });
    let rows = late_by(report, Cause::BelowKernel, LEAST_NS);
    let much = !rows.is_empty() || taken.is_some_and(|(_, share)| share > MUCH);
    let level = if much { Level::Warning } else { Level::Info };
    let looked = found(level, spun.into_iter().chain(late_lines(&rows)));
    let steal = noise.and_then(|noise| noise.steal_ms);
    let steal = steal.map(|ms| format!("/proc/stat: {} of steal in the run", short_ns(ms * 1e6)));
    clear_if(ruler(report), looked.and(steal))
}

/// High-resolution timers claim 1 ns; the shortest tick of a kernel is 1 ms.
const COARSE_NS: u64 = 100_000;

/// Whether the kernel claims high-resolution timers, and does not say that it leaves them unused.
fn finer_than_a_tick(report: &Report) -> bool {
    report.environment.keeping.as_ref().is_some_and(|keeping| {
        keeping.timer_resolution_ns.is_some_and(|ns| ns < COARSE_NS)
            && keeping.high_resolution != Some(false)
    })
}

pub(super) fn hrtimers_off(report: &Report) -> Looked {
    let env = &report.environment;
    let keeping = env.keeping.as_ref();
    let resolution = keeping.and_then(|keeping| keeping.timer_resolution_ns);
    let active = keeping.and_then(|keeping| keeping.high_resolution);
    let logged = logged(report, Level::Warning, "hrtimers-off");
    if resolution.is_none() && active.is_none() {
        let unknown = "the kernel did not give the resolution of its timers";
        return clear_if(Err::<(), _>(unknown), logged.unwrap_or(Clear));
    }
    let coarse = resolution.filter(|ns| *ns >= COARSE_NS);
    let coarse = coarse.map(|ns| format!("clock_getres(CLOCK_MONOTONIC): {ns} ns"));
    let off = (active == Some(false)).then(|| "/proc/timer_list: .hres_active 0".into());
    let set = env.parameters.iter().find(|word| word.starts_with("highres="));
    let ticks = source(env).filter(|name| matches!(*name, "jiffies" | "refined-jiffies"));
    let fix = match (&set, ticks) {
        (Some(word), _) => format!("Remove `{word}` from the kernel's command line."),
        (None, Some(name)) => format!(
            "The clock source {name} allows no more: give the machine a counter that the kernel \
             can use (see slow-clocksource-jiffies)."
        ),
        (None, None) => {
            let which = "Find out which of the clock source and the event timer does not allow \
                         more";
            let unread = [
                (env.kernel_log.is_empty(), "the kernel's log"),
                (active.is_none(), "/proc/timer_list, as root"),
            ];
            let unread = unread.iter().filter(|(unread, _)| *unread).map(|(_, what)| *what);
            match unread.collect::<Vec<_>>().join(" and ") {
                unread if unread.is_empty() => format!("{which}."),
                unread => format!("{which}: {unread} can say so."),
            }
        }
    };
    let set = set.map(|word| format!("/proc/cmdline: {word}"));
    Ok(found(Level::Warning, coarse.into_iter().chain(off)).and(set).fix(|| fix))
}

pub(super) fn smi(report: &Report) -> Looked {
    const SHOWN: usize = 3;
    let whys = report.waits.iter().filter_map(|wait| Some((wait, wait.why.as_ref()?)));
    let mut counted = whys.filter_map(|(wait, why)| Some((wait, why, why.smis?))).peekable();
    counted
        .peek()
        .ok_or("no system management interrupts were counted: `waits --why` does so as root")?;
    let interrupts = |n| plural(n, "interrupt", "interrupts");
    let lines = counted.filter(|(.., smis)| *smis > 0).flat_map(|(wait, why, smis)| {
        let all = format!("msr/smi/: {} at late wake-ups of {}", interrupts(smis), wait.id);
        let hit = why.worst.iter().filter(|worst| worst.smis > 0).take(SHOWN);
        let hit = hit.map(move |worst| {
            let (late, smis) = (short_ns(worst.late_ns as f64), interrupts(worst.smis));
            format!("at {:.2} s: {late} late, with {smis}", worst.at_s)
        });
        [all].into_iter().chain(hit)
    });
    Ok(found(Level::Warning, lines))
}

pub(super) fn timer_slack(report: &Report) -> Looked {
    /// What Linux gives a thread (init/init_task.c, `timer_slack_ns`). If there is more,
    /// someone set it.
    const USUAL_NS: u64 = 50_000;
    /// Less slack than this, in nanoseconds, is not a problem.
    const LEAST_NS: f64 = 20_000.0;
    let own = report.environment.timer_slack_ns;
    let set = own.filter(|ns| *ns > USUAL_NS);
    let set = set.map(|ns| format!("timerslack_ns: {ns} (the default is {USUAL_NS})"));
    let mut rows = late_by(report, Cause::TimerSlack, LEAST_NS);
    rows.retain(|row| row.wait.slack_ns.is_some_and(|ns| ns > USUAL_NS));
    let certainty = if rows.is_empty() { Certainty::Evidence } else { Certainty::Measured };
    let unknown = |otherwise| why(report, "timer slack", otherwise);
    let known = own.map_or_else(|| reasons(report).map_err(unknown), |_| Ok(()));
    let evidence = set.into_iter().chain(late_lines(&rows));
    clear_if(known, found(Level::Warning, evidence).certain(Some(certainty)))
}
