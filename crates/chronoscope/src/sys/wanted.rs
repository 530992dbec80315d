//! The environment variable that overrides the choice of the source.

/// Passes the value of `CHRONOSCOPE_SOURCE` to `parse`, if it is set.
///
/// Neither allocates nor takes a lock, unlike `std::env::var`, because the first read may be made
/// by a signal handler or by a global allocator. As for every call of the C library's `getenv`, no
/// other thread may change the environment at the same time.
#[cfg(all(unix, not(miri)))]
pub fn source<R>(parse: impl FnOnce(&[u8]) -> R) -> Option<R> {
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
#[cfg(not(all(unix, not(miri))))]
pub fn source<R>(parse: impl FnOnce(&[u8]) -> R) -> Option<R> {
    std::env::var_os("CHRONOSCOPE_SOURCE").map(|value| parse(value.as_encoded_bytes()))
}
