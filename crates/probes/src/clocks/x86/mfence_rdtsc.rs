use crate::clocks::{Entry, Kind, Language, Range};

/// `mfence; rdtsc`
pub(crate) const ENTRY: Entry = Entry {
    id: "x86/mfence-rdtsc",
    call: "_mm_mfence(); __rdtsc()",
    language: Language::C,
    kind: Kind::Counter,
    home: "x86",
    about: "Earlier loads and stores are visible before the read. On AMD before DE_CFG[1] was usual this was the \
            way to order rdtsc, and Linux used it there. On Intel mfence is not architecturally bound to hold \
            back rdtsc, and costs more than lfence.",
    references: &[
        "Intel SDM volume 2B, RDTSC",
        "Intel SDM volume 2B, MFENCE",
        "AMD APM volume 3, RDTSC",
    ],
    expect: &["mfence", "rdtsc"],
    open: native!(
        native_c,
        target_arch = "x86_64",
        "x86",
        cs_x86_mfence_rdtsc,
        "_mm_mfence(); __rdtsc()",
        Range::bits(64),
        crate::clocks::x86::tsc::readable()
    ),
};
