//! The clocks of `clock_gettime` that POSIX names.

use super::entry::{CPU_TIME, Entry, Kind, PLAIN, VDSO};
use super::native::TIME_T;

const CLOCK_GETTIME: Entry =
    Entry { home: "Unix and MinGW", expect: &["clock_gettime()"], range: TIME_T, ..PLAIN };

clocks! {
    CLOCKS: posix in native_c if any(unix, windows), like CLOCK_GETTIME;

    "realtime" after super::permission::vdso() => {
        call: "clock_gettime(CLOCK_REALTIME, &t)",
        kind: Kind::Wall,
        facts: VDSO,
        common: true,
    }
    "monotonic" after super::permission::vdso() => {
        call: "clock_gettime(CLOCK_MONOTONIC, &t)",
        kind: Kind::Monotonic,
        facts: VDSO,
        common: true,
    }
    "process-cputime" => {
        call: "clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        common: true,
    }
    "thread-cputime" => {
        call: "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        common: true,
    }
}
