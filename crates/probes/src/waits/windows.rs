//! The wait calls of Windows, and those that mingw-w64 adds to it.

use super::entry::{Code, DURATION, Entry, Facts, PLAIN, WINDOWS};
use chronoscope_model::snippet;

/// Both calls cut a duration to whole milliseconds.
const CUT: Facts = Facts { early_by_design_ns: 1_000_000, ..DURATION };

const MINGW: Entry = Entry { home: "Windows with MinGW", ..PLAIN };

table! {
    WAITS: &[Entry];
    like WINDOWS;
    "windows/sleep" => "Sleep(milliseconds)",
        facts: Facts { unit_ns: 1_000_000, ..DURATION },
        code: Code::Before(|wait| format!("DWORD milliseconds = {};", wait.ns.div_ceil(1_000_000))),
        opener: on!(windows, |_| ByDuration(sleep));
    "windows/waitable-timer" =>
        "SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE); WaitForSingleObject(timer, \
        INFINITE)",
        facts: Facts { unit_ns: 100, ..DURATION },
        code: Code::Lines(|wait| snippet::waitable_timer("0", wait.ns)),
        opener: on!(windows, |_| Timer::new(0)?);
    "windows/waitable-timer-high-resolution" =>
        "SetWaitableTimer(high_resolution, &due, 0, NULL, NULL, FALSE); \
        WaitForSingleObject(high_resolution, INFINITE)",
        facts: Facts { unit_ns: 100, ..DURATION },
        code: Code::Lines(|wait| snippet::waitable_timer(snippet::HIGH_RESOLUTION, wait.ns)),
        opener: on!(windows, |_| Timer::high_resolution()?);
    "windows/ntdelayexecution" => "NtDelayExecution(FALSE, &interval)",
        facts: Facts { unit_ns: 100, ..DURATION },
        code: Code::BeforeCall,
        opener: on!(windows, |_| ByDuration(delay));
    like MINGW;
    "mingw/usleep" => "usleep(microseconds)",
        facts: Facts { unit_ns: 1_000, ..CUT },
        code: Code::Before(|wait| format!("useconds_t microseconds = {};", wait.ns.div_ceil(1000))),
        opener: on!(all(windows, target_env = "gnu"), |_| ByDuration(mingw::micro));
    "mingw/nanosleep" => "nanosleep(&duration, NULL)",
        facts: CUT,
        code: Code::Before(|wait| snippet::timespec("duration", wait.ns)),
        opener: on!(all(windows, target_env = "gnu"), |_| ByDuration(mingw::nano));
}

#[cfg(windows)]
use {super::entry::ByDuration, timer::Timer};

#[cfg(windows)]
fn sleep(ns: u64) -> Result<(), i32> {
    // The largest number means to wait forever.
    let ms = u32::try_from(ns.div_ceil(1_000_000)).unwrap_or(u32::MAX).min(u32::MAX - 1);
    // SAFETY: Sleep takes a number.
    unsafe { windows_sys::Win32::System::Threading::Sleep(ms) };
    Ok(())
}

#[cfg(windows)]
#[link(name = "ntdll")]
unsafe extern "system" {
    fn NtDelayExecution(alertable: u8, interval: *const i64) -> i32;
}

#[cfg(windows)]
fn delay(ns: u64) -> Result<(), i32> {
    let interval = -i64::try_from(ns.div_ceil(100)).unwrap_or(i64::MAX);
    // SAFETY: the interval outlives the call, which only reads it.
    match unsafe { NtDelayExecution(0, &raw const interval) } {
        0 => Ok(()),
        status => Err(status),
    }
}

/// A timer object with either resolution.
#[cfg(windows)]
pub(crate) mod timer {
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

        /// A timer with high resolution. Windows before 10 1803 does not know the flag, and the
        /// call fails with ERROR_INVALID_PARAMETER.
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
            // A negative value is a duration, in units of 100 ns; it is rounded up so that the wait
            // is not early.
            let due = -i64::try_from(ns.div_ceil(100)).unwrap_or(i64::MAX);
            // SAFETY: the handle is that of a timer, `due` outlives the call, and no routine is
            // given.
            let set = unsafe {
                SetWaitableTimer(
                    self.0.as_raw_handle(),
                    &raw const due,
                    0,
                    None,
                    std::ptr::null(),
                    0,
                )
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
}

/// The counter of Windows, QueryPerformanceCounter.
#[cfg(windows)]
pub(crate) mod qpc {
    use std::sync::OnceLock;
    use windows_sys::Win32::System::Performance::{
        QueryPerformanceCounter, QueryPerformanceFrequency,
    };

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
}

#[cfg(all(windows, target_env = "gnu"))]
mod mingw {
    /// `struct timespec` of mingw-w64 for 64 bits.
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i32,
    }

    // `nanosleep` is part of winpthreads, which build.rs links.
    unsafe extern "C" {
        safe fn usleep(us: u32) -> i32;
        fn nanosleep(request: *const Timespec, rest: *mut Timespec) -> i32;
    }

    pub(super) fn micro(ns: u64) -> Result<(), i32> {
        match usleep(u32::try_from(ns.div_ceil(1000)).unwrap_or(u32::MAX)) {
            0 => Ok(()),
            error => Err(error),
        }
    }

    pub(super) fn nano(ns: u64) -> Result<(), i32> {
        let request = Timespec {
            seconds: i64::try_from(ns / 1_000_000_000).unwrap_or(i64::MAX),
            nanoseconds: (ns % 1_000_000_000) as i32,
        };
        // SAFETY: the request outlives the call; a null pointer asks for no remaining time.
        match unsafe { nanosleep(&raw const request, std::ptr::null_mut()) } {
            0 => Ok(()),
            error => Err(error),
        }
    }
}
