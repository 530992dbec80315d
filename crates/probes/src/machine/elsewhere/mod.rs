//! Any system that has no folder of its own: what the standard library knows, and nothing else.

use std::io;

use chronoscope_model::Environment;

pub use super::since::monotonic_ns;

use super::process::Process;
use super::root::Missing;

/// Where the files are that tell facts, if there are any.
pub const FILES: Option<&str> = Some("/");

/// Nothing more is known.
pub fn fill(_: &mut Environment) {}

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
pub fn steal_ns(_: Option<usize>) -> Option<u64> {
    None
}

/// Unknown.
pub fn current_cpu() -> Option<usize> {
    None
}
