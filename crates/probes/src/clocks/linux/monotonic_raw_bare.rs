use crate::clocks::entry::SYSTEM_CALL;
use crate::clocks::linux::BARE;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_MONOTONIC_RAW` by the instruction alone
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "monotonic-raw-bare",
    call: bare_call!("CLOCK_MONOTONIC_RAW"),
    language: Language::C,
    kind: Kind::Monotonic,
    facts: SYSTEM_CALL,
    alternative_to: Some("linux/monotonic-raw"),
    home: "Linux on x86-64 and Arm",
    about: "CLOCK_MONOTONIC_RAW by the system call's instruction alone, without a function of the \
            C library. The difference from linux/monotonic-raw-syscall is what the library's \
            syscall() costs: it moves the arguments, and sets errno if the call fails. Compare it \
            with linux/monotonic-raw: if the two cost the same, the vDSO has fallen back to this \
            instruction.",
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
