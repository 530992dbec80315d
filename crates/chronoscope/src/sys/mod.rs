//! What the library needs from a processor and an operating system: the only place with unsafe
//! code.
//!
//! Each implementation is chosen here and nowhere else. The last file of each kind always compiles,
//! and Miri gets that one, because it interprets neither instructions nor most system calls.

#[cfg_attr(all(target_arch = "x86_64", not(miri)), path = "counter_x86_64.rs")]
#[cfg_attr(all(target_arch = "aarch64", not(miri)), path = "counter_aarch64.rs")]
#[cfg_attr(
    all(target_arch = "arm", target_os = "linux", feature = "std", not(miri)),
    path = "counter_arm.rs"
)]
#[cfg_attr(
    any(
        not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            all(target_arch = "arm", target_os = "linux", feature = "std")
        )),
        miri
    ),
    path = "counter_os.rs"
)]
pub mod counter;

#[cfg(all(
    feature = "std",
    any(target_arch = "aarch64", all(target_arch = "arm", target_os = "linux")),
    not(miri)
))]
mod generic_timer;

#[cfg(feature = "std")]
#[cfg_attr(all(target_arch = "x86_64", not(miri)), path = "cpu_x86_64.rs")]
#[cfg_attr(all(target_arch = "aarch64", not(miri)), path = "cpu_aarch64.rs")]
#[cfg_attr(all(target_arch = "arm", target_os = "linux", not(miri)), path = "cpu_arm.rs")]
#[cfg_attr(
    any(
        not(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            all(target_arch = "arm", target_os = "linux")
        )),
        miri
    ),
    path = "cpu_other.rs"
)]
pub mod cpu;

#[cfg(feature = "std")]
#[cfg_attr(all(target_os = "linux", not(miri)), path = "os_linux.rs")]
#[cfg_attr(all(target_os = "macos", not(miri)), path = "os_macos.rs")]
#[cfg_attr(all(windows, not(miri)), path = "os_windows.rs")]
#[cfg_attr(
    any(not(any(target_os = "linux", target_os = "macos", windows)), miri),
    path = "os_unsupported.rs"
)]
pub mod os;

#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
mod perf_page;

// What the last files of `counter` and `os` read.
#[cfg(feature = "std")]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, unused_imports))]
mod plain;

#[cfg(feature = "std")]
#[cfg_attr(all(target_os = "linux", not(miri)), path = "process_linux.rs")]
#[cfg_attr(any(not(target_os = "linux"), miri), path = "process_other.rs")]
pub mod process;

#[cfg(feature = "std")]
pub mod rest;

#[cfg(feature = "std")]
#[cfg_attr(all(target_os = "linux", not(miri)), path = "thread_linux.rs")]
#[cfg_attr(any(not(target_os = "linux"), miri), path = "thread_other.rs")]
pub mod thread;

#[cfg(feature = "std")]
pub mod page;

#[cfg(feature = "std")]
#[cfg_attr(all(target_os = "linux", not(miri)), path = "shared.rs")]
#[cfg_attr(any(not(target_os = "linux"), miri), path = "shared_other.rs")]
pub mod shared;

#[cfg(feature = "std")]
pub mod wanted;

#[cfg(feature = "std")]
pub mod fork;

#[cfg(feature = "std")]
#[cfg_attr(
    all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)),
    path = "witness_linux.rs"
)]
#[cfg_attr(
    any(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))), miri),
    path = "witness_other.rs"
)]
pub mod witness;
