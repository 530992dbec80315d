//! Faults of the processor's counter: its rate, its order, and how it agrees from CPU to CPU.

use super::fault::{
    Clear, Found, Looked, UNKNOWN_CPU, asked, clear_if, costs, found, page, ruler, stated, trust,
    unknown_tsc,
};
use super::kernel_log::{act, logged};
use crate::reading::{cost, in_step, known, ns, short, slow_source};
use chronoscope_model::clock::{BuiltOn, Kind, Reads};
use chronoscope_model::environment::{RateKind, TscKind};
use chronoscope_model::kernel_log::Known;
use chronoscope_model::ordering::Handed;
use chronoscope_model::units::{count, plural};
use chronoscope_model::{Certainty, Level, Report};

/// The most clocks or events that are named.
const NAMED: usize = 4;

pub(super) fn arm_counter_erratum(report: &Report) -> Looked {
    let gave_up = known(&report.environment).find(|(_, it)| it.get("reader").is_some());
    let Some(counter) = report.environment.counter.as_ref() else {
        let level = if gave_up.is_some() { Level::Warning } else { Level::Info };
        return match logged(report, level, "arm-counter-erratum") {
            Ok(look @ Found(_)) => Ok(look.fix(|| act(report, "arm-counter-erratum"))),
            _ => Err(UNKNOWN_CPU.into()),
        };
    };
    let has = |words: &str| counter.errata.iter().any(|text| text.contains(words));
    if let Some((line, it)) = gave_up {
        let line = format!("kernel log: {line}");
        let look = found(Level::Warning, counter.errata.iter().cloned().chain([line]));
        return Ok(look.fix(|| it.message.act.into()));
    }
    let level = if has("no workaround") { Level::Warning } else { Level::Info };
    let look = found(level, counter.errata.clone());
    Ok(match level {
        Level::Info => look.act("arm-counter-erratum/worked-around"),
        _ if has("lacks the property") => look.act("arm-counter-erratum/no-property"),
        _ => look,
    })
}

pub(super) fn bad_calibration(report: &Report) -> Looked {
    /// With a larger uncertainty than this, the rate counts as unknown: a calibration of a
    /// second is within 1 ppm on a busy machine.
    const LIMIT_PPM: f64 = 1000.0;
    /// Runs shorter than this, in seconds, have no good calibration.
    const LEAST_S: f64 = 0.5;
    let ruler = ruler(report)?;
    let (hz, ppm) = (ruler.hz, ruler.hz_error_ppm);
    // NaN is not a bound.
    let sound = hz.is_finite() && hz > 0.0 && ppm.is_finite() && ppm.abs() < LIMIT_PPM;
    if !ruler.is_counter || sound || report.run.seconds < LEAST_S {
        return Ok(Clear);
    }
    let against = &ruler.reference;
    Ok(found(Level::Warning, [format!("{}: {hz:.0} Hz ±{ppm:.0} ppm against {against}", ruler.id)]))
}

pub(super) fn coarse_counter(report: &Report) -> Looked {
    /// A tick of 10 ns, which is about what a read costs.
    const COARSE_HZ: f64 = 100e6;
    let env = &report.environment;
    if !env.counter_rates().iter().any(|rate| rate.hz.is_some()) {
        return Err("no source gives the counter's rate".into());
    }
    let rates = env.counter.iter().flat_map(|counter| &counter.rates);
    let mut known = rates.filter_map(|rate| Some((rate, rate.known_hz()?)));
    let Some((rate, hz)) = known.next().filter(|(_, hz)| *hz < COARSE_HZ) else {
        return Ok(Clear);
    };
    let tick = ns(1e9 / hz);
    Ok(found(Level::Info, [format!("{}: {hz:.0} Hz, a tick of {tick}", rate.source)]))
}

pub(super) fn contended_read(report: &Report) -> Looked {
    /// Threads that share cores and caches cost each other up to this factor.
    const NOTABLE: f64 = 3.0;
    /// From this factor on, the threads wait for each other.
    const GRAVE: f64 = 10.0;
    let contended = trust(report)?.contention.iter().filter_map(|seen| {
        let factor = seen.factor().filter(|factor| *factor >= NOTABLE)?;
        let (one, most) = (seen.points.first()?, seen.points.last()?);
        // The figures must differ by more than their scatter.
        (most.low_ns > one.high_ns * NOTABLE / 2.0).then(|| {
            let (id, one_ns, most_ns) = (&seen.id, ns(one.ns), ns(most.ns));
            (factor, format!("{id}: {one_ns} with one thread, {most_ns} with {}", most.threads))
        })
    });
    let (factors, evidence): (Vec<f64>, Vec<String>) = contended.unzip();
    let grave = factors.iter().any(|factor| *factor >= GRAVE);
    let look = found(if grave { Level::Warning } else { Level::Info }, evidence);
    Ok(look.fix(|| match slow_source(&report.environment) {
        Some(source) => format!(
            "The threads read the {}, which every read of the time shares here: see what the \
             finding about this clock source says, or read the clock once per batch of work and \
             hand the value on.",
            source.name
        ),
        None => page("contended-read").act.into(),
    }))
}

pub(super) fn counter_out_of_step(report: &Report) -> Looked {
    let across = report.environment.across_cpus.iter().flat_map(|across| &across.pairs);
    let compared = across.filter(|pair| !pair.in_step()).map(|pair| {
        let [a, b] = pair.handed.cpus;
        let (low, high) = (pair.low_ns, pair.high_ns);
        let handed = handed(&pair.handed);
        // No offset fits all exchanges if it changed between them.
        if low > high {
            return format!("CPUs {a} and {b} moved against each other; {handed}");
        }
        format!("CPU {b} is ahead of CPU {a} by {low:.0} to {high:.0} ns; {handed}")
    });
    let look = found(Level::Warning, compared.chain(watched(report)));
    let arm = report.environment.counter.is_some();
    let look = look.act(match (&report.environment.hypervisor, arm) {
        (Some(_), _) => "counter-out-of-step/guest",
        (None, true) => "counter-out-of-step/arm",
        (None, false) => "counter-out-of-step",
    });
    clear_if(across_known(report), look)
}

pub(super) fn cntfrq_mismatch(report: &Report) -> Looked {
    /// The kernel's log gives the rate in hundredths of a megahertz.
    const LIMIT_PPM: f64 = 1_000.0;
    let rates = report.environment.counter.iter().flat_map(|counter| &counter.rates);
    let known = rates.filter(|rate| rate.kind != RateKind::Measured);
    let known: Vec<_> = known.filter_map(|rate| Some((&rate.source, rate.known_hz()?))).collect();
    let [(_, first), _, ..] = known[..] else {
        return Err("fewer than two sources give the counter's rate".into());
    };
    let differ = known.iter().any(|(_, hz)| (hz / first - 1.0).abs() * 1e6 > LIMIT_PPM);
    let lines = known.iter().map(|(source, hz)| format!("{source}: {hz:.0} Hz"));
    Ok(found(Level::Warning, lines.filter(|_| differ)))
}

pub(super) fn emulated_cpu(report: &Report) -> Looked {
    clear_if(asked(report), found(Level::Warning, report.environment.emulated.clone()))
}

pub(super) fn tsc_emulated(report: &Report) -> Looked {
    /// No processor takes this long for an untrapped rdtsc, in nanoseconds: it takes some
    /// twenty to a hundred cycles (Agner Fog, Instruction tables), and an exit to a hypervisor
    /// takes a thousand.
    const TRAPPED_NS: f64 = 400.0;
    let env = &report.environment;
    let announced = env.hypervisor.as_ref().is_some_and(|it| it.has("xen-tsc-emulated"));
    let counters = report.clocks.iter().filter(|clock| clock.reads(Reads::Counter));
    let counters = counters.filter_map(|clock| Some((clock, clock.read_ns()?)));
    let cheapest = counters.min_by(|a, b| a.1.total_cmp(&b.1));
    // On a processor without a TSC, what is slow is another counter.
    let trapped = |cost: f64| env.tsc.is_some() && cost > TRAPPED_NS && cost.is_finite();
    let slow = cheapest.filter(|(_, cost)| trapped(*cost));
    // A feature that costs nothing is not a fault.
    let cheap = cheapest.is_some() && slow.is_none();
    if env.emulated.is_some() || cheap {
        return clear_if(costs(report), Clear);
    }
    let costly = slow.and_then(|(clock, _)| Some((&clock.id, cost(clock)?)));
    let costly = costly.map(|(id, cost)| format!("{id} costs {cost} per read"));
    let told = || "CPUID 0x40000003 EAX[0]=1: Xen emulates the TSC".into();
    let evidence = costly.into_iter().chain(announced.then(told));
    let host = env.hypervisor.as_ref().map_or("", |it| it.name.as_str());
    let look = clear_if(costs(report), found(Level::Warning, evidence))?.act(match host {
        name if name.contains("Xen") => "tsc-emulated/xen",
        name if name.contains("KVM") => "tsc-emulated/kvm",
        _ => "tsc-emulated",
    });
    Ok(look.certain(slow.is_none().then_some(Certainty::Evidence)))
}

pub(super) fn tsc_forced_reliable(report: &Report) -> Looked {
    let env = &report.environment;
    let Some(told) = env.unchecked_tsc() else {
        let unread = env.kernel.is_none().then(|| "the boot parameters were not read".into());
        let unknown = stated(report, "boot parameters").or(unread);
        return unknown.map_or(Ok(Clear), Err);
    };
    let agree = in_step(env) == Some(true);
    let agree = agree.then(|| "the counters of the CPUs compared in this run agree".to_owned());
    // The kernel may check it all the same.
    const CHECKS: [&str; 4] =
        ["tsc-skew", "tsc-warp", "watchdog-false-positive", "watchdog-skipped"];
    let proves = |it: &Known| CHECKS.iter().any(|id| it.proves(id, false));
    let checked = known(env).find(|(_, it)| proves(it));
    let checked =
        checked.map(|(line, _)| format!("kernel log: {line}: it checked the TSC all the same"));
    let level = if agree.is_some() || checked.is_some() { Level::Info } else { Level::Warning };
    let look = [format!("/proc/cmdline: {told}")].into_iter().chain(agree);
    let useless = checked.is_some();
    Ok(found(level, look.chain(checked)).fix(|| match useless {
        true => format!(
            "`{told}`, which is set, did not keep this kernel from checking the TSC; what the \
             check found is a finding of its own."
        ),
        false => format!(
            "Remove `{told}` from the kernel's command line, unless you know from another source \
             that the TSC is sound; `chronoscope trust` tests it."
        ),
    }))
}

pub(super) fn tsc_jump(report: &Report) -> Looked {
    let trust = trust(report)?;
    let counter = |id: &str| match trust.of(id) {
        Some(watch) => {
            let built_on = watch.facts.as_ref().map(|facts| facts.built_on);
            watch.kind == Kind::Counter || built_on == Some(BuiltOn::Counter)
        }
        // The counter itself, which the pairs of CPUs compared.
        None => id == trust.matrix.id,
    };
    let jumps = trust.watched.jumps.iter().filter(|jump| counter(&jump.id));
    let evidence = jumps.take(NAMED).map(|jump| {
        let (by, allowed) = (short(jump.ns.round()), short(jump.tolerance_ns.round()));
        let (at_s, id, against) = (jump.at_s, &jump.id, &jump.against);
        format!("after {at_s:.1} s, {id} moved by {by} against {against}, which allows {allowed}")
    });
    Ok(found(Level::Error, evidence))
}

pub(super) fn tsc_rate_mismatch(report: &Report) -> Looked {
    /// NTP cannot correct a rate that is off by more: the kernel's discipline reaches 500 ppm
    /// (`MAXFREQ`, include/linux/timex.h).
    const LIMIT_PPM: f64 = 500.0;
    let logged = logged(report, Level::Warning, "tsc-rate-mismatch");
    if let Ok(look @ Found(_)) = logged {
        let rates = known(&report.environment).filter(|(_, it)| it.get("mhz").is_some());
        let rates = rates.filter(|(_, it)| it.message.text.contains("calibrated "));
        let (lines, mhz): (Vec<_>, Vec<_>) = rates
            .filter_map(|(line, it)| Some((format!("kernel log: {line}"), it.number("mhz")?)))
            .unzip();
        return Ok(look.and(lines).fix(|| not_recalibrated(report, &mhz)));
    }
    report.environment.measured_hz().ok_or("the counter's rate was not measured")?;
    let rates = report.environment.counter_rates();
    let of_kind = |kind| {
        let rates = rates.iter().filter(move |rate| rate.kind == kind);
        rates.filter_map(|rate| Some((rate, rate.known_hz()?)))
    };
    let Some((measured, real)) = of_kind(RateKind::Measured).next() else {
        return Ok(Clear);
    };
    // Nominal rates are left out: leaf 0x16 gives the core's base frequency in whole megahertz,
    // from the processor's specification and not from its actual state (Intel SDM vol. 2A,
    // CPUID, notes to leaf 16H), so the TSC's rate may well differ from it.
    let off = of_kind(RateKind::Stated).filter_map(|(stated, hz)| {
        let ppm = (hz / real - 1.0) * 1e6;
        let error = stated.error_ppm.unwrap_or(0.0) + measured.error_ppm.unwrap_or(0.0);
        let text = || format!("{}: {hz:.0} Hz, {ppm:+.0} ppm", stated.source);
        (ppm.abs() > LIMIT_PPM + error).then(text)
    });
    let compared = measured.compared.as_ref();
    let compared = compared.map_or(String::new(), |it| format!(" ({})", it.standing.name()));
    let measured = format!("{}: {real:.0} Hz{compared}", measured.source);
    Ok(found(Level::Warning, off).with(|seen| seen.lines.insert(0, measured)))
}

pub(super) fn tsc_variant(report: &Report) -> Looked {
    let tsc = report.environment.tsc.as_ref().ok_or_else(|| unknown_tsc(report))?;
    let (level, kind) = match tsc.kind {
        TscKind::Variant => (Level::Warning, "variant"),
        TscKind::Constant => (Level::Info, "constant, not invariant"),
        TscKind::Invariant | TscKind::None => return Ok(Clear),
    };
    let known = Some(tsc.evidence.clone()).filter(|text| !text.is_empty());
    Ok(found(level, [format!("kind: {kind}")].into_iter().chain(known)))
}

pub(super) fn unordered_read(report: &Report) -> Looked {
    let mut tested = report.clocks.iter().filter_map(|clock| clock.ordering.as_ref());
    if !tested.any(|it| it.promised == Some(false) && it.was_tested()) {
        return Err("no clock whose reads are not ordered was tested".into());
    }
    // If the counters themselves differ, that is the fault.
    if in_step(&report.environment) == Some(false) {
        return Ok(Clear);
    }
    let seen = report.clocks.iter().filter_map(|clock| {
        let ordering = clock.ordering.as_ref().filter(|it| it.promised == Some(false))?;
        let early = ordering.early().map(|ns| format!("read up to {} early", short(ns.round())));
        let back = ordering.backwards().map(|handed| {
            let turns = plural(handed.turns, "hand-over", "hand-overs");
            format!("{} of {turns} backwards", count(handed.backwards))
        });
        let both: Vec<String> = early.into_iter().chain(back).collect();
        (!both.is_empty()).then(|| format!("{}: {}", clock.id, both.join(", ")))
    });
    let env = &report.environment;
    Ok(found(Level::Info, seen.take(NAMED)).act(match &env.tsc {
        None if env.counter.is_some() => "unordered-read/arm",
        Some(tsc) if !tsc.rdtscp => "unordered-read/no-rdtscp",
        _ => "unordered-read",
    }))
}

/// What to do about a rate of the firmware that another timer contradicts.
fn not_recalibrated(report: &Report, mhz: &[f64]) -> String {
    let env = &report.environment;
    let mut fix = "Update the firmware: the rate that it states is wrong, and the kernel keeps it."
        .to_owned();
    if let [stated, real, ..] = mhz {
        let percent = ((real / stated - 1.0) * 100.0).abs();
        let khz = real * 1e3;
        fix = format!(
            "The clock is off by {percent:.1} %. {fix} Until then `tsc_early_khz={khz:.0}` on the \
             kernel's command line states the right one"
        );
        let hpet = env.clocksource.iter().flat_map(|it| &it.available).any(|it| it == "hpet");
        fix += if hpet { ", or `clocksource=hpet` avoids the TSC." } else { "." };
    }
    if env.parameters.iter().any(|word| word == "tsc=recalibrate") {
        fix += " `tsc=recalibrate`, which is set, only prints the comparison: it corrects nothing.";
    }
    fix
}

fn handed(handed: &Handed) -> String {
    let turns = plural(handed.turns, "hand-over", "hand-overs");
    let worst = short(handed.worst_ns.round());
    format!("{} of {turns} backwards, by up to {worst}", count(handed.backwards))
}

/// The pairs whose offset exceeds its uncertainty, as they were seen while clocks were watched: by
/// the counter, or, if the counter is not invariant, by the system's clock that is derived from it.
fn watched(report: &Report) -> impl Iterator<Item = String> {
    let matrix = report.trust.iter().map(|trust| &trust.matrix);
    let pairs = matrix.flat_map(|matrix| matrix.pairs.iter().map(|pair| (&matrix.id, pair)));
    pairs.filter_map(|(id, pair)| {
        let offset = pair.best().filter(|offset| offset.differs())?;
        let [mut behind, mut ahead] = pair.handed.cpus;
        if offset.offset_ns < 0.0 {
            (behind, ahead) = (ahead, behind);
        }
        // With one offset for all exchanges, the shortest ways there and back take some time.
        let apart = if offset.round_trip_ns > 0.0 {
            let by = short(offset.offset_ns.abs().round());
            let within = short(offset.uncertainty_ns.round());
            format!("CPU {ahead} is ahead of CPU {behind} by {by}, to within {within}")
        } else {
            format!("CPU {ahead} got ahead of CPU {behind} during the run")
        };
        Some(format!("{id}: {apart}; {}", handed(&pair.handed)))
    })
}

/// Whether the counters of two CPUs were compared. A single CPU has nothing to disagree with.
fn across_known(report: &Report) -> Result<(), String> {
    let env = &report.environment;
    let across = env.across_cpus.as_ref();
    let compared = across.is_some_and(|across| !across.pairs.is_empty());
    let watched = report.trust.as_ref().and_then(|trust| trust.matrix.in_step());
    if env.cpu.logical == 1 || compared || watched.is_some() {
        return Ok(());
    }
    let why = across.and_then(|across| across.left_out.clone());
    Err(why.unwrap_or("the counters of two CPUs were not compared".into()))
}
