use crate::clocks::entry::SYSTEM_CALL;
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_REALTIME` through the C library's `syscall()`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "realtime-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_REALTIME, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: SYSTEM_CALL,
    alternative_to: Some("posix/realtime"),
    home: "Linux",
    about: "CLOCK_REALTIME through the C library's function for any system call, which bypasses \
            the vDSO. The difference from posix/realtime is what the vDSO saves. \
            linux/realtime-bare is the same call without the library's function.",
    references: &["clock_gettime(2)", "syscall(2)", "Linux kernel/time/posix-timers.c",],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
