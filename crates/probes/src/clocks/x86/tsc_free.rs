//! Where no process can be forbidden to read the counter.

use crate::clocks::Unavailable;

/// Whether the counter can be read.
pub(crate) const fn readable() -> Result<(), Unavailable> {
    Ok(())
}

/// Whether the system's functions can be called in user mode.
pub(crate) const fn vdso_readable() -> Result<(), Unavailable> {
    Ok(())
}
