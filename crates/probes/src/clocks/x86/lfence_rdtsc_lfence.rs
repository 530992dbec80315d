use crate::clocks::{Entry, Kind, Language, Range};

/// `lfence; rdtsc; lfence`
pub(crate) const ENTRY: Entry = Entry {
    id: "x86/lfence-rdtsc-lfence",
    call: "_mm_lfence(); __rdtsc(); _mm_lfence()",
    language: Language::C,
    kind: Kind::Counter,
    home: "x86",
    about: "Earlier instructions have completed, and no later one begins before the read: the start of a timed \
            region done properly. The second fence is what keeps the work under test from moving in front of its \
            own clock.",
    references: &["Intel SDM volume 2B, RDTSC", "Intel SDM volume 2A, LFENCE"],
    expect: &["lfence", "rdtsc", "lfence"],
    open: native!(
        native_c,
        target_arch = "x86_64",
        "x86",
        cs_x86_lfence_rdtsc_lfence,
        "_mm_lfence(); __rdtsc(); _mm_lfence()",
        Range::bits(64),
        crate::clocks::x86::tsc::readable()
    ),
};
