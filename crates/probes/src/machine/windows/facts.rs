//! The facts that only Windows has.

use std::time::{Duration, Instant};

use chronoscope_model::Environment;
use chronoscope_model::environment::Timer;
use windows_sys::Win32::System::Power::{GetSystemPowerStatus, SYSTEM_POWER_STATUS};
use windows_sys::Win32::System::Threading::{
    ABOVE_NORMAL_PRIORITY_CLASS, BELOW_NORMAL_PRIORITY_CLASS, GetCurrentProcess, GetPriorityClass,
    HIGH_PRIORITY_CLASS, IDLE_PRIORITY_CLASS, NORMAL_PRIORITY_CLASS, REALTIME_PRIORITY_CLASS,
};

use super::super::qpc::{self, Windows};
use super::{boot, library, topology};
use crate::waits::windows::qpc as windows_qpc;

/// How long the two counters are compared. With ticks of 100 ns at both ends, the result is good to
/// 40 ppm.
const COMPARED: Duration = Duration::from_millis(5);
/// How often both counters are read at either end, so that nothing comes between the reads of at
/// least one pair.
const TRIES: usize = 8;

/// Fills in the facts that only the running system can report.
pub fn fill(env: &mut Environment) {
    env.os = match &env.kernel {
        Some(version) => format!("Windows {version}"),
        None => "Windows".to_owned(),
    };
    let wine = library::wine();
    if let Some(wine) = &wine {
        env.not_known(
            "windows",
            format!(
                "ntdll exports wine_get_version: this is Wine {wine}, whose clocks and waits are \
                 its own and say nothing about Windows"
            ),
        );
        env.os = format!("{} under Wine {wine}", env.os);
    }
    topology::fill(&mut env.cpu);
    env.power.source = power_source();
    env.power.priority_class = priority_class();
    let (bypass, shift) = library::qpc_data();
    let found = Windows {
        hz: windows_qpc::hz() as f64,
        tsc_ticks: tsc_ticks_per_qpc_tick(env),
        bypass,
        shift,
        wine: wine.is_some(),
        boot_options: boot::options(),
    };
    qpc::fill(&found, env);
    env.timers.push(clock_interrupt());
}

/// Mains or battery (Microsoft Learn, SYSTEM_POWER_STATUS: 255 is unknown).
pub fn power_source() -> Option<String> {
    let mut status = SYSTEM_POWER_STATUS::default();
    // SAFETY: `status` is a valid place for the result.
    match unsafe { GetSystemPowerStatus(&raw mut status) } {
        0 => None,
        _ => match status.ACLineStatus {
            0 => Some("battery".to_owned()),
            1 => Some("mains".to_owned()),
            _ => None,
        },
    }
}

fn priority_class() -> Option<String> {
    // SAFETY: the pseudo handle of this process is always valid.
    let class = unsafe { GetPriorityClass(GetCurrentProcess()) };
    let name = match class {
        0 => return None,
        IDLE_PRIORITY_CLASS => "idle",
        BELOW_NORMAL_PRIORITY_CLASS => "below normal",
        NORMAL_PRIORITY_CLASS => "normal",
        ABOVE_NORMAL_PRIORITY_CLASS => "above normal",
        HIGH_PRIORITY_CLASS => "high",
        REALTIME_PRIORITY_CLASS => "realtime",
        other => return Some(format!("{other:#x}")),
    };
    Some(name.to_owned())
}

/// Both counters at one moment: of a few tries, the pair that was read in the shortest time,
/// because nothing came between its two reads.
fn both() -> (u64, u64) {
    use chronoscope::counter;
    let tries = (0..TRIES).map(|_| {
        let before = counter::start();
        let qpc = windows_qpc::now();
        let width = counter::start().wrapping_sub(before);
        (width, (qpc, before.wrapping_add(width / 2)))
    });
    tries.min_by_key(|(width, _)| *width).unwrap_or_default().1
}

/// The number of time-stamp counter ticks per tick of the performance counter, measured.
fn tsc_ticks_per_qpc_tick(env: &Environment) -> Option<f64> {
    env.tsc.as_ref()?;
    let begin = Instant::now();
    let start = both();
    // If the clock stands still, the number of iterations ends the loop.
    for _ in 0..10_000_000u32 {
        if begin.elapsed() >= COMPARED {
            break;
        }
        std::hint::spin_loop();
    }
    let end = both();
    let (qpc, tsc) = (end.0.saturating_sub(start.0), end.1.wrapping_sub(start.1));
    (qpc > 0).then(|| tsc as f64 / qpc as f64)
}

fn clock_interrupt() -> Timer {
    let resolution = library::timer_resolution();
    let ms = |units: u32| f64::from(units) / 1e4;
    Timer {
        name: "clock interrupt".to_owned(),
        present: resolution.as_ref().map(|_| true),
        hz: resolution.as_ref().map(|found| 1e7 / f64::from(found.current)),
        evidence: match resolution {
            Some(found) => format!(
                "NtQueryTimerResolution: every {} ms now, {} ms at the finest, {} ms at the \
                 coarsest",
                ms(found.current),
                ms(found.finest),
                ms(found.coarsest)
            ),
            None => "NtQueryTimerResolution returned nothing".to_owned(),
        },
    }
}
