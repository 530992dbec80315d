use crate::clocks::entry::CPU_TIME;
use crate::clocks::linux::BARE;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_PROCESS_CPUTIME_ID` by the instruction alone
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "process-cputime-bare",
    call: bare_call!("CLOCK_PROCESS_CPUTIME_ID"),
    language: Language::C,
    kind: Kind::Cpu,
    facts: CPU_TIME,
    alternative_to: Some("posix/process-cputime"),
    home: "Linux on x86-64 and Arm",
    about: "CPU time of the process by the system call's instruction alone, without a function of \
            the C library. The difference from linux/process-cputime-syscall is what the library's \
            syscall() costs: it moves the arguments, and sets errno if the call fails. The vDSO \
            passes posix/process-cputime on with the same instruction.",
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
