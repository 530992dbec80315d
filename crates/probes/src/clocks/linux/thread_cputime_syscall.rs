use crate::clocks::entry::CPU_TIME;
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_THREAD_CPUTIME_ID` through the system call
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "thread-cputime-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: CPU_TIME,
    alternative_to: Some("posix/thread-cputime"),
    home: "Linux",
    about: "CPU time of the thread through the system call itself. The vDSO only passes the call \
            on, so this should cost nearly as much as posix/thread-cputime; the difference is the \
            way through the C library and the vDSO.",
    references: &[
        "clock_gettime(2)",
        "syscall(2)",
        "Linux kernel/time/posix-timers.c",
    ],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
