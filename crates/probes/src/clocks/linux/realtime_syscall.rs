use crate::clocks::entry::SYSTEM_CALL;
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_REALTIME` through the system call
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "realtime-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_REALTIME, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: SYSTEM_CALL,
    alternative_to: Some("posix/realtime"),
    home: "Linux",
    about: "CLOCK_REALTIME through the system call itself, bypassing the C library and the vDSO. \
            The difference from posix/realtime is what the vDSO saves. If the two cost the same, \
            the vDSO has fallen back to the system call.",
    references: &[
        "clock_gettime(2)",
        "syscall(2)",
        "Linux kernel/time/posix-timers.c",
    ],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
