//! The wait calls that mingw-w64 adds to Windows.

use super::entry::{Code, DURATION, Entry, Facts, PLAIN};
use chronoscope_model::snippet;

/// Both calls cut a duration to whole milliseconds.
const CUT: Facts = Facts { early_by_design_ns: 1_000_000, ..DURATION };

const MINGW: Entry = Entry { home: "Windows with MinGW", ..PLAIN };

pub(super) const WAITS: &[Entry] = &[
    Entry {
        id: "mingw/usleep",
        call: "usleep(microseconds)",
        facts: Facts { unit_ns: 1_000, ..CUT },
        about: "The Unix call as mingw-w64's runtime implements it: Sleep, with the fraction of a \
                millisecond cut off. So it is early by up to 1 ms, and a wait of less than that is \
                no wait at all.",
        references: &["mingw-w64 crt/misc/usleep.c"],
        code: Code::Before(|wait| format!("useconds_t microseconds = {};", wait.ns.div_ceil(1000))),
        opener: on!(all(windows, target_env = "gnu"), |_| super::open::ByDuration(imp::micro)),
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
        opener: on!(all(windows, target_env = "gnu"), |_| super::open::ByDuration(imp::nano)),
        ..MINGW
    },
];

#[cfg(all(windows, target_env = "gnu"))]
mod imp {
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
