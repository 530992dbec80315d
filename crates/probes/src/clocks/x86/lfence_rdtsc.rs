use crate::clocks::entry::FENCED_COUNTER;
use crate::clocks::{Entry, Kind, Range};

/// `lfence; rdtsc`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "lfence-rdtsc",
    call: "_mm_lfence(); __rdtsc()",
    language: Language::C,
    kind: Kind::Counter,
    facts: FENCED_COUNTER,
    alternative_to: None,
    home: "x86",
    about: "The counter, read after all earlier instructions have completed locally. The kernel \
            itself reads it this way (rdtsc_ordered), and it is the usual read at the end of a \
            region if the processor has no rdtscp. On AMD, lfence waits only if the kernel has set \
            DE_CFG[1], as every supported Linux does.",
    references: &[
        "Intel SDM volume 2B, RDTSC",
        "Intel SDM volume 2A, LFENCE",
        "Linux arch/x86/include/asm/tsc.h, rdtsc_ordered()",
    ],
    expect: &["lfence", "rdtsc"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
