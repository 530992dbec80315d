use crate::clocks::{Entry, Kind, Language, Range};

/// `rdtsc` by inline assembly
pub(crate) const ENTRY: Entry = Entry {
    id: "x86/rdtsc-asm",
    call: "asm volatile(\"rdtsc\" : \"=a\"(low), \"=d\"(high))",
    language: Language::C,
    kind: Kind::Counter,
    home: "x86",
    about: "The time-stamp counter by inline assembly, for compilers and languages without the intrinsic. The \
            same instruction as the intrinsic, and the same cost: what differs is the effort and the chance of a \
            wrong constraint. Ordered with nothing.",
    references: &["Intel SDM volume 2B, RDTSC", "GCC manual, Extended Asm"],
    expect: &["rdtsc"],
    open: native!(
        native_c,
        target_arch = "x86_64",
        "x86",
        cs_x86_rdtsc_asm,
        "rdtsc",
        Range::bits(64),
        crate::clocks::x86::tsc::readable()
    ),
};
