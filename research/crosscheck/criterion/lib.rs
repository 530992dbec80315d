//! The calls of `../calls.hpp`, callable from Rust.

unsafe extern "C" {
    safe fn crosscheck_count() -> usize;
    safe fn crosscheck_id(index: usize) -> *const std::ffi::c_char;
    safe fn crosscheck_call(index: usize) -> extern "C" fn() -> u64;
}

/// Each call, with its id in the catalogue.
pub fn calls() -> Vec<(String, extern "C" fn() -> u64)> {
    (0..crosscheck_count())
        .map(|index| {
            // SAFETY: the ids are string literals, which live as long as the program.
            let id = unsafe { std::ffi::CStr::from_ptr(crosscheck_id(index)) };
            (id.to_string_lossy().into_owned(), crosscheck_call(index))
        })
        .collect()
}
