//! The clocks that only Linux has.

#[cfg(all(native_c, target_os = "linux"))]
mod device;
pub(super) mod system_calls;
#[cfg(all(native_c, target_os = "linux"))]
mod vdso;

use super::entry::{
    COUNTER, DEVICE, Entry, Facts, Kind, ORDERED_COUNTER, PLAIN, Range, STORED, VDSO,
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
