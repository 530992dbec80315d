use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind, Language};

/// `CLOCK_REALTIME` by the system call
pub(crate) const ENTRY: Entry = Entry {
    id: "linux/realtime-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_REALTIME, &t)",
    language: Language::C,
    kind: Kind::Wall,
    home: "Linux",
    about: "CLOCK_REALTIME by the system call itself, past the C library and the vDSO. What it costs beyond \
            posix/realtime is what the vDSO saves; if the two cost the same, the vDSO has fallen back to the \
            system call.",
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
        cs_linux_realtime_syscall,
        "clock_gettime",
        KERNEL_TIME
    ),
};
