use crate::clocks::entry::SYSTEM_CALL;
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_MONOTONIC_RAW` through the C library's `syscall()`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "monotonic-raw-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: SYSTEM_CALL,
    alternative_to: Some("linux/monotonic-raw"),
    home: "Linux",
    about: "CLOCK_MONOTONIC_RAW through the C library's function for any system call. On x86, the \
            vDSO does not have this clock before Linux 5.3; on later kernels, the difference from \
            linux/monotonic-raw is what the vDSO saves.",
    references: &["clock_gettime(2)", "syscall(2)", "Linux kernel/time/posix-timers.c",],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
