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

// What the last files of `counter` and `os` read; macOS and Windows read its wall clock.
#[cfg(feature = "std")]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, unused_imports))]
mod plain;

#[cfg(feature = "std")]
pub mod rest;

#[cfg(feature = "std")]
pub mod page;

#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
#[path = "process_linux.rs"]
pub mod process;
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
pub mod shared;
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
#[path = "thread_linux.rs"]
pub mod thread;

#[cfg(all(feature = "std", any(not(target_os = "linux"), miri)))]
mod other;
#[cfg(all(feature = "std", any(not(target_os = "linux"), miri)))]
pub use other::{process, shared, thread};

/// Why [`Waiter::shorten_slice`](crate::wait::Waiter::shorten_slice) changed nothing.
///
/// ```
/// use chronoscope::wait::{Effort, NoSlice, Waiter};
/// match Waiter::new(Effort::Balanced).shorten_slice() {
///     Ok(()) | Err(NoSlice::Unsupported) => {}
///     Err(reason) => eprintln!("{reason}"),
/// }
/// ```
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoSlice {
    /// The system has no such setting: it is not Linux, or is older than Linux 6.12.
    Unsupported,
    /// The thread has another scheduling policy than SCHED_OTHER, which is left as it is.
    OtherPolicy,
    /// A filter of system calls is active, which might end the process for this one; see
    /// [`assume_that_nothing_kills`](crate::machine::assume_that_nothing_kills).
    Filtered,
    /// The system refused, with this error number.
    Refused(i32),
}

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

/// Calls `handler` in every later child of `fork`, before `fork` returns there. Handlers
/// accumulate and cannot be removed.
///
/// A handler may only do what a signal handler may (`pthread_atfork(3)`). It is not called if the C
/// library is bypassed.
#[cfg(all(feature = "std", unix, not(miri)))]
pub fn in_children_of_fork(handler: extern "C" fn()) {
    use core::ffi::c_int;

    type Handler = Option<extern "C" fn()>;

    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }

    // SAFETY: the declaration is that of POSIX. The handler is a function, which exists as long as
    // the process; C libraries drop it if it belongs to a library that is unloaded. The call fails
    // only without memory, and then children do not notice.
    unsafe { pthread_atfork(None, None, Some(handler)) };
}

/// Nothing forks here.
#[cfg(all(feature = "std", not(all(unix, not(miri)))))]
pub fn in_children_of_fork(_handler: extern "C" fn()) {}

/// Passes the value of `CHRONOSCOPE_SOURCE` to `parse`, if it is set.
///
/// Neither allocates nor takes a lock, unlike `std::env::var`, because the first read may be made
/// by a signal handler or by a global allocator. As for every call of the C library's `getenv`, no
/// other thread may change the environment at the same time.
#[cfg(all(feature = "std", unix, not(miri)))]
pub fn wanted_source<R>(parse: impl FnOnce(&[u8]) -> R) -> Option<R> {
    use core::ffi::{CStr, c_char};

    unsafe extern "C" {
        fn getenv(name: *const c_char) -> *const c_char;
    }
    // SAFETY: the name is terminated; the answer is null or a terminated string, which is valid
    // until the variable is changed.
    let value = unsafe { getenv(c"CHRONOSCOPE_SOURCE".as_ptr()) };
    // SAFETY: as above.
    (!value.is_null()).then(|| parse(unsafe { CStr::from_ptr(value) }.to_bytes()))
}

/// Passes the value of `CHRONOSCOPE_SOURCE` to `parse`, if it is set. Allocates.
#[cfg(all(feature = "std", not(all(unix, not(miri)))))]
pub fn wanted_source<R>(parse: impl FnOnce(&[u8]) -> R) -> Option<R> {
    std::env::var_os("CHRONOSCOPE_SOURCE").map(|value| parse(value.as_encoded_bytes()))
}
