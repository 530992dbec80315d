//! The clocks that only Linux has, and those of `clock_gettime` by a system call, which bypasses
//! the vDSO: through the C library's `syscall()`, and by the instruction alone.

use super::entry::{
    COUNTER, CPU_TIME, DEVICE, Entry, Facts, Kind, ORDERED_COUNTER, PLAIN, Range, STORED,
    STORED_SYSTEM_CALL, SYSTEM_CALL, VDSO,
};
use super::native::{KERNEL_TIME, TIME_T};
use chronoscope_model::clock::RateFrom;

const LINUX: Entry = Entry {
    home: "Linux",
    references: &["clock_gettime(2)", "Linux lib/vdso/gettimeofday.c"],
    expect: &["clock_gettime()"],
    range: TIME_T,
    ..PLAIN
};

clocks! {
    CLOCKS: linux in native_c if target_os = "linux", like LINUX;

    "monotonic-raw" after super::entry::may_call_vdso() =>
        "clock_gettime(CLOCK_MONOTONIC_RAW, &t)", Kind::Monotonic, VDSO, common: true;
    "boottime" after super::entry::may_call_vdso() =>
        "clock_gettime(CLOCK_BOOTTIME, &t)", Kind::Monotonic, VDSO;
    "tai" after super::entry::may_call_vdso() => "clock_gettime(CLOCK_TAI, &t)", Kind::Wall, VDSO;
    "realtime-coarse" => "clock_gettime(CLOCK_REALTIME_COARSE, &t)", Kind::Wall, STORED;
    "monotonic-coarse" =>
        "clock_gettime(CLOCK_MONOTONIC_COARSE, &t)", Kind::Monotonic, STORED, common: true;
}

clocks! {
    OTHERS: linux in native_c if target_os = "linux", like LINUX;

    "monotonic-vdso" after vdso::clock_gettime() =>
        if cfg!(target_arch = "aarch64") {
            "__kernel_clock_gettime(CLOCK_MONOTONIC, &t)"
        } else {
            "__vdso_clock_gettime(CLOCK_MONOTONIC, &t)"
        },
        Kind::Monotonic, VDSO, alternative_to: Some("posix/monotonic"), expect: &["(*)"],
        range: KERNEL_TIME;
    // The counter is read after an isb on AArch64, and unordered on x86 (native/perf.c).
    "perf-mmap" if any(target_arch = "x86_64", target_arch = "aarch64")
        after super::perf_event::time() =>
        if cfg!(target_arch = "aarch64") {
            "do { lock = page->lock; asm volatile(\"isb; mrs %0, cntvct_el0\" : \"=r\"(t)); \
             ns = scaled(t, page); } while (page->lock != lock)"
        } else {
            "do { lock = page->lock; ns = scaled(__rdtsc(), page); } while (page->lock != lock)"
        },
        Kind::Monotonic,
        Facts {
            rate_from: RateFrom::System,
            ..if cfg!(target_arch = "aarch64") { ORDERED_COUNTER } else { COUNTER }
        },
        home: "Linux on x86-64 and AArch64",
        expect: if cfg!(target_arch = "aarch64") { &["isb", "mrs cntvct_el0"] } else { &["rdtsc"] },
        range: Range::bits(64);
    "ptp" after device::ptp() =>
        "clock_gettime(FD_TO_CLOCKID(fd), &t)", Kind::Wall, DEVICE,
        home: "Linux with a PTP hardware clock", asked_for: Some("/dev/ptp");
    "rtc" after device::rtc() =>
        "ioctl(fd, RTC_RD_TIME, &t)", Kind::Wall, DEVICE, home: "Linux with a real-time clock",
        expect: &["ioctl()"], range: Range::seconds(33), asked_for: Some("/dev/rtc0, RTC_RD_TIME");
}

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

/// Each row makes two clocks, one for each way. The text about the second one follows what those of
/// its way share.
macro_rules! system_calls {
    ($(
        $name:literal: $clock:literal, $kind:ident, $facts:ident,
        $other:literal, $subject:literal, $by_instruction:literal;
    )*) => {
        clocks! {
            SYSCALL: linux in native_c if target_os = "linux", like FUNCTION;
            $($name "-syscall" =>
                concat!("syscall(SYS_clock_gettime, ", $clock, ", &t)"), Kind::$kind, $facts,
                alternative_to: Some($other);)*
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
            // As native/kernel_clock.h has it.
            $($name "-bare" =>
                if cfg!(target_arch = "aarch64") {
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
                Kind::$kind, $facts, alternative_to: Some($other),
                about: concat!(
                    $subject, " by the system call's instruction alone, without a function of the \
                    C library. The difference from linux/", $name, "-syscall is what the library's \
                    syscall() costs: it moves the arguments, and sets errno if the call fails. ",
                    $by_instruction
                );)*
        }
    };
}

system_calls! {
    "realtime": "CLOCK_REALTIME", Wall, SYSTEM_CALL, "posix/realtime", "CLOCK_REALTIME",
        "Programs without a C library read the clock this way if they do not look up the vDSO.";
    "monotonic": "CLOCK_MONOTONIC", Monotonic, SYSTEM_CALL, "posix/monotonic", "CLOCK_MONOTONIC",
        "Programs without a C library read the clock this way if they do not look up the vDSO.";
    "monotonic-raw": "CLOCK_MONOTONIC_RAW", Monotonic, SYSTEM_CALL,
        "linux/monotonic-raw", "CLOCK_MONOTONIC_RAW",
        "Compare it with linux/monotonic-raw: if the two cost the same, the vDSO has fallen back \
         to this instruction.";
    "boottime": "CLOCK_BOOTTIME", Monotonic, SYSTEM_CALL, "linux/boottime", "CLOCK_BOOTTIME",
        "Compare it with linux/boottime: if the two cost the same, the vDSO has fallen back to \
         this instruction.";
    "tai": "CLOCK_TAI", Wall, SYSTEM_CALL, "linux/tai", "CLOCK_TAI",
        "Compare it with linux/tai: if the two cost the same, the vDSO has fallen back to this \
         instruction.";
    "realtime-coarse": "CLOCK_REALTIME_COARSE", Wall, STORED_SYSTEM_CALL,
        "linux/realtime-coarse", "The coarse wall clock",
        "The kernel only copies a stored time, so this is very nearly the cost of entering and \
         leaving the kernel.";
    "monotonic-coarse": "CLOCK_MONOTONIC_COARSE", Monotonic, STORED_SYSTEM_CALL,
        "linux/monotonic-coarse", "The coarse monotonic clock",
        "The kernel only copies a stored time, so this is very nearly the cost of entering and \
         leaving the kernel.";
    "process-cputime": "CLOCK_PROCESS_CPUTIME_ID", Cpu, CPU_TIME,
        "posix/process-cputime", "CPU time of the process",
        "The vDSO passes posix/process-cputime on with the same instruction.";
    "thread-cputime": "CLOCK_THREAD_CPUTIME_ID", Cpu, CPU_TIME,
        "posix/thread-cputime", "CPU time of the thread",
        "The vDSO passes posix/thread-cputime on with the same instruction.";
}

/// Finds the vDSO's function.
#[cfg(all(native_c, target_os = "linux"))]
mod vdso {
    use crate::clocks::native::State;
    use crate::clocks::{Unavailable, entry};
    use crate::machine::vdso::{CLOCK_GETTIME, symbol};

    /// The address of the function. native/linux.c calls it with the signature that the kernel
    /// defines for a function of that name.
    pub(super) fn clock_gettime() -> Result<State, Unavailable> {
        entry::may_call_vdso()?;
        let function = symbol(CLOCK_GETTIME).ok_or_else(|| {
            Unavailable(format!(
                "the vDSO has no {CLOCK_GETTIME}, or the kernel maps no vDSO (vdso=0 on its \
                 command line, or an emulator)"
            ))
        })?;
        Ok(State::of(function as usize))
    }
}

/// Opens the clocks that are devices.
#[cfg(all(native_c, target_os = "linux"))]
mod device {
    use crate::clocks::Unavailable;
    use crate::clocks::native::State;
    use std::fs::File;
    use std::io::ErrorKind;
    use std::os::fd::AsRawFd;

    /// At most this many PTP clocks are tried.
    const PTP_CLOCKS: u32 = 16;

    /// Opens the first PTP clock that can be opened.
    pub(super) fn ptp() -> Result<State, Unavailable> {
        let paths = (0..PTP_CLOCKS).map(|n| format!("/dev/ptp{n}"));
        first(paths, "there is no PTP hardware clock (no /dev/ptp0)")
    }

    pub(super) fn rtc() -> Result<State, Unavailable> {
        let paths = ["/dev/rtc0", "/dev/rtc"].map(String::from).into_iter();
        first(paths, "there is no real-time clock (no /dev/rtc0)")
    }

    /// The first file that can be opened, with its descriptor as the word. If none can be opened,
    /// the error is that of the first refusal, or `none` if no file exists.
    fn first(paths: impl Iterator<Item = String>, none: &str) -> Result<State, Unavailable> {
        let mut refusal = None;
        for path in paths {
            match File::open(&path) {
                Ok(file) => return Ok(State::holding(file.as_raw_fd() as usize, file)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    refusal.get_or_insert_with(|| Unavailable(format!("{path}: {error}")));
                }
            }
        }
        Err(refusal.unwrap_or_else(|| Unavailable(none.into())))
    }
}
