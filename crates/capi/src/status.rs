//! The results of functions that can fail, and the version of the library.

use std::ffi::c_char;

/// Zero on success, otherwise one of the numbers below.
pub type chronoscope_status = i32;

/// Success.
pub const CHRONOSCOPE_OK: chronoscope_status = 0;
/// A pointer is null although something has to be read from it or written to it.
pub const CHRONOSCOPE_NULL: chronoscope_status = 1;
/// A number has no meaning here, or is out of range.
pub const CHRONOSCOPE_INVALID: chronoscope_status = 2;
/// The clock has been read before, so its source is fixed, or that of the bound was chosen before.
pub const CHRONOSCOPE_ALREADY_CHOSEN: chronoscope_status = 3;
/// The result is before the first or after the last moment that can be represented.
pub const CHRONOSCOPE_OUT_OF_RANGE: chronoscope_status = 4;
/// The operating system refused (a thread could not be started).
pub const CHRONOSCOPE_SYSTEM: chronoscope_status = 5;
/// An internal error of this library, which was caught; please report it.
pub const CHRONOSCOPE_INTERNAL: chronoscope_status = 6;
/// A handler of a signal ran during the wait.
pub const CHRONOSCOPE_INTERRUPTED: chronoscope_status = 7;
/// The system does not have what was asked for.
pub const CHRONOSCOPE_UNSUPPORTED: chronoscope_status = 8;

/// Returns a description of a status, which is always valid; for an unknown number, a text that
/// says so.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_status_text(status: chronoscope_status) -> *const c_char {
    let text = match status {
        CHRONOSCOPE_OK => c"success",
        CHRONOSCOPE_NULL => c"a pointer is null although something has to be read or written",
        CHRONOSCOPE_INVALID => c"a number has no meaning here or is out of range",
        CHRONOSCOPE_ALREADY_CHOSEN => c"it was chosen before, or by the first read of the clock",
        CHRONOSCOPE_OUT_OF_RANGE => c"the moment cannot be represented",
        CHRONOSCOPE_SYSTEM => c"the operating system refused",
        CHRONOSCOPE_INTERNAL => c"internal error of chronoscope",
        CHRONOSCOPE_INTERRUPTED => c"a signal interrupted the wait",
        CHRONOSCOPE_UNSUPPORTED => c"this system does not have what was asked for",
        _ => c"not a status of chronoscope",
    };
    text.as_ptr()
}

/// Returns the version of the library in use, such as "0.1.0"; always valid.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn chronoscope_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
