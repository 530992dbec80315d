//! What functions answer that can fail, and which library this is.

use std::ffi::c_char;

/// Zero when all went well, else one of the numbers below.
pub type chronoscope_status = i32;

/// All went well.
pub const CHRONOSCOPE_OK: chronoscope_status = 0;
/// A pointer was null where something has to be read or written.
pub const CHRONOSCOPE_NULL: chronoscope_status = 1;
/// A number stands for nothing, or is out of its range.
pub const CHRONOSCOPE_INVALID: chronoscope_status = 2;
/// The clock has been read before, so its source stands.
pub const CHRONOSCOPE_ALREADY_CHOSEN: chronoscope_status = 3;
/// The result is before the first or after the last moment that can be counted.
pub const CHRONOSCOPE_OUT_OF_RANGE: chronoscope_status = 4;
/// The operating system refused (a thread could not be started).
pub const CHRONOSCOPE_SYSTEM: chronoscope_status = 5;
/// A fault of this library, which was caught; please report it.
pub const CHRONOSCOPE_INTERNAL: chronoscope_status = 6;

/// A status in words, for ever valid; for a number that is no status, words that say so.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_status_text(status: chronoscope_status) -> *const c_char {
    let text = match status {
        CHRONOSCOPE_OK => c"all went well",
        CHRONOSCOPE_NULL => c"a null pointer where something has to be read or written",
        CHRONOSCOPE_INVALID => c"a number that stands for nothing or is out of its range",
        CHRONOSCOPE_ALREADY_CHOSEN => c"the clock has been read before, so its source stands",
        CHRONOSCOPE_OUT_OF_RANGE => c"a moment that cannot be counted",
        CHRONOSCOPE_SYSTEM => c"the operating system refused",
        CHRONOSCOPE_INTERNAL => c"a fault of chronoscope itself",
        _ => c"no status of chronoscope",
    };
    text.as_ptr()
}

/// The version of the library that runs, such as "0.1.0"; for ever valid.
#[unsafe(no_mangle)]
pub extern "C" fn chronoscope_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
