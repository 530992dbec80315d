use crate::clocks::{Entry, Kind, Language, Range};

/// `__rdtsc()`
pub(crate) const ENTRY: Entry = Entry {
    id: "x86/rdtsc-intrinsic",
    call: "__rdtsc()",
    language: Language::C,
    kind: Kind::Counter,
    home: "x86",
    about: "The time-stamp counter by the compilers' common intrinsic: the cheapest clock of x86. Ordered with \
            nothing: it may be read before earlier instructions have finished and after later ones have begun. \
            Its ticks need a rate, and are time only where the counter is invariant.",
    references: &[
        "Intel SDM volume 2B, RDTSC",
        "Intel SDM volume 3B, Time-Stamp Counter",
    ],
    expect: &["rdtsc"],
    open: native!(
        native_c,
        target_arch = "x86_64",
        "x86",
        cs_x86_rdtsc_intrinsic,
        "__rdtsc()",
        Range::bits(64),
        crate::clocks::x86::tsc::readable()
    ),
};
