//! What the library needs of a processor and a system: the only place with unsafe code.
//!
//! Each is chosen here and nowhere else; the last file of each kind always compiles.

#[cfg_attr(target_arch = "x86_64", path = "counter_x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "counter_aarch64.rs")]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    path = "counter_os.rs"
)]
pub mod counter;

#[cfg(feature = "std")]
#[cfg_attr(target_arch = "x86_64", path = "cpu_x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "cpu_aarch64.rs")]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    path = "cpu_other.rs"
)]
pub mod cpu;

#[cfg(feature = "std")]
#[cfg_attr(target_os = "linux", path = "os_linux.rs")]
#[cfg_attr(target_os = "macos", path = "os_macos.rs")]
#[cfg_attr(windows, path = "os_windows.rs")]
#[cfg_attr(
    not(any(target_os = "linux", target_os = "macos", windows)),
    path = "os_unsupported.rs"
)]
pub mod os;

#[cfg(all(feature = "std", target_os = "linux"))]
mod perf_page;
