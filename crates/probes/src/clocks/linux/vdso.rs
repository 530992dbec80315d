//! Finds the vDSO's own function.

use crate::clocks::native::State;
use crate::clocks::{Unavailable, permission};
use crate::machine::vdso::symbol;

/// The name that the kernel gives to the function: vdso(7).
const NAME: &str = if cfg!(target_arch = "aarch64") {
    "__kernel_clock_gettime"
} else {
    "__vdso_clock_gettime"
};

/// The address of the function, which native/linux.c calls by the signature that the kernel gives
/// to a function of that name.
pub(super) fn clock_gettime() -> Result<State, Unavailable> {
    permission::vdso()?;
    let function = symbol(NAME).ok_or_else(|| {
        Unavailable(format!(
            "no {NAME} in the vDSO, or the kernel maps none \
             (vdso=0 on its command line, or an emulator)"
        ))
    })?;
    Ok(State::of(function as usize))
}
