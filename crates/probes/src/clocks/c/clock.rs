use crate::clocks::entry::{CPU_TIME, STORED};
use crate::clocks::{Entry, Kind, Range};

/// CPU time, as the C standard has it; on Windows, elapsed time.
pub(crate) const ENTRY: Entry = native!(Entry {
    id: c / "clock",
    call: "clock()",
    language: Language::C,
    kind: if cfg!(windows) { Kind::Monotonic } else { Kind::Cpu },
    facts: if cfg!(windows) { STORED } else { CPU_TIME },
    alternative_to: if cfg!(target_os = "linux") { Some("posix/process-cputime") } else { None },
    home: "every system",
    about: "CPU time used by the process, in units of 1/CLOCKS_PER_SEC. It stands still while the \
            process sleeps, so it cannot time an interval; only on Windows does it count elapsed \
            time. glibc implements it with clock_gettime(CLOCK_PROCESS_CPUTIME_ID), a system call.",
    references: &["ISO C11 7.27.2.1", "clock(3)", "glibc sysdeps/unix/sysv/linux/clock.c",],
    expect: &["clock()"],
    open: here(all(), Range::bits(libc_clock_bits())),
});

/// `clock_t` is a `long` on Linux and macOS, and has 32 bits on Windows.
const fn libc_clock_bits() -> u32 {
    if cfg!(windows) { 31 } else { usize::BITS - 1 }
}
