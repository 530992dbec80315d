//! The clocks of standards: of the C library, of C++, of POSIX, and of Rust's standard library.

use super::entry::{
    self, CPU_TIME, Entry, Kind, Language, MONOTONIC, PLAIN, Period, RUST, Range, STORED, Unit,
    VDSO, WALL,
};
use super::native::TIME_T;
use super::rust_loop::{Read, opened};
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

const LIBC: Entry = Entry { home: "every system", range: TIME_T, ..PLAIN };

/// `clock_t` is a `long` on Linux and macOS, and has 32 bits on Windows.
const CLOCK_T: Range = Range::bits(if cfg!(windows) { 31 } else { usize::BITS - 1 });

clocks! {
    C: c in native_c if all(), like LIBC;

    "clock" =>
        "clock()", if cfg!(windows) { Kind::Monotonic } else { Kind::Cpu },
        if cfg!(windows) { STORED } else { CPU_TIME },
        alternative_to:
            if cfg!(target_os = "linux") { Some("posix/process-cputime") } else { None },
        common: true, home: "every system; elapsed time on Windows", expect: &["clock()"],
        range: CLOCK_T;
    // musl implements it with clock_gettime, which reads the counter; other libraries load a stored
    // time.
    "time" after if cfg!(target_env = "musl") { entry::may_call_vdso() } else { Ok(()) } =>
        "time(NULL)", Kind::Wall, if cfg!(target_env = "musl") { VDSO } else { STORED },
        common: true, expect: &["time()"];
    "timespec_get" after entry::may_call_vdso() =>
        "timespec_get(&t, TIME_UTC)", Kind::Wall, VDSO, alternative_to: WALL,
        home: "C libraries of C11 and later", expect: &["timespec_get()"];
    "gettimeofday" if unix after entry::may_call_vdso() =>
        "gettimeofday(&t, NULL)", Kind::Wall, VDSO, alternative_to: WALL, home: "Unix",
        common: true, expect: &["gettimeofday()"];
    "getrusage" if unix =>
        "getrusage(RUSAGE_SELF, &use)", Kind::Cpu, CPU_TIME, home: "Unix", expect: &["getrusage()"];
    "times" if unix =>
        "times(&use)", Kind::Cpu, CPU_TIME, home: "Unix", expect: &["times()"],
        range: Range::bits(usize::BITS - 1);
    "ftime" if unix after entry::may_call_vdso() =>
        "ftime(&t)", Kind::Wall, VDSO, alternative_to: WALL, home: "Unix (C libraries with ftime)",
        expect: &["ftime()"];
}

const CHRONO: Entry =
    Entry { language: Language::Cxx, home: "every system", range: Range::bits(63), ..PLAIN };

/// Each library chooses the period that a count without a cast is in.
const OWN_UNIT: &str = "every system, in a unit of its own";

/// The period of a clock, by its place in the table of `native/chrono.cpp`, which takes it from the
/// library's header.
fn period<const CLOCK: usize>() -> Option<Period> {
    #[cfg(native_cxx)]
    {
        // SAFETY: the table has this type, and is never written to.
        unsafe extern "C" {
            safe static cs_cxx_periods: [[i64; 2]; 3];
        }
        let [num, den] = cs_cxx_periods[CLOCK].map(i64::unsigned_abs);
        Some(Period { num, den })
    }
    #[cfg(not(native_cxx))]
    None
}

const STEADY: Option<fn() -> Option<Period>> = Some(period::<0>);
const SYSTEM: Option<fn() -> Option<Period>> = Some(period::<1>);
const HIGH_RESOLUTION: Option<fn() -> Option<Period>> = Some(period::<2>);

clocks! {
    CXX: cxx in native_cxx if all(), like CHRONO;

    "steady_clock" after entry::may_call_vdso() =>
        "duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count()",
        Kind::Monotonic, VDSO, alternative_to: MONOTONIC, expect: &["steady_clock::now()"],
        period: STEADY;
    "steady_clock-nocast" after entry::may_call_vdso() =>
        "steady_clock::now().time_since_epoch().count()", Kind::Monotonic, VDSO,
        alternative_to: MONOTONIC, common: true, home: OWN_UNIT, expect: &["steady_clock::now()"],
        period: STEADY;
    "system_clock" after entry::may_call_vdso() =>
        "duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()", Kind::Wall,
        VDSO, alternative_to: WALL, expect: &["system_clock::now()"], period: SYSTEM;
    "system_clock-nocast" after entry::may_call_vdso() =>
        "system_clock::now().time_since_epoch().count()", Kind::Wall, VDSO, alternative_to: WALL,
        common: true, home: OWN_UNIT, expect: &["system_clock::now()"], period: SYSTEM;
    "high_resolution_clock" after entry::may_call_vdso() =>
        "duration_cast<milliseconds>(high_resolution_clock::now().time_since_epoch())\
               .count()",
        if cfg!(target_vendor = "apple") { Kind::Monotonic } else { Kind::Wall }, VDSO,
        alternative_to: if cfg!(target_vendor = "apple") { MONOTONIC } else { WALL },
        home: "every system; wall or monotonic",
        expect: &["system_clock::now()|steady_clock::now()"], period: HIGH_RESOLUTION;
}

const CLOCK_GETTIME: Entry =
    Entry { home: "Unix and MinGW", expect: &["clock_gettime()"], range: TIME_T, ..PLAIN };

clocks! {
    POSIX: posix in native_c if any(unix, windows), like CLOCK_GETTIME;

    "realtime" after entry::may_call_vdso() =>
        "clock_gettime(CLOCK_REALTIME, &t)", Kind::Wall, VDSO, common: true;
    "monotonic" after entry::may_call_vdso() =>
        "clock_gettime(CLOCK_MONOTONIC, &t)", Kind::Monotonic, VDSO, common: true;
    "process-cputime" =>
        "clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)", Kind::Cpu, CPU_TIME, common: true;
    "thread-cputime" =>
        "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)", Kind::Cpu, CPU_TIME, common: true;
}

table! {
    IN_RUST: &[Entry];
    like RUST;
    "rust/instant" => "Instant::now()",
        kind: Kind::Monotonic,
        facts: VDSO,
        alternative_to: MONOTONIC,
        common: true,
        expect: &["Instant::now()|Timespec::now()"],
        range: Range::seconds(63),
        opener: Some(|_, _| {
            entry::may_call_vdso()?;
            Ok(opened(Monotonic, Unit::Hz(1e9), None))
        });
    "rust/system_time" => "SystemTime::now()",
        kind: Kind::Wall,
        facts: VDSO,
        alternative_to: WALL,
        common: true,
        expect: &["SystemTime::now()|Timespec::now()"],
        range: Range::seconds(63),
        opener: Some(|_, _| {
            entry::may_call_vdso()?;
            Ok(opened(Wall, Unit::Hz(1e9), None))
        });
}

struct Monotonic;

impl Read for Monotonic {
    #[inline(always)]
    fn read(&mut self) {
        black_box(Instant::now());
    }

    /// Nanoseconds since one hour before the first read, because the type does not expose a value
    /// of its own.
    #[inline(always)]
    fn value(&mut self) -> u64 {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        const HEAD_START: u64 = 3_600_000_000_000;
        HEAD_START + ORIGIN.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    #[inline(always)]
    fn around(&mut self, work: impl FnOnce()) {
        let start = Instant::now();
        work();
        black_box(Instant::now() - start);
    }
}

struct Wall;

impl Read for Wall {
    #[inline(always)]
    fn read(&mut self) {
        black_box(SystemTime::now());
    }

    /// Nanoseconds since 1970; zero if the clock is set to an earlier date.
    #[inline(always)]
    fn value(&mut self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.unwrap_or_default().as_nanos() as u64
    }

    #[inline(always)]
    fn around(&mut self, work: impl FnOnce()) {
        let start = SystemTime::now();
        work();
        black_box(SystemTime::now().duration_since(start).unwrap_or_default());
    }
}
