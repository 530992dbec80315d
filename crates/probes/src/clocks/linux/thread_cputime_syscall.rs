use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_THREAD_CPUTIME_ID` by the system call
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/thread-cputime-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t)",
    language: Language::C,
    kind: Kind::Cpu,
    home: "Linux",
    about: "Processor time of the thread by the system call itself. The vDSO only passes it on, so this should \
            cost nearly what posix/thread-cputime costs; the rest is the way through the C library and the vDSO.",
    references: &[
        "clock_gettime(2)",
        "syscall(2)",
        "Linux kernel/time/posix-timers.c",
    ],
    expect: SYSCALL,
    open: native!(
        native_c,
        target_os = "linux",
        "Linux",
        cs_linux_thread_cputime_syscall,
        "clock_gettime",
        KERNEL_TIME
    ),
};
