//! Windows, and Wine in its place: facts from system calls and from the page that the kernel shares
//! with every process. There are no files to read facts from. (Under Wine, Linux's files could be
//! reached, and would be mistaken for this system's.)

mod affinity;
mod boot;
mod facts;
mod firmware;
pub mod library;
mod topology;

pub use super::lacking::*;
pub use affinity::{Mask, allowed, current_cpu, pin, restore};
pub use facts::{fill, power_source};
pub use firmware::{acpi_table, acpi_tables};

use super::c_library::c_library;
use super::process::Process;

pub fn process() -> Process {
    Process {
        arch: std::env::consts::ARCH.to_owned(),
        sysname: Some("Windows".to_owned()),
        release: library::version(),
        c_library: c_library(),
        allowed: allowed(),
        emulator: library::emulator(),
        ..Process::default()
    }
}
