//! The defaults for a system that reports none of the facts below. A system's folder exports all of
//! this, and what it defines itself takes precedence.

use std::io;

use chronoscope_model::Environment;

use super::kernel::own_facts;
use super::noise::CpuTimes;
use super::root::Missing;
use super::root::Process;

/// The folder under which files hold facts, if there is one.
pub const FILES: Option<&str> = None;

/// Does nothing: no other facts are known.
pub fn fill(_: &mut Environment) {}

lacking! {
    /// The names of the ACPI tables; `None` if files hold them.
    pub fn acpi_tables() -> Option<Vec<String>> = None;
    /// An ACPI table; `None` if files hold them.
    pub fn acpi_table(&str) -> Option<Result<Vec<u8>, Missing>> = None;
    /// Only Linux has a log with lines about clocks.
    pub fn kernel_log() -> Result<String, Missing> = Err(Missing::Absent);
    /// Only Linux has a vDSO; the commpage of macOS has no symbols.
    pub fn vdso_base() -> Option<*const u8> = None;
    /// Nothing shows an emulator.
    pub fn emulator() -> Option<String> = None;
    /// Only Linux has adjtimex(2).
    pub fn adjtimex() -> Option<String> = None;
    /// Nothing distinguishes one boot from another.
    pub fn boot_id() -> Option<String> = None;
    pub fn allowed() -> Vec<usize> = Vec::new();
    /// Always refused.
    pub fn pin(usize) -> io::Result<Mask> = Err(io::ErrorKind::Unsupported.into());
    /// Windows counts the switches of a thread, but not which of them were involuntary; macOS
    /// reports them for the whole process only.
    pub fn thread_switches() -> Option<u64> = None;
    pub fn run_queue_ns() -> Option<u64> = None;
    pub fn steal_ns(Option<usize>) -> Option<u64> = None;
    pub fn has_changed(&std::fs::File) -> bool = false;
    pub fn cpu_times() -> Vec<CpuTimes> = Vec::new();
    pub fn children_cpu_ns() -> Option<u64> = None;
    pub fn current_cpu() -> Option<usize> = None;
    pub fn power_source() -> Option<String> = None;
}

/// The facts about a process that every system can report.
pub fn process() -> Process {
    Process {
        facts: own_facts(),
        sysname: Some(std::env::consts::OS.to_owned()),
        ..Process::default()
    }
}

/// No affinity can be restored.
#[derive(Clone, Debug)]
pub enum Mask {}

/// Never called, because no mask exists.
pub fn restore(mask: &Mask) -> io::Result<()> {
    match *mask {}
}

/// No value of this type exists: only Linux reports that the wall clock was set.
#[derive(Debug)]
pub enum ClockSet {}

impl ClockSet {
    /// Always refused.
    ///
    /// # Errors
    /// Always.
    pub fn open() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Never called.
    pub fn was_set(&mut self) -> bool {
        match *self {}
    }
}
