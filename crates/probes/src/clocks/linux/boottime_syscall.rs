use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_BOOTTIME` by the system call
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/boottime-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    home: "Linux",
    about: "CLOCK_BOOTTIME by the system call itself, past the vDSO. To compare with linux/boottime: equal costs \
            mean that the vDSO does not have that clock here.",
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
        cs_linux_boottime_syscall,
        "clock_gettime",
        KERNEL_TIME
    ),
};
