//! Finds the vDSO's function.

use crate::clocks::native::State;
use crate::clocks::{Unavailable, permission};
use crate::machine::vdso::symbol;

/// The kernel's name for the function: vdso(7).
const NAME: &str =
    if cfg!(target_arch = "aarch64") { "__kernel_clock_gettime" } else { "__vdso_clock_gettime" };

/// The address of the function. native/linux.c calls it with the signature that the kernel defines
/// for a function of that name.
pub(super) fn clock_gettime() -> Result<State, Unavailable> {
    permission::vdso()?;
    let function = symbol(NAME).ok_or_else(|| {
        Unavailable(format!(
            "the vDSO has no {NAME}, or the kernel maps no vDSO (vdso=0 on its command line, or an \
             emulator)"
        ))
    })?;
    Ok(State::of(function as usize))
}
