//! The wait calls of Windows, and those that mingw-w64 adds to it.

use super::entry::{Code, DURATION, Entry, Facts, PLAIN, WINDOWS};
use chronoscope_model::snippet;

/// Both calls cut a duration to whole milliseconds.
const CUT: Facts = Facts { early_by_design_ns: 1_000_000, ..DURATION };

const MINGW: Entry = Entry { home: "Windows with MinGW", ..PLAIN };

pub(super) const WAITS: &[Entry] = &[
    Entry {
        id: "windows/sleep",
        call: "Sleep(milliseconds)",
        facts: Facts { unit_ns: 1_000_000, ..DURATION },
        about: "Sleeps for whole milliseconds and ends at a tick of the system's timer. Ticks are \
                15.6 ms apart, or less if timeBeginPeriod asked for that: before Windows 10 \
                version 2004 in any program, since then in this one, and on Windows 11 not while \
                its windows are hidden. A fraction of a millisecond is rounded up here, so that \
                the wait is not early.",
        references: &[
            "Microsoft Learn, Sleep function (synchapi.h)",
            "Microsoft Learn, timeBeginPeriod",
        ],
        code: Code::Before(|wait| format!("DWORD milliseconds = {};", wait.ns.div_ceil(1_000_000))),
        opener: on!(windows, |_| ByDuration(sleep)),
        ..WINDOWS
    },
    Entry {
        id: "windows/waitable-timer",
        call: "SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE); WaitForSingleObject(timer, \
               INFINITE)",
        facts: Facts { unit_ns: 100, ..DURATION },
        about: "A timer object, set in units of 100 ns and accurate to the tick of the system's \
                timer.",
        references: &["Microsoft Learn, SetWaitableTimer"],
        code: Code::Lines(|wait| snippet::waitable_timer("0", wait.ns)),
        opener: on!(windows, |_| Timer::new(0)?),
        ..WINDOWS
    },
    Entry {
        id: "windows/waitable-timer-high-resolution",
        call: "SetWaitableTimer(high_resolution, &due, 0, NULL, NULL, FALSE); \
               WaitForSingleObject(high_resolution, INFINITE)",
        facts: Facts { unit_ns: 100, ..DURATION },
        about: "The same timer object, created for high resolution: it does not wait for the tick \
                of the system's timer. Windows 10 1803 and later.",
        references: &["Microsoft Learn, CreateWaitableTimerExW"],
        code: Code::Lines(|wait| snippet::waitable_timer(snippet::HIGH_RESOLUTION, wait.ns)),
        opener: on!(windows, |_| Timer::high_resolution()?),
        ..WINDOWS
    },
    Entry {
        id: "windows/ntdelayexecution",
        call: "NtDelayExecution(FALSE, &interval)",
        facts: Facts { unit_ns: 100, ..DURATION },
        about: "The function below Sleep, in units of 100 ns. Microsoft does not document it.",
        references: &["NTAPI, NtDelayExecution, as ReactOS and Wine have it"],
        code: Code::Before(|wait| {
            format!(
                "NTSTATUS (NTAPI *NtDelayExecution)(BOOLEAN, LARGE_INTEGER *) =\n    \
                 (void *)GetProcAddress(GetModuleHandleW(L\"ntdll\"),\n    \
                 \"NtDelayExecution\");\n\
                 LARGE_INTEGER interval = {{ .QuadPart = -{}LL }};",
                wait.ns.div_ceil(100)
            )
        }),
        opener: on!(windows, |_| ByDuration(delay)),
        ..WINDOWS
    },
    Entry {
        id: "mingw/usleep",
        call: "usleep(microseconds)",
        facts: Facts { unit_ns: 1_000, ..CUT },
        about: "The Unix call as mingw-w64's runtime implements it: Sleep, with the fraction of a \
                millisecond cut off. So it is early by up to 1 ms, and a wait of less than that is \
                no wait at all.",
        references: &["mingw-w64 crt/misc/usleep.c"],
        code: Code::Before(|wait| format!("useconds_t microseconds = {};", wait.ns.div_ceil(1000))),
        opener: on!(all(windows, target_env = "gnu"), |_| ByDuration(mingw::micro)),
        ..MINGW
    },
    Entry {
        id: "mingw/nanosleep",
        call: "nanosleep(&duration, NULL)",
        facts: CUT,
        about: "The Unix call as winpthreads implements it: a wait with a timeout in whole \
                milliseconds, with the rest cut off. So it is early by up to 1 ms, and a wait of \
                less than that is no wait at all. MinGW's C++ sleep_for and sleep_until are built \
                on it.\n\n\
                Why 10 ms takes 15: winpthreads calls WaitForSingleObject with 10 ms, and then \
                asks GetTickCount64 whether the time is over. That clock advances only with the \
                system's tick of 15.625 ms, whatever timeBeginPeriod asks for. If it has not \
                advanced yet, nothing seems to have passed, and the whole wait is repeated. So \
                10 ms takes 10 ms if a tick came meanwhile and about 20 ms if none did; where the \
                wait itself ends at a tick, it takes one tick or two, 15.6 or 31.3 ms. In the same \
                way 100 ms often takes until the seventh tick, 109.4 ms. Sleep does not ask.",
        references: &[
            "mingw-w64 winpthreads/src/nanosleep.c",
            "mingw-w64 winpthreads/src/misc.c, _pthread_wait_for_single_object()",
            "Microsoft Learn, GetTickCount64",
        ],
        code: Code::Before(|wait| snippet::timespec("duration", wait.ns)),
        opener: on!(all(windows, target_env = "gnu"), |_| ByDuration(mingw::nano)),
        ..MINGW
    },
];

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
