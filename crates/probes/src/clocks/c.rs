//! The clocks of the C library.

use super::entry::{CPU_TIME, Entry, Kind, PLAIN, Range, STORED, VDSO, WALL};
use super::native::TIME_T;

const LIBC: Entry = Entry { home: "every system", range: TIME_T, ..PLAIN };

/// `clock_t` is a `long` on Linux and macOS, and has 32 bits on Windows.
const CLOCK_T: Range = Range::bits(if cfg!(windows) { 31 } else { usize::BITS - 1 });

clocks! {
    CLOCKS: c in native_c if all(), like LIBC;

    "clock" => {
        call: "clock()",
        kind: if cfg!(windows) { Kind::Monotonic } else { Kind::Cpu },
        facts: if cfg!(windows) { STORED } else { CPU_TIME },
        alternative_to: if cfg!(target_os = "linux") {
            Some("posix/process-cputime")
        } else {
            None
        },
        common: true,
        about: "CPU time used by the process, in units of 1/CLOCKS_PER_SEC. It stands still while \
                the process sleeps, so it cannot time an interval; only on Windows does it count \
                elapsed time. glibc implements it with clock_gettime(CLOCK_PROCESS_CPUTIME_ID), a \
                system call.",
        references: &["ISO C11 7.27.2.1", "clock(3)", "glibc sysdeps/unix/sysv/linux/clock.c"],
        expect: &["clock()"],
        range: CLOCK_T,
    }
    // musl implements it with clock_gettime, which reads the counter; other libraries load a stored
    // time.
    "time" after if cfg!(target_env = "musl") { super::permission::vdso() } else { Ok(()) } => {
        call: "time(NULL)",
        kind: Kind::Wall,
        facts: if cfg!(target_env = "musl") { VDSO } else { STORED },
        common: true,
        about: "Whole seconds since 1970. With glibc it loads a value that the kernel updates at \
                each timer tick, without reading a counter, so it can lag behind the other wall \
                clocks by a tick: clock_gettime may show a new second before time() does. Right \
                for dates, useless for intervals.",
        references: &[
            "ISO C11 7.27.2.4",
            "time(2)",
            "Linux lib/vdso/gettimeofday.c, __cvdso_time()",
        ],
        expect: &["time()"],
    }
    "timespec_get" after super::permission::vdso() => {
        call: "timespec_get(&t, TIME_UTC)",
        kind: Kind::Wall,
        facts: VDSO,
        alternative_to: WALL,
        about: "The wall clock of the C standard since C11, and so the portable way to get a date \
                with nanoseconds. glibc passes the call on to clock_gettime(CLOCK_REALTIME). NTP \
                and the administrator may step it, so do not use it for intervals.",
        references: &["ISO C11 7.27.2.5", "timespec_get(3)", "glibc time/timespec_get.c"],
        expect: &["timespec_get()"],
    }
    "gettimeofday" if unix after super::permission::vdso() => {
        call: "gettimeofday(&t, NULL)",
        kind: Kind::Wall,
        facts: VDSO,
        alternative_to: WALL,
        home: "Unix",
        common: true,
        about: "The wall clock in microseconds. It is older than clock_gettime, marked obsolescent \
                by POSIX.1-2008, and still everywhere. It costs as much as CLOCK_REALTIME and \
                discards three digits, and it may be stepped.",
        references: &[
            "POSIX.1-2017 gettimeofday()",
            "gettimeofday(2)",
            "Linux lib/vdso/gettimeofday.c, __cvdso_gettimeofday()",
        ],
        expect: &["gettimeofday()"],
    }
    "getrusage" if unix => {
        call: "getrusage(RUSAGE_SELF, &use)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        home: "Unix",
        about: "CPU time of the process in microseconds, user and system time separately, together \
                with memory use and context switches; the value shown here is the sum of the two \
                times. It is always a system call, and more expensive than the CPU-time clocks, \
                because it walks the threads and fills a large structure. If the kernel accounts \
                CPU time by the tick, only the sum is exact.",
        references: &[
            "POSIX.1-2017 getrusage()",
            "getrusage(2)",
            "Linux kernel/sys.c, getrusage()",
        ],
        expect: &["getrusage()"],
    }
    "times" if unix => {
        call: "times(&use)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        home: "Unix",
        about: "CPU time of the process in ticks of sysconf(_SC_CLK_TCK), usually 10 ms long; the \
                oldest clock of its kind. The value shown here is user plus system time. Its tick \
                is far longer than its cost: getrusage and the CPU-time clocks give the same time \
                in finer units.",
        references: &["POSIX.1-2017 times()", "times(2)"],
        expect: &["times()"],
        range: Range::bits(usize::BITS - 1),
    }
    "ftime" if unix after super::permission::vdso() => {
        call: "ftime(&t)",
        kind: Kind::Wall,
        facts: VDSO,
        alternative_to: WALL,
        home: "Unix (C libraries with ftime)",
        about: "The wall clock in milliseconds, from the Seventh Edition of Unix. POSIX dropped it \
                in 2008, glibc deprecates it, and newer ports no longer have it. clock_gettime \
                does everything it does, and better.",
        references: &["POSIX.1-2001 ftime()", "ftime(3)", "glibc 2.31 NEWS"],
        expect: &["ftime()"],
    }
}
