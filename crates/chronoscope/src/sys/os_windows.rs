//! Windows: the performance counter and a high-resolution timer per thread.

use std::cell::OnceCell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use windows_sys::Win32::Foundation::{CloseHandle, HANDLE};
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::Threading::{
    CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, CreateWaitableTimerExW, INFINITE, SetWaitableTimer,
    TIMER_ALL_ACCESS, WaitForSingleObject,
};

pub use super::other::lacking::*;
// std reads GetSystemTimePreciseAsFileTime.
pub use super::plain::wall;

use crate::machine::{Kernel, Name};

const NANOS_PER_SEC: u128 = 1_000_000_000;

/// Ticks of the performance counter per second: fixed at boot, and never zero since Windows XP.
fn frequency() -> u64 {
    static FREQUENCY: AtomicU64 = AtomicU64::new(0);
    let known = FREQUENCY.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let mut hz = 0;
    // SAFETY: `hz` is a valid place for the result.
    unsafe { QueryPerformanceFrequency(&mut hz) };
    let hz = u64::try_from(hz).unwrap_or(0).max(1);
    FREQUENCY.store(hz, Ordering::Relaxed);
    hz
}

/// The name of the clock that [`reference`] reads.
pub const REFERENCE: &str = "QueryPerformanceCounter";

/// The name of the clock that [`monotonic`] reads.
pub const MONOTONIC: &str = "QueryPerformanceCounter";

/// QueryPerformanceCounter, which is never slewed.
pub fn reference() -> u64 {
    let mut ticks = 0;
    // SAFETY: `ticks` is a valid place for the result.
    unsafe { QueryPerformanceCounter(&mut ticks) };
    // In full width, because 10^9 / frequency is not a whole number on every machine.
    let wide = ticks.max(0) as u128 * NANOS_PER_SEC / u128::from(frequency());
    u64::try_from(wide).unwrap_or(u64::MAX)
}

pub fn reference_step() -> u64 {
    (NANOS_PER_SEC as u64).div_ceil(frequency())
}

pub fn monotonic() -> u64 {
    reference()
}

pub fn monotonic_step() -> u64 {
    reference_step()
}

/// A FILETIME counts units of 100 ns.
pub const WALL_STEP: u64 = 100;

/// The rate shows what the performance counter is based on: 10 MHz is scaled from the TSC (or a
/// hypervisor's page of it) since Windows 10 1809, about 3.58 MHz is the ACPI timer and 14.3 MHz
/// the HPET, which Windows uses only if it does not trust the TSC or was configured to.
pub fn first_view(names: &[&str]) -> Kernel {
    let source = match frequency() {
        3_579_545 => Name::from("the ACPI timer"),
        14_318_180 => Name::from("the HPET"),
        10_000_000 => Name::from("QueryPerformanceCounter, 10 MHz"),
        _ => Name::from("QueryPerformanceCounter"),
    };
    match (names.is_empty(), frequency()) {
        (true, _) => Kernel::Silent,
        (_, 3_579_545 | 14_318_180) => Kernel::Dropped(source),
        (_, 10_000_000) => Kernel::Uses(source),
        // Older systems show the TSC divided by 1024; other boards have other HPETs.
        _ => Kernel::Offers(source),
    }
}

/// A waitable timer of this thread.
struct Timer(HANDLE);

impl Timer {
    /// `None` before Windows 10 1803, which has no such timers.
    fn new() -> Option<Self> {
        // SAFETY: no attributes and no name are passed; the handle is owned from here on.
        let handle = unsafe {
            CreateWaitableTimerExW(
                ptr::null(),
                ptr::null(),
                CREATE_WAITABLE_TIMER_HIGH_RESOLUTION,
                TIMER_ALL_ACCESS,
            )
        };
        (!handle.is_null()).then_some(Self(handle))
    }

    /// Waits for a time in nanoseconds; returns `false` if the timer could not be set.
    fn wait(&self, nanos: u64) -> bool {
        // Negative is relative, in units of 100 ns. An absolute time would follow the wall clock.
        let due = -i64::try_from(nanos / 100).unwrap_or(i64::MAX).max(1);
        // SAFETY: the timer handle lives as long as `self`, `due` is a valid place, and there is
        // no completion routine; the wait is for that handle.
        unsafe {
            SetWaitableTimer(self.0, &due, 0, None, ptr::null(), 0) != 0
                && WaitForSingleObject(self.0, INFINITE) == 0
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: the handle is owned and not used after this.
        unsafe { CloseHandle(self.0) };
    }
}

thread_local! {
    static TIMER: OnceCell<Option<Timer>> = const { OnceCell::new() };
}

/// Sleeps for about `remaining` nanoseconds; the deadline is for systems that can sleep until one.
pub fn sleep_until(_deadline: u64, remaining: u64) {
    // A thread that is ending has dropped its timer; it then sleeps as if there were none.
    let waited = TIMER.try_with(|timer| {
        timer.get_or_init(Timer::new).as_ref().is_some_and(|timer| timer.wait(remaining))
    });
    if !waited.unwrap_or(false) {
        std::thread::sleep(Duration::from_nanos(remaining));
    }
}

/// High-resolution timers tick every half a millisecond.
pub const MARGIN_CAP: u64 = 1_200_000;
