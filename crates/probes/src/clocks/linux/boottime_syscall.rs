use crate::clocks::entry::SYSTEM_CALL;
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_BOOTTIME` through the system call
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "boottime-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: SYSTEM_CALL,
    alternative_to: Some("linux/boottime"),
    home: "Linux",
    about: "CLOCK_BOOTTIME through the system call itself, bypassing the vDSO. Compare it with \
            linux/boottime: equal costs mean that the vDSO does not have that clock here.",
    references: &[
        "clock_gettime(2)",
        "syscall(2)",
        "Linux kernel/time/posix-timers.c",
    ],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
