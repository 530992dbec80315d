//! Windows, and Wine in its place: facts from system calls and from the page that the kernel shares
//! with every process. There are no files to read facts from.

mod affinity;
mod facts;
pub mod library;
mod topology;

pub use super::since::monotonic_ns;
pub use affinity::{Mask, allowed, current_cpu, pin, restore};
pub use facts::{fill, power_source};

use super::process::Process;
use super::root::Missing;

/// The folder under which files hold facts: there is none. (Under Wine, those of Linux could be
/// reached, and would be taken for those of this system.)
pub const FILES: Option<&str> = None;

/// The facts about the process.
pub fn process() -> Process {
    Process {
        arch: std::env::consts::ARCH.to_owned(),
        sysname: Some("Windows".to_owned()),
        release: library::version(),
        allowed: allowed(),
        emulator: library::emulator(),
        ..Process::default()
    }
}

/// Its log has no lines about clocks.
pub fn kernel_log() -> Result<String, Missing> {
    Err(Missing::Absent)
}

/// Windows has none.
pub fn vdso_base() -> Option<*const u8> {
    None
}

/// Only Linux has adjtimex(2).
pub fn adjtimex() -> Option<String> {
    None
}

/// Windows has no such permission.
pub fn tsc_permitted() -> Option<bool> {
    None
}

/// Windows counts the switches of a thread, but not which of them were involuntary.
pub fn thread_switches() -> Option<u64> {
    None
}

/// Windows does not report this.
pub fn run_queue_ns() -> Option<u64> {
    None
}

/// Windows does not report this.
pub fn steal_ns(_: Option<usize>) -> Option<u64> {
    None
}
