//! Faults of the clock source that the kernel keeps time with, of the reads in user space, and of a
//! clock of the C library that is not the kernel's.

use super::fault::{
    Clear, Looked, asked, clear_if, clock_source, cost_of_system_clock, costs, found, page, ran,
    trust, vdso,
};
use super::kernel_log::{also_logged, cause};
use crate::reading::{cost, short, slow_source, source};
use chronoscope_model::clock::{Clock, Kind, Standing};
use chronoscope_model::clock_source::{both_paths, by_name, falls_back};
use chronoscope_model::environment::{Environment, TscKind};
use chronoscope_model::units::count;
use chronoscope_model::{Certainty, Level, Report, Trust, change};

/// Finds that the clock source in use is one of these slow ones, what a read costs, and why the
/// kernel uses it.
pub(super) fn slow(report: &Report, names: &[&str]) -> Looked {
    let env = &report.environment;
    // What other systems call their clock source.
    let id = format!("slow-clocksource-{}", names[0].replace('_', "-"));
    if let Some(look) = also_logged(report, Level::Warning, &id) {
        return Ok(look);
    }
    // If there are only slow ones, the first, which is the best, is in use unless one was set.
    let all = env.clocksource.iter().flat_map(|all| &all.available);
    let slow = |name: &String| by_name(name).is_some_and(|source| !source.vdso);
    let only = all.clone().next().filter(|_| source(env).is_none() && all.clone().all(slow));
    let name = only.map_or_else(|| clock_source(report), |name| Ok(name))?;
    if !names.contains(&name) {
        return if only.is_some() { clock_source(report).map(|_| Clear) } else { Ok(Clear) };
    }
    let all = env.clocksource.iter().filter(|all| !all.available.is_empty());
    let all = all.map(|all| format!("available_clocksource: {}", all.available.join(" ")));
    let current = match only {
        Some(_) => "the vDSO can read none of the clock sources that there are".into(),
        None => in_use(report, name),
    };
    let why = cause(report).map(|(line, _)| format!("kernel log: {line}"));
    let set = set_against_tsc(env, name).map(|word| format!("/proc/cmdline: {word}"));
    let evidence = [current].into_iter().chain(all).chain(cost_of_system_clock(report));
    let look = found(Level::Warning, evidence.chain(why).chain(set));
    Ok(look.fix(|| faster(report, name)))
}

/// The line that says that the kernel keeps time with this clock source.
fn in_use(report: &Report, name: &str) -> String {
    let env = &report.environment;
    let listed = env.clocksource.iter().any(|all| !all.available.is_empty());
    let words = format!("clocksource {name}");
    let mut log = env.kernel_log.iter().rev();
    let installed = format!("Time: {name} clocksource has been installed");
    match log.find(|line| !listed && (line.ends_with(&words) || line.contains(&installed))) {
        Some(line) => format!("kernel log: {line}"),
        None => format!("current_clocksource: {name}"),
    }
}

/// The boot parameters that make the kernel use this clock source and not a faster one.
fn set_against_tsc<'a>(env: &'a Environment, current: &'a str) -> impl Iterator<Item = &'a String> {
    env.parameters.iter().filter(move |word| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        match name {
            "notsc" | "nohpet" => true,
            // Any other has no effect.
            "clocksource" | "clock" => value == current,
            "tsc" => value == "unstable",
            "hpet" => value == "disable",
            _ => false,
        }
    })
}

/// What to do about a slow clock source on this machine.
fn faster(report: &Report, name: &str) -> String {
    let env = &report.environment;
    let offered = |name: &str| {
        env.clocksource.as_ref().is_some_and(|it| it.available.iter().any(|it| it == name))
    };
    let invariant = env.tsc.as_ref().is_some_and(|tsc| tsc.kind == TscKind::Invariant);
    let mut fix = Vec::new();
    for word in set_against_tsc(env, name) {
        fix.push(match word.as_str() {
            "hpet=disable" | "nohpet" if name == "hpet" => continue,
            "hpet=disable" | "nohpet" => {
                format!("Remove `{word}` from the kernel's command line to get the HPET back.")
            }
            "tsc=unstable" => format!(
                "Remove `{word}` to let the kernel try the TSC again: its own log advises this \
                 parameter, but it only makes the kernel give the TSC up earlier."
            ),
            _ => format!("Remove `{word}` from the kernel's command line."),
        });
    }
    match cause(report) {
        Some((_, act)) if fix.is_empty() => {
            fix.push(
                "The kernel's log says why it does not use the TSC (see the evidence).".into(),
            );
            fix.push(act);
        }
        Some(_) => {}
        None if offered("tsc") && invariant && fix.is_empty() => {
            fix.push(page("slow-clocksource/offered").act.into())
        }
        None if env.kernel_log.is_empty() => fix.push(page("slow-clocksource/no-log").act.into()),
        None if fix.is_empty() => fix.push(page("slow-clocksource/no-line").act.into()),
        None => {}
    }
    if matches!(name, "jiffies" | "refined-jiffies") {
        fix.push(page("slow-clocksource-jiffies/timer").act.into());
    }
    fix.retain(|sentence: &String| !sentence.is_empty());
    fix.join(" ")
}

/// Finds that a clock source of a hypervisor is read by system calls, as this flag of CPUID shows.
fn paravirtual(report: &Report, name: &str, flag: String) -> Looked {
    let evidence = [format!("current_clocksource: {name}"), flag];
    Ok(found(Level::Warning, evidence.into_iter().chain(cost_of_system_clock(report))))
}

pub(super) fn clocksource_changed(report: &Report) -> Looked {
    let mut changed = report.run.changed.iter();
    let Some(changed) = changed.find(|it| it.fact == change::CLOCK_SOURCE) else {
        clock_source(report)?;
        return ran(report).map(|()| Clear).map_err(Into::into);
    };
    let evidence = format!("current_clocksource: {}, later {}", changed.before, changed.after);
    let log = report.environment.kernel_log.iter().filter(|line| line.contains("nstable"));
    let log = log.take(2).map(|line| format!("kernel log: {line}"));
    Ok(found(Level::Warning, [evidence].into_iter().chain(log)))
}

pub(super) fn hyperv_tsc_page_off(report: &Report) -> Looked {
    /// The second is its name before Linux 5.3.
    const NAMES: [&str; 2] = ["hyperv_clocksource_msr", "hyperv_clocksource"];
    let source = clock_source(report)?;
    let Some(hypervisor) = report.environment.hypervisor.as_ref() else {
        return Ok(Clear);
    };
    if !hypervisor.name.contains("Hyper-V") || !NAMES.contains(&source) {
        return Ok(Clear);
    }
    let page = u8::from(hypervisor.has("hyperv-tsc-page"));
    // Of texts, the clock source alone says it.
    let flag = match hypervisor.evidence.contains("CPUID") {
        true => format!("CPUID 0x40000003 EAX[9]={page}"),
        false => format!("the host offers no page of the TSC: {}", hypervisor.evidence),
    };
    paravirtual(report, source, flag)
}

pub(super) fn kvm_clock_unstable(report: &Report) -> Looked {
    let source = clock_source(report)?;
    let Some(hypervisor) = report.environment.hypervisor.as_ref() else {
        return Ok(Clear);
    };
    let stable = hypervisor.has("kvm-clock-stable");
    if source != "kvm-clock" || stable {
        return Ok(Clear);
    }
    if !hypervisor.has("kvm-clock") {
        return Err("the features of the hypervisor were not read (CPUID 0x40000001)".into());
    }
    let invariant = report.environment.tsc.as_ref().map(|tsc| tsc.kind);
    let offered = report.environment.clocksource.iter().flat_map(|it| &it.available);
    let tsc = invariant == Some(TscKind::Invariant) && offered.clone().any(|it| it == "tsc");
    let look = paravirtual(report, source, "CPUID 0x40000001 EAX[24]=0".into())?;
    Ok(look.fix(|| {
        let host = "Have the hypervisor offer the flag (QEMU: `kvmclock-stable-bit=on`), on a host \
                    that uses the TSC as its clock source: KVM sets it only then.";
        let own = if tsc { " Here `clocksource=tsc` is the alternative." } else { "" };
        format!("{host}{own}")
    }))
}

pub(super) fn rate_off_everywhere(report: &Report) -> Looked {
    if report.trust.as_ref().is_some_and(Trust::rate_is_verified) {
        return Ok(Clear);
    }
    let rates = report.environment.counter_rates().iter();
    let compared = rates.filter_map(|rate| Some((rate, rate.compared.as_ref()?)));
    let independent = |standing| standing == Standing::Independent;
    if compared.clone().any(|(_, with)| independent(with.standing)) {
        return Ok(Clear);
    }
    compared.clone().next().ok_or("no rate was compared")?;
    let evidence = compared.map(|(rate, with)| {
        let (name, standing) = (&rate.source, with.standing.name());
        format!("{name} against {}: {standing}; {}", with.with, with.why)
    });
    Ok(found(Level::Info, evidence))
}

pub(super) fn same_oscillator(report: &Report) -> Looked {
    let source = clock_source(report)?;
    let rates = report.environment.counter_rates().iter();
    let mut compared = rates.filter_map(|rate| rate.compared.as_ref()).peekable();
    compared.peek().ok_or("no rate was compared")?;
    let same = compared.any(|with| with.standing == Standing::SameOscillator);
    if !same || !report.environment.keeps_time_by_counter() {
        return Ok(Clear);
    }
    Ok(found(Level::Info, [format!("current_clocksource: {source}, which the counter drives")]))
}

pub(super) fn watchdog_off(report: &Report) -> Looked {
    /// Crystals of computers are within 100 ppm of their rate, and a calibration adds little.
    /// NTP can correct 500 ppm.
    const CRYSTAL_PPM: f64 = 200.0;
    let env = &report.environment;
    let source = clock_source(report)?;
    let trust = report.trust.as_ref().filter(|trust| trust.rate_is_verified());
    let trust = trust.ok_or("no rate was compared with another oscillator")?;
    if !env.keeps_time_by_counter() {
        return Ok(Clear);
    }
    let off = trust.rates.iter().filter(|rate| {
        let unslewed = trust.of(&rate.id).is_some_and(|watch| watch.kind != Kind::Wall);
        let ppm = rate.low_ppm.abs().min(rate.high_ppm.abs());
        let sound = rate.low_ppm <= rate.high_ppm && ppm.is_finite();
        let differs = rate.differs() && ppm > CRYSTAL_PPM && sound;
        unslewed && differs && rate.standing == Standing::Independent
    });
    let evidence = off.map(|rate| {
        let half = rate.half_width_ppm();
        format!("{} against {}: {:+.1} ±{half:.1} ppm", rate.id, rate.against, rate.ppm)
    });
    let set = env.unchecked_tsc().map(|word| format!("/proc/cmdline: {word}"));
    let lines = [format!("current_clocksource: {source}")].into_iter().chain(set);
    Ok(found(Level::Warning, evidence).and(lines))
}

pub(super) fn clock_not_in_vdso(report: &Report) -> Looked {
    costs(report)?;
    let env = &report.environment;
    // If nothing can be read in user space, that is another fault, with its own fix.
    if env.vdso.as_ref().is_some_and(|vdso| !vdso.present) || slow_source(env).is_some() {
        return Ok(Clear);
    }
    let fallen = both_paths(report).filter(|(library, raw)| falls_back(library, raw));
    // Programs read the clocks that languages wrap all the time.
    let wrapped = |clock: &Clock| {
        let mut others = report.clocks.iter();
        others.any(|c| c.is_alternative_to(clock) && c.language != clock.language)
    };
    // A glance reads nothing but the system's own clock, which every language wraps.
    let often = report.run.quick || fallen.clone().any(|(clock, _)| wrapped(clock));
    let evidence = fallen.filter_map(|(clock, raw)| {
        let (id, library, raw) = (&clock.id, cost(clock)?, cost(raw)?);
        Some(format!("{id} costs {library} through the library, and a raw system call {raw}"))
    });
    let level = if often { Level::Warning } else { Level::Info };
    let quick = both_paths(report).filter_map(|(clock, raw)| {
        let monotonic = matches!(clock.kind, Kind::Monotonic | Kind::Wall);
        Some((clock, clock.read_ns()?)).filter(|_| monotonic && !falls_back(clock, raw))
    });
    let quick = quick.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(clock, _)| &clock.id);
    Ok(found(level, evidence).fix(|| match quick {
        Some(id) => format!("Use {id} instead if it meets your needs, or a newer kernel."),
        None => page("clock-not-in-vdso/none").act.into(),
    }))
}

pub(super) fn no_vdso(report: &Report) -> Looked {
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
        None => page("no-vdso/not-asked").act.into(),
    }))
}

pub(super) fn vdso_disagrees(report: &Report) -> Looked {
    let seen = trust(report)?.sandwiches.iter();
    let seen = seen.filter(|it| it.disagrees() && it.calls_backwards == 0);
    let evidence = seen.map(|it| {
        let [below, tries, above] = [it.below, it.tries, it.above].map(count);
        let (id, call, worst) = (&it.id, &it.system_call, short(it.worst_ns.round()));
        format!(
            "{id}: {below} of {tries} reads were less than {call} just before, {above} more than \
             it just after, by up to {worst}"
        )
    });
    clear_if(vdso(report), found(Level::Error, evidence))
}

pub(super) fn library_clock(report: &Report) -> Looked {
    let keeping = report.environment.keeping.as_ref().ok_or("the clocks were not compared")?;
    let Some(clock) = &keeping.library_clock else { return asked(report).map(|()| Clear) };
    if clock.ahead_ns == 0 && !clock.stands_still && clock.pace_percent.is_none() {
        // Only its names are known of one that has functions after it: what they do is not.
        let known = clock.preloaded.iter().any(|name| !name.contains(" ("));
        let lines = clock.preloaded.iter().map(|name| match name.contains(" (") {
            true => format!("/proc/PID/maps: {name} has these functions besides the C library"),
            false => {
                format!("/proc/PID/maps: {name} is loaded, which replaces the C library's clocks")
            }
        });
        let level = if known { Level::Warning } else { Level::Info };
        let look = found(level, lines).certain(Some(Certainty::Evidence));
        return Ok(look.act(match known {
            true => "library-clock/other-program",
            false => "library-clock/passed-on",
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
    Ok(look.act(match &clock.preloaded[..] {
        [] => "library-clock/none-preloaded",
        _ => "library-clock",
    }))
}

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
