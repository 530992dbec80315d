//! Systems without a folder of their own: what the standard library knows, and nothing else.

use std::io;

use chronoscope_model::Environment;

pub use super::since::monotonic_ns;

use super::process::Process;
use super::root::Missing;

/// The folder under which files hold facts, if there is one.
pub const FILES: Option<&str> = Some("/");

/// Does nothing: no other facts are known.
pub fn fill(_: &mut Environment) {}

/// The facts about a process that every system can report.
pub fn process() -> Process {
    Process {
        arch: std::env::consts::ARCH.to_owned(),
        sysname: Some(std::env::consts::OS.to_owned()),
        ..Process::default()
    }
}

/// Only Linux has a log that can be read.
pub fn kernel_log() -> Result<String, Missing> {
    Err(Missing::Absent)
}

/// No vDSO is known.
pub fn vdso_base() -> Option<*const u8> {
    None
}

/// Only Linux has adjtimex(2).
pub fn adjtimex() -> Option<String> {
    None
}

/// Unknown: there is no known way to ask.
pub fn tsc_permitted() -> Option<bool> {
    None
}

/// No affinity can be restored.
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

/// Never called, because no mask exists.
pub fn restore(mask: &Mask) -> io::Result<()> {
    match *mask {}
}

/// Unknown.
pub fn thread_switches() -> Option<u64> {
    None
}

/// Unknown.
pub fn run_queue_ns() -> Option<u64> {
    None
}

/// Unknown.
pub fn steal_ns(_: Option<usize>) -> Option<u64> {
    None
}

/// Unknown.
pub fn current_cpu() -> Option<usize> {
    None
}

/// Unknown.
pub fn power_source() -> Option<String> {
    None
}
