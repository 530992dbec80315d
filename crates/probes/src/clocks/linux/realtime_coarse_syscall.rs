use crate::clocks::entry::STORED_SYSTEM_CALL;
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_REALTIME_COARSE` through the C library's `syscall()`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "realtime-coarse-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &t)",
    language: Language::C,
    kind: Kind::Wall,
    facts: STORED_SYSTEM_CALL,
    alternative_to: Some("linux/realtime-coarse"),
    home: "Linux",
    about: "The coarse wall clock through the C library's function for any system call: a whole \
            kernel entry for a value that was stored at the last tick. Nobody should read it this \
            way; the figure is very nearly the cost of syscall() alone.",
    references: &["clock_gettime(2)", "syscall(2)", "Linux kernel/time/posix-timers.c",],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
