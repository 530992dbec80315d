//! The counter of Windows, QueryPerformanceCounter.

use std::sync::OnceLock;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};

/// Ticks of the counter per second: fixed at boot, and never zero since Windows XP.
pub(crate) fn hz() -> u64 {
    static HZ: OnceLock<u64> = OnceLock::new();
    *HZ.get_or_init(|| {
        let mut hz = 0;
        // SAFETY: `hz` is a valid place for the result.
        unsafe { QueryPerformanceFrequency(&raw mut hz) };
        u64::try_from(hz).unwrap_or(0).max(1)
    })
}

#[inline]
pub(crate) fn now() -> u64 {
    let mut ticks = 0;
    // SAFETY: `ticks` is a valid place for the result.
    unsafe { QueryPerformanceCounter(&raw mut ticks) };
    ticks as u64
}
