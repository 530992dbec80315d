use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_MONOTONIC_RAW` by the system call
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/monotonic-raw-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Linux",
    about: "CLOCK_MONOTONIC_RAW by the system call itself. Kernels before 5.3 read it in no other way on x86; on \
            later ones the difference to linux/monotonic-raw is what the vDSO saves.",
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
        cs_linux_monotonic_raw_syscall,
        "clock_gettime",
        KERNEL_TIME
    ),
};
