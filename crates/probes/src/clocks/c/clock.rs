use crate::clocks::{Entry, Kind, Language, Range};

/// Processor time by the C standard, except on Windows, where it is elapsed time.
pub(crate) const ENTRY: Entry = Entry {
    id: "c/clock",
    call: "clock()",
    language: Language::C,
    kind: if cfg!(windows) {
        Kind::Monotonic
    } else {
        Kind::Cpu
    },
    home: "every system",
    about: "Processor time used by the process, in units of 1/CLOCKS_PER_SEC. It stands still while the process \
            sleeps, so it cannot time an interval; on Windows alone it counts elapsed time. glibc makes it from \
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID), a system call.",
    references: &[
        "ISO C11 7.27.2.1",
        "clock(3)",
        "glibc sysdeps/unix/sysv/linux/clock.c",
    ],
    expect: &["clock"],
    open: native!(
        native_c,
        all(),
        "every system",
        cs_c_clock,
        "clock()",
        Range::bits(libc_clock_bits())
    ),
};

/// `clock_t` is a `long` on Linux and macOS and has 32 bits on Windows.
const fn libc_clock_bits() -> u32 {
    if cfg!(windows) { 31 } else { usize::BITS - 1 }
}
