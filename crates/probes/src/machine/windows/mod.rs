//! Windows, and Wine in its place: facts from system calls and from the page that the kernel shares
//! with every process. There are no files to read facts from. (Under Wine, Linux's files could be
//! reached, and would be mistaken for this system's.)

pub mod library;

use super::kernel::own_facts;
use super::root::{Missing, Process, Windows};
use super::timers::{fill_qpc, seen};
use crate::waits::windows::qpc as windows_qpc;
use chronoscope_model::Environment;
use chronoscope_model::environment::{Cpu, Timer};
use library::Requests;
use std::io;
use std::time::{Duration, Instant};
use windows_sys::Win32::System::Kernel::PROCESSOR_NUMBER;
use windows_sys::Win32::System::Power::{GetSystemPowerStatus, SYSTEM_POWER_STATUS};
use windows_sys::Win32::System::SystemInformation::{
    EnumSystemFirmwareTables, GROUP_AFFINITY, GetLogicalProcessorInformationEx,
    GetSystemFirmwareTable, GetSystemTimeAdjustment, LOGICAL_PROCESSOR_RELATIONSHIP,
    RelationNumaNode, RelationProcessorCore, RelationProcessorPackage,
};
use windows_sys::Win32::System::Threading::{
    ABOVE_NORMAL_PRIORITY_CLASS, BELOW_NORMAL_PRIORITY_CLASS, GetActiveProcessorCount,
    GetCurrentProcess, GetCurrentProcessorNumberEx, GetCurrentThread, GetPriorityClass,
    GetProcessAffinityMask, GetProcessGroupAffinity, HIGH_PRIORITY_CLASS, IDLE_PRIORITY_CLASS,
    NORMAL_PRIORITY_CLASS, REALTIME_PRIORITY_CLASS, SetThreadGroupAffinity,
};

pub use super::lacking::*;

pub fn process() -> Process {
    Process {
        facts: Environment {
            allowed_cpus: allowed(),
            emulated: library::emulator(),
            ..own_facts()
        },
        sysname: Some("Windows".to_owned()),
        release: library::version(),
        ..Process::default()
    }
}

/// The CPUs of a full group, which are the bits of its mask.
const GROUP: usize = 64;

/// A thread's previous group and CPUs.
#[derive(Clone, Copy)]
pub struct Mask(GROUP_AFFINITY);

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({}, {:#x})", self.0.Group, self.0.Mask)
    }
}

/// The CPUs that the process may use.
pub fn allowed() -> Vec<usize> {
    let groups = groups();
    groups
        .iter()
        .flat_map(|&group| {
            let mask = match groups.len() {
                1 => process_mask(),
                _ => None,
            };
            let mask = mask.unwrap_or_else(|| all_of(group));
            (0..GROUP)
                .filter(move |bit| mask >> bit & 1 == 1)
                .map(move |bit| usize::from(group) * GROUP + bit)
        })
        .collect()
}

/// The groups of the threads of the process, ascending.
fn groups() -> Vec<u16> {
    let mut groups = [0u16; 64];
    let mut count = groups.len() as u16;
    // SAFETY: `groups` has room for `count` numbers, and both are local variables.
    let done = unsafe {
        GetProcessGroupAffinity(GetCurrentProcess(), &raw mut count, groups.as_mut_ptr())
    };
    let mut found = match done {
        0 => vec![0],
        _ => groups[..usize::from(count).min(groups.len())].to_vec(),
    };
    found.sort_unstable();
    found
}

/// The process's own mask. If it spans several groups, Windows returns zero, which means no mask.
fn process_mask() -> Option<u64> {
    let (mut process, mut system) = (0usize, 0usize);
    // SAFETY: both are local variables, each valid for the one number that is stored in it.
    let done =
        unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut process, &raw mut system) };
    (done != 0 && process != 0).then_some(process as u64)
}

/// Every active CPU of a group.
fn all_of(group: u16) -> u64 {
    // SAFETY: GetActiveProcessorCount takes any number; it returns 0 for a group that does not
    // exist.
    let count = unsafe { GetActiveProcessorCount(group) };
    u64::MAX.checked_shr(GROUP as u32 - count.min(GROUP as u32)).unwrap_or(0)
}

/// Pins the calling thread to one CPU and returns its previous group and CPUs.
pub fn pin(cpu: usize) -> io::Result<Mask> {
    let refused = || io::Error::from(io::ErrorKind::InvalidInput);
    let group = u16::try_from(cpu / GROUP).map_err(|_| refused())?;
    let wanted = GROUP_AFFINITY {
        Mask: 1usize.checked_shl((cpu % GROUP) as u32).ok_or_else(refused)?,
        Group: group,
        Reserved: [0; 3],
    };
    let mut before = GROUP_AFFINITY::default();
    set(&wanted, &mut before).map(|()| Mask(before))
}

/// Restores the group and CPUs of the calling thread.
pub fn restore(mask: &Mask) -> io::Result<()> {
    set(&mask.0, &mut GROUP_AFFINITY::default())
}

fn set(wanted: &GROUP_AFFINITY, before: &mut GROUP_AFFINITY) -> io::Result<()> {
    // SAFETY: the pseudo handle of this thread is always valid, and both references are to valid
    // structures.
    match unsafe { SetThreadGroupAffinity(GetCurrentThread(), wanted, before) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// The CPU that the thread currently runs on.
pub fn current_cpu() -> Option<usize> {
    let mut number = PROCESSOR_NUMBER::default();
    // SAFETY: `number` is a valid place for the result; the call cannot fail.
    unsafe { GetCurrentProcessorNumberEx(&raw mut number) };
    Some(usize::from(number.Group) * GROUP + usize::from(number.Number))
}

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
    fill_processors(&mut env.cpu);
    env.power.source = power_source();
    env.power.priority_class = priority_class();
    let (bypass, shift) = library::qpc_data();
    let found = Windows {
        hz: windows_qpc::hz() as f64,
        tsc_ticks: tsc_ticks_per_qpc_tick(env),
        bypass,
        shift,
        wine: wine.is_some(),
        boot_options: library::boot_options(),
    };
    fill_qpc(&found, env);
    env.timers.push(clock_interrupt());
    env.timers.extend(timer_requests());
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
    let ms = |units: u32| f64::from(units) / 1e4;
    let rest = [adjustment(), Some(library::resolution_requests())];
    let rest: Vec<String> = rest.into_iter().flatten().map(|it| format!("; {it}")).collect();
    let rest = rest.concat();
    const NAME: &str = "clock interrupt";
    let Some(found) = library::timer_resolution() else {
        let evidence = format!("NtQueryTimerResolution returned nothing{rest}");
        return Timer { present: None, ..seen(NAME, evidence) };
    };
    let [now, finest, coarsest] = [found.current, found.finest, found.coarsest].map(ms);
    let evidence = format!(
        "NtQueryTimerResolution: every {now} ms now, {finest} ms at the finest, {coarsest} ms at \
         the coarsest{rest}"
    );
    Timer { hz: Some(1e7 / f64::from(found.current)), ..seen(NAME, evidence) }
}

/// Whether Windows honours this process's requests for a shorter clock interrupt, if it says so.
fn timer_requests() -> Option<Timer> {
    let Requests { throttling, hidden } = library::requests();
    let words = |is: bool| if is { "yes" } else { "no" };
    let throttled = throttling.map(|(eco, ignored)| {
        let (eco, ignored) = (words(eco), words(ignored));
        format!("ProcessPowerThrottling: EcoQoS {eco}, requests ignored {ignored}")
    });
    let console = hidden.map(|it| format!("console hidden or minimised: {}", words(it)));
    let known: Vec<String> = throttled.into_iter().chain(console).collect();
    let present = throttling.map(|(_, ignored)| !ignored);
    (!known.is_empty()).then(|| Timer { present, ..seen("timer requests", known.join("; ")) })
}

/// What the system adds to the time of day, and how often.
fn adjustment() -> Option<String> {
    let (mut adds, mut every, mut disabled) = (0u32, 0u32, 0);
    // SAFETY: all three are local variables, each valid for the one number that is stored in it.
    let done = unsafe { GetSystemTimeAdjustment(&raw mut adds, &raw mut every, &raw mut disabled) };
    let ms = |units: u32| f64::from(units) / 1e4;
    let by = if disabled == 0 { "adjusted by a program" } else { "not adjusted by a program" };
    (done != 0).then(|| {
        format!("GetSystemTimeAdjustment: {} ms added every {} ms, {by}", ms(adds), ms(every))
    })
}

const ALL_PROCESSOR_GROUPS: u16 = 0xffff;

/// A flag in a core's record: the core has more than one logical processor.
const LTP_PC_SMT: u8 = 1;

pub fn fill_processors(cpu: &mut Cpu) {
    // SAFETY: GetActiveProcessorCount takes any number.
    let logical = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) } as usize;
    cpu.logical = cpu.logical.max(logical);
    let cores = topology_records(RelationProcessorCore);
    cpu.smt = cores.as_ref().map(|flags| flags.iter().any(|flags| flags & LTP_PC_SMT != 0));
    cpu.cores = cores.map(|flags| flags.len());
    cpu.sockets = topology_records(RelationProcessorPackage).map(|records| records.len());
    cpu.nodes = topology_records(RelationNumaNode).map(|records| records.len());
}

/// The first byte of each record of that kind; in the record of a core, these are its flags.
fn topology_records(kind: LOGICAL_PROCESSOR_RELATIONSHIP) -> Option<Vec<u8>> {
    // A record begins with its relationship and its size, 4 bytes each.
    const HEAD: usize = 8;
    let mut bytes = 0;
    // SAFETY: without a buffer, the call only stores the length that it needs.
    unsafe { GetLogicalProcessorInformationEx(kind, std::ptr::null_mut(), &raw mut bytes) };
    // In 64-bit words, because the records need the alignment of pointers.
    let mut buffer = vec![0u64; (bytes as usize).div_ceil(8)];
    // SAFETY: the buffer is writable for the number of bytes passed.
    let done = unsafe {
        GetLogicalProcessorInformationEx(kind, buffer.as_mut_ptr().cast(), &raw mut bytes)
    };
    if done == 0 {
        return None;
    }
    let all: Vec<u8> = buffer.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut rest = all.get(..bytes as usize)?;
    let mut found = Vec::new();
    while let Some(size) = rest.get(4..HEAD) {
        let size = u32::from_le_bytes(size.try_into().ok()?) as usize;
        if size <= HEAD {
            return None;
        }
        found.push(*rest.get(HEAD)?);
        rest = rest.get(size..)?;
    }
    (!found.is_empty()).then_some(found)
}

/// The provider of the tables: `ACPI`, as a character constant of C.
const ACPI: u32 = u32::from_be_bytes(*b"ACPI");

/// No list of names and no table that matters here is longer.
const LONGEST: u32 = 1 << 20;

/// The names of the tables; some if the system gives none.
pub fn acpi_tables() -> Option<Vec<String>> {
    let fetch = |buffer: *mut u8, size| {
        // SAFETY: the buffer has room for `size` bytes; without room, it is not used.
        unsafe { EnumSystemFirmwareTables(ACPI, buffer, size) }
    };
    let names = fetched(fetch).unwrap_or_default();
    Some(names.chunks_exact(4).map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// The first table with this name. Its number is its name as it is in memory.
pub fn acpi_table(name: &str) -> Option<Result<Vec<u8>, Missing>> {
    let id = u32::from_le_bytes(name.as_bytes().try_into().ok()?);
    Some(fetched(|buffer: *mut u8, size| {
        // SAFETY: the buffer has room for `size` bytes; without room, it is not used.
        unsafe { GetSystemFirmwareTable(ACPI, id, buffer, size) }
    }))
}

/// What `fetch` stores in a buffer. It returns the size that it stored or, if there is no room, the
/// size that it needs, and 0 for an error.
fn fetched(fetch: impl Fn(*mut u8, u32) -> u32) -> Result<Vec<u8>, Missing> {
    let needed = fetch(std::ptr::null_mut(), 0);
    if needed == 0 {
        let error = io::Error::last_os_error();
        return Err(Missing::Other(format!("GetSystemFirmwareTable gives none: {error}")));
    }
    let size = needed.min(LONGEST);
    let mut bytes = vec![0; size as usize];
    match fetch(bytes.as_mut_ptr(), size) {
        stored if stored > 0 && stored <= size => {
            bytes.truncate(stored as usize);
            Ok(bytes)
        }
        _ => Err(Missing::Other("the table is too long, or its length changed".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_interrupt_has_what_clockres_shows_and_both_settings() {
        let evidence = clock_interrupt().evidence;
        let settings = ["GetSystemTimeAdjustment: ", "GlobalTimerResolutionRequests: "];
        for what in ["NtQueryTimerResolution"].into_iter().chain(settings) {
            assert!(evidence.contains(what), "{evidence}");
        }
    }

    #[test]
    fn power_throttling_is_read_as_windows_documents_it() {
        for (state, expected) in [
            ([1, 0, 0], (false, false)),
            ([1, 1, 1], (true, false)),
            ([1, 5, 4], (false, true)),
            ([1, 5, 5], (true, true)),
            // Honoured always, and left to Windows.
            ([1, 4, 0], (false, false)),
            ([1, 0, 5], (false, false)),
        ] {
            assert_eq!(library::throttled(state), expected, "{state:?}");
        }
        // Wine has no such setting, and a console of its own only on a desktop.
        let (found, shown) = (library::requests(), timer_requests());
        let honoured = found.throttling.map(|(_, ignored)| !ignored);
        let known = found.throttling.is_some() || found.hidden.is_some();
        assert_eq!(shown.map(|timer| timer.present), known.then_some(honoured));
    }

    #[test]
    fn only_what_was_stored_is_returned() {
        // A system that has `needs` bytes and then says that it stored `stored`.
        let answer = |needs: u32, stored: u32| {
            fetched(move |buffer, _| if buffer.is_null() { needs } else { stored })
        };
        assert_eq!(answer(8, 8), Ok(vec![0; 8]));
        assert_eq!(answer(8, 3), Ok(vec![0; 3]));
        for (needs, stored) in [(0, 0), (8, 0), (8, 9), (u32::MAX, u32::MAX)] {
            assert!(answer(needs, stored).is_err(), "{needs}, {stored}");
        }
    }
}
