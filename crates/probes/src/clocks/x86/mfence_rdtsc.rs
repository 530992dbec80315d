use crate::clocks::entry::COUNTER;
use crate::clocks::{Entry, Facts, Kind, Range};
use chronoscope_model::clock::Orders;

/// `mfence; rdtsc`
pub(crate) const ENTRY: Entry = native!(Entry {
    id: x86 / "mfence-rdtsc",
    call: "_mm_mfence(); __rdtsc()",
    language: Language::C,
    kind: Kind::Counter,
    facts: Facts { orders: Orders::Memory, ..COUNTER },
    alternative_to: None,
    home: "x86",
    about: "The counter, read after earlier loads and stores have become visible. On AMD, before \
            DE_CFG[1] was usual, this was the way to order rdtsc, and Linux used it there. On \
            Intel, mfence is not architecturally required to hold back rdtsc, and it costs more \
            than lfence.",
    references: &[
        "Intel SDM volume 2B, RDTSC",
        "Intel SDM volume 2B, MFENCE",
        "AMD APM volume 3, RDTSC",
    ],
    expect: &["mfence", "rdtsc"],
    open: here(target_arch = "x86_64", Range::bits(64), crate::clocks::permission::counter()),
});
