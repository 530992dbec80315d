use crate::clocks::entry::STORED_SYSTEM_CALL;
use crate::clocks::linux::BARE;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_REALTIME_COARSE` by the instruction alone
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "realtime-coarse-bare",
    call: bare_call!("CLOCK_REALTIME_COARSE"),
    language: Language::C,
    kind: Kind::Wall,
    facts: STORED_SYSTEM_CALL,
    alternative_to: Some("linux/realtime-coarse"),
    home: "Linux on x86-64 and Arm",
    about: "The coarse wall clock by the system call's instruction alone, without a function of \
            the C library. The difference from linux/realtime-coarse-syscall is what the library's \
            syscall() costs: it moves the arguments, and sets errno if the call fails. The kernel \
            only copies a stored time, so this is very nearly the cost of entering and leaving the \
            kernel.",
    references: &[
        "clock_gettime(2)",
        "syscall(2), Architecture calling conventions",
        "Linux kernel/time/posix-timers.c",
    ],
    expect: BARE,
    open: here(
        all(
            target_os = "linux",
            any(
                all(target_arch = "x86_64", target_pointer_width = "64"),
                target_arch = "aarch64",
                target_arch = "arm"
            )
        ),
        KERNEL_TIME
    ),
});
