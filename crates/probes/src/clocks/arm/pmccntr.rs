use crate::clocks::entry::CYCLES;
use crate::clocks::{Entry, Kind, Range};

/// `PMCCNTR`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: arm / "pmccntr",
    call: if cfg!(target_arch = "arm") {
        "asm volatile(\"mrc p15, 0, %0, c9, c13, 0\" : \"=r\"(cycles))"
    } else {
        "asm volatile(\"mrs %0, pmccntr_el0\" : \"=r\"(cycles))"
    },
    language: Language::C,
    kind: Kind::Counter,
    facts: CYCLES,
    alternative_to: None,
    home: "Unix on Arm",
    about: "Core cycles, counted by the performance monitor. They come at the rate at which the \
            core actually runs: right for counting cycles, wrong for time. The kernel must let \
            user code read the counter; on AArch64, Linux allows this for a thread that maps a \
            performance event.",
    references: &[
        "Arm ARM (DDI 0487) D13, The Performance Monitors Extension",
        "Linux Documentation/admin-guide/sysctl/kernel.rst, perf_user_access",
        "Linux Documentation/arch/arm64/perf.rst",
    ],
    expect: &[if cfg!(target_arch = "arm") { "mrc" } else { "mrs" }],
    open: here(
        all(unix, any(target_arch = "aarch64", target_arch = "arm")),
        Range::bits(usize::BITS),
        Ok(super::permit_cycles()),
        "reading the cycle counter, which the kernel must permit (AArch64 Linux: perf events and \
         sysctl kernel.perf_user_access=1)"
    ),
});
