//! A timer object with either resolution.

use crate::waits::{Method, Unavailable};
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use windows_sys::Win32::Foundation::WAIT_OBJECT_0;
use windows_sys::Win32::System::Threading::{
    CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, CreateWaitableTimerExW, INFINITE, SetWaitableTimer,
    TIMER_ALL_ACCESS, WaitForSingleObject,
};

pub(crate) struct Timer(OwnedHandle);

impl Timer {
    pub(crate) fn new(flags: u32) -> Result<Self, Unavailable> {
        // SAFETY: null pointers ask for default security and no name.
        let handle = unsafe {
            CreateWaitableTimerExW(std::ptr::null(), std::ptr::null(), flags, TIMER_ALL_ACCESS)
        };
        if handle.is_null() {
            return Err(Unavailable(format!(
                "CreateWaitableTimerExW: {}",
                io::Error::last_os_error()
            )));
        }
        // SAFETY: the handle is new, and nothing else owns it.
        Ok(Self(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    /// A timer with high resolution. Windows before 10 1803 does not know the flag, and the call
    /// fails with ERROR_INVALID_PARAMETER.
    pub(crate) fn high_resolution() -> Result<Self, Unavailable> {
        Self::new(CREATE_WAITABLE_TIMER_HIGH_RESOLUTION).map_err(|Unavailable(why)| {
            Unavailable(format!(
                "{why}; high-resolution timers came with Windows 10 1803: before that, \
                 windows/waitable-timer with timeBeginPeriod(1) is the best"
            ))
        })
    }
}

/// The last error, as a number.
fn failed() -> Result<(), i32> {
    Err(io::Error::last_os_error().raw_os_error().unwrap_or(1))
}

impl Method for Timer {
    fn wait(&mut self, ns: u64) -> Result<(), i32> {
        // A negative value is a duration, in units of 100 ns; it is rounded up so that the wait is
        // not early.
        let due = -i64::try_from(ns.div_ceil(100)).unwrap_or(i64::MAX);
        // SAFETY: the handle is that of a timer, `due` outlives the call, and no routine is given.
        let set = unsafe {
            SetWaitableTimer(self.0.as_raw_handle(), &raw const due, 0, None, std::ptr::null(), 0)
        };
        if set == 0 {
            return failed();
        }
        // SAFETY: the handle is open.
        if unsafe { WaitForSingleObject(self.0.as_raw_handle(), INFINITE) } != WAIT_OBJECT_0 {
            return failed();
        }
        Ok(())
    }
}
