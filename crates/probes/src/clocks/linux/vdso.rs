//! Finds the vDSO's own function and gives it to its reader.

use crate::clocks::Unavailable;
use crate::clocks::x86::tsc;
use crate::machine::vdso::symbol;

// SAFETY: `cs_linux_vdso_use` of native/linux.c keeps the pointer and calls nothing.
unsafe extern "C" {
    fn cs_linux_vdso_use(gettime: *const ());
}

/// The name that the kernel gives to the function: vdso(7).
const NAME: &str = if cfg!(target_arch = "aarch64") {
    "__kernel_clock_gettime"
} else {
    "__vdso_clock_gettime"
};

/// Makes the function ready to be called.
pub(super) fn ready() -> Result<(), Unavailable> {
    tsc::vdso_readable()?;
    let function = symbol(NAME).ok_or_else(|| {
        Unavailable(format!(
            "no {NAME} in the vDSO, or the kernel maps none (vdso=0 on its command line, or an emulator)"
        ))
    })?;
    // SAFETY: the function of that name has the signature that native/linux.c calls it by.
    unsafe { cs_linux_vdso_use(function) };
    Ok(())
}
