//! The counter of Windows, QueryPerformanceCounter.

use crate::waits::Unavailable;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};

/// Its rate in ticks per second; fixed at boot.
pub(crate) fn hz() -> Result<f64, Unavailable> {
    let mut hz = 0;
    // SAFETY: `hz` is a valid place for what the call stores.
    if unsafe { QueryPerformanceFrequency(&raw mut hz) } == 0 || hz <= 0 {
        return Err(Unavailable("QueryPerformanceFrequency returns no rate".into()));
    }
    Ok(hz as f64)
}

/// Its value.
pub(crate) fn now() -> u64 {
    let mut ticks = 0;
    // SAFETY: `ticks` is a valid place for what the call stores.
    unsafe { QueryPerformanceCounter(&raw mut ticks) };
    ticks as u64
}
