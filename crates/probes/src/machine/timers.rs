//! The HPET, the ACPI PM timer and the machine's other timers.

use chronoscope_model::Environment;
use chronoscope_model::environment::Timer;

use super::kmsg::Log;
use super::printable::printable;
use super::root::{Missing, Root};
use super::{acpi, tsc};

/// The PM timer's rate (ACPI specification 6.5, section 4.8.3.3).
const PM_HZ: f64 = 3_579_545.0;

/// Fills in the timers. Only x86 has the HPET and the PM timer.
pub fn fill(root: &Root, log: &Log, env: &mut Environment) {
    if tsc::is_x86(root) {
        env.timers = vec![hpet(root, log, env), pm(root, log, env)];
    }
    env.timers.extend(event_device(root));
    for (class, key, name) in [("rtc", "name", "RTC"), ("ptp", "clock_name", "PTP")] {
        for device in root.names(&format!("/sys/class/{class}")).into_iter().take(16) {
            let file = format!("/sys/class/{class}/{device}/{key}");
            let called = root.text(&file).unwrap_or_else(|why| why.to_string());
            let evidence = format!("{file}: {}", printable(&called));
            env.timers.push(seen(format!("{name} {device}"), evidence));
        }
    }
    if root.exists("/dev/vmclock0") {
        env.timers.push(seen("VMClock".to_owned(), "/dev/vmclock0".to_owned()));
    }
}

fn hpet(root: &Root, log: &Log, env: &Environment) -> Timer {
    let mut sights = Sights::default();
    sights.source(env, "hpet");
    sights.line(root, "/proc/iomem", "HPET ");
    if root.exists("/dev/hpet") {
        sights.found.push("/dev/hpet".to_owned());
    }
    let counter = hpet_line(log);
    if let Some(line) = counter {
        sights.found.push(format!("kernel log: {line}"));
    }
    match acpi::has(root, "HPET") {
        Some(true) => sights.found.push(match acpi::hpet_address(root) {
            Ok(address) => format!("ACPI table HPET, registers at {address:#x}"),
            Err(why) => format!("ACPI table HPET ({why})"),
        }),
        Some(false) => sights.against.push("the ACPI tables include no HPET".to_owned()),
        None => sights.hidden.push("the ACPI tables cannot be listed".to_owned()),
    }
    let hz = counter.and_then(hpet_rate);
    let mut timer = sights.timer("HPET");
    if timer.present == Some(true) && hz.is_none() {
        timer.evidence.push_str(if root.is_linux() {
            "; rate: only the kernel's log gives it (\"hpet0: ... MHz counter\")"
        } else {
            "; the table does not give its rate"
        });
    }
    timer.hz = hz;
    timer
}

/// "hpet0: 3 comparators, 64-bit 14.318180 MHz counter" (kernel, `drivers/char/hpet.c`).
fn hpet_line(log: &Log) -> Option<&str> {
    log.find(" MHz counter").filter(|line| line.starts_with("hpet"))
}

fn hpet_rate(line: &str) -> Option<f64> {
    let mhz: f64 = line.split("-bit ").nth(1)?.split(' ').next()?.parse().ok()?;
    (mhz.is_finite() && mhz > 0.0).then_some(mhz * 1e6)
}

fn pm(root: &Root, log: &Log, env: &Environment) -> Timer {
    let mut sights = Sights::default();
    sights.source(env, "acpi_pm");
    sights.line(root, "/proc/ioports", "ACPI PM_TMR");
    if let Some(line) = log.find("PM-Timer IO Port") {
        sights.found.push(format!("kernel log: {line}"));
    }
    match acpi::fadt(root) {
        Ok(fadt) if fadt.reduced => {
            sights.against.push("FADT: hardware-reduced ACPI has no PM timer".to_owned())
        }
        Ok(fadt) if fadt.pm_timer == 0 => sights.against.push("FADT: no PM timer block".to_owned()),
        Ok(fadt) => sights.found.push(format!(
            "FADT: {} bits at port {:#x}",
            if fadt.wide { 32 } else { 24 },
            fadt.pm_timer
        )),
        Err(Missing::Denied) => {
            sights.hidden.push("FADT: permission denied; root can read it".to_owned())
        }
        Err(why) => sights.hidden.push(format!("FADT: {why}")),
    }
    let mut timer = sights.timer("ACPI PM");
    timer.hz = (timer.present == Some(true)).then_some(PM_HZ);
    timer
}

/// The device that wakes the first CPU, and so ends every wait on it (kernel,
/// `kernel/time/clockevents.c`).
fn event_device(root: &Root) -> Option<Timer> {
    const FILE: &str = "/sys/devices/system/clockevents/clockevent0/current_device";
    let device = root.text(FILE).ok()?;
    Some(seen(format!("event timer {}", printable(&device)), FILE.to_owned()))
}

/// A timer that exists but whose rate is not known.
fn seen(name: String, evidence: String) -> Timer {
    Timer { name, present: Some(true), hz: None, evidence }
}

/// The signs that a timer exists, the signs that it does not, and what could not be read.
#[derive(Default)]
struct Sights {
    found: Vec<String>,
    against: Vec<String>,
    hidden: Vec<String>,
}

impl Sights {
    fn source(&mut self, env: &Environment, name: &str) {
        let sources = env.clocksource.iter().flat_map(|source| &source.available);
        if sources.into_iter().any(|source| source == name) {
            self.found.push(format!("clock source {name}"));
        }
    }

    /// A resource that the kernel has reserved under this name. Without privilege the addresses
    /// read as zero, but the names are visible.
    fn line(&mut self, root: &Root, path: &str, name: &str) {
        let Ok(text) = root.long_text(path) else {
            return;
        };
        let found = text.lines().filter_map(|line| line.split_once(" : ")).find(|(_, what)| {
            let what = what.trim();
            what.starts_with(name) || what == name.trim()
        });
        if let Some((_, what)) = found {
            self.found.push(format!("{path}: {}", printable(what)));
        }
    }

    /// A sign that the timer exists outweighs a table that lacks it: kernels enable an HPET that
    /// the firmware forgot to list. Without any sign it is unknown.
    fn timer(self, name: &str) -> Timer {
        let (present, evidence) = if !self.found.is_empty() {
            (Some(true), self.found)
        } else if !self.against.is_empty() {
            (Some(false), self.against)
        } else {
            (None, self.hidden)
        };
        Timer { name: name.to_owned(), present, hz: None, evidence: evidence.join("; ") }
    }
}
