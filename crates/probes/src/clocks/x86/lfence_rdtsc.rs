use crate::clocks::entry::{ORDERED_COUNTER};
use crate::clocks::{Entry, Kind, Range};

/// `lfence; rdtsc`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "lfence-rdtsc",
    call: "_mm_lfence(); __rdtsc()",
    language: Language::C,
    kind: Kind::Counter,
    facts: ORDERED_COUNTER,
    alternative_to: None,
    home: "x86",
    about: "The counter after all earlier instructions have completed locally. What the kernel itself does \
            (rdtsc_ordered), and the usual read at the end of a region where rdtscp is missing. On AMD lfence \
            waits only where the kernel has set DE_CFG[1], as every supported Linux does.",
    references: &[
        "Intel SDM volume 2B, RDTSC",
        "Intel SDM volume 2A, LFENCE",
        "Linux arch/x86/include/asm/tsc.h, rdtsc_ordered()",
    ],
    expect: &["lfence", "rdtsc"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
