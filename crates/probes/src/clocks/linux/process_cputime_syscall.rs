use crate::clocks::entry::CPU_TIME;
use crate::clocks::linux::SYSCALL;
use crate::clocks::native::KERNEL_TIME;
use crate::clocks::{Entry, Kind};

/// `CLOCK_PROCESS_CPUTIME_ID` through the C library's `syscall()`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "process-cputime-syscall",
    call: "syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t)",
    language: Language::C,
    kind: Kind::Cpu,
    facts: CPU_TIME,
    alternative_to: Some("posix/process-cputime"),
    home: "Linux",
    about: "CPU time of the process through the C library's function for any system call. The vDSO \
            only passes posix/process-cputime on to the kernel, so the two should cost nearly the \
            same; the difference is that between two ways into the kernel.",
    references: &["clock_gettime(2)", "syscall(2)", "Linux kernel/time/posix-timers.c",],
    expect: SYSCALL,
    open: here(target_os = "linux", KERNEL_TIME),
});
