//! Finds the vDSO's own function and gives it to its reader.

use crate::clocks::Unavailable;
use crate::clocks::x86::tsc;
use std::ffi::{CStr, c_void};

// SAFETY: `cs_linux_vdso_use` of native/linux.c keeps the pointer and calls nothing.
unsafe extern "C" {
    fn cs_linux_vdso_use(gettime: *mut c_void);
}

/// The name that the kernel gives to the function: vdso(7).
const NAME: &CStr = if cfg!(target_arch = "aarch64") {
    c"__kernel_clock_gettime"
} else {
    c"__vdso_clock_gettime"
};

/// Makes the function ready to be called.
pub(super) fn ready() -> Result<(), Unavailable> {
    tsc::vdso_readable()?;
    let function = symbol(NAME).ok_or_else(|| {
        Unavailable(format!(
            "no {} in a vDSO: the kernel maps none (vdso=0), or this program is linked statically",
            NAME.to_string_lossy()
        ))
    })?;
    // SAFETY: the function of that name has the signature that native/linux.c calls it by.
    unsafe { cs_linux_vdso_use(function) };
    Ok(())
}

/// The dynamic linker knows the vDSO as a library that is loaded already.
fn symbol(name: &CStr) -> Option<*mut c_void> {
    let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
    // SAFETY: both strings end in zero, and RTLD_NOLOAD loads and runs nothing.
    let library = unsafe { libc::dlopen(c"linux-vdso.so.1".as_ptr(), flags) };
    if library.is_null() {
        return None;
    }
    // SAFETY: the handle was made above; it is never closed, and the vDSO is never unmapped.
    let function = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!function.is_null()).then_some(function)
}
