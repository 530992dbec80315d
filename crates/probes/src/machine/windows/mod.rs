//! Windows, and Wine in its place: what comes from system calls and from the page that the kernel
//! shares with every process. There are no files to read facts from.

mod affinity;
mod facts;
pub mod library;
mod topology;

pub use super::since::monotonic_ns;
pub use affinity::{Mask, allowed, current_cpu, pin, restore};
pub use facts::fill;

use super::process::Process;
use super::root::Missing;

/// Where the files are that tell facts: nowhere. (Under Wine, Linux's would be in reach, and would
/// be taken for this system's.)
pub const FILES: Option<&str> = None;

/// What can be known of the process.
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

/// Its log says nothing of clocks.
pub fn kernel_log() -> Result<String, Missing> {
    Err(Missing::Absent)
}

/// There is none.
pub fn vdso_base() -> Option<*const u8> {
    None
}

/// Windows knows no such permission.
pub fn tsc_permitted() -> Option<bool> {
    None
}

/// It counts switches of a thread, and not which of them were against its will.
pub fn thread_switches() -> Option<u64> {
    None
}

/// It does not tell.
pub fn steal_ns(_: Option<usize>) -> Option<u64> {
    None
}
