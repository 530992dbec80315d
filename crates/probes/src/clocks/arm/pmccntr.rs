use crate::clocks::{Entry, Kind, Language, Range};

/// `PMCCNTR`
pub(crate) const ENTRY: Entry = Entry {
    id: "arm/pmccntr",
    call: "asm volatile(\"mrs %0, pmccntr_el0\" : \"=r\"(cycles))",
    language: Language::C,
    kind: Kind::Counter,
    home: "Arm with a Unix",
    about: "Cycles of the core by the performance monitor. They come at the rate at which the core really runs: \
            right for cycles, wrong for time. The kernel must let user code read it.",
    references: &[
        "Arm ARM (DDI 0487) D13, The Performance Monitors Extension",
        "Linux Documentation/admin-guide/sysctl/kernel.rst, perf_user_access",
    ],
    expect: &[if cfg!(target_arch = "arm") {
        "mrc"
    } else {
        "mrs"
    }],
    open: native!(
        native_c,
        all(unix, any(target_arch = "aarch64", target_arch = "arm")),
        "Arm with a Unix",
        cs_arm_pmccntr,
        "reading the cycle counter, which the kernel must permit (sysctl kernel.perf_user_access)",
        Range::bits(usize::BITS)
    ),
};
