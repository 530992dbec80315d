use crate::clocks::entry::SYSTEM_CALL;
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_TAI` through the C library's `syscall()`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "tai-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_TAI, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: SYSTEM_CALL,
    alternative_to: Some("linux/tai"),
    home: "Linux",
    about: "CLOCK_TAI through the C library's function for any system call, which bypasses the \
            vDSO. The difference from linux/tai is what the vDSO saves; if there is none, it does \
            not have that clock here.",
    references: &["clock_gettime(2)", "syscall(2)", "Linux kernel/time/posix-timers.c",],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
