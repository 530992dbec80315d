//! The text formats of what a recording holds in addition to files.

use chronoscope_model::timekeeping::{Adjtimex, LibraryClock};
use raw_cpuid::CpuIdResult;

use super::cpuid::{Cpuid, Leaf};
use super::cpulist;
use super::printable::printable;
use super::process::Process;
use super::qpc::Windows;

/// The leaves in the output of `cpuid -1 -r`, lines of the form
/// `0x00000001 0x00: eax=0x000a0671 ebx=0x01020800 ecx=0xfffa3203 edx=0x1f8bfbff`.
///
/// Lines of any other form are skipped; if there are no leaves at all, there is no CPUID.
pub fn cpuid(text: &str) -> Option<Cpuid> {
    let leaves: Vec<Leaf> = text.lines().filter_map(leaf).collect();
    (!leaves.is_empty()).then(|| Cpuid::recorded(leaves))
}

fn leaf(line: &str) -> Option<Leaf> {
    let (name, registers) = line.split_once(':')?;
    let (eax, ecx) = name.trim().split_once(' ')?;
    let value = |key: &str| {
        registers
            .split_whitespace()
            .find_map(|word| hex(word.strip_prefix(key)?.strip_prefix('=')?))
    };
    let result = CpuIdResult {
        eax: value("eax")?,
        ebx: value("ebx")?,
        ecx: value("ecx")?,
        edx: value("edx")?,
    };
    Some(Leaf { eax: hex(eax)?, ecx: hex(ecx.trim())?, result })
}

fn hex(word: &str) -> Option<u32> {
    u32::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

/// `16:0x20000001`: the CPU and its register.
fn core_type(value: &str) -> Option<(usize, u32)> {
    let (cpu, register) = value.split_once(':')?;
    Some((cpu.trim().parse().ok()?, hex(register.trim())?))
}

/// `state=0 status=0x2001 maxerror=1500 esterror=20 freq=-7 tick=10000 tai=37`, or the name of an
/// error.
fn adjtimex(value: &str) -> Option<Result<Adjtimex, String>> {
    if !value.contains('=') {
        return (!value.is_empty()).then(|| Err(printable(value)));
    }
    let of = |key: &str| {
        let mut words = value.split_whitespace();
        words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    };
    let number = |key: &str| of(key)?.parse::<i64>().ok();
    Some(Ok(Adjtimex {
        state: number("state")?.try_into().ok()?,
        status: hex(of("status")?)?,
        maxerror_us: number("maxerror")?,
        esterror_us: number("esterror")?,
        freq: number("freq")?,
        tick_us: number("tick")?,
        tai_s: number("tai")?.try_into().ok()?,
    }))
}

/// `ahead=-864000000000000 still=true preloaded=libfaketime.so.1,other.so`
fn library_clock(value: &str) -> Option<LibraryClock> {
    let of = |key: &str| value.split_whitespace().find_map(|word| word.strip_prefix(key));
    Some(LibraryClock {
        ahead_ns: of("ahead=")?.parse().ok()?,
        stands_still: of("still=")?.parse().ok()?,
        preloaded: of("preloaded=")?
            .split(',')
            .filter(|name| !name.is_empty())
            .map(printable)
            .collect(),
    })
}

/// `hz=14318180 ticks=181.3 bypass=0x00 shift=0`: the rate of the performance counter in hertz, TSC
/// ticks per tick of it if that was measured, and the two values of KUSER_SHARED_DATA.
fn performance_counter(value: &str) -> Option<Windows> {
    let of = |key: &str| {
        let mut words = value.split_whitespace();
        words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    };
    Some(Windows {
        hz: of("hz")?.parse().ok()?,
        tsc_ticks: of("ticks").and_then(|ticks| ticks.parse().ok()),
        bypass: hex(of("bypass")?)?.try_into().ok()?,
        shift: of("shift")?.parse().ok()?,
        ..Windows::default()
    })
}

/// Lines of `key=value`; see [`Process`] for the keys. Other lines are skipped.
pub fn process(text: &str) -> Process {
    let mut process = Process::default();
    let mut boot_options = Err("the recording does not say".to_owned());
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.trim();
        match key.trim() {
            "arch" => process.arch = printable(value),
            "sysname" => process.sysname = Some(printable(value)),
            "release" => process.release = Some(printable(value)),
            "machine" => process.machine = Some(printable(value)),
            "c_library" => process.c_library = Some(printable(value)),
            "allowed" => process.allowed = cpulist::parse(value).unwrap_or_default(),
            "timer_slack_ns" => process.timer_slack_ns = value.parse().ok(),
            "tsc_permitted" => process.tsc_permitted = value.parse().ok(),
            "vdso" => process.vdso = value.parse().ok(),
            "core_type" => process.core_types.extend(core_type(value)),
            "cntfrq" => process.cntfrq = value.parse().ok(),
            "adjtimex" => process.adjtimex = adjtimex(value),
            "timer_resolution_ns" => process.timer_resolution_ns = value.parse().ok(),
            "time64" => process.time64 = Some(printable(value)),
            "library_clock" => process.library_clock = library_clock(value),
            "sleep_refused" => process.sleep_refused = Some(printable(value)),
            "emulator" => process.emulator = Some(printable(value)),
            "qpc" => process.windows = performance_counter(value),
            "boot_options" => {
                let options = value.split(',').map(|option| printable(option.trim()));
                boot_options = Ok(options.filter(|option| !option.is_empty()).collect());
            }
            "boot_options_refused" => boot_options = Err(printable(value)),
            _ => {}
        }
    }
    if let Some(windows) = &mut process.windows {
        windows.boot_options = boot_options;
    }
    process
}
