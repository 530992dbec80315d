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

    "monotonic-raw" after super::permission::vdso() => {
        call: "clock_gettime(CLOCK_MONOTONIC_RAW, &t)",
        kind: Kind::Monotonic,
        facts: VDSO,
        common: true,
        about: "The hardware's rate as the kernel calibrated it at boot, untouched by NTP. It is \
                good for comparing clocks with each other; against true time it is off by the \
                crystal's error. On x86 it is read through the vDSO since Linux 5.3, and was a \
                system call before.",
    }
    "boottime" after super::permission::vdso() => {
        call: "clock_gettime(CLOCK_BOOTTIME, &t)",
        kind: Kind::Monotonic,
        facts: VDSO,
        about: "CLOCK_MONOTONIC plus the time that the machine was suspended: the right clock for \
                timeouts that must keep running while a laptop's lid is closed. If the kernel's \
                vDSO is the generic one (Linux 5.3 and later), it is read through the vDSO, at the \
                same cost.",
    }
    "tai" after super::permission::vdso() => {
        call: "clock_gettime(CLOCK_TAI, &t)",
        kind: Kind::Wall,
        facts: VDSO,
        about: "International atomic time: universal time without leap seconds. It equals \
                CLOCK_REALTIME until something (NTP, PTP) gives the kernel the offset, 37 s since \
                2017. Whatever steps CLOCK_REALTIME steps this clock too.",
        references: &["clock_gettime(2)", "adjtimex(2), ADJ_TAI"],
    }
    "realtime-coarse" => {
        call: "clock_gettime(CLOCK_REALTIME_COARSE, &t)",
        kind: Kind::Wall,
        facts: STORED,
        about: "Universal time as of the last timer tick. A read is a load from memory and not a \
                counter read, for log lines for which milliseconds suffice. Its resolution is the \
                kernel's tick, 1 to 10 ms, which clock_getres returns.",
    }
    "monotonic-coarse" => {
        call: "clock_gettime(CLOCK_MONOTONIC_COARSE, &t)",
        kind: Kind::Monotonic,
        facts: STORED,
        common: true,
        about: "CLOCK_MONOTONIC as of the last timer tick. A read is a load from memory and not a \
                counter read, which makes it good for timeouts and caches. Its resolution is the \
                kernel's tick, 1 to 10 ms; an interval is wrong by up to that.",
    }
}

clocks! {
    OTHERS: linux in native_c if target_os = "linux", like LINUX;

    "monotonic-vdso" after vdso::clock_gettime() => {
        call: if cfg!(target_arch = "aarch64") {
            "__kernel_clock_gettime(CLOCK_MONOTONIC, &t)"
        } else {
            "__vdso_clock_gettime(CLOCK_MONOTONIC, &t)"
        },
        kind: Kind::Monotonic,
        facts: VDSO,
        alternative_to: Some("posix/monotonic"),
        about: "The function that the kernel maps into every process, found by name and called \
                without the C library in between. It shows what bypassing the wrapper gains over \
                posix/monotonic. Programs without a C library read the clock this way; others gain \
                a nanosecond or two at best.",
        references: &["vdso(7)", "Linux lib/vdso/gettimeofday.c"],
        expect: &["(*)"],
        range: KERNEL_TIME,
    }
    "perf-mmap" if any(target_arch = "x86_64", target_arch = "aarch64")
        after super::perf_event::time() => {
        call: if cfg!(target_arch = "aarch64") {
            "do { lock = page->lock; asm volatile(\"isb; mrs %0, cntvct_el0\" : \"=r\"(t)); \
             ns = scaled(t, page); } while (page->lock != lock)"
        } else {
            "do { lock = page->lock; ns = scaled(__rdtsc(), page); } while (page->lock != lock)"
        },
        kind: Kind::Monotonic,
        facts: Facts {
            rate_from: RateFrom::System,
            // The counter is read after an isb on AArch64, and unordered on x86 (native/perf.c).
            ..if cfg!(target_arch = "aarch64") { ORDERED_COUNTER } else { COUNTER }
        },
        home: "Linux on x86-64 and AArch64",
        about: "The counter, scaled to the nanoseconds of the kernel's scheduler clock with the \
                multiplier and the shift that the kernel publishes in a performance event's page: \
                a conversion that user code need not calibrate itself. NTP does not slew it, so it \
                drifts from CLOCK_MONOTONIC. It is available only if the scheduler clock is the \
                counter itself (not under kvm-clock) and if performance events are allowed.",
        references: &[
            "Linux include/uapi/linux/perf_event.h, cap_user_time_zero",
            "perf_event_open(2)",
            "/proc/sys/kernel/perf_event_paranoid",
        ],
        expect: if cfg!(target_arch = "aarch64") { &["isb", "mrs cntvct_el0"] } else { &["rdtsc"] },
        range: Range::bits(64),
    }
    "ptp" after device::ptp() => {
        call: "clock_gettime(FD_TO_CLOCKID(fd), &t)",
        kind: Kind::Wall,
        facts: DEVICE,
        home: "Linux with a PTP hardware clock",
        about: "The clock of a network card or of the hypervisor (ptp_kvm, ptp_vmclock), kept by \
                IEEE 1588 and usually in TAI. The one read here is the first of /dev/ptp0, \
                /dev/ptp1 and so on that can be opened. A read is a system call and a transfer \
                over the bus, often more than a microsecond. Use it to compare machines, not to \
                time code.",
        references: &["Linux Documentation/driver-api/ptp.rst", "clock_getres(2), Dynamic clocks"],
        asked_for: Some("/dev/ptp"),
    }
    "rtc" after device::rtc() => {
        call: "ioctl(fd, RTC_RD_TIME, &t)",
        kind: Kind::Wall,
        facts: DEVICE,
        home: "Linux with a real-time clock",
        about: "The battery-backed clock that keeps the date while the machine is off, in whole \
                seconds. A read goes to slow hardware and takes tens of microseconds to \
                milliseconds; with the classic chip it also waits while the chip updates itself. \
                It is for setting the system's clock at boot, and for nothing that is timed. \
                Usually only root may open it, and only one process at a time.",
        references: &["rtc(4)", "Linux Documentation/admin-guide/rtc.rst"],
        expect: &["ioctl()"],
        range: Range::seconds(33),
        asked_for: Some("/dev/rtc0, RTC_RD_TIME"),
    }
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

/// Finds the vDSO's function.
#[cfg(all(native_c, target_os = "linux"))]
mod vdso {
    use crate::clocks::native::State;
    use crate::clocks::{Unavailable, permission};
    use crate::machine::vdso::symbol;

    /// The kernel's name for the function: vdso(7).
    const NAME: &str = if cfg!(target_arch = "aarch64") {
        "__kernel_clock_gettime"
    } else {
        "__vdso_clock_gettime"
    };

    /// The address of the function. native/linux.c calls it with the signature that the kernel
    /// defines for a function of that name.
    pub(super) fn clock_gettime() -> Result<State, Unavailable> {
        permission::vdso()?;
        let function = symbol(NAME).ok_or_else(|| {
            Unavailable(format!(
                "the vDSO has no {NAME}, or the kernel maps no vDSO (vdso=0 on its command line, \
                 or an emulator)"
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
