use crate::clocks::entry::{COUNTER, ORDERED_COUNTER};
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::RateFrom;

/// The counter, scaled by the kernel's own figures
pub(crate) const ENTRY: Entry = native!(Entry {
    id: linux / "perf-mmap",
    call: if cfg!(target_arch = "aarch64") {
        "do { lock = page->lock; asm volatile(\"isb; mrs %0, cntvct_el0\" : \"=r\"(t)); \
         ns = scaled(t, page); } while (page->lock != lock)"
    } else {
        "do { lock = page->lock; ns = scaled(__rdtsc(), page); } while (page->lock != lock)"
    },
    language: Language::C,
    kind: Kind::Monotonic,
    facts: Facts {
        rate_from: RateFrom::System,
        // The counter is read after an isb on AArch64, and unordered on x86 (native/perf.c).
        ..if cfg!(target_arch = "aarch64") { ORDERED_COUNTER } else { COUNTER }
    },
    alternative_to: None,
    home: "Linux on x86-64 and AArch64",
    about: "The counter, scaled to the nanoseconds of the kernel's scheduler clock with the \
            multiplier and the shift that the kernel publishes in a performance event's page: a \
            conversion that user code need not calibrate itself. NTP does not slew it, so it \
            drifts from CLOCK_MONOTONIC. It is available only if the scheduler clock is the \
            counter itself (not under kvm-clock) and if performance events are allowed.",
    references: &[
        "Linux include/uapi/linux/perf_event.h, cap_user_time_zero",
        "perf_event_open(2)",
        "/proc/sys/kernel/perf_event_paranoid",
    ],
    expect: if cfg!(target_arch = "aarch64") { &["isb", "mrs cntvct_el0"] } else { &["rdtsc"] },
    open: here(
        all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")),
        Range::bits(64),
        crate::clocks::perf_event::time()
    ),
});
