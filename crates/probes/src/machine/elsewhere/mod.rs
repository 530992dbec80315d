//! Any system that has no folder of its own: what the standard library knows, and nothing else.

use std::io;
use std::sync::OnceLock;
use std::time::Instant;

use super::process::Process;
use super::root::Missing;

/// What can be known of a process on any system.
pub fn process() -> Process {
    Process {
        arch: std::env::consts::ARCH.to_owned(),
        sysname: Some(std::env::consts::OS.to_owned()),
        ..Process::default()
    }
}

/// No system but Linux keeps its log where it can be read.
pub fn kernel_log() -> Result<String, Missing> {
    Err(Missing::Absent)
}

/// No vDSO is known.
pub fn vdso_base() -> Option<*const u8> {
    None
}

/// No way to ask is known.
pub fn tsc_permitted() -> Option<bool> {
    None
}

/// Nanoseconds since the first call.
pub fn monotonic_ns() -> u64 {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(ORIGIN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// No affinity that could be restored.
#[derive(Clone, Debug)]
pub enum Mask {}

/// Unknown.
pub fn allowed() -> Vec<usize> {
    Vec::new()
}

/// Always refused.
pub fn pin(_cpu: usize) -> io::Result<Mask> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Never called, for there is no mask.
pub fn restore(mask: &Mask) -> io::Result<()> {
    match *mask {}
}

/// Unknown.
pub fn thread_switches() -> Option<u64> {
    None
}

/// Unknown.
pub fn steal_ns() -> Option<u64> {
    None
}

/// Unknown.
pub fn current_cpu() -> Option<usize> {
    None
}
