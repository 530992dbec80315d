//! The C library whose functions this program calls.

/// Whether it is part of the program: other programs of this machine then call another one, whose
/// clocks may cost more or less.
const LINKED: &str =
    if cfg!(all(target_os = "linux", target_feature = "crt-static")) { ", static" } else { "" };

/// Its name, its version if it tells one, and how it is linked: `glibc 2.36, static`. `None` if it
/// is not known.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn c_library() -> Option<String> {
    // SAFETY: gnu_get_libc_version(3) returns a static text that ends with 0.
    let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    Some(format!("glibc {}{LINKED}", version.to_string_lossy()))
}

/// Its name, and how it is linked; it tells no version. `None` if it is not known.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn c_library() -> Option<String> {
    let name = if cfg!(target_env = "musl") {
        "musl"
    } else if cfg!(target_vendor = "apple") {
        "libSystem"
    } else if cfg!(all(windows, target_env = "msvc")) {
        "UCRT"
    } else if cfg!(all(windows, target_env = "gnu")) {
        "msvcrt"
    } else {
        return None;
    };
    Some(format!("{name}{LINKED}"))
}
