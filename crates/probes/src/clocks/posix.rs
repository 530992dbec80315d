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
        about: "Universal time since 1970: the clock for dates. NTP slews it, and NTP, leap \
                seconds and the administrator step it, so intervals taken from it can be wrong or \
                negative. If the kernel's clock source allows it, the vDSO reads it without a \
                system call.",
        references: &[
            "POSIX.1-2017 clock_gettime()",
            "clock_gettime(2)",
            "Linux lib/vdso/gettimeofday.c",
        ],
    }
    "monotonic" after super::permission::vdso() => {
        call: "clock_gettime(CLOCK_MONOTONIC, &t)",
        kind: Kind::Monotonic,
        facts: VDSO,
        common: true,
        about: "Time since some starting point (boot, on Linux), slewed by NTP and never stepped. \
                On Linux it does not count the time that the machine is suspended. If the kernel's \
                clock source allows it, the vDSO reads it without a system call.",
        references: &[
            "POSIX.1-2017 clock_gettime()",
            "clock_gettime(2)",
            "Linux lib/vdso/gettimeofday.c",
        ],
    }
    "process-cputime" => {
        call: "clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        common: true,
        about: "CPU time used by all threads of the process, in nanoseconds, including the time \
                since the last context switch. On Linux it is a system call that sums over the \
                threads: the more there are, the more it costs. It stands still while the process \
                sleeps.",
        references: &[
            "POSIX.1-2017 clock_gettime()",
            "clock_gettime(2)",
            "Linux kernel/time/posix-cpu-timers.c",
        ],
    }
    "thread-cputime" => {
        call: "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        common: true,
        about: "CPU time used by the calling thread, in nanoseconds: what a piece of code costs, \
                without what other threads did in the meantime. On Linux it is a system call, and \
                so of no use for regions shorter than a microsecond.",
        references: &[
            "POSIX.1-2017 clock_gettime()",
            "clock_gettime(2)",
            "Linux kernel/time/posix-cpu-timers.c",
        ],
    }
}
