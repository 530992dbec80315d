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
        expect: &["time()"],
    }
    "timespec_get" after super::permission::vdso() => {
        call: "timespec_get(&t, TIME_UTC)",
        kind: Kind::Wall,
        facts: VDSO,
        alternative_to: WALL,
        expect: &["timespec_get()"],
    }
    "gettimeofday" if unix after super::permission::vdso() => {
        call: "gettimeofday(&t, NULL)",
        kind: Kind::Wall,
        facts: VDSO,
        alternative_to: WALL,
        home: "Unix",
        common: true,
        expect: &["gettimeofday()"],
    }
    "getrusage" if unix => {
        call: "getrusage(RUSAGE_SELF, &use)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        home: "Unix",
        expect: &["getrusage()"],
    }
    "times" if unix => {
        call: "times(&use)",
        kind: Kind::Cpu,
        facts: CPU_TIME,
        home: "Unix",
        expect: &["times()"],
        range: Range::bits(usize::BITS - 1),
    }
    "ftime" if unix after super::permission::vdso() => {
        call: "ftime(&t)",
        kind: Kind::Wall,
        facts: VDSO,
        alternative_to: WALL,
        home: "Unix (C libraries with ftime)",
        expect: &["ftime()"],
    }
}
