//! The clocks of `clock_gettime` by a system call, which bypasses the vDSO: through the C library's
//! `syscall()`, and by the instruction alone.

use crate::clocks::entry::{CPU_TIME, Entry, Kind, PLAIN, STORED_SYSTEM_CALL, SYSTEM_CALL};
use crate::clocks::native::KERNEL_TIME;

/// Through the C library's function for any system call.
const FUNCTION: Entry = Entry {
    home: "Linux",
    references: &["clock_gettime(2)", "syscall(2)", "Linux kernel/time/posix-timers.c"],
    expect: &["syscall()"],
    range: KERNEL_TIME,
    ..PLAIN
};

/// The defaults of a clock that is read by the instruction that enters the kernel.
const INSTRUCTION: Entry = Entry {
    home: "Linux on x86-64 and Arm",
    references: &[
        "clock_gettime(2)",
        "syscall(2), Architecture calling conventions",
        "Linux kernel/time/posix-timers.c",
    ],
    expect: if cfg!(any(target_arch = "aarch64", target_arch = "arm")) {
        &["svc"]
    } else {
        &["syscall"]
    },
    ..FUNCTION
};

/// Each row makes two clocks, one for each way. The texts follow the description that all clocks of
/// one way share.
macro_rules! system_calls {
    ($(
        $name:literal: $clock:literal, $kind:ident, $facts:ident,
        $other:literal, $subject:literal, $by_function:literal, $by_instruction:literal;
    )*) => {
        clocks! {
            SYSCALL: linux in native_c if target_os = "linux", like FUNCTION;
            $($name "-syscall" => {
                call: concat!("syscall(SYS_clock_gettime, ", $clock, ", &t)"),
                kind: Kind::$kind,
                facts: $facts,
                alternative_to: Some($other),
                about: concat!(
                    $subject, " through the C library's function for any system call", $by_function
                ),
            })*
        }

        clocks! {
            BARE: linux in native_c if all(
                target_os = "linux",
                any(
                    all(target_arch = "x86_64", target_pointer_width = "64"),
                    target_arch = "aarch64",
                    target_arch = "arm"
                )
            ), like INSTRUCTION;
            $($name "-bare" => {
                // As native/kernel_clock.h has it.
                call: if cfg!(target_arch = "aarch64") {
                    concat!(
                        "x8 = SYS_clock_gettime; x0 = ", $clock, "; x1 = &t; \
                         asm volatile(\"svc 0\" : \"+r\"(x0) : \"r\"(x1), \"r\"(x8) : \"memory\")"
                    )
                } else if cfg!(target_arch = "arm") {
                    concat!(
                        "r7 = SYS_clock_gettime; r0 = ", $clock, "; r1 = &t; \
                         asm volatile(\"svc 0\" : \"+r\"(r0) : \"r\"(r1), \"r\"(r7) : \"memory\")"
                    )
                } else {
                    concat!(
                        "asm volatile(\"syscall\" : \"=a\"(result) : \"0\"(SYS_clock_gettime), \
                         \"D\"(", $clock, "), \"S\"(&t) : \"rcx\", \"r11\", \"memory\")"
                    )
                },
                kind: Kind::$kind,
                facts: $facts,
                alternative_to: Some($other),
                about: concat!(
                    $subject, " by the system call's instruction alone, without a function of the \
                    C library. The difference from linux/", $name, "-syscall is what the library's \
                    syscall() costs: it moves the arguments, and sets errno if the call fails. ",
                    $by_instruction
                ),
            })*
        }
    };
}

system_calls! {
    "realtime": "CLOCK_REALTIME", Wall, SYSTEM_CALL, "posix/realtime", "CLOCK_REALTIME",
        ", which bypasses the vDSO. The difference from posix/realtime is what the vDSO saves. \
         linux/realtime-bare is the same call without the library's function.",
        "Programs without a C library read the clock this way if they do not look up the vDSO.";
    "monotonic": "CLOCK_MONOTONIC", Monotonic, SYSTEM_CALL, "posix/monotonic", "CLOCK_MONOTONIC",
        ", which bypasses the vDSO. The difference from posix/monotonic is what the vDSO saves. \
         linux/monotonic-bare is the same call without the library's function.",
        "Programs without a C library read the clock this way if they do not look up the vDSO.";
    "monotonic-raw": "CLOCK_MONOTONIC_RAW", Monotonic, SYSTEM_CALL, "linux/monotonic-raw",
        "CLOCK_MONOTONIC_RAW",
        ". On x86, the vDSO does not have this clock before Linux 5.3; on later kernels, the \
         difference from linux/monotonic-raw is what the vDSO saves.",
        "Compare it with linux/monotonic-raw: if the two cost the same, the vDSO has fallen back \
         to this instruction.";
    "boottime": "CLOCK_BOOTTIME", Monotonic, SYSTEM_CALL, "linux/boottime", "CLOCK_BOOTTIME",
        ", which bypasses the vDSO. The difference from linux/boottime is what the vDSO saves; if \
         there is none, it does not have that clock here.",
        "Compare it with linux/boottime: if the two cost the same, the vDSO has fallen back to \
         this instruction.";
    "tai": "CLOCK_TAI", Wall, SYSTEM_CALL, "linux/tai", "CLOCK_TAI",
        ", which bypasses the vDSO. The difference from linux/tai is what the vDSO saves; if there \
         is none, it does not have that clock here.",
        "Compare it with linux/tai: if the two cost the same, the vDSO has fallen back to this \
         instruction.";
    "realtime-coarse": "CLOCK_REALTIME_COARSE", Wall, STORED_SYSTEM_CALL, "linux/realtime-coarse",
        "The coarse wall clock",
        ": a whole kernel entry for a value that was stored at the last tick. Nobody should read \
         it this way; the figure is very nearly the cost of syscall() alone.",
        "The kernel only copies a stored time, so this is very nearly the cost of entering and \
         leaving the kernel.";
    "monotonic-coarse": "CLOCK_MONOTONIC_COARSE", Monotonic, STORED_SYSTEM_CALL,
        "linux/monotonic-coarse", "The coarse monotonic clock",
        ": a whole kernel entry for a value that was stored at the last tick. Nobody should read \
         it this way; the figure is very nearly the cost of syscall() alone.",
        "The kernel only copies a stored time, so this is very nearly the cost of entering and \
         leaving the kernel.";
    "process-cputime": "CLOCK_PROCESS_CPUTIME_ID", Cpu, CPU_TIME, "posix/process-cputime",
        "CPU time of the process",
        ". The vDSO only passes posix/process-cputime on to the kernel, so the two should cost \
         nearly the same; the difference is that between two ways into the kernel.",
        "The vDSO passes posix/process-cputime on with the same instruction.";
    "thread-cputime": "CLOCK_THREAD_CPUTIME_ID", Cpu, CPU_TIME, "posix/thread-cputime",
        "CPU time of the thread",
        ". The vDSO only passes posix/thread-cputime on to the kernel, so the two should cost \
         nearly the same; the difference is that between two ways into the kernel.",
        "The vDSO passes posix/thread-cputime on with the same instruction.";
}
