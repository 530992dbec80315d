//! What Windows' performance counter is based on, as far as its rate shows, and the boot options
//! that change it.

use chronoscope_model::Environment;
use chronoscope_model::environment::Timer;

/// What Windows says of its performance counter.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    /// The rate of the counter, in hertz.
    pub hz: f64,
    /// TSC ticks per tick of the counter, if that was measured.
    pub tsc_ticks: Option<f64>,
    /// `QpcBypassEnabled` of KUSER_SHARED_DATA.
    pub bypass: u8,
    /// `QpcShift` of KUSER_SHARED_DATA.
    pub shift: u8,
    /// Whether this is Wine, whose counter is its own.
    pub wine: bool,
    /// The boot options about timers that are set, such as `useplatformclock=yes`, or why they
    /// cannot be read.
    pub boot_options: Result<Vec<String>, String>,
}

impl Default for Windows {
    fn default() -> Self {
        let boot_options = Ok(Vec::new());
        Self { hz: 0.0, tsc_ticks: None, bypass: 0, shift: 0, wine: false, boot_options }
    }
}

/// Fills in the performance counter and the boot options.
pub fn fill(windows: &Windows, env: &mut Environment) {
    if !env.os.starts_with("Windows ") {
        env.os = env.kernel.as_ref().map_or("Windows".into(), |it| format!("Windows {it}"));
    }
    env.unknown.retain(|unknown| unknown.subject != "boot parameters");
    match &windows.boot_options {
        Ok(options) => env.parameters.clone_from(options),
        Err(why) => env.not_known("boot parameters", why),
    }
    env.timers.push(timer(windows));
}

fn timer(windows: &Windows) -> Timer {
    let mut evidence = vec![if windows.wine {
        // Wine, dlls/ntdll/unix/sync.c, NtQueryPerformanceCounter.
        "Wine: the host's monotonic clock in units of 100 ns".to_owned()
    } else {
        source(windows.hz, windows.tsc_ticks).to_owned()
    }];
    if let Some(ticks) = windows.tsc_ticks {
        evidence.push(format!("one tick is {ticks:.1} TSC ticks, measured"));
    }
    evidence.push(format!(
        "KUSER_SHARED_DATA: QpcBypassEnabled={:#04x} ({}), QpcShift={}",
        windows.bypass,
        bypass(windows.bypass),
        windows.shift
    ));
    Timer {
        name: "QPC".to_owned(),
        present: Some(true),
        hz: Some(windows.hz),
        evidence: evidence.join("; "),
    }
}

/// The ACPI PM timer's rate (ACPI specification 6.5, section 4.8.3.3).
const PM_HZ: f64 = 3_579_545.0;
/// Rates of HPETs: the 14.31818 MHz of the first, and those of later chipsets (IA-PC HPET
/// specification 1.0a, 2.3.4: at least 10 MHz).
const HPET_HZ: [f64; 4] = [14_318_180.0, 19_200_000.0, 24_000_000.0, 25_000_000.0];
/// The rate that Windows 10 1809 and later scale every invariant counter to.
const SCALED_HZ: f64 = 10_000_000.0;

/// The timer behind a counter of `hz`. One of its ticks lasts `tsc_ticks` of the time-stamp
/// counter, if that was measured.
pub fn source(hz: f64, tsc_ticks: Option<f64>) -> &'static str {
    let near = |a: f64, b: f64, part: f64| (a / b - 1.0).abs() < part;
    let ratio = |wanted| tsc_ticks.is_some_and(|ticks| near(ticks, wanted, 1e-3));
    // This comes before the timers' rates, because 1/1024 of a TSC's rate can be close to one of
    // them.
    if ratio(1024.0) {
        "the TSC shifted right by 10: 1024 TSC ticks per tick"
    } else if ratio(1.0) {
        "the TSC itself"
    } else if near(hz, SCALED_HZ, 1e-6) {
        "10 MHz: the TSC (or the hypervisor's reference time) scaled"
    } else if near(hz, PM_HZ, 1e-4) {
        "3.579545 MHz: the ACPI PM timer, through a system call"
    } else if HPET_HZ.iter().any(|rate| near(hz, *rate, 1e-4)) {
        "the rate of an HPET: read through a system call (see bcdedit, useplatformclock)"
    } else {
        "the rate of no known timer"
    }
}

/// The flags of `QpcBypassEnabled` in words (Windows Driver Kit, ntddk.h,
/// `SHARED_GLOBAL_FLAGS_QPC_*`).
pub fn bypass(flags: u8) -> &'static str {
    match flags & 3 {
        0 => "every read is a system call",
        1 => "read without a system call",
        2 => "every read is a system call, except through the hypervisor's page",
        _ => "read without a system call, through the hypervisor's page",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rate_gives_its_timer() {
        // 2.59 GHz over 1024; Windows' figure is rounded.
        let shifted = 2_591_630.0;
        assert!(source(shifted, Some(1024.0002)).contains("1024"));
        assert!(source(shifted, None).contains("no known timer"));
        assert!(source(2.6e9, Some(1.0)).contains("itself"));
        assert!(source(1e7, Some(259.2)).contains("scaled"));
        assert!(source(3_579_545.0, Some(724.1)).contains("ACPI PM"));
        assert!(source(14_318_180.0, None).contains("HPET"));
        assert!(source(14_318_179.0, None).contains("HPET"));
        assert!(source(24e6, Some(125.0)).contains("HPET"));
        assert!(source(f64::NAN, Some(f64::NAN)).contains("no known timer"));
    }

    #[test]
    fn flags_are_put_into_words() {
        // Windows 10 as a guest of Hyper-V, and Windows 7 on bare metal.
        assert!(bypass(0x83).contains("hypervisor"));
        assert_eq!(bypass(0x81), "read without a system call");
        assert!(bypass(0).contains("system call"));
    }
}
