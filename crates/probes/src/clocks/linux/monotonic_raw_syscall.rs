use crate::clocks::entry::{SYSTEM_CALL};
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_MONOTONIC_RAW` by the system call
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "monotonic-raw-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &t)",
    language: Language::C,
    kind: Kind::Monotonic,
    facts: SYSTEM_CALL,
    alternative_to: Some("linux/monotonic-raw"),
    home: "Linux",
    about: "CLOCK_MONOTONIC_RAW by the system call itself. Kernels before 5.3 read it in no other way on x86; on \
            later ones the difference to linux/monotonic-raw is what the vDSO saves.",
    references: &[
        "clock_gettime(2)",
        "syscall(2)",
        "Linux kernel/time/posix-timers.c",
    ],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
