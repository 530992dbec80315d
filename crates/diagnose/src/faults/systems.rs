//! What Windows and macOS do by design.
//!
//! What the kernel, a sandbox or a hypervisor keeps this process from doing.

use super::fault::{Clear, Looked, UNKNOWN_CPU, clear_if, costs, found, unknown_tsc, why};
use super::kernel_log::also_logged;
use crate::reading::{System, short};
use chronoscope_model::clock::Kind;
use chronoscope_model::environment::{Timer, TscKind, expected};
use chronoscope_model::{Level, Report};

/// Finds that Windows' performance counter is derived from something unusual.
fn performance_counter(report: &Report, level: Level, unusual: fn(&Timer) -> bool) -> Looked {
    let mut timers = report.environment.timers.iter();
    let unknown = "the rate of QueryPerformanceCounter is not known";
    let timer = timers.find(|timer| timer.name == "QPC").ok_or(unknown)?;
    let known =
        Some(timer).filter(|timer| unusual(timer)).and_then(|timer| Some((timer, timer.hz?)));
    Ok(found(level, known.map(|(timer, hz)| format!("QPC: {hz:.0} Hz; {}", timer.evidence))))
}

pub(super) fn macos_monotonic_us(report: &Report) -> Looked {
    let whole = |ns: f64| (999.0..1_001.0).contains(&ns);
    let here = System::of(&report.environment) == System::Mac;
    let coarse = report.clocks.iter().filter(|clock| here && clock.kind == Kind::Monotonic);
    let coarse = coarse.filter_map(|clock| Some((clock, clock.step_ns()?)));
    let coarse = coarse.filter(|(_, tick)| whole(*tick));
    let evidence = coarse.map(|(clock, tick)| format!("{}: a tick of {}", clock.id, short(tick)));
    clear_if(costs(report), found(Level::Info, evidence))
}

pub(super) fn qpc_on_hpet(report: &Report) -> Looked {
    let env = &report.environment;
    let expected = expected(env);
    let level = match &expected {
        Some(expected) if !expected.tsc => Level::Info,
        _ => Level::Warning,
    };
    let look = performance_counter(report, level, |timer| {
        ["ACPI PM", "HPET"].iter().any(|name| timer.evidence.contains(name))
    })?;
    let expected = expected.map(|it| format!("expected here: {}", it.why));
    let mut unread = env.unknown.iter().filter(|it| it.subject == "boot parameters");
    let options = match (&env.parameters[..], unread.next()) {
        ([], Some(unread)) => format!("boot options: unknown ({})", unread.reason),
        ([], None) => "boot options: none about timers".into(),
        (options, _) => format!("boot options: {}", options.join(", ")),
    };
    let asked = env.parameters.iter().any(|option| option.contains("useplatformclock"));
    let known = asked || !env.parameters.is_empty() || !options.contains("unknown");
    Ok(look.and(expected).and([options]).act(match (level, known, asked) {
        (Level::Info, ..) => "qpc-on-hpet/expected",
        (_, true, false) => "qpc-on-hpet/unasked",
        _ => "qpc-on-hpet",
    }))
}

pub(super) fn qpc_on_variant_tsc(report: &Report) -> Looked {
    /// No other timer of a PC runs this fast, in hertz.
    const RAW_HZ: f64 = 200e6;
    let env = &report.environment;
    let kind = env.tsc.as_ref().map_or(TscKind::None, |tsc| tsc.kind);
    if env.tsc.is_none() && env.cpu.vendor.is_none() {
        return Err(UNKNOWN_CPU.into());
    }
    if matches!(kind, TscKind::Invariant | TscKind::None) || env.cpu.logical == 1 {
        return Ok(Clear);
    }
    let look = performance_counter(report, Level::Warning, |timer| {
        timer.hz.is_some_and(|hz| hz > RAW_HZ)
    })?;
    Ok(look.and(env.tsc.iter().map(|tsc| tsc.evidence.clone())))
}

pub(super) fn qpc_shifted(report: &Report) -> Looked {
    performance_counter(report, Level::Info, |timer| timer.evidence.contains("1024"))
}

pub(super) fn timer_requests_ignored(report: &Report) -> Looked {
    let mut timers = report.environment.timers.iter();
    let requests = timers.find(|timer| timer.name == "timer requests");
    let said = requests.and_then(|it| Some((it, it.present?)));
    let said = said.ok_or("Windows does not say whether it honours them")?;
    Ok(found(Level::Info, (!said.1).then(|| said.0.evidence.clone())))
}

pub(super) fn timer_resolution_15ms(report: &Report) -> Looked {
    let here = System::of(&report.environment) == System::Windows;
    let timers = report.environment.timers.iter();
    let timers = timers.filter_map(|timer| Some((timer, timer.hz?)));
    let mut timers = timers.filter(|(timer, _)| timer.name.contains("interrupt")).peekable();
    timers.peek().ok_or("the interval of the clock interrupt is not known")?;
    let interrupt = timers.find(|(_, hz)| here && *hz > 60.0 && *hz < 70.0);
    let text =
        |(timer, hz): (&Timer, f64)| format!("{}: {hz:.1} Hz; {}", timer.name, timer.evidence);
    Ok(found(Level::Info, interrupt.map(text)))
}

pub(super) fn adjtimex_denied(report: &Report) -> Looked {
    if let Some(look) = also_logged(report, Level::Warning, "adjtimex-denied") {
        return Ok(look);
    }
    let keeping = report.environment.keeping.as_ref();
    let error = keeping.and_then(|it| it.adjtimex_refused.as_ref());
    let look = found(Level::Info, error.map(|error| format!("adjtimex: {error}")));
    clear_if(keeping.and_then(|it| it.adjtimex).ok_or("adjtimex(2) was not called"), look)
}

pub(super) fn rdtscp_forbidden(report: &Report) -> Looked {
    let tsc = report.environment.tsc.as_ref().ok_or_else(|| unknown_tsc(report))?;
    let missing = !tsc.rdtscp && tsc.kind != TscKind::None;
    Ok(found(Level::Info, missing.then(|| "CPUID 0x80000001 EDX[27]=0".into())))
}

pub(super) fn sleeps_refused(report: &Report) -> Looked {
    /// The most calls that are named.
    const NAMED: usize = 4;
    // strerror(3) of EPERM, ENOSYS and EINVAL: WSL 1 answers the last.
    let words = ["not permitted", "not implemented", "Invalid argument"];
    let refused = |reason: &str| words.iter().any(|words| reason.contains(words));
    let keeping = report.environment.keeping.as_ref();
    let tried = keeping.and_then(|keeping| keeping.sleep_refused.clone());
    if tried.is_none() && report.clocks.is_empty() && report.waits.is_empty() {
        return Err(why(report, "sleeps", "neither clocks nor sleeps were tried"));
    }
    let sleeps = report.waits.iter().filter_map(|wait| {
        let reason = wait.unavailable_reason.as_deref()?;
        let calls = !wait.elsewhere && wait.call.contains("nanosleep") && refused(reason);
        calls.then(|| format!("{}: {reason}", wait.id))
    });
    let sleeps: Vec<String> = sleeps.take(NAMED).collect();
    let clocks = report.clocks.iter().filter_map(|clock| {
        let reason = clock.unavailable_reason.as_deref()?;
        let calls = ["clock_gettime", "gettimeofday", "time("];
        let calls = calls.iter().any(|call| clock.call.contains(call));
        let refused = !clock.elsewhere && calls && reason.contains("not permitted");
        refused.then(|| format!("{}: {reason}", clock.id))
    });
    let clocks: Vec<String> = clocks.take(NAMED).collect();
    let preloaded = tried.as_ref().is_some_and(|why| why.contains("preloaded"));
    let sleeps: Vec<String> = tried.into_iter().chain(sleeps).collect();
    let level = if sleeps.is_empty() { Level::Warning } else { Level::Error };
    Ok(found(level, sleeps.into_iter().chain(clocks)).act(match preloaded {
        true => "sleeps-refused/preloaded",
        false => "sleeps-refused",
    }))
}

pub(super) fn time64_blocked(report: &Report) -> Looked {
    if let Some(look) = also_logged(report, Level::Error, "time64-blocked") {
        return Ok(look);
    }
    let error = report.environment.keeping.as_ref().and_then(|it| it.time64.as_deref());
    // ENOSYS: the kernel is older than the call (5.1), and the C library makes another.
    let error = error.filter(|error| !matches!(*error, "" | "ENOSYS"));
    Ok(found(Level::Error, error.map(|error| format!("clock_gettime64(CLOCK_REALTIME): {error}"))))
}

pub(super) fn tsc_forbidden(report: &Report) -> Looked {
    let permitted = report.environment.tsc.as_ref().and_then(|tsc| tsc.permitted);
    let unknown = "the kernel does not say whether the process may read the TSC";
    let forbidden = !permitted.ok_or(unknown)?;
    Ok(found(Level::Error, forbidden.then(|| "prctl(PR_GET_TSC): PR_TSC_SIGSEGV".into())))
}
