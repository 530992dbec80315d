//! What the system reports to a process other than through files.

use super::qpc::Windows;
use chronoscope_model::timekeeping::{Adjtimex, Distances, LibraryClock};

/// Facts that come from system calls and the auxiliary vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Process {
    /// The architecture that the tool was compiled for (`arch`).
    pub arch: String,
    /// The system's name (`sysname`).
    pub sysname: Option<String>,
    /// The kernel's release (`release`).
    pub release: Option<String>,
    /// The machine's architecture as the kernel reports it (`machine`).
    pub machine: Option<String>,
    /// The C library that the tool calls (`c_library`).
    pub c_library: Option<String>,
    /// The CPUs on which this process may run, as a list like `0-3,8` (`allowed`).
    pub allowed: Vec<usize>,
    /// What the kernel reports about its clock, or the error that it gives instead (`adjtimex`).
    pub adjtimex: Option<Result<Adjtimex, String>>,
    /// What the kernel's timers claim as their resolution, in nanoseconds (`timer_resolution_ns`).
    pub timer_resolution_ns: Option<u64>,
    /// The error of clock_gettime64 in a 32-bit program; empty if it works (`time64`).
    pub time64: Option<String>,
    /// How the C library's clock differs from the kernel's, if it does (`library_clock`).
    pub library_clock: Option<LibraryClock>,
    /// The error of clock_nanosleep, if it is refused (`sleep_refused`).
    pub sleep_refused: Option<String>,
    /// The distances between the system's clocks; recordings have none.
    pub distances: Option<Distances>,
    /// Timer slack of the calling thread, in nanoseconds (`timer_slack_ns`).
    pub timer_slack_ns: Option<u64>,
    /// Whether the process may read the time-stamp counter (`tsc_permitted`).
    pub tsc_permitted: Option<bool>,
    /// Whether the kernel maps a vDSO (`vdso`).
    pub vdso: Option<bool>,
    /// The rate of Arm's counter from CNTFRQ, in hertz (`cntfrq`).
    pub cntfrq: Option<u64>,
    /// The register of each CPU that names the type of its core, on x86 (`core_type`, one line of
    /// `cpu:register` for each); empty on this machine, where each CPU is asked when it matters.
    pub core_types: Vec<(usize, u32)>,
    /// What the platform itself knows about an emulator that runs this process (`emulator`).
    pub emulator: Option<String>,
    /// What a recorded Windows says of its performance counter (`qpc`, `boot_options`,
    /// `boot_options_refused`); on this machine, Windows is asked when it matters.
    pub(super) windows: Option<Windows>,
}
