//! What Windows and macOS do by design.

use super::fault::{
    Clear, FAULT, Fault, Looked, MAC, UNKNOWN_CPU, WINDOWS, clear_if, costs, found,
};
use crate::reading::System;
use crate::reading::short;
use chronoscope_model::clock::Kind;
use chronoscope_model::environment::{Timer, TscKind};
use chronoscope_model::performance_counter::expected;
use chronoscope_model::{Certainty, Level, Page, Report};

const ON_WINDOWS: Fault = Fault { only: &[WINDOWS], ..FAULT };

/// Finds that Windows' performance counter is derived from something unusual.
fn performance_counter(report: &Report, level: Level, unusual: fn(&Timer) -> bool) -> Looked {
    let mut timers = report.environment.timers.iter();
    let unknown = "the rate of QueryPerformanceCounter is not known";
    let timer = timers.find(|timer| timer.name == "QPC").ok_or(unknown)?;
    let known =
        Some(timer).filter(|timer| unusual(timer)).and_then(|timer| Some((timer, timer.hz?)));
    Ok(found(level, known.map(|(timer, hz)| format!("QPC: {hz:.0} Hz; {}", timer.evidence))))
}

pub(super) const MACOS_MONOTONIC_US: Fault = Fault {
    page: Page {
        names: &["macos-monotonic-us"],
        title: "CLOCK_MONOTONIC moves by microseconds",
        about: "On macOS CLOCK_MONOTONIC is derived from gettimeofday's clock and counts whole \
                microseconds, although the counter behind it ticks in tens of nanoseconds.",
        how: "the tick of each monotonic clock",
        act: "Use CLOCK_UPTIME_RAW, or mach_absolute_time, which give nanoseconds and cost less.",
        references: &["clock_gettime(3) of macOS", "Apple Libc gen/clock_gettime.c"],
        ..Page::EMPTY
    },
    certainty: Certainty::Measured,
    only: &[MAC],
    look: |report| {
        let whole = |ns: f64| (999.0..1_001.0).contains(&ns);
        let here = System::of(&report.environment) == System::Mac;
        let coarse = report.clocks.iter().filter(|clock| here && clock.kind == Kind::Monotonic);
        let coarse = coarse.filter_map(|clock| Some((clock, clock.step_ns()?)));
        let coarse = coarse.filter(|(_, tick)| whole(*tick));
        let evidence =
            coarse.map(|(clock, tick)| format!("{}: a tick of {}", clock.id, short(tick)));
        clear_if(costs(report), found(Level::Info, evidence))
    },
    ..FAULT
};

pub(super) const QPC_ON_HPET: Fault = Fault {
    page: Page {
        names: &["qpc-on-hpet"],
        title: "QueryPerformanceCounter reads the HPET or the ACPI timer",
        about: "The performance counter has the rate of the HPET or of the ACPI timer, not one \
                derived from the TSC. Every call enters the kernel and reads a device: about a \
                microsecond instead of 20 ns. That is a fault if the TSC is invariant. Without an \
                invariant TSC, and in Windows Vista and Server 2008 always, it is normal.",
        how: "QueryPerformanceFrequency, the version of Windows, and CPUID",
        act: "If useplatformclock is set: `bcdedit /deletevalue useplatformclock` (as \
              administrator), and restart. If that does not help, Windows found the TSC unfit: \
              look at the firmware or the hypervisor.",
        references: &[
            "Microsoft Learn, Acquiring high-resolution time stamps",
            "Microsoft Learn, BCDEdit /set, useplatformclock",
            "Microsoft Learn, BcdOSLoaderElementTypes",
        ],
        ..Page::EMPTY
    },
    look: |report| {
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
        Ok(look.and(expected).and([options]).fix(|| match (level, known, asked) {
            (Level::Info, ..) => "Nothing is wrong: it is what this version of Windows does on \
                                  this processor."
                .into(),
            (_, true, false) => "No boot option asks for it, so Windows found the TSC unfit: look \
                                 at the firmware or the hypervisor."
                .into(),
            _ => QPC_ON_HPET.page.act.into(),
        }))
    },
    ..ON_WINDOWS
};

pub(super) const QPC_ON_VARIANT_TSC: Fault = Fault {
    page: Page {
        names: &["qpc-on-variant-tsc"],
        title: "QueryPerformanceCounter counts a TSC that is not invariant",
        about: "Before Windows 7, the performance counter of some machines is the raw TSC of the \
                core that asks. If that follows the frequency (AMD's Cool'n'Quiet) or differs \
                between cores, intervals are wrong, and can be negative: ping shows -59 ms.",
        how: "QueryPerformanceFrequency, the version of Windows, and CPUID",
        act: "Add /usepmtimer to boot.ini, or install the processor driver of the vendor, and \
              restart.",
        references: &["Microsoft KB 895980"],
        ..Page::EMPTY
    },
    look: |report| {
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
    },
    ..ON_WINDOWS
};

pub(super) const QPC_SHIFTED: Fault = Fault {
    page: Page {
        names: &["qpc-shifted"],
        title: "QueryPerformanceCounter ticks once in 1024 ticks of the TSC",
        about: "Before Windows 10 1809, the performance counter of a machine with an invariant \
                TSC is the TSC shifted right by ten bits, with a tick of a few hundred \
                nanoseconds. That is normal.",
        how: "QueryPerformanceFrequency",
        act: "Nothing is wrong. Newer versions of Windows scale it to 10 MHz. For shorter \
              intervals, read the TSC.",
        references: &["Microsoft Learn, Acquiring high-resolution time stamps"],
        ..Page::EMPTY
    },
    minor: true,
    look: |report| {
        performance_counter(report, Level::Info, |timer| timer.evidence.contains("1024"))
    },
    ..ON_WINDOWS
};

pub(super) const TIMER_REQUESTS_IGNORED: Fault = Fault {
    page: Page {
        names: &["timer-requests-ignored"],
        title: "Windows ignores this process's requests for a shorter clock interrupt",
        about: "Power throttling of the process says so. Windows 11 also does so while all \
                windows that the process owns are hidden or minimised. timeBeginPeriod(1) and \
                NtSetTimerResolution then report success, and Sleep(1) takes up to 15.6 ms. \
                EcoQoS alone only slows the processor.",
        how: "GetProcessInformation(ProcessPowerThrottling)",
        act: "Call SetProcessInformation with ProcessPowerThrottling, \
              PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION in ControlMask and 0 in StateMask. \
              A high-resolution waitable timer does not depend on it.",
        references: &[
            "Microsoft Learn, timeBeginPeriod",
            "Microsoft Learn, PROCESS_POWER_THROTTLING_STATE",
        ],
        ..Page::EMPTY
    },
    look: |report| {
        let mut timers = report.environment.timers.iter();
        let requests = timers.find(|timer| timer.name == "timer requests");
        let requests = requests.ok_or("Windows does not say whether it honours them")?;
        let ignored = (requests.present == Some(false)).then(|| requests.evidence.clone());
        Ok(found(Level::Info, ignored))
    },
    ..ON_WINDOWS
};

pub(super) const TIMER_RESOLUTION_15MS: Fault = Fault {
    page: Page {
        names: &["timer-resolution-15ms"],
        title: "Windows' clock interrupt comes every 15.6 ms",
        about: "Sleeps and timeouts end at the clock interrupt, 64 times a second. That is the \
                normal state, and saves power. A program can ask for more with timeBeginPeriod: \
                before Windows 10 version 2004 that counted for all programs, since then for the \
                one that asks, and on Windows 11 not while its windows are hidden.",
        how: "NtQueryTimerResolution",
        act: "For a wait that must be precise, use a waitable timer with \
              CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, or timeBeginPeriod(1) for as long as it \
              matters.",
        references: &["Microsoft Learn, timeBeginPeriod", "CreateWaitableTimerExW"],
        ..Page::EMPTY
    },
    minor: true,
    look: |report| {
        let here = System::of(&report.environment) == System::Windows;
        let timers = report.environment.timers.iter();
        let timers = timers.filter_map(|timer| Some((timer, timer.hz?)));
        let mut timers = timers.filter(|(timer, _)| timer.name.contains("interrupt")).peekable();
        timers.peek().ok_or("the interval of the clock interrupt is not known")?;
        let interrupt = timers.find(|(_, hz)| here && *hz > 60.0 && *hz < 70.0);
        let text =
            |(timer, hz): (&Timer, f64)| format!("{}: {hz:.1} Hz; {}", timer.name, timer.evidence);
        Ok(found(Level::Info, interrupt.map(text)))
    },
    ..ON_WINDOWS
};
