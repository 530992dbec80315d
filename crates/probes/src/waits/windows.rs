//! The wait calls of Windows.

use super::entry::{Code, DURATION, Entry, Facts, WINDOWS};
use chronoscope_model::snippet;

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
];

#[cfg(windows)]
use super::{open::ByDuration, windows_timer::Timer};

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
