use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_REALTIME_COARSE` by the system call
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/realtime-coarse-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &t)",
    language: Language::C,
    kind: Kind::Wall,
    home: "Linux",
    about: "The coarse wall clock by the system call itself: a whole kernel entry for a value that was stored at \
            the last tick. Nobody should read it so; the figure is very nearly the cost of a system call alone.",
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
        cs_linux_realtime_coarse_syscall,
        "clock_gettime",
        KERNEL_TIME
    ),
};
