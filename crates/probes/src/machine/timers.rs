//! The HPET, the ACPI PM timer and the machine's other timers.

use super::kmsg::Log;
use super::root::{Missing, Root, Windows, printable};
use super::{counter, os};
use chronoscope_model::Environment;
use chronoscope_model::environment::Timer;

/// The PM timer's rate (ACPI specification 6.5, section 4.8.3.3).
const PM_HZ: f64 = 3_579_545.0;

/// Fills in the timers. Only x86 has the HPET and the PM timer.
pub fn fill(root: &Root, log: &Log, env: &mut Environment) {
    if counter::is_x86(root) {
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
        env.timers.push(seen("VMClock", "/dev/vmclock0"));
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
    match has(root, "HPET") {
        Some(true) => sights.found.push(match hpet_address(root) {
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
    match fadt(root) {
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
    Some(seen(format!("event timer {}", printable(&device)), FILE))
}

/// A timer that exists but whose rate is not known.
pub(super) fn seen(name: impl Into<String>, evidence: impl Into<String>) -> Timer {
    Timer { name: name.into(), present: Some(true), hz: None, evidence: evidence.into() }
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

const FOLDER: &str = "/sys/firmware/acpi/tables";

/// Whether a table with this name exists; `None` if the tables cannot be listed.
pub fn has(root: &Root, table: &str) -> Option<bool> {
    let from_system = root.is_host().then(os::acpi_tables).flatten();
    let names = from_system.unwrap_or_else(|| root.names(FOLDER));
    // Every ACPI system has an FADT, so a folder without it does not hold the ACPI tables.
    names.iter().any(|name| name == "FACP").then(|| names.iter().any(|name| name == table))
}

/// The part of the FADT that concerns timers (ACPI specification 6.5, table 5.9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fadt {
    /// The manufacturer of the tables.
    pub oem: String,
    /// The platform has no fixed hardware, and so no PM timer (flag HW_REDUCED_ACPI, bit 20).
    pub reduced: bool,
    /// The PM timer's port; 0 if there is none.
    pub pm_timer: u64,
    /// The PM timer has 32 bits, not 24 (flag TMR_VAL_EXT, bit 8).
    pub wide: bool,
    /// The name of the hypervisor that made the table, if the table gives one.
    pub hypervisor: String,
}

pub fn fadt(root: &Root) -> Result<Fadt, Missing> {
    parse_fadt(&table(root, "FACP")?)
        .ok_or_else(|| Missing::Other("the FADT is truncated".to_owned()))
}

/// The bytes of a table.
fn table(root: &Root, name: &str) -> Result<Vec<u8>, Missing> {
    let from_system = root.is_host().then(|| os::acpi_table(name)).flatten();
    from_system.unwrap_or_else(|| root.bytes(&format!("{FOLDER}/{name}")))
}

/// The part of `bytes` that is the table of this name: as much as its header states, if there is so
/// much (ACPI specification 6.5, table 5.4).
fn stated<'a>(bytes: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    const HEADER: usize = 36;
    let length = u32_at(bytes, 4)? as usize;
    bytes.get(..length).filter(|table| length >= HEADER && table.starts_with(name))
}

fn parse_fadt(bytes: &[u8]) -> Option<Fadt> {
    let bytes = stated(bytes, b"FACP")?;
    let flags = u32_at(bytes, 112)?;
    let old = u64::from(u32_at(bytes, 76)?);
    // The newer field holds a generic address structure; its last eight bytes are the address.
    let extended = u64_at(bytes, 212).unwrap_or(0);
    let length = *bytes.get(91)?;
    let port = if extended != 0 { extended } else { old };
    Some(Fadt {
        oem: text_at(bytes, 10, 6),
        reduced: flags >> 20 & 1 == 1,
        pm_timer: if length == 4 || extended != 0 { port } else { 0 },
        wide: flags >> 8 & 1 == 1,
        hypervisor: text_at(bytes, 268, 8),
    })
}

/// The address of the HPET's registers (IA-PC HPET specification 1.0a, section 3.2.4).
pub fn hpet_address(root: &Root) -> Result<u64, Missing> {
    let bytes = table(root, "HPET")?;
    let address = stated(&bytes, b"HPET").and_then(|table| u64_at(table, 44));
    address.ok_or_else(|| Missing::Other("the table is truncated".to_owned()))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn text_at(bytes: &[u8], at: usize, length: usize) -> String {
    let bytes = bytes.get(at..at + length).unwrap_or_default();
    String::from_utf8_lossy(bytes).chars().filter(|c| c.is_ascii_graphic()).collect()
}

/// Fills in the performance counter and the boot options.
pub fn fill_qpc(windows: &Windows, env: &mut Environment) {
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

/// The beginning of the page that Windows shares with every process (KUSER_SHARED_DATA).
#[cfg(any(windows, test))]
pub type SharedData = [u8; 0x3c8];

/// How user code reads the performance counter: the flags, and the shift that converts ticks of the
/// processor's counter into its own. Since Windows 8 they are `QpcBypassEnabled` and `QpcShift`
/// (Windows Driver Kit, ntddk.h). Windows 7 has both in one byte, `TscQpcData`: bit 0, and the six
/// upper bits (its symbols, as vergiliusproject.com shows them). Earlier versions always make a
/// system call.
#[cfg(any(windows, test))]
pub fn qpc_data(page: &SharedData) -> (u8, u8) {
    const NT_MAJOR_VERSION: usize = 0x26c;
    const NT_MINOR_VERSION: usize = 0x270;
    const TSC_QPC_DATA: usize = 0x2ed;
    const QPC_BYPASS_ENABLED: usize = 0x3c6;
    match (u32_at(page, NT_MAJOR_VERSION), u32_at(page, NT_MINOR_VERSION)) {
        (Some(..6), _) | (Some(6), Some(0)) => (0, 0),
        (Some(6), Some(1)) => (page[TSC_QPC_DATA] & 1, page[TSC_QPC_DATA] >> 2),
        _ => (page[QPC_BYPASS_ENABLED], page[QPC_BYPASS_ENABLED + 1]),
    }
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
    Timer { hz: Some(windows.hz), ..seen("QPC", evidence.join("; ")) }
}

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
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_table_causes_a_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_fadt(&bytes);
            let length = bytes.len() as u32;
            if let Some(header) = bytes.get_mut(..8) {
                header[..4].copy_from_slice(b"FACP");
                header[4..].copy_from_slice(&length.to_le_bytes());
            }
            let _ = parse_fadt(&bytes);
        }
    }

    #[test]
    fn either_field_gives_the_port_of_the_pm_timer() {
        let mut table = vec![0; 244];
        table[..4].copy_from_slice(b"FACP");
        assert_eq!(parse_fadt(&table), None, "its header states no length");
        table[4..8].copy_from_slice(&245_u32.to_le_bytes());
        assert_eq!(parse_fadt(&table), None, "a byte is missing");
        table[4..8].copy_from_slice(&244_u32.to_le_bytes());
        assert_eq!(parse_fadt(&table).expect("a table").pm_timer, 0);
        table[76..80].copy_from_slice(&0x608_u32.to_le_bytes());
        table[91] = 4;
        assert_eq!(parse_fadt(&table).expect("a table").pm_timer, 0x608);
        table[212..220].copy_from_slice(&0x1808_u64.to_le_bytes());
        assert_eq!(parse_fadt(&table).expect("a table").pm_timer, 0x1808);
    }

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
    fn each_version_of_windows_has_the_shift_where_it_puts_it() {
        let planted = |major: u8, minor: u8, bytes: &[(usize, u8)]| {
            let mut page: SharedData = [0; 0x3c8];
            for (at, byte) in [(0x26c, major), (0x270, minor)].iter().chain(bytes) {
                page[*at] = *byte;
            }
            qpc_data(&page)
        };
        // Windows 10 until 1803 and since 1809, 8 and 8.1, 7 with the TSC and without, and Vista.
        assert_eq!(planted(10, 0, &[(0x3c6, 1), (0x3c7, 10), (0x2ed, 0xff)]), (1, 10));
        assert_eq!(planted(10, 0, &[(0x3c6, 0x83), (0x3c7, 0)]), (0x83, 0));
        assert_eq!(planted(6, 2, &[(0x3c6, 1), (0x3c7, 10)]), (1, 10));
        assert_eq!(planted(6, 3, &[(0x3c6, 1), (0x3c7, 10)]), (1, 10));
        assert_eq!(planted(6, 1, &[(0x2ed, 10 << 2 | 1), (0x3c6, 0xff), (0x3c7, 3)]), (1, 10));
        assert_eq!(planted(6, 1, &[(0x3c6, 1), (0x3c7, 10)]), (0, 0));
        assert_eq!(planted(6, 0, &[(0x2ed, 0xff), (0x3c6, 1)]), (0, 0));
        assert_eq!(planted(5, 2, &[(0x2ed, 0xff), (0x3c6, 1)]), (0, 0));
    }

    #[test]
    fn flags_are_put_into_words() {
        // Windows 10 as a guest of Hyper-V, and Windows 7 on bare metal.
        assert!(bypass(0x83).contains("hypervisor"));
        assert_eq!(bypass(0x81), "read without a system call");
        assert!(bypass(0).contains("system call"));
    }
}
