use crate::clocks::entry::CYCLES;
use crate::clocks::{Entry, Kind, Range};

/// The cycle counter of the performance monitor
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "rdpmc",
    call: "asm volatile(\"rdpmc\" : \"=a\"(low), \"=d\"(high) : \"c\"(counter))",
    language: Language::C,
    kind: Kind::Counter,
    facts: CYCLES,
    alternative_to: None,
    home: "Linux on x86",
    about: "Core cycles, counted by the performance monitor and read without a system call. They \
            come at the rate at which the core actually runs, and stop when it halts or the kernel \
            gives the counter away: right for counting cycles, wrong for time. It needs hardware \
            counters and a kernel that lets user code read them.",
    references: &[
        "Intel SDM volume 2B, RDPMC",
        "Linux include/uapi/linux/perf_event.h, struct perf_event_mmap_page",
        "/sys/bus/event_source/devices/cpu/rdpmc",
    ],
    expect: &["rdpmc"],
    open: here(
        all(target_os = "linux", target_arch = "x86_64"),
        Range::bits(BITS),
        crate::clocks::perf_event::cycles()
    ),
});

/// The width of a counter on every processor that reports it (CPUID leaf 0xA, EAX[23:16]), and on
/// AMD's processors (APM volume 2, 13.2).
const BITS: u32 = 48;
