//! Linux: facts from system calls, the auxiliary vector and `/dev/kmsg`.

mod clocks;
mod cntfrq;
mod log;
mod noise;
mod sched;

pub use log::kernel_log;
pub use noise::{current_cpu, run_queue_ns, steal_ns, thread_switches};
pub use sched::{Mask, allowed, pin, restore};

use std::ffi::CStr;
use std::sync::OnceLock;

use chronoscope_model::Environment;

use super::c_library::c_library;
use super::power;
use super::process::Process;
use super::root::{Missing, Root};

/// The folder under which files hold facts.
pub const FILES: Option<&str> = Some("/");

/// Does nothing: files and system calls have given all facts.
pub fn fill(_: &mut Environment) {}

/// Files hold the tables.
pub fn acpi_tables() -> Option<Vec<String>> {
    None
}

/// Files hold the tables.
pub fn acpi_table(_: &str) -> Option<Result<Vec<u8>, Missing>> {
    None
}

pub fn power_source() -> Option<String> {
    power::source(&Root::host())
}

/// Asks the kernel about this process and about itself.
pub fn process() -> Process {
    let [sysname, release, machine] = uname();
    Process {
        arch: std::env::consts::ARCH.to_owned(),
        sysname,
        release,
        machine,
        c_library: c_library(),
        allowed: allowed(),
        timer_slack_ns: crate::waits::os::slack(),
        tsc_permitted: tsc_permitted(),
        adjtimex: Some(clocks::adjtimex()),
        timer_resolution_ns: clocks::timer_resolution_ns(),
        time64: clocks::time64(),
        library_clock: crate::time::library_clock(),
        sleep_refused: crate::time::may_sleep().err().map(|why| why.0),
        distances: clocks::distances(),
        vdso: Some(vdso_base().is_some()),
        cntfrq: cntfrq::read(),
        core_types: Vec::new(),
        emulator: emulator(),
        windows: None,
    }
}

/// The kernel's account of its clock, in one line with its own names and units; `None` if it is
/// refused.
pub fn adjtimex() -> Option<String> {
    clocks::adjtimex().ok().map(|answer| answer.line())
}

/// The kernel's random id of this boot (random(4)).
pub fn boot_id() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// The address of the vDSO's ELF header, AT_SYSINFO_EHDR (vdso(7), getauxval(3)).
pub fn vdso_base() -> Option<*const u8> {
    // SAFETY: getauxval takes any number and only reads the process's own vector.
    let base = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) };
    (base != 0).then(|| std::ptr::with_exposed_provenance(base as usize))
}

/// Whether this process may read the time-stamp counter (prctl(2), PR_GET_TSC). `None` if the
/// kernel does not know this request, as on every architecture but x86.
pub fn tsc_permitted() -> Option<bool> {
    const PR_TSC_ENABLE: libc::c_int = 1;
    let mut mode: libc::c_int = 0;
    // SAFETY: PR_GET_TSC stores one int at the address given, which is that of a local.
    let done = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut mode) };
    (done == 0).then_some(mode == PR_TSC_ENABLE)
}

/// The monotonic clock in nanoseconds, through the system call only. If the process may not read
/// the time-stamp counter, the vDSO's function would kill it, and this module must survive to
/// report that.
pub fn monotonic_ns() -> u64 {
    crate::time::Instant::now().ns()
}

/// Valgrind, which interprets the process and is mapped into it. It knows neither the vDSO nor
/// some instructions.
pub fn emulator() -> Option<String> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        let paths = maps.lines().filter_map(|line| line.split_whitespace().nth(5));
        let path = paths.into_iter().find(|path| path.contains("/valgrind/"))?;
        let name = path.rsplit('/').next().unwrap_or(path);
        Some(format!("Valgrind ({name} is mapped into the process)"))
    });
    found.clone()
}

fn uname() -> [Option<String>; 3] {
    // SAFETY: utsname is made of arrays of characters, for which zero is valid.
    let mut names: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: `names` is a valid place for the result of uname.
    if unsafe { libc::uname(&raw mut names) } != 0 {
        return [None, None, None];
    }
    [&names.sysname, &names.release, &names.machine].map(|field| {
        // SAFETY: uname ends every field with a NUL (uname(2)), within the array.
        let text = unsafe { CStr::from_ptr(field.as_ptr()) };
        Some(text.to_string_lossy().into_owned())
    })
}
