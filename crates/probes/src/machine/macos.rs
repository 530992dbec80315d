//! macOS: what `sysctlbyname` reports (Apple, sysctl(3); XNU, bsd/kern/kern_mib.c).

use std::ffi::CStr;
use std::io;

use chronoscope_model::Environment;
use chronoscope_model::environment::{ArmCounter, Hypervisor, Timer};

use super::counter::rate;
use super::kernel::own_facts;
use super::root::Process;
use super::timers::seen;

pub use super::lacking::*;

pub fn process() -> Process {
    // Apple, "About the Rosetta translation environment": 1 in a translated process.
    let translated = number(c"sysctl.proc_translated") == Some(1);
    Process {
        facts: Environment {
            emulated: translated.then(|| "Rosetta (sysctl.proc_translated is 1)".to_owned()),
            ..own_facts()
        },
        sysname: Some("Darwin".to_owned()),
        release: text(c"kern.osrelease"),
        machine: text(c"hw.machine"),
        ..Process::default()
    }
}

/// Fills in the facts that only the running system can report.
pub fn fill(env: &mut Environment) {
    env.os = match text(c"kern.osproductversion") {
        Some(version) => format!("macOS {version}"),
        None => "macOS".to_owned(),
    };
    let count = |name| number(name).and_then(|n| usize::try_from(n).ok());
    env.cpu.machine = text(c"hw.model");
    env.cpu.model = env.cpu.model.take().or_else(|| text(c"machdep.cpu.brand_string"));
    env.cpu.logical = count(c"hw.logicalcpu").unwrap_or(env.cpu.logical);
    env.cpu.cores = count(c"hw.physicalcpu");
    env.cpu.sockets = count(c"hw.packages");
    env.cpu.smt = env.cpu.cores.map(|cores| cores < env.cpu.logical);
    if number(c"kern.hv_vmm_present") == Some(1) && env.hypervisor.is_none() {
        env.hypervisor = Some(Hypervisor {
            name: "unknown".to_owned(),
            evidence: "kern.hv_vmm_present is 1".to_owned(),
            features: Vec::new(),
        });
    }
    let timebase = number(c"hw.tbfrequency").map(|hz| hz as f64);
    const SOURCE: &str = "sysctl hw.tbfrequency";
    env.timers.push(Timer { hz: timebase, ..seen("mach_absolute_time", SOURCE) });
    if cfg!(target_arch = "aarch64") {
        let rates = vec![rate(SOURCE, timebase, "")];
        env.counter = Some(ArmCounter { rates, errata: Vec::new() });
    }
}

/// The kernel's random id of this boot.
pub fn boot_id() -> Option<String> {
    text(c"kern.bootsessionuuid")
}

/// A number of at most 64 bits; the kernel stores as many bytes as the number has.
fn number(name: &CStr) -> Option<u64> {
    let mut bytes = [0u8; 8];
    match value(name, &mut bytes)? {
        4 => Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]).into()),
        8 => Some(u64::from_le_bytes(bytes)),
        _ => None,
    }
}

fn text(name: &CStr) -> Option<String> {
    let mut bytes = [0u8; 256];
    let length = value(name, &mut bytes)?;
    let text = String::from_utf8_lossy(bytes.get(..length)?);
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    (!text.is_empty()).then_some(text)
}

/// Stores the value in `place` and returns its length in bytes.
fn value(name: &CStr, place: &mut [u8]) -> Option<usize> {
    let mut length = place.len();
    // SAFETY: the name ends in NUL, `place` is writable for `length` bytes, and no new value is
    // passed.
    let done = unsafe {
        libc::sysctlbyname(
            name.as_ptr(),
            place.as_mut_ptr().cast(),
            &raw mut length,
            std::ptr::null_mut(),
            0,
        )
    };
    (done == 0).then_some(length)
}

/// Always fails: threads cannot be pinned.
pub fn pin(_cpu: usize) -> io::Result<Mask> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "macOS cannot pin a thread to a CPU"))
}
